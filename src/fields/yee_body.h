/* Rows of the curl, for one precision (base/real.h). */
#include "fields/yee_point_body.h"

static inline void CW_REAL_NAME(curl_row)(int32_t n, const int64_t s[3], const cw_real c[3],
                                          cw_real *restrict ox, cw_real *restrict oy,
                                          cw_real *restrict oz, const cw_real *restrict x,
                                          const cw_real *restrict y, const cw_real *restrict z) {
  const int64_t s0 = s[0], s1 = s[1], s2 = s[2];
  const cw_real c0 = c[0], c1 = c[1], c2 = c[2];
  for (int32_t i = 0; i < n; i++)
    CW_REAL_NAME(curl_point)(i, s0, s1, s2, c0, c1, c2, ox, oy, oz, x, y, z);
}

static inline void CW_REAL_NAME(current_row)(int32_t n, cw_real scale, cw_real *restrict out,
                                             const cw_real *restrict current) {
  for (int32_t i = 0; i < n; i++)
    out[i] -= scale * current[i];
}

static void CW_REAL_NAME(curl)(const cw_yee_job *job) {
  const cw_grid *grid = job->grid;
  int64_t s[3];
  cw_real c[3];
  for (int a = 0; a < 3; a++) {
    s[a] = a < grid->dim ? job->step * grid->stride[a] : 0;
    c[a] = (cw_real)job->coefficient[a];
  }
  cw_real *ox = job->out[0], *oy = job->out[1], *oz = job->out[2];
  const cw_real *x = job->in[0], *y = job->in[1], *z = job->in[2];
  int64_t rows = (int64_t)grid->cells[1] * grid->cells[2];
#pragma omp parallel for num_threads(job->threads) if (grid->points > CW_FIELDS_PARALLEL_POINTS)   \
    schedule(static)
  for (int64_t row = 0; row < rows; row++) {
    int64_t at = cw_grid_index(grid, 0, row % grid->cells[1], row / grid->cells[1]);
    CW_REAL_NAME(curl_row)
    (grid->cells[0], s, c, ox + at, oy + at, oz + at, x + at, y + at, z + at);
    for (int a = 0; a < 3 && job->current[a]; a++)
      CW_REAL_NAME(current_row)
    (grid->cells[0], (cw_real)job->current_scale, (cw_real *)job->out[a] + at,
     (const cw_real *)job->current[a] + at);
  }
}
