#include <cellwise/particles.h>

#include <string.h>

#include "base/context_private.h"
#include "base/space.h"
#include "sort/particles_private.h"

struct cw_particles {
  cw_context *context;
  cw_particles_options options;
  int64_t count, capacity;
  uint64_t epoch;
  void *array[CW_MEMBERS];
  void *spare[CW_SPARES]; /* on the device, once a sort asked for them */
};

static const char *const member_names[CW_MEMBERS] = {
    "particles i[0]",       "particles i[1]",       "particles i[2]",       "particles i_prev[0]",
    "particles i_prev[1]",  "particles i_prev[2]",  "particles dx[0]",      "particles dx[1]",
    "particles dx[2]",      "particles dx_prev[0]", "particles dx_prev[1]", "particles dx_prev[2]",
    "particles u[0]",       "particles u[1]",       "particles u[2]",       "particles weight",
    "particles guide[0]",   "particles guide[1]",   "particles payload[0]", "particles payload[1]",
    "particles payload[2]", "particles payload[3]", "particles payload[4]", "particles payload[5]",
    "particles payload[6]", "particles payload[7]", "particles tag",        "particles id"};

size_t cw_member_size(int member, cw_precision precision) {
  if (member < CW_MEMBER_DX)
    return sizeof(int32_t);
  if (member < CW_MEMBER_TAG)
    return (size_t)cw_precision_size(precision);
  return member == CW_MEMBER_TAG ? sizeof(uint8_t) : sizeof(uint64_t);
}

void cw_member_arrays(const cw_particles_view *view, void *array[CW_MEMBERS]) {
  for (int a = 0; a < 3; a++) {
    array[CW_MEMBER_I + a] = view->i[a];
    array[CW_MEMBER_I_PREV + a] = view->i_prev[a];
    array[CW_MEMBER_DX + a] = view->dx[a];
    array[CW_MEMBER_DX_PREV + a] = view->dx_prev[a];
    array[CW_MEMBER_U + a] = view->u[a];
  }
  array[CW_MEMBER_WEIGHT] = view->weight;
  for (int k = 0; k < 2; k++)
    array[CW_MEMBER_GUIDE + k] = view->guide[k];
  for (int k = 0; k < CW_MAX_PAYLOADS; k++)
    array[CW_MEMBER_PAYLOAD + k] = view->payload[k];
  array[CW_MEMBER_TAG] = view->tag;
  array[CW_MEMBER_ID] = view->id;
}

void cw_member_set_arrays(cw_particles_view *view, void *const array[CW_MEMBERS]) {
  for (int a = 0; a < 3; a++) {
    view->i[a] = array[CW_MEMBER_I + a];
    view->i_prev[a] = array[CW_MEMBER_I_PREV + a];
    view->dx[a] = array[CW_MEMBER_DX + a];
    view->dx_prev[a] = array[CW_MEMBER_DX_PREV + a];
    view->u[a] = array[CW_MEMBER_U + a];
  }
  view->weight = array[CW_MEMBER_WEIGHT];
  for (int k = 0; k < 2; k++)
    view->guide[k] = array[CW_MEMBER_GUIDE + k];
  for (int k = 0; k < CW_MAX_PAYLOADS; k++)
    view->payload[k] = array[CW_MEMBER_PAYLOAD + k];
  view->tag = array[CW_MEMBER_TAG];
  view->id = array[CW_MEMBER_ID];
}

cw_particles_view cw_particles_slots(const cw_particles_view *all, int64_t from, int64_t to) {
  cw_particles_view part = *all;
  void *array[CW_MEMBERS];
  cw_member_arrays(all, array);
  for (int m = 0; m < CW_MEMBERS; m++)
    if (array[m])
      array[m] = (char *)array[m] + (size_t)from * cw_member_size(m, all->precision);
  cw_member_set_arrays(&part, array);
  part.count = to - from;
  return part;
}

static int has_member(const cw_particles_options *options, int member) {
  if (member < CW_MEMBER_U)
    return member % 3 < options->dim;
  if (member >= CW_MEMBER_PAYLOAD && member < CW_MEMBER_TAG)
    return member - CW_MEMBER_PAYLOAD < options->payloads;
  if (member >= CW_MEMBER_GUIDE && member < CW_MEMBER_PAYLOAD)
    return options->with_guide;
  return member != CW_MEMBER_WEIGHT || options->with_weights;
}

size_t cw_particles_bytes_each(const cw_particles_options *options) {
  size_t bytes = 0;
  for (int m = 0; m < CW_MEMBERS; m++)
    if (has_member(options, m))
      bytes += cw_member_size(m, options->precision);
  return bytes;
}

static void free_arrays(cw_context *context, cw_space space, void **array, int count) {
  for (int m = 0; m < count; m++) {
    cw_memory_free(context, space, array[m]);
    array[m] = NULL;
  }
}

static cw_status check_options(cw_context *context, const cw_particles_options *options,
                               int64_t capacity) {
  if (options->dim < 1 || options->dim > 3)
    return cw_fail(context, CW_ERROR_ARGUMENT, "particles: dim is %d; expected 1, 2 or 3",
                   options->dim);
  if (options->precision != CW_SINGLE && options->precision != CW_DOUBLE)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "particles: precision is %d; expected a cw_precision", (int)options->precision);
  if (options->space != CW_SPACE_HOST && options->space != CW_SPACE_DEVICE)
    return cw_fail(context, CW_ERROR_ARGUMENT, "particles: space is %d; expected a cw_space",
                   (int)options->space);
  if (options->payloads < 0 || options->payloads > CW_MAX_PAYLOADS)
    return cw_fail(context, CW_ERROR_ARGUMENT, "particles: %d payloads; expected 0 to %d",
                   options->payloads, CW_MAX_PAYLOADS);
  if (capacity < 0)
    return cw_fail(context, CW_ERROR_ARGUMENT, "particles: capacity is %lld; expected 0 or more",
                   (long long)capacity);
  return CW_OK;
}

cw_status cw_particles_create(cw_context *context, const cw_particles_options *options,
                              int64_t capacity, cw_particles **particles) {
  *particles = NULL;
  CW_TRY(check_options(context, options, capacity));
  cw_particles *made = NULL;
  CW_TRY(CW_NEW(context, 1, "particles", &made));
  made->context = context;
  made->options = *options;
  made->epoch = 1;
  cw_status status = cw_particles_reserve(made, cw_max_i64(capacity, 1));
  if (status != CW_OK) {
    CW_DELETE(context, made);
    return status;
  }
  *particles = made;
  return CW_OK;
}

void cw_particles_destroy(cw_particles *particles) {
  if (!particles)
    return;
  free_arrays(particles->context, particles->options.space, particles->array, CW_MEMBERS);
  free_arrays(particles->context, particles->options.space, particles->spare, CW_SPARES);
  CW_DELETE(particles->context, particles);
}

cw_status cw_particles_reserve(cw_particles *particles, int64_t capacity) {
  if (capacity <= particles->capacity)
    return CW_OK;
  const cw_particles_options *options = &particles->options;
  int64_t grown = particles->capacity + (particles->capacity + 1) / 2;
  if (grown < capacity)
    grown = capacity;
  void *array[CW_MEMBERS] = {NULL};
  cw_status status = CW_OK;
  for (int m = 0; m < CW_MEMBERS && status == CW_OK; m++) {
    size_t size = cw_member_size(m, options->precision);
    if (!has_member(options, m))
      continue;
    status = cw_memory_alloc(particles->context, options->space, (size_t)grown, size,
                             member_names[m], &array[m]);
    if (status == CW_OK && particles->array[m])
      status = cw_space_copy(particles->context, options->space, array[m], options->space,
                             particles->array[m], (size_t)particles->count * size);
  }
  if (status != CW_OK) {
    free_arrays(particles->context, options->space, array, CW_MEMBERS);
    return status;
  }
  free_arrays(particles->context, options->space, particles->array, CW_MEMBERS);
  free_arrays(particles->context, options->space, particles->spare, CW_SPARES);
  memcpy(particles->array, array, sizeof array);
  particles->capacity = grown;
  return CW_OK;
}

cw_status cw_particles_resize(cw_particles *particles, int64_t count) {
  if (count < 0)
    return cw_fail(particles->context, CW_ERROR_ARGUMENT,
                   "particles: count is %lld; expected 0 or more", (long long)count);
  const int64_t capacity = particles->capacity;
  CW_TRY(cw_particles_reserve(particles, count));
  if (count < particles->count) {
    cw_particles_reordered(particles, count);
    return CW_OK;
  }
  if (particles->capacity > capacity) { /* new arrays: zero behind what they took over */
    particles->count = count;
    return CW_OK;
  }
  for (int m = 0; m < CW_MEMBERS; m++) {
    size_t size = cw_member_size(m, particles->options.precision);
    if (particles->array[m])
      CW_TRY(cw_space_zero(particles->context, particles->options.space,
                           (char *)particles->array[m] + (size_t)particles->count * size,
                           (size_t)(count - particles->count) * size));
  }
  particles->count = count;
  return CW_OK;
}

/* Nothing but their slots may differ; spaces may where a copy crosses between them. */
static cw_status check_alike(const cw_particles *to, const cw_particles *from) {
  const cw_particles_options *a = &to->options, *b = &from->options;
  if (a->dim != b->dim || a->precision != b->precision || !a->with_weights != !b->with_weights ||
      a->payloads != b->payloads || !a->with_guide != !b->with_guide)
    return cw_fail(
        to->context, CW_ERROR_ARGUMENT,
        "particles: copy of %d axes, %s%s, %d payloads%s to %d axes, %s%s, %d payloads%s", b->dim,
        cw_precision_name(b->precision), b->with_weights ? ", weights" : "", b->payloads,
        b->with_guide ? ", guiding centres" : "", a->dim, cw_precision_name(a->precision),
        a->with_weights ? ", weights" : "", a->payloads, a->with_guide ? ", guiding centres" : "");
  return CW_OK;
}

cw_status cw_particles_copy(cw_particles *to, const cw_particles *from) {
  const cw_particles_options *a = &to->options, *b = &from->options;
  cw_context *context = a->space == CW_SPACE_DEVICE ? to->context : from->context;
  CW_TRY(check_alike(to, from));
  cw_particles_reordered(to, 0);
  CW_TRY(cw_particles_reserve(to, from->count));
  for (int m = 0; m < CW_MEMBERS; m++)
    if (to->array[m])
      CW_TRY(cw_space_copy(context, a->space, to->array[m], b->space, from->array[m],
                           (size_t)from->count * cw_member_size(m, a->precision)));
  cw_particles_reordered(to, from->count);
  return CW_OK;
}

cw_status cw_particles_append(cw_particles *to, const cw_particles *from) {
  const cw_particles_options *a = &to->options, *b = &from->options;
  const int64_t base = to->count;
  cw_context *context = a->space == CW_SPACE_DEVICE ? to->context : from->context;
  CW_TRY(check_alike(to, from));
  CW_TRY(cw_particles_resize(to, base + from->count));
  for (int m = 0; m < CW_MEMBERS; m++) {
    const size_t size = cw_member_size(m, a->precision);
    char *end = to->array[m] ? (char *)to->array[m] + (size_t)base * size : NULL;
    const size_t bytes = (size_t)from->count * size;
    if (end && b->space == CW_SPACE_HOST)
      CW_TRY(cw_space_send(context, a->space, end, from->array[m], bytes));
    else if (end)
      CW_TRY(cw_space_copy(context, a->space, end, b->space, from->array[m], bytes));
  }
  return CW_OK;
}

cw_particles_view cw_particles_get_view(const cw_particles *particles) {
  cw_particles_view view = {.count = particles->count,
                            .precision = particles->options.precision,
                            .space = particles->options.space};
  cw_member_set_arrays(&view, particles->array);
  return view;
}

int64_t cw_particles_count(const cw_particles *particles) {
  return particles->count;
}
int64_t cw_particles_capacity(const cw_particles *particles) {
  return particles->capacity;
}
int cw_particles_dim(const cw_particles *particles) {
  return particles->options.dim;
}
uint64_t cw_particles_epoch(const cw_particles *particles) {
  return particles->epoch;
}
void cw_particles_reordered(cw_particles *particles, int64_t count) {
  particles->count = count;
  particles->epoch++;
}

void cw_particles_get_spares(cw_particles *particles, void *spare[CW_SPARES]) {
  static const size_t size[CW_SPARES] = {8, 1};
  for (int k = 0; k < CW_SPARES; k++) {
    /* doubles trade with dx_prev; without room a spare stays NULL, and the sort copies */
    const int needed = k == CW_SPARE_1 || particles->options.precision == CW_SINGLE;
    if (needed && !particles->spare[k])
      (void)cw_memory_alloc(particles->context, particles->options.space,
                            (size_t)particles->capacity, size[k], "spare of the sort",
                            &particles->spare[k]);
    spare[k] = particles->spare[k];
  }
}

void cw_particles_set_arrays(cw_particles *particles, const cw_particles_view *view,
                             void *const spare[CW_SPARES]) {
  cw_member_arrays(view, particles->array);
  if (spare)
    memcpy(particles->spare, spare, sizeof particles->spare);
}
