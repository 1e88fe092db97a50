#include "cli/bench.h"

#include <math.h>
#include <stdlib.h>

#include "base/context_private.h"
#include "base/reals.h"

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

cw_status cw_bench_time(int repeats, cw_bench_body *before, cw_bench_body *body, void *state,
                        double *seconds) {
  enum { MOST = 1000 };
  double times[MOST] = {0};
  if (repeats > MOST)
    repeats = MOST;
  for (int r = -1; r < repeats; r++) {
    if (before)
      CW_TRY(before(state));
    double since = cw_seconds();
    CW_TRY(body(state));
    if (r >= 0)
      times[r] = cw_seconds() - since;
  }
  qsort(times, (size_t)repeats, sizeof *times, compare_doubles);
  *seconds = times[repeats / 2];
  return CW_OK;
}

json_t *cw_bench_add(json_t *variants, const char *name, double ns_per_particle, double max_rel_err,
                     uint64_t checksum) {
  char digits[32];
  snprintf(digits, sizeof digits, "%016llx", (unsigned long long)checksum);
  /* JSON has no NaN: a result that is not finite must not look like a good one. */
  json_t *error = isfinite(max_rel_err) ? json_real(max_rel_err) : json_string("not finite");
  json_t *row = json_pack("{s:s, s:f, s:o, s:s}", "name", name, "ns_per_particle", ns_per_particle,
                          "max_rel_err", error, "checksum", digits);
  json_array_append_new(variants, row);
  return row;
}

uint64_t cw_bench_checksum(const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  uint64_t hash = 14695981039346656037u;
  for (size_t k = 0; k < size; k++)
    hash = (hash ^ byte[k]) * 1099511628211u;
  return hash;
}

/* Fills slot p, standing in `cell`, and where it was one step before. */
static void fill_particle(const cw_bench_case *c, double dt, const int32_t cell[3], int64_t p,
                          const cw_particles_view *view) {
  double r[6], normal[4], u[3];
  for (uint32_t k = 0; k < 3; k++)
    cw_random_uniform(c->seed, 0, (uint64_t)p, k, &r[2 * k]);
  for (uint32_t k = 0; k < 2; k++)
    cw_random_normal(c->seed, 1, (uint64_t)p, k, &normal[2 * k]);
  for (int a = 0; a < 3; a++)
    u[a] = c->temperature * normal[a];
  u[0] += c->bulk;
  double gamma = sqrt(1 + u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  for (int a = 0; a < 3; a++)
    cw_real_set(view->u[a], view->precision, p, u[a]);
  for (int a = 0; a < c->dim; a++) {
    double before = r[a] < 1 - 1e-7 ? r[a] : 1 - 1e-7;
    double now = before + dt * u[a] / gamma;
    double whole = floor(now), offset = now - whole;
    if (offset > 1 - 1e-7)
      offset = 1 - 1e-7;
    view->i_prev[a][p] = cell[a];
    view->i[a][p] = cell[a] + (int32_t)whole;
    cw_real_set(view->dx_prev[a], view->precision, p, before);
    cw_real_set(view->dx[a], view->precision, p, offset);
  }
  view->tag[p] = CW_TAG_ALIVE;
  view->id[p] = (uint64_t)p + 1;
}

cw_status cw_bench_particles(cw_context *context, const cw_bench_case *c, cw_grid *grid, double *dt,
                             cw_particles **particles) {
  const double origin[3] = {0}, dx[3] = {1, 1, 1};
  *dt = c->cfl / sqrt((double)c->dim);
  CW_TRY(cw_grid_init(context, grid, c->dim, c->cells, cw_grid_ghost_cells(c->order, *dt), origin,
                      dx));
  int64_t cells = 1;
  for (int a = 0; a < c->dim; a++)
    cells *= c->cells[a];
  cw_particles_options options = {.dim = c->dim, .precision = c->precision};
  CW_TRY(cw_particles_create(context, &options, cells * c->ppc, particles));
  CW_TRY(cw_particles_resize(*particles, cells * c->ppc));
  const cw_particles_view view = cw_particles_get_view(*particles);
  const double step = *dt;
#pragma omp parallel for num_threads(cw_context_threads(context)) schedule(static)
  for (int64_t k = 0; k < cells; k++) {
    int32_t nx = grid->cells[0], ny = grid->cells[1];
    int32_t cell[3] = {(int32_t)(k % nx), (int32_t)(k / nx % ny), (int32_t)(k / nx / ny)};
    for (int64_t p = k * c->ppc; p < (k + 1) * c->ppc; p++)
      fill_particle(c, step, cell, p, &view);
  }
  return CW_OK;
}
