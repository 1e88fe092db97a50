/* bench coordination: a liquid of 100 atoms in a unit of volume, 1/(1 + (r/R_0)^6) to D_MAX, one
 * self group; value, derivatives and box derivatives. Positions and derivatives in the case's
 * precision. ms_per_step is from the call to its return, ns_per_pair that over pairs in range.
 * Variants on the CPU: cells (each pair once), cells_both_ends, plain (small cases). On a device,
 * host arrays to host arrays: cells (a team a cell), clusters, clusters_fast_border (one pass),
 * matrix, clusters_in_flight (four
 * frames at a time, time a frame); clusters_device_arrays. */
#include <math.h>
#include <string.h>

#include <cellwise/coordination.h>

#include "base/device.h"
#include "base/reals.h"
#include "cli/bench.h"
#include "kernels/coordination/coordination_cuda.h"

enum { PLAIN_ATOMS = 5000, DIRECTIONS = 3, IN_FLIGHT = 4 };
static const double density = 100;

typedef struct coordination_state {
  cw_context *context;
  const cw_bench_case *bench_case;
  cw_box box;
  double *exact; /* [atoms][3] derivatives, double, on the host */
  double exact_value, largest;
  cw_coordinates_view positions, derivatives; /* what is timed */
  void *host_derivatives;                     /* for the check */
  cw_coordination *plan;
  cw_coordination_result result;
  struct flight *flights; /* clusters_in_flight */
} coordination_state;

static cw_coordinates_view packed(cw_precision precision, cw_space space, void *base) {
  cw_coordinates_view view = {.precision = precision, .space = space, .stride = 3};
  for (int c = 0; c < 3; c++)
    view.component[c] = (char *)base + (size_t)(c * cw_precision_size(precision));
  return view;
}

static size_t vector_bytes(const cw_bench_case *c) {
  return (size_t)c->atoms * 3 * (size_t)cw_precision_size(c->precision);
}

static cw_status make_liquid(coordination_state *s) {
  const cw_bench_case *c = s->bench_case;
  const double edge = cbrt(c->atoms / density);
  void *positions = NULL;
  CW_TRY(cw_memory_alloc(s->context, CW_SPACE_HOST, (size_t)c->atoms * 3,
                         (size_t)cw_precision_size(c->precision), "positions", &positions));
  s->positions = packed(c->precision, CW_SPACE_HOST, positions);
  for (int64_t k = 0; k < c->atoms; k++) {
    double r[4];
    cw_random_uniform(c->seed, 0, (uint64_t)k, 0, &r[0]);
    cw_random_uniform(c->seed, 0, (uint64_t)k, 1, &r[2]);
    for (int a = 0; a < DIRECTIONS; a++)
      cw_real_set(positions, c->precision, 3 * k + a, edge * r[a]);
  }
  for (int a = 0; a < DIRECTIONS; a++)
    s->box.vectors[a][a] = edge;
  return CW_OK;
}

static cw_coordination_options options_of(const cw_bench_case *c) {
  return (cw_coordination_options){.switching = {.r_0 = c->r_0, .d_max = c->d_max},
                                   .precision = c->precision,
                                   .atoms = c->atoms};
}

static cw_status compute(void *state) {
  coordination_state *s = state;
  s->result.derivatives = s->derivatives;
  return cw_coordination_compute(s->plan, s->positions, &s->box, 0, &s->result);
}

static cw_status plain(void *state) {
  coordination_state *s = state;
  s->result.derivatives = s->derivatives;
  return cw_coordination_reference(s->plan, s->positions, &s->box, &s->result);
}

/* What is right: cells on the host in double, which the tests hold against the plain sum. */
static cw_status find_exact(coordination_state *s) {
  const cw_bench_case *c = s->bench_case;
  const cw_context_options on_host = {.backend = CW_BACKEND_CPU,
                                      .threads = cw_context_threads(s->context)};
  cw_coordination_options options = options_of(c);
  cw_coordination_result result = {0};
  cw_context *host = NULL;
  cw_coordination *plan = NULL;
  char message[256] = "";
  options.precision = CW_DOUBLE;
  CW_TRY(CW_NEW(s->context, 3 * (int64_t)c->atoms, "derivatives", &s->exact));
  result.derivatives = packed(CW_DOUBLE, CW_SPACE_HOST, s->exact);
  cw_status status = cw_context_create(&on_host, &host, message, (int)sizeof message);
  if (status == CW_OK)
    status = cw_coordination_create(host, &options, &plan);
  if (status == CW_OK)
    status = cw_coordination_compute(plan, s->positions, &s->box, 0, &result);
  if (status != CW_OK)
    status = cw_fail(s->context, status, "%s", host ? cw_context_message(host) : message);
  cw_coordination_destroy(plan);
  cw_context_destroy(host);
  s->exact_value = result.value;
  for (int64_t k = 0; k < 3 * (int64_t)c->atoms; k++)
    s->largest = fmax(s->largest, fabs(s->exact[k]));
  return status;
}

/* Of the value, and of derivatives relative to the largest one. */
static double largest_error(const coordination_state *s) {
  const cw_bench_case *c = s->bench_case;
  double error = fabs(s->result.value / s->exact_value - 1);
  for (int64_t k = 0; k < 3 * (int64_t)c->atoms; k++) {
    const double e = cw_real_get(s->host_derivatives, c->precision, k) - s->exact[k];
    error = cw_larger(error, fabs(e) / s->largest);
  }
  return error;
}

static cw_status fetch(coordination_state *s) {
  if (s->derivatives.space == CW_SPACE_HOST)
    return CW_OK;
  return cw_device_read(s->context, s->host_derivatives, s->derivatives.component[0],
                        vector_bytes(s->bench_case));
}

/* The frame once more with the device's clock between its parts; the pair kernel's rate. */
static cw_status add_parts(coordination_state *s, json_t *row) {
  const double atoms = s->bench_case->atoms, pairs = 2 * (double)s->result.pairs_in_range;
  cw_coordination_cuda_times sum = {0}, one;
  const int repeats = s->bench_case->repeats;
  CW_TRY(cw_coordination_cuda_measure(s->plan, &one));
  for (int k = 0; k < repeats; k++) {
    CW_TRY(compute(s));
    sum.upload += one.upload / repeats;
    sum.sort += one.sort / repeats;
    sum.sweep += one.sweep / repeats;
    sum.finish += one.finish / repeats;
  }
  CW_TRY(cw_coordination_cuda_measure(s->plan, NULL));
  json_object_set_new(row, "kernel_ms", json_real(1e3 * sum.sweep));
  json_object_set_new(row, "directed_pairs_per_second", json_real(pairs / sum.sweep));
  json_object_set_new(row, "stages",
                      json_pack("{s:f, s:f, s:f, s:f}", "upload", 1e9 * sum.upload / atoms, "sort",
                                1e9 * sum.sort / atoms, "pairs", 1e9 * sum.sweep / atoms, "finish",
                                1e9 * sum.finish / atoms));
  return CW_OK;
}

static cw_status time_variant(coordination_state *s, const char *name,
                              const cw_coordination_options *options, cw_bench_body *body,
                              json_t *rows) {
  double seconds;
  cw_status status;
  const double atoms = s->bench_case->atoms;
  CW_TRY(cw_coordination_create(s->context, options, &s->plan));
  s->plan->both_ends = strcmp(name, "cells_both_ends") == 0;
  CW_TRY_CLEANUP(status, cw_bench_time(s->bench_case->repeats, NULL, body, s, &seconds));
  CW_TRY_CLEANUP(status, fetch(s));
  json_t *row = cw_bench_add(rows, name, 1e9 * seconds / atoms, largest_error(s),
                             cw_bench_checksum(s->host_derivatives, vector_bytes(s->bench_case)));
  const double pairs = (double)s->result.pairs_in_range;
  json_object_set_new(row, "atoms", json_integer(s->bench_case->atoms));
  json_object_set_new(row, "r_0", json_real(s->bench_case->r_0));
  json_object_set_new(row, "d_max", json_real(s->bench_case->d_max));
  json_object_set_new(row, "pairs_in_range", json_integer((json_int_t)pairs));
  json_object_set_new(row, "neighbours", json_real(2 * pairs / atoms));
  json_object_set_new(row, "value", json_real(s->result.value));
  json_object_set_new(row, "ms_per_step", json_real(1e3 * seconds));
  json_object_set_new(row, "ns_per_pair", json_real(1e9 * seconds / fmax(pairs, 1)));
  json_object_set_new(row, "state_mb",
                      json_real((double)cw_coordination_memory(s->plan) / 1048576));
  json_object_set_new(row, "state_mb_per_million_atoms",
                      json_real((double)cw_coordination_memory(s->plan) / 1048576 * 1e6 / atoms));
  json_object_set_new(row, "device_mb",
                      json_real((double)cw_memory_used(s->context, CW_SPACE_DEVICE) / 1048576));
  json_object_set_new(row, "peak_host_mb",
                      json_real((double)cw_memory_peak(s->context, CW_SPACE_HOST) / 1048576));
  if (cw_context_backend(s->context) == CW_BACKEND_CUDA && body == compute)
    CW_TRY_CLEANUP(status, add_parts(s, row));
cleanup:
  cw_coordination_destroy(s->plan);
  s->plan = NULL;
  return status;
}

static cw_status time_host(coordination_state *s, json_t *rows) {
  cw_coordination_options options = options_of(s->bench_case);
  CW_TRY(time_variant(s, "cells", &options, compute, rows));
  CW_TRY(time_variant(s, "cells_both_ends", &options, compute, rows));
  if (s->bench_case->atoms > PLAIN_ATOMS)
    return CW_OK;
  options.precision = CW_DOUBLE;
  return time_variant(s, "plain", &options, plain, rows);
}

/* Arrays on the device: nothing but sums crosses the bus. */
static cw_status time_resident(coordination_state *s, json_t *rows) {
  const size_t bytes = vector_bytes(s->bench_case);
  const cw_coordinates_view positions = s->positions, derivatives = s->derivatives;
  const cw_coordination_options options = options_of(s->bench_case);
  void *in = NULL, *out = NULL;
  cw_status status;
  CW_TRY_CLEANUP(status, cw_memory_alloc(s->context, CW_SPACE_DEVICE, bytes, 1, "positions", &in));
  CW_TRY_CLEANUP(status,
                 cw_memory_alloc(s->context, CW_SPACE_DEVICE, bytes, 1, "derivatives", &out));
  CW_TRY_CLEANUP(status, cw_device_write(s->context, in, positions.component[0], bytes));
  s->positions = packed(positions.precision, CW_SPACE_DEVICE, in);
  s->derivatives = packed(positions.precision, CW_SPACE_DEVICE, out);
  CW_TRY_CLEANUP(status, time_variant(s, "clusters_device_arrays", &options, compute, rows));
cleanup:
  s->positions = positions;
  s->derivatives = derivatives;
  cw_memory_free(s->context, CW_SPACE_DEVICE, in);
  cw_memory_free(s->context, CW_SPACE_DEVICE, out);
  return status;
}

/* One of the frames that are in flight at once: a context and a plan of a host thread's own. */
typedef struct flight {
  cw_context *context;
  cw_coordination *plan;
  void *derivatives;
  cw_status status;
} flight;

static cw_status take_off(const coordination_state *s, flight *f) {
  const cw_context_options own = {.backend = CW_BACKEND_CUDA,
                                  .device = cw_context_device(s->context),
                                  .only_device = 1,
                                  .threads = 1};
  const cw_coordination_options options = options_of(s->bench_case);
  CW_TRY(cw_context_create(&own, &f->context, NULL, 0));
  CW_TRY(cw_memory_alloc(f->context, CW_SPACE_HOST, vector_bytes(s->bench_case), 1, "derivatives",
                         &f->derivatives));
  return cw_coordination_create(f->context, &options, &f->plan);
}

static void land(flight *f) {
  cw_coordination_destroy(f->plan);
  if (f->context)
    cw_memory_free(f->context, CW_SPACE_HOST, f->derivatives);
  cw_context_destroy(f->context);
}

/* One frame in each flight. */
static cw_status compute_flights(void *state) {
  coordination_state *s = state;
#pragma omp parallel for num_threads(IN_FLIGHT) schedule(static, 1)
  for (int k = 0; k < IN_FLIGHT; k++) {
    flight *f = &s->flights[k];
    cw_coordination_result result = {
        .derivatives = packed(s->bench_case->precision, CW_SPACE_HOST, f->derivatives)};
    f->status = cw_coordination_compute(f->plan, s->positions, &s->box, 0, &result);
    if (k == 0)
      s->result = result;
  }
  for (int k = 0; k < IN_FLIGHT; k++)
    if (s->flights[k].status != CW_OK)
      return cw_fail(s->context, s->flights[k].status, "%s",
                     cw_context_message(s->flights[k].context));
  return CW_OK;
}

static cw_status time_in_flight(coordination_state *s, json_t *rows) {
  flight flights[IN_FLIGHT] = {{0}};
  const size_t bytes = vector_bytes(s->bench_case);
  double seconds;
  cw_status status = CW_OK;
  s->flights = flights;
  for (int k = 0; k < IN_FLIGHT && status == CW_OK; k++)
    status = take_off(s, &flights[k]);
  if (status != CW_OK)
    goto cleanup;
  CW_TRY_CLEANUP(status, cw_bench_time(s->bench_case->repeats, NULL, compute_flights, s, &seconds));
  memcpy(s->host_derivatives, flights[IN_FLIGHT - 1].derivatives, bytes);
  json_t *row =
      cw_bench_add(rows, "clusters_in_flight", 1e9 * seconds / IN_FLIGHT / s->bench_case->atoms,
                   largest_error(s), cw_bench_checksum(s->host_derivatives, bytes));
  json_object_set_new(row, "frames_in_flight", json_integer(IN_FLIGHT));
  json_object_set_new(row, "ms_per_step", json_real(1e3 * seconds / IN_FLIGHT));
  json_object_set_new(
      row, "ns_per_pair",
      json_real(1e9 * seconds / IN_FLIGHT / fmax((double)s->result.pairs_in_range, 1)));
cleanup:
  for (int k = 0; k < IN_FLIGHT; k++)
    land(&flights[k]);
  s->flights = NULL;
  return status;
}

static cw_status time_device(coordination_state *s, json_t *rows) {
  static const struct {
    const char *name;
    cw_coordination_form form;
    int fast_border;
  } forms[] = {{"cells", CW_COORDINATION_FORM_CELL, 0},
               {"clusters", CW_COORDINATION_FORM_BUNDLE, 0},
               {"clusters_fast_border", CW_COORDINATION_FORM_BUNDLE, 1},
               {"matrix", CW_COORDINATION_FORM_MATRIX, 0}};
  for (int f = 0; f < (int)(sizeof forms / sizeof *forms); f++) {
    cw_coordination_options options = options_of(s->bench_case);
    options.form = forms[f].form;
    options.fast_border = forms[f].fast_border;
    CW_TRY(time_variant(s, forms[f].name, &options, compute, rows));
  }
  CW_TRY(time_resident(s, rows));
  return time_in_flight(s, rows);
}

cw_status cw_bench_coordination(cw_context *context, const cw_bench_case *c, json_t *rows) {
  coordination_state s = {.context = context, .bench_case = c};
  cw_status status;
  CW_TRY_CLEANUP(status, make_liquid(&s));
  CW_TRY_CLEANUP(status, find_exact(&s));
  CW_TRY_CLEANUP(status, cw_memory_alloc(context, CW_SPACE_HOST, vector_bytes(c), 1, "derivatives",
                                         &s.host_derivatives));
  s.derivatives = packed(c->precision, CW_SPACE_HOST, s.host_derivatives);
  if (cw_context_backend(context) == CW_BACKEND_CUDA)
    CW_TRY_CLEANUP(status, time_device(&s, rows));
  else
    CW_TRY_CLEANUP(status, time_host(&s, rows));
cleanup:
  CW_DELETE(context, s.exact);
  CW_DELETE(context, s.host_derivatives);
  CW_DELETE(context, s.positions.component[0]);
  return status;
}
