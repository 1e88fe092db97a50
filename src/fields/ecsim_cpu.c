/* Node and centre operators. G. Lapenta, J. Comput. Phys. 334 (2017) 349, section 3.
 *
 * (d/dx F) is the mean over the four parallel edges of a cell of the difference along x, over dx.
 * The eight values stand in four rows (j, k); along axes that are not simulated the stride is 0, so
 * that a mean is the value itself and a difference is 0. */
#include "fields/ecsim_cpu.h"

#include <stddef.h>

typedef struct rows {
  const double *a, *b, *c, *d; /* (0, 0), (1, 0), (0, 1), (1, 1) of axes 1 and 2 */
} rows;

static inline rows rows_of(const double *in, const int64_t s[3]) {
  return (rows){in, in + s[1], in + s[2], in + s[1] + s[2]};
}

static inline double along_x(const rows *f, int64_t i, int64_t s) {
  return (f->a[i + s] - f->a[i]) + (f->b[i + s] - f->b[i]) + (f->c[i + s] - f->c[i]) +
         (f->d[i + s] - f->d[i]);
}

static inline double along_y(const rows *f, int64_t i, int64_t s) {
  return (f->b[i] - f->a[i]) + (f->b[i + s] - f->a[i + s]) + (f->d[i] - f->c[i]) +
         (f->d[i + s] - f->c[i + s]);
}

static inline double along_z(const rows *f, int64_t i, int64_t s) {
  return (f->c[i] - f->a[i]) + (f->c[i + s] - f->a[i + s]) + (f->d[i] - f->b[i]) +
         (f->d[i + s] - f->b[i + s]);
}

static inline double sum_around(const rows *f, int64_t i, int64_t s) {
  return ((f->a[i] + f->a[i + s]) + (f->b[i] + f->b[i + s])) +
         ((f->c[i] + f->c[i + s]) + (f->d[i] + f->d[i + s]));
}

/* What one row needs. */
typedef struct place {
  int32_t n;
  int64_t stride[3], at, shift;
  double step[3]; /* scale / (4 dx), 0 along axes that are not simulated */
} place;

static place place_of(const cw_ecsim_job *job, int64_t row) {
  const cw_grid *grid = job->grid;
  place p = {.n = grid->cells[0]};
  p.at = cw_grid_index(grid, 0, row % grid->cells[1], row / grid->cells[1]);
  for (int a = 0; a < grid->dim; a++) {
    p.stride[a] = grid->stride[a];
    p.step[a] = job->scale / (4 * grid->dx[a]);
  }
  p.shift = job->to_node ? p.stride[0] + p.stride[1] + p.stride[2] : 0;
  return p;
}

static inline double based(const double *base, int64_t i) {
  return base ? base[i] : 0;
}

static void curl_row(const cw_ecsim_job *job, const place *p) {
  const int64_t s = p->stride[0];
  rows f[3];
  const double *base[3];
  double *out[3];
  for (int c = 0; c < 3; c++) {
    f[c] = rows_of(job->in[c] + p->at - p->shift, p->stride);
    base[c] = job->base[c] ? job->base[c] + p->at : NULL;
    out[c] = job->out[c] + p->at;
  }
  const double x = p->step[0], y = p->step[1], z = p->step[2];
  for (int32_t i = 0; i < p->n; i++)
    out[0][i] = based(base[0], i) + (y * along_y(&f[2], i, s) - z * along_z(&f[1], i, s));
  for (int32_t i = 0; i < p->n; i++)
    out[1][i] = based(base[1], i) + (z * along_z(&f[0], i, s) - x * along_x(&f[2], i, s));
  for (int32_t i = 0; i < p->n; i++)
    out[2][i] = based(base[2], i) + (x * along_x(&f[1], i, s) - y * along_y(&f[0], i, s));
}

static void divergence_row(const cw_ecsim_job *job, const place *p) {
  const int64_t s = p->stride[0];
  rows f[3];
  for (int c = 0; c < 3; c++)
    f[c] = rows_of(job->in[c] + p->at - p->shift, p->stride);
  const double *base = job->base[0] ? job->base[0] + p->at : NULL;
  double *out = job->out[0] + p->at;
  for (int32_t i = 0; i < p->n; i++)
    out[i] =
        based(base, i) + (p->step[0] * along_x(&f[0], i, s) + p->step[1] * along_y(&f[1], i, s) +
                          p->step[2] * along_z(&f[2], i, s));
}

static void average_row(const cw_ecsim_job *job, const place *p) {
  for (int c = 0; c < 3; c++) {
    const rows f = rows_of(job->in[c] + p->at - p->shift, p->stride);
    double *out = job->out[c] + p->at;
    for (int32_t i = 0; i < p->n; i++)
      out[i] = 0.125 * sum_around(&f, i, p->stride[0]);
  }
}

typedef void row_function(const cw_ecsim_job *job, const place *p);

static inline void over_rows(const cw_ecsim_job *job, row_function *function) {
  const int64_t count = (int64_t)job->grid->cells[1] * job->grid->cells[2];
#pragma omp parallel for num_threads(job->threads)                                                 \
    schedule(static) if (job->grid->points > CW_ECSIM_PARALLEL_POINTS)
  for (int64_t row = 0; row < count; row++) {
    const place p = place_of(job, row);
    function(job, &p);
  }
}

static void curl(const cw_ecsim_job *job) {
  over_rows(job, curl_row);
}
static void divergence(const cw_ecsim_job *job) {
  over_rows(job, divergence_row);
}
static void average(const cw_ecsim_job *job) {
  over_rows(job, average_row);
}

const cw_ecsim_cpu_table CW_ISA_NAME(cw_ecsim_cpu_ops) = {
    .curl = curl, .divergence = divergence, .average = average};
