/* bench massmatrix: every form of the mass matrix on the same sorted particles, against the plain
 * double sum. `scalar` rows are M of the charges, the others the 3 x 3 tensor with current and
 * charge in the same pass; ns_per_node is one product y = M x. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cellwise/massmatrix.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "cli/bench.h"

typedef struct massmatrix_state {
  cw_context *context;
  cw_grid grid;
  cw_particles_view view;
  cw_massmatrix_species species;
  int tensor;
  cw_massmatrix *matrix;
  double *B[3], *J[3], *rho; /* one block of arrays over the grid */
} massmatrix_state;

static const struct {
  const char *name, *scalar_name;
  cw_massmatrix_method method;
} forms[] = {{"naive", "scalar_naive", CW_MASSMATRIX_NAIVE},
             {"sorted", "scalar_sorted", CW_MASSMATRIX_SORTED},
             {"paper_fma", "scalar_paper_fma", CW_MASSMATRIX_PAIRS},
             {"moment_fma", "scalar_moment_fma", CW_MASSMATRIX_MOMENT}};

static cw_vector_view vector(double *const component[3]) {
  return (cw_vector_view){.precision = CW_DOUBLE,
                          .component = {component[0], component[1], component[2]}};
}

static cw_status clear(void *user) {
  massmatrix_state *state = user;
  cw_massmatrix_clear(state->matrix);
  memset(state->J[0], 0, 4 * (size_t)state->grid.points * sizeof(double));
  return CW_OK;
}

static cw_status sum(void *user) {
  massmatrix_state *state = user;
  if (state->tensor)
    return cw_massmatrix_add_species(state->matrix, state->view, &state->species, vector(state->B),
                                     vector(state->J), state->rho);
  return cw_massmatrix_add_scalar(state->matrix, state->view, NULL, 1);
}

static cw_status multiply(void *user) {
  massmatrix_state *state = user;
  return cw_massmatrix_product(state->matrix, vector(state->B), vector(state->J));
}

/* Largest difference of the entries over the largest right one. */
static double compare(const cw_massmatrix *matrix, const cw_massmatrix *right) {
  const cw_massmatrix_view a = cw_massmatrix_get_view(matrix), b = cw_massmatrix_get_view(right);
  const int64_t values = b.points * b.entries * b.components;
  double largest = 0, error = 0;
  for (int64_t k = 0; k < values; k++) {
    const double value = cw_real_get(b.values, b.precision, k);
    const double difference = fabs(cw_real_get(a.values, a.precision, k) - value);
    largest = fmax(largest, fabs(value));
    error = difference <= error ? error : difference;
  }
  return error / largest;
}

static cw_status create(massmatrix_state *state, const cw_bench_case *c,
                        cw_massmatrix_method method, cw_massmatrix_format format) {
  const cw_massmatrix_options options = {.order = c->order,
                                         .kind = state->tensor ? CW_MASSMATRIX_TENSOR
                                                               : CW_MASSMATRIX_SCALAR,
                                         .method = method,
                                         .format = format,
                                         .periodic = {1, 1, 1}};
  return cw_massmatrix_create(state->context, &state->grid, &options, &state->matrix);
}

static cw_status time_form(const cw_bench_case *c, int form, massmatrix_state *state,
                           const cw_massmatrix *right, json_t *rows) {
  const cw_massmatrix_format format =
      c->precision == CW_DOUBLE ? CW_MASSMATRIX_FP64 : CW_MASSMATRIX_FP32;
  double seconds, product;
  cw_status status;
  CW_TRY(create(state, c, forms[form].method, format));
  CW_TRY_CLEANUP(status, cw_bench_time(c->repeats, clear, sum, state, &seconds));
  const double error = compare(state->matrix, right);
  const cw_massmatrix_view view = cw_massmatrix_get_view(state->matrix);
  const uint64_t checksum =
      cw_bench_checksum(view.values, (size_t)(view.points * view.entries * view.components) *
                                         (size_t)cw_precision_size(view.precision));
  CW_TRY_CLEANUP(status, cw_massmatrix_finish(state->matrix));
  CW_TRY_CLEANUP(status, cw_bench_time(c->repeats, NULL, multiply, state, &product));
  json_t *row = cw_bench_add(rows, state->tensor ? forms[form].name : forms[form].scalar_name,
                             1e9 * seconds / (double)state->view.count, error, checksum);
  json_object_set_new(row, "ns_per_node",
                      json_real(1e9 * product / (double)cw_massmatrix_nodes(state->matrix)));
cleanup:
  cw_massmatrix_destroy(state->matrix);
  state->matrix = NULL;
  return status;
}

static cw_status time_kind(const cw_bench_case *c, int tensor, massmatrix_state *state,
                           json_t *rows) {
  state->tensor = tensor;
  cw_status status;
  CW_TRY(create(state, c, CW_MASSMATRIX_REFERENCE, CW_MASSMATRIX_FP64));
  cw_massmatrix *right = state->matrix;
  CW_TRY_CLEANUP(status, sum(state));
  for (int form = 0; form < (int)(sizeof forms / sizeof *forms); form++)
    if (c->order <= 2 || forms[form].method == CW_MASSMATRIX_NAIVE)
      CW_TRY_CLEANUP(status, time_form(c, form, state, right, rows));
cleanup:
  cw_massmatrix_destroy(right);
  return status;
}

/* The case's particles where they stood before their last step, which is inside the box, sorted by
 * cell or nearest node. */
static cw_status prepare(const cw_bench_case *c, massmatrix_state *state,
                         cw_particles **particles) {
  double dt;
  cw_cells *cells = NULL;
  CW_TRY(cw_bench_particles(state->context, c, &state->grid, &dt, particles));
  if (state->grid.ghost < c->order) {
    const cw_grid grid = state->grid;
    CW_TRY(cw_grid_init(state->context, &state->grid, c->dim, c->cells, c->order, grid.origin,
                        grid.dx));
  }
  state->view = cw_particles_get_view(*particles);
  for (int a = 0; a < c->dim; a++) {
    state->view.i[a] = state->view.i_prev[a];
    state->view.dx[a] = state->view.dx_prev[a];
  }
  cw_cells_options options = {.dim = c->dim,
                              .tile = c->tile,
                              .key = CW_KEY_CURRENT,
                              .depth = c->order % 2 ? CW_DEPTH_CELL : CW_DEPTH_NODE};
  memcpy(options.cells, c->cells, sizeof options.cells);
  CW_TRY(cw_cells_create(state->context, &options, &cells));
  cw_status status = cw_cells_sort_view(cells, state->view, &state->view.count);
  cw_cells_destroy(cells);
  CW_TRY(status);
  const int64_t points = state->grid.points;
  CW_TRY(CW_NEW(state->context, 7 * points, "fields of the benchmark", &state->B[0]));
  for (int a = 1; a < 3; a++)
    state->B[a] = state->B[0] + a * points;
  for (int a = 0; a < 3; a++)
    state->J[a] = state->B[0] + (3 + a) * points;
  state->rho = state->B[0] + 6 * points;
  for (int64_t k = 0; k < 3 * points; k++)
    state->B[0][k] = sin(0.1 * (double)k);
  state->species = (cw_massmatrix_species){.charge = 1, .beta = 0.5 * dt};
  return CW_OK;
}

cw_status cw_bench_massmatrix(cw_context *context, const cw_bench_case *c, json_t *rows) {
  massmatrix_state state = {.context = context};
  cw_particles *particles = NULL;
  cw_status status;
  CW_TRY_CLEANUP(status, prepare(c, &state, &particles));
  for (int tensor = 1; tensor >= 0; tensor--)
    CW_TRY_CLEANUP(status, time_kind(c, tensor, &state, rows));
cleanup:
  CW_DELETE(context, state.B[0]);
  cw_particles_destroy(particles);
  return status;
}
