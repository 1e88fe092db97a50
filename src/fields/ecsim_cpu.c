/* Rows of the node and centre operators. */
#include "fields/ecsim_cpu.h"

#include <stddef.h>

#include "fields/ecsim_point_body.h"

/* What one row needs. */
typedef struct place {
  int32_t n;
  int64_t stride[3], at, shift;
  double step[3]; /* scale / (4 dx), 0 along axes that are not simulated */
} place;

static place place_of(const cw_ecsim_job *job, int64_t row) {
  const cw_grid *grid = job->grid;
  const int32_t rows = grid->cells[1] + job->beyond[1];
  place p = {.n = grid->cells[0] + job->beyond[0]};
  p.at = cw_grid_index(grid, 0, row % rows, row / rows);
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

static void rows_of(const cw_ecsim_job *job, const place *p, cw_ecsim_rows f[3]) {
  for (int c = 0; c < 3; c++)
    f[c] = cw_ecsim_rows_of(job->in[c] + p->at - p->shift, p->stride);
}

static void curl_row(const cw_ecsim_job *job, const place *p) {
  const int64_t s = p->stride[0];
  cw_ecsim_rows f[3];
  const double *base[3];
  double *out[3];
  rows_of(job, p, f);
  for (int c = 0; c < 3; c++) {
    base[c] = job->base[c] ? job->base[c] + p->at : NULL;
    out[c] = job->out[c] + p->at;
  }
  for (int32_t i = 0; i < p->n; i++)
    out[0][i] = based(base[0], i) + cw_ecsim_curl_x(f, p->step, i, s);
  for (int32_t i = 0; i < p->n; i++)
    out[1][i] = based(base[1], i) + cw_ecsim_curl_y(f, p->step, i, s);
  for (int32_t i = 0; i < p->n; i++)
    out[2][i] = based(base[2], i) + cw_ecsim_curl_z(f, p->step, i, s);
}

static void divergence_row(const cw_ecsim_job *job, const place *p) {
  cw_ecsim_rows f[3];
  rows_of(job, p, f);
  const double *base = job->base[0] ? job->base[0] + p->at : NULL;
  double *out = job->out[0] + p->at;
  for (int32_t i = 0; i < p->n; i++)
    out[i] = based(base, i) + cw_ecsim_divergence_of(f, p->step, i, p->stride[0]);
}

static void average_row(const cw_ecsim_job *job, const place *p) {
  cw_ecsim_rows f[3];
  rows_of(job, p, f);
  for (int c = 0; c < 3; c++)
    for (int32_t i = 0; i < p->n; i++)
      job->out[c][p->at + i] = cw_ecsim_mean_around(&f[c], i, p->stride[0]);
}

typedef void row_function(const cw_ecsim_job *job, const place *p);

static inline void over_rows(const cw_ecsim_job *job, row_function *function) {
  const int64_t count =
      ((int64_t)job->grid->cells[1] + job->beyond[1]) * (job->grid->cells[2] + job->beyond[2]);
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
