/* bench deposit: every form of the deposit on the same particles, sorted sort_interval steps ago;
 * bench tiles: the tiled forms with every tile size. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "base/device.h"
#include "base/reals.h"
#include "cli/bench.h"
#include "cli/bench_device.h"
#include "cli/tile_model.h"
#include "kernels/deposit/deposit_fit.h"
#include "kernels/deposit/deposit_scratch.h"

typedef struct deposit_state {
  cw_context *context;
  const cw_bench_case *bench_case;
  cw_grid grid;
  double dt;
  cw_particles *particles;
  cw_particles_view view;
  cw_cells *cells;
  cw_cells_view layout;
  cw_deposit_options options;
  cw_deposit_report report;
  cw_vector_view J, expected;
  double *before, *after; /* charge */
  /* --backend cuda: the same data on the device */
  int on_device;
  cw_particles_view device_view;
  cw_cells_view device_layout;
  cw_vector_view device_J;
} deposit_state;

/* One step of ballistic motion; in the last one particles may end outside of the box. */
static void move(const deposit_state *s, int last) {
  const cw_particles_view *view = &s->view;
#pragma omp parallel for num_threads(cw_context_threads(s->context)) schedule(static)
  for (int64_t p = 0; p < view->count; p++) {
    double u[3], square = 1;
    for (int c = 0; c < 3; c++) {
      u[c] = cw_real_get(view->u[c], view->precision, p);
      square += u[c] * u[c];
    }
    for (int a = 0; a < s->grid.dim; a++) {
      const double before = cw_real_get(view->dx[a], view->precision, p);
      const double now = before + s->dt * u[a] / sqrt(square), whole = floor(now);
      const int32_t cells = s->grid.cells[a], cell = view->i[a][p];
      const int32_t next = cell + (int32_t)whole;
      view->i_prev[a][p] = cell;
      cw_real_set(view->dx_prev[a], view->precision, p, before);
      view->i[a][p] = last ? next : (next + cells) % cells;
      cw_real_set(view->dx[a], view->precision, p, fmin(now - whole, 1 - 1e-7));
    }
  }
}

static void copy_slot(const cw_particles_view *view, int64_t to, int64_t from) {
  for (int a = 0; a < 3; a++) {
    if (view->i[a]) {
      view->i[a][to] = view->i[a][from];
      cw_real_set(view->dx[a], view->precision, to,
                  cw_real_get(view->dx[a], view->precision, from));
    }
    cw_real_set(view->u[a], view->precision, to, cw_real_get(view->u[a], view->precision, from));
  }
  view->tag[to] = view->tag[from];
  view->id[to] = (uint64_t)to + 1;
}

/* Slots that came after the sort: they stand where others do that are chosen at random. */
static cw_status append_tail(deposit_state *s) {
  const cw_bench_case *c = s->bench_case;
  const int64_t sorted = s->view.count;
  const int64_t tail = llround((double)sorted * c->tail / (1 - c->tail));
  CW_TRY(cw_particles_resize(s->particles, sorted + tail));
  s->view = cw_particles_get_view(s->particles);
  for (int64_t k = 0; k < tail; k++) {
    double r[2];
    cw_random_uniform(c->seed, 2, (uint64_t)k, 0, r);
    copy_slot(&s->view, sorted + k, cw_min_i64((int64_t)(r[0] * (double)sorted), sorted - 1));
  }
  return CW_OK;
}

static void kill(const deposit_state *s) {
  for (int64_t p = 0; p < s->view.count; p++) {
    double r[2];
    cw_random_uniform(s->bench_case->seed, 3, s->view.id[p], 0, r);
    if (r[0] < s->bench_case->dead)
      s->view.tag[p] = CW_TAG_DEAD;
  }
}

/* Sorted sort_interval steps ago, or never; then some came and some died. */
static cw_status make_particles(deposit_state *s) {
  const cw_bench_case *c = s->bench_case;
  cw_cells_options options = {.dim = c->dim, .tile = c->tile, .key = CW_KEY_CURRENT};
  memcpy(options.cells, c->cells, sizeof options.cells);
  options.depth = c->order % 2 ? CW_DEPTH_CELL : CW_DEPTH_NODE;
  CW_TRY(cw_bench_particles(s->context, c, &s->grid, &s->dt, &s->particles));
  s->view = cw_particles_get_view(s->particles);
  const size_t count = (size_t)s->view.count;
  for (int a = 0; a < c->dim; a++) {
    memcpy(s->view.i[a], s->view.i_prev[a], count * sizeof *s->view.i[a]);
    memcpy(s->view.dx[a], s->view.dx_prev[a], count * (size_t)cw_precision_size(c->precision));
  }
  CW_TRY(cw_cells_create(s->context, &options, &s->cells));
  if (c->sort_interval > 0)
    CW_TRY(cw_cells_sort(s->cells, s->particles));
  s->layout = cw_cells_get_view(s->cells);
  s->view = cw_particles_get_view(s->particles);
  if (c->tail > 0)
    CW_TRY(append_tail(s));
  if (c->dead > 0)
    kill(s);
  for (int step = 1; step < c->sort_interval; step++)
    move(s, 0);
  move(s, 1);
  return CW_OK;
}

static cw_status make_vector(deposit_state *s, cw_precision precision, const char *what,
                             cw_vector_view *vector) {
  vector->precision = precision;
  for (int c = 0; c < 3; c++)
    CW_TRY(cw_memory_alloc(s->context, CW_SPACE_HOST, (size_t)s->grid.points,
                           (size_t)cw_precision_size(precision), what, &vector->component[c]));
  return CW_OK;
}

static size_t J_bytes(const deposit_state *s) {
  return (size_t)s->grid.points * (size_t)cw_precision_size(s->bench_case->precision);
}

static cw_status clear(void *state) {
  deposit_state *s = state;
  if (s->on_device) {
    for (int c = 0; c < 3; c++)
      CW_TRY(cw_device_zero(s->context, s->device_J.component[c], J_bytes(s)));
    return cw_device_synchronize(s->context);
  }
  for (int c = 0; c < 3; c++)
    memset(s->J.component[c], 0,
           (size_t)s->grid.points * (size_t)cw_precision_size(s->J.precision));
  return CW_OK;
}

static cw_status deposit(void *state) {
  deposit_state *s = state;
  if (s->on_device) {
    CW_TRY(cw_deposit_current(s->context, &s->options, &s->grid, &s->device_view, &s->device_layout,
                              s->device_J, NULL));
    return cw_device_synchronize(s->context);
  }
  return cw_deposit_current(s->context, &s->options, &s->grid, &s->view, &s->layout, s->J,
                            &s->report);
}

static double largest_error(const deposit_state *s) {
  double largest = 0, error = 0;
  for (int c = 0; c < 3; c++)
    for (int64_t n = 0; n < s->grid.points; n++) {
      const double exact = ((const double *)s->expected.component[c])[n];
      const double difference = cw_real_get(s->J.component[c], s->J.precision, n) - exact;
      largest = fmax(largest, fabs(exact));
      error = cw_larger(error, fabs(difference));
    }
  return error / largest;
}

/* Largest |d rho/dt + div J| of a cell over the largest |d rho/dt|. */
static double continuity_error(const deposit_state *s) {
  double largest = 0, error = 0;
  for (int64_t n = 0; n < s->grid.points; n++) {
    const double change = (s->after[n] - s->before[n]) / s->dt;
    double sum = change;
    for (int a = 0; a < s->grid.dim; a++) {
      const int64_t stride = s->grid.stride[a];
      const int first = n / stride % s->grid.size[a] == 0;
      const double upper = cw_real_get(s->J.component[a], s->J.precision, n);
      const double lower = first ? 0 : cw_real_get(s->J.component[a], s->J.precision, n - stride);
      sum += (upper - lower) / s->grid.dx[a];
    }
    largest = fmax(largest, fabs(change));
    error = cw_larger(error, fabs(sum));
  }
  return error / largest;
}

static uint64_t checksum(const deposit_state *s) {
  const size_t size = (size_t)s->grid.points * (size_t)cw_precision_size(s->J.precision);
  uint64_t sums[3];
  for (int c = 0; c < 3; c++)
    sums[c] = cw_bench_checksum(s->J.component[c], size);
  return cw_bench_checksum(sums, sizeof sums);
}

static cw_status time_variant(deposit_state *s, const char *name, cw_deposit_method method,
                              cw_deposit_path path, json_t *variants) {
  double seconds;
  s->options.method = method;
  s->options.path = path;
  if (s->on_device && method != CW_DEPOSIT_FLAT &&
      cw_deposit_check_tile(s->context, &s->options, s->grid.dim, s->bench_case->precision,
                            s->bench_case->tile) != CW_OK) {
    cw_log(s->context, CW_LOG_WARNING, "%s is left out: %s", name, cw_context_message(s->context));
    return CW_OK;
  }
  CW_TRY(cw_bench_time(s->bench_case->repeats, clear, deposit, s, &seconds));
  if (s->on_device) { /* once more, with the counts; the result comes back to be checked */
    CW_TRY(clear(s));
    CW_TRY(cw_deposit_current(s->context, &s->options, &s->grid, &s->device_view, &s->device_layout,
                              s->device_J, &s->report));
    for (int c = 0; c < 3; c++)
      CW_TRY(cw_device_read(s->context, s->J.component[c], s->device_J.component[c], J_bytes(s)));
  }
  json_t *row = cw_bench_add(variants, name, 1e9 * seconds / (double)s->view.count,
                             largest_error(s), checksum(s));
  json_object_set_new(row, "tiled", json_integer(s->report.tiled));
  json_object_set_new(row, "escapes", json_integer(s->report.escaped));
  json_object_set_new(row, "tail", json_integer(s->report.tail));
  json_object_set_new(row, "flat", json_integer(s->report.flat));
  json_object_set_new(row, "dead", json_integer(s->report.dead));
  json_object_set_new(row, "max_continuity_error", json_real(continuity_error(s)));
  return CW_OK;
}

static cw_status time_device(deposit_state *s, json_t *variants) {
  const char *real = s->bench_case->precision == CW_DOUBLE ? "f64" : "f32";
  char name[32];
  CW_TRY(time_variant(s, "flat", CW_DEPOSIT_FLAT, CW_DEPOSIT_PATH_SCALAR, variants));
  snprintf(name, sizeof name, "tiled_%s", real);
  CW_TRY(time_variant(s, name, CW_DEPOSIT_TILED, CW_DEPOSIT_PATH_SCALAR, variants));
  snprintf(name, sizeof name, "tiled_%s_runs", real);
  CW_TRY(time_variant(s, name, CW_DEPOSIT_TILED, CW_DEPOSIT_PATH_AUTO, variants));
  CW_TRY(time_variant(s, "tiled_fixed_lanes", CW_DEPOSIT_TILED_FIXED, CW_DEPOSIT_PATH_SCALAR,
                      variants));
  if (s->bench_case->precision == CW_SINGLE) {
    s->options.scratch_bits = 32;
    CW_TRY(
        time_variant(s, "tiled_fixed_32", CW_DEPOSIT_TILED_FIXED, CW_DEPOSIT_PATH_AUTO, variants));
    s->options.scratch_bits = 0;
  }
  return time_variant(s, "tiled_fixed", CW_DEPOSIT_TILED_FIXED, CW_DEPOSIT_PATH_AUTO, variants);
}

static cw_status to_device(deposit_state *s) {
  s->on_device = 1;
  CW_TRY(cw_bench_device_particles(s->context, s->grid.dim, &s->view, &s->device_view));
  s->device_layout = (cw_cells_view){0};
  if (s->layout.total_tiles > 0)
    CW_TRY(cw_bench_device_cells(s->context, &s->layout, &s->device_layout));
  s->device_J.precision = s->bench_case->precision;
  for (int c = 0; c < 3; c++)
    CW_TRY(cw_memory_alloc(s->context, CW_SPACE_DEVICE, J_bytes(s), 1, "current",
                           &s->device_J.component[c]));
  return CW_OK;
}

static cw_status time_all(deposit_state *s, json_t *variants) {
  if (cw_context_backend(s->context) == CW_BACKEND_CUDA) {
    CW_TRY(to_device(s));
    return time_device(s, variants);
  }
  const char *real = s->bench_case->precision == CW_DOUBLE ? "f64" : "f32";
  const int vector = cw_deposit_has_vector_path(s->context, s->bench_case->dim,
                                                s->bench_case->order, s->bench_case->precision);
  char name[32];
  CW_TRY(time_variant(s, "flat", CW_DEPOSIT_FLAT, CW_DEPOSIT_PATH_SCALAR, variants));
  if (vector)
    CW_TRY(time_variant(s, "flat_simd", CW_DEPOSIT_FLAT, CW_DEPOSIT_PATH_VECTOR, variants));
  snprintf(name, sizeof name, "tiled_%s", real);
  CW_TRY(time_variant(s, name, CW_DEPOSIT_TILED, CW_DEPOSIT_PATH_SCALAR, variants));
  snprintf(name, sizeof name, "tiled_%s_vector", real);
  if (vector)
    CW_TRY(time_variant(s, name, CW_DEPOSIT_TILED, CW_DEPOSIT_PATH_VECTOR, variants));
  return time_variant(s, "tiled_fixed", CW_DEPOSIT_TILED_FIXED, CW_DEPOSIT_PATH_AUTO, variants);
}

/* Slots first .. last - 1 of the particles. */
static cw_particles_view slots_of(const cw_particles_view *view, int64_t first, int64_t last) {
  cw_particles_view part = *view;
  const size_t real = (size_t)cw_precision_size(view->precision) * (size_t)first;
  for (int a = 0; a < 3; a++) {
    part.i[a] = view->i[a] ? view->i[a] + first : NULL;
    part.i_prev[a] = view->i_prev[a] ? view->i_prev[a] + first : NULL;
    part.dx[a] = view->dx[a] ? (char *)view->dx[a] + real : NULL;
    part.dx_prev[a] = view->dx_prev[a] ? (char *)view->dx_prev[a] + real : NULL;
    part.u[a] = view->u[a] ? (char *)view->u[a] + real : NULL;
  }
  part.weight = view->weight ? (char *)view->weight + real : NULL;
  part.tag = view->tag ? view->tag + first : NULL;
  part.id = view->id ? view->id + first : NULL;
  part.count = last - first;
  return part;
}

/* The plain double sum: each thread sums some of the slots into its own J, and those are added. */
static cw_status sum_reference(deposit_state *s) {
  const int parts = cw_context_threads(s->context);
  const int64_t count = s->view.count, points = s->grid.points;
  cw_status worst = CW_OK;
  double *sums = NULL;
  CW_TRY(CW_NEW(s->context, 3 * points * parts, "parts of the reference current", &sums));
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int t = 0; t < parts; t++) {
    const cw_particles_view part = slots_of(&s->view, count * t / parts, count * (t + 1) / parts);
    double *own = sums + 3 * points * t;
    const cw_vector_view J = {CW_DOUBLE, {own, own + points, own + 2 * points}};
    const cw_status status =
        cw_deposit_current_reference(s->context, &s->options, &s->grid, &part, J);
    if (status != CW_OK)
#pragma omp critical
      worst = status;
  }
#pragma omp parallel for num_threads(parts) schedule(static)
  for (int64_t n = 0; n < 3 * points; n++) {
    double sum = 0;
    for (int t = 0; t < parts; t++)
      sum += sums[3 * points * t + n];
    ((double *)s->expected.component[n / points])[n % points] = sum;
  }
  CW_DELETE(s->context, sums);
  return worst;
}

/* What every variant is compared with. */
static cw_status make_expected(deposit_state *s) {
  const cw_bench_case *c = s->bench_case;
  s->options = (cw_deposit_options){.order = c->order,
                                    .drift = c->drift,
                                    .team_size = c->team_size,
                                    .charge = 1,
                                    .max_move = s->dt, /* light's, in cells of edge 1 */
                                    .dt = s->dt};
  CW_TRY(make_vector(s, c->precision, "current", &s->J));
  CW_TRY(make_vector(s, CW_DOUBLE, "reference current", &s->expected));
  CW_TRY(CW_NEW(s->context, s->grid.points, "charge before", &s->before));
  CW_TRY(CW_NEW(s->context, s->grid.points, "charge after", &s->after));
  CW_TRY(cw_deposit_charge(s->context, &s->options, &s->grid, &s->view, 1, s->before));
  CW_TRY(cw_deposit_charge(s->context, &s->options, &s->grid, &s->view, 0, s->after));
  return sum_reference(s);
}

static void drop_particles(deposit_state *s) {
  cw_bench_device_particles_free(s->context, &s->device_view);
  cw_bench_device_cells_free(s->context, &s->device_layout);
  for (int c = 0; c < 3; c++) {
    cw_memory_free(s->context, CW_SPACE_DEVICE, s->device_J.component[c]);
    s->device_J.component[c] = NULL;
  }
  cw_cells_destroy(s->cells);
  cw_particles_destroy(s->particles);
  s->cells = NULL;
  s->particles = NULL;
  s->on_device = 0;
}

static void drop(deposit_state *s) {
  drop_particles(s);
  for (int c = 0; c < 3; c++) {
    CW_DELETE(s->context, s->J.component[c]);
    CW_DELETE(s->context, s->expected.component[c]);
  }
  CW_DELETE(s->context, s->before);
  CW_DELETE(s->context, s->after);
}

cw_status cw_bench_deposit(cw_context *context, const cw_bench_case *bench_case, json_t *variants) {
  deposit_state s = {.context = context, .bench_case = bench_case};
  cw_status status;
  CW_TRY_CLEANUP(status, make_particles(&s));
  CW_TRY_CLEANUP(status, make_expected(&s));
  CW_TRY_CLEANUP(status, time_all(&s, variants));
cleanup:
  drop(&s);
  return status;
}

static cw_status time_sums(deposit_state *s, const char *sums, cw_deposit_method method,
                           json_t *variants) {
  char name[32];
  snprintf(name, sizeof name, "tile_%d_%s", s->bench_case->tile, sums);
  return time_variant(s, name, method, CW_DEPOSIT_PATH_AUTO, variants);
}

/* One tile size: sums in reals, in 64 bits and, where there are any, in 32 bits of fixed point. */
static cw_status time_tile(deposit_state *s, json_t *variants) {
  const cw_bench_case *c = s->bench_case;
  const int is_double = c->precision == CW_DOUBLE;
  CW_TRY(time_sums(s, is_double ? "f64" : "f32", CW_DEPOSIT_TILED, variants));
  if (s->on_device && cw_deposit_value_bytes(c->dim, c->order, is_double, 1, 32) == 4) {
    s->options.scratch_bits = 32;
    CW_TRY(time_sums(s, "fixed32", CW_DEPOSIT_TILED_FIXED, variants));
    s->options.scratch_bits = 0;
  }
  return time_sums(s, "fixed64", CW_DEPOSIT_TILED_FIXED, variants);
}

cw_status cw_bench_tiles(cw_context *context, const cw_bench_case *bench_case, json_t *variants) {
  cw_bench_case each = *bench_case;
  deposit_state s = {.context = context, .bench_case = &each};
  cw_status status;
  for (int n = 0; n < CW_TILE_SIZES; n++) {
    each.tile = cw_tile_sizes[n];
    CW_TRY_CLEANUP(status, make_particles(&s));
    if (n == 0) /* the same particles, in another order, for the other sizes */
      CW_TRY_CLEANUP(status, make_expected(&s));
    if (cw_context_backend(context) == CW_BACKEND_CUDA)
      CW_TRY_CLEANUP(status, to_device(&s));
    CW_TRY_CLEANUP(status, time_tile(&s, variants));
    drop_particles(&s);
  }
cleanup:
  drop(&s);
  return status;
}
