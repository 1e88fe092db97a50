/* bench massmatrix: every form of the mass matrix on the same sorted particles, against the plain
 * double sum. `scalar` rows are M of the charges, the others the 3 x 3 tensor with current and
 * charge in the same pass (`alone`: without); ns_per_node is one product y = M x.
 *
 * On a device all formats are timed. Names without one stand for the precision of the run: FP64, or
 * FP32 with 3xTF32 on matrix units. As many particles as a device sums would keep the plain sum on
 * the host busy for minutes: there the right values are the host's moment form in double, which is
 * within 5e-16 of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cellwise/massmatrix.h>

#include "base/amx.h"
#include "base/context_private.h"
#include "base/device.h"
#include "base/reals.h"
#include "cli/bench.h"
#include "cli/bench_device.h"

typedef struct massmatrix_state {
  cw_context *context;
  cw_grid grid;
  cw_particles_view view;
  cw_massmatrix_species species;
  int tensor, alone;
  cw_massmatrix *matrix;
  double *B[3], *J[3], *rho; /* one block of arrays over the grid, in the matrix's space */
  int32_t tile;              /* that the particles are sorted by */
} massmatrix_state;

/* One way to sum. */
typedef struct massmatrix_form {
  const char *name;
  cw_massmatrix_method method;
  cw_massmatrix_format format;
  int alone; /* tensor without current and charge */
} massmatrix_form;

/* On the CPU: in double FP64, in single the others; the last one where the processor has AMX. */
static const massmatrix_form host_forms[] = {
    {"naive", CW_MASSMATRIX_NAIVE, CW_MASSMATRIX_FP64, 0},
    {"sorted", CW_MASSMATRIX_SORTED, CW_MASSMATRIX_FP64, 0},
    {"paper_fma", CW_MASSMATRIX_PAIRS, CW_MASSMATRIX_FP64, 0},
    {"moment_fma", CW_MASSMATRIX_MOMENT_FMA, CW_MASSMATRIX_FP64, 0},
    {"naive", CW_MASSMATRIX_NAIVE, CW_MASSMATRIX_FP32, 0},
    {"sorted", CW_MASSMATRIX_SORTED, CW_MASSMATRIX_FP32, 0},
    {"paper_fma", CW_MASSMATRIX_PAIRS, CW_MASSMATRIX_FP32, 0},
    {"moment_fma", CW_MASSMATRIX_MOMENT_FMA, CW_MASSMATRIX_FP32, 0},
    {"moment_mma", CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_BF16X6, 0}};

static const massmatrix_form device_forms[] = {
    {"naive", CW_MASSMATRIX_NAIVE, CW_MASSMATRIX_FP64, 0},
    {"sorted", CW_MASSMATRIX_SORTED, CW_MASSMATRIX_FP64, 0},
    {"paper_mma", CW_MASSMATRIX_PAIRS, CW_MASSMATRIX_FP64, 0},
    {"moment_mma", CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_FP64, 0},
    {"moment_mma_alone", CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_FP64, 1},
    {"moment_fma", CW_MASSMATRIX_MOMENT_FMA, CW_MASSMATRIX_FP64, 0},
    {"naive", CW_MASSMATRIX_NAIVE, CW_MASSMATRIX_FP32, 0},
    {"sorted", CW_MASSMATRIX_SORTED, CW_MASSMATRIX_FP32, 0},
    {"moment_fma", CW_MASSMATRIX_MOMENT_FMA, CW_MASSMATRIX_FP32, 0},
    {"paper_mma", CW_MASSMATRIX_PAIRS, CW_MASSMATRIX_TF32, 0},
    {"paper_mma", CW_MASSMATRIX_PAIRS, CW_MASSMATRIX_TF32X3, 0},
    {"moment_mma", CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_TF32, 0},
    {"moment_mma", CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_TF32X3, 0}};

static const char *const format_names[] = {"fp64", "fp32", "tf32", "tf32x3", "bf16x6"};

static cw_vector_view vector(double *const component[3]) {
  return (cw_vector_view){.precision = CW_DOUBLE,
                          .component = {component[0], component[1], component[2]}};
}

static int on_device(const massmatrix_state *state) {
  return state->view.space == CW_SPACE_DEVICE;
}

static cw_status clear(void *user) {
  massmatrix_state *state = user;
  const size_t bytes = 4 * (size_t)state->grid.points * sizeof(double);
  cw_massmatrix_clear(state->matrix);
  if (on_device(state)) {
    CW_TRY(cw_device_zero(state->context, state->J[0], bytes));
    return cw_device_synchronize(state->context);
  }
  memset(state->J[0], 0, bytes);
  return CW_OK;
}

static cw_status sum(void *user) {
  massmatrix_state *state = user;
  double *const none[3] = {NULL, NULL, NULL};
  if (state->tensor)
    return cw_massmatrix_add_species(state->matrix, state->view, &state->species, vector(state->B),
                                     vector(state->alone ? none : state->J),
                                     state->alone ? NULL : state->rho);
  return cw_massmatrix_add_scalar(state->matrix, state->view, NULL, 1);
}

static cw_status multiply(void *user) {
  massmatrix_state *state = user;
  CW_TRY(cw_massmatrix_product(state->matrix, vector(state->B), vector(state->J)));
  return on_device(state) ? cw_device_synchronize(state->context) : CW_OK;
}

/* Largest difference of the entries over the largest right one. */
static double compare(const cw_massmatrix_view *a, const cw_massmatrix_view *b) {
  const int64_t values = b->points * b->entries * b->components;
  double largest = 0, error = 0;
  for (int64_t k = 0; k < values; k++) {
    const double value = cw_real_get(b->values, b->precision, k);
    const double difference = fabs(cw_real_get(a->values, a->precision, k) - value);
    largest = fmax(largest, fabs(value));
    error = cw_larger(error, difference);
  }
  return error / largest;
}

static size_t view_bytes(const cw_massmatrix_view *view) {
  return (size_t)(view->points * view->entries * view->components) *
         (size_t)cw_precision_size(view->precision);
}

/* The matrix's values on the host: *copy holds those of a device. */
static cw_status view_on_host(const massmatrix_state *state, cw_massmatrix_view *view,
                              char **copy) {
  *copy = NULL;
  *view = cw_massmatrix_get_view(state->matrix);
  if (!on_device(state))
    return CW_OK;
  CW_TRY(CW_NEW(state->context, view_bytes(view), "copy of the mass matrix", copy));
  CW_TRY(cw_device_read(state->context, *copy, view->values, view_bytes(view)));
  view->values = *copy;
  return CW_OK;
}

static cw_status create(massmatrix_state *state, const cw_bench_case *c,
                        const massmatrix_form *form) {
  const cw_massmatrix_options options = {.order = c->order,
                                         .kind = state->tensor ? CW_MASSMATRIX_TENSOR
                                                               : CW_MASSMATRIX_SCALAR,
                                         .method = form->method,
                                         .format = form->format,
                                         .periodic = {1, 1, 1},
                                         .space = state->view.space,
                                         .tile = on_device(state) ? state->tile : 0};
  state->alone = form->alone;
  return cw_massmatrix_create(state->context, &state->grid, &options, &state->matrix);
}

/* scalar_NAME_FORMAT, without the format of the run's precision. */
static void name_row(const cw_bench_case *c, const massmatrix_state *state,
                     const massmatrix_form *form, char name[64]) {
  const int usual = c->precision == CW_DOUBLE ? form->format == CW_MASSMATRIX_FP64
                                              : form->format == CW_MASSMATRIX_FP32 ||
                                                    form->format == CW_MASSMATRIX_TF32X3 ||
                                                    form->format == CW_MASSMATRIX_BF16X6;
  snprintf(name, 64, "%s%s%s%s", state->tensor ? "" : "scalar_", form->name, usual ? "" : "_",
           usual ? "" : format_names[form->format]);
}

static cw_status time_form(const cw_bench_case *c, const massmatrix_form *form,
                           massmatrix_state *state, const cw_massmatrix *right, json_t *rows) {
  double seconds, product;
  char name[64], *copy = NULL;
  cw_massmatrix_view view;
  const cw_massmatrix_view expected = cw_massmatrix_get_view(right);
  cw_status status;
  name_row(c, state, form, name);
  if (c->only && !strstr(name, c->only))
    return CW_OK;
  CW_TRY(create(state, c, form));
  CW_TRY_CLEANUP(status, cw_bench_time(c->repeats, clear, sum, state, &seconds));
  CW_TRY_CLEANUP(status, view_on_host(state, &view, &copy));
  const double error = compare(&view, &expected);
  const uint64_t checksum = cw_bench_checksum(view.values, view_bytes(&view));
  CW_TRY_CLEANUP(status, cw_massmatrix_finish(state->matrix));
  CW_TRY_CLEANUP(status, cw_bench_time(c->repeats, NULL, multiply, state, &product));
  json_t *row =
      cw_bench_add(rows, name, 1e9 * seconds / (double)state->view.count, error, checksum);
  json_object_set_new(row, "format", json_string(format_names[form->format]));
  json_object_set_new(row, "ns_per_node",
                      json_real(1e9 * product / (double)cw_massmatrix_nodes(state->matrix)));
cleanup:
  CW_DELETE(state->context, copy);
  cw_massmatrix_destroy(state->matrix);
  state->matrix = NULL;
  return status;
}

static cw_status time_host(const cw_bench_case *c, massmatrix_state *state,
                           const cw_massmatrix *right, json_t *rows) {
  for (int k = 0; k < (int)(sizeof host_forms / sizeof *host_forms); k++) {
    const massmatrix_form *form = &host_forms[k];
    const int runs = form->format != CW_MASSMATRIX_BF16X6 || !cw_amx_missing(state->context);
    const int usual = (c->precision == CW_DOUBLE) == (form->format == CW_MASSMATRIX_FP64);
    if (runs && usual && (c->order <= 2 || form->method == CW_MASSMATRIX_NAIVE))
      CW_TRY(time_form(c, form, state, right, rows));
  }
  return CW_OK;
}

/* `state` holds host data and `device` the same data on the device, if there is one. */
static cw_status time_kind(const cw_bench_case *c, int tensor, massmatrix_state *state,
                           massmatrix_state *device, json_t *rows) {
  const massmatrix_form plain = {"", device ? CW_MASSMATRIX_AUTO : CW_MASSMATRIX_REFERENCE,
                                 CW_MASSMATRIX_FP64, 0};
  cw_status status;
  state->tensor = tensor;
  CW_TRY(create(state, c, &plain));
  cw_massmatrix *right = state->matrix;
  CW_TRY_CLEANUP(status, sum(state));
  if (!device)
    CW_TRY_CLEANUP(status, time_host(c, state, right, rows));
  for (int k = 0; device && k < (int)(sizeof device_forms / sizeof *device_forms); k++) {
    device->tensor = tensor;
    const massmatrix_form *form = &device_forms[k];
    if ((c->order <= 2 || form->method == CW_MASSMATRIX_NAIVE) && (tensor || !form->alone))
      CW_TRY_CLEANUP(status, time_form(c, form, device, right, rows));
  }
cleanup:
  cw_massmatrix_destroy(right);
  state->matrix = NULL;
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
  state->tile = c->tile;
  return CW_OK;
}

/* What the sums read, on the device. */
static cw_status copy_to_device(const cw_bench_case *c, const massmatrix_state *state,
                                massmatrix_state *device) {
  cw_context *context = state->context;
  const int64_t points = state->grid.points;
  cw_particles_view view = state->view;
  for (int a = 0; a < 3; a++)
    view.i_prev[a] = NULL, view.dx_prev[a] = NULL;
  view.id = NULL;
  view.tag = NULL; /* after a sort all are alive */
  *device = *state;
  device->B[0] = NULL;
  CW_TRY(cw_bench_device_particles(context, c->dim, &view, &device->view));
  CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, (size_t)(7 * points), sizeof(double),
                         "fields of the benchmark", (void **)&device->B[0]));
  CW_TRY(
      cw_device_write(context, device->B[0], state->B[0], (size_t)(3 * points) * sizeof(double)));
  for (int a = 0; a < 3; a++) {
    device->B[a] = device->B[0] + a * points;
    device->J[a] = device->B[0] + (3 + a) * points;
  }
  device->rho = device->B[0] + 6 * points;
  return CW_OK;
}

cw_status cw_bench_massmatrix(cw_context *context, const cw_bench_case *c, json_t *rows) {
  massmatrix_state state = {.context = context}, device = {.context = context};
  const int with_device = cw_context_backend(context) == CW_BACKEND_CUDA;
  cw_particles *particles = NULL;
  cw_status status;
  CW_TRY_CLEANUP(status, prepare(c, &state, &particles));
  if (with_device)
    CW_TRY_CLEANUP(status, copy_to_device(c, &state, &device));
  for (int tensor = 1; tensor >= 0; tensor--)
    CW_TRY_CLEANUP(status, time_kind(c, tensor, &state, with_device ? &device : NULL, rows));
cleanup:
  cw_bench_device_particles_free(context, &device.view);
  cw_memory_free(context, CW_SPACE_DEVICE, device.B[0]);
  CW_DELETE(context, state.B[0]);
  cw_particles_destroy(particles);
  return status;
}
