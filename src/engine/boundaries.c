/* Particle boundaries of a block, and the removal of dead particles. */
#include <string.h>

#include <omp.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "engine/engine_private.h"

/* 1 if any of the cells leaves [0, cells). */
static int any_outside(const int32_t *i, int64_t from, int64_t to, int32_t cells) {
  uint32_t outside = 0;
  for (int64_t p = from; p < to; p++)
    outside |= (uint32_t)i[p] >= (uint32_t)cells;
  return (int)outside;
}

/* Mirrors particle p at a wall: lower at 0, upper at `cells`. */
static void reflect(const cw_particles_view *view, int axis, int upper, int32_t cells, int64_t p) {
  /* X = i + dx becomes 2 wall - X, whose cell is 2 wall - i - 1 and offset 1 - dx. */
  int32_t cell = (upper ? 2 * cells : 0) - view->i[axis][p] - 1;
  double offset = 1.0 - cw_real_get(view->dx[axis], view->precision, p);
  cw_real_set(view->dx[axis], view->precision, p, offset);
  if (!(cw_real_get(view->dx[axis], view->precision, p) < 1.0)) {
    cell += 1; /* it stood on a cell's lower face, or rounding put it there */
    cw_real_set(view->dx[axis], view->precision, p, 0.0);
  }
  if (upper && cell >= cells) { /* exactly on the wall: the last place inside */
    cell = cells - 1;
    cw_real_set(view->dx[axis], view->precision, p,
                view->precision == CW_DOUBLE ? 1.0 - 0x1p-53 : 1.0 - 0x1p-24);
  }
  view->i[axis][p] = cell;
  double u = cw_real_get(view->u[axis], view->precision, p);
  cw_real_set(view->u[axis], view->precision, p, -u);
}

static void apply(const cw_particles_view *view, int axis, int32_t cells,
                  const cw_particle_boundary boundary[2], int64_t p) {
  int32_t i = view->i[axis][p];
  if ((uint32_t)i < (uint32_t)cells || (view->tag && view->tag[p] == CW_TAG_DEAD))
    return;
  int upper = i >= cells;
  switch (boundary[upper]) {
  case CW_PARTICLE_PERIODIC:
    view->i[axis][p] += upper ? -cells : cells;
    view->i_prev[axis][p] += upper ? -cells : cells;
    break;
  case CW_PARTICLE_REFLECT:
    reflect(view, axis, upper, cells, p);
    break;
  case CW_PARTICLE_ABSORB:
    view->tag[p] = CW_TAG_DEAD;
    break;
  }
}

cw_status cw_engine_apply_boundaries(cw_engine *engine, cw_species_state *species) {
  const cw_particles_view view = cw_particles_get_view(species->particles);
  const int64_t blocks = cw_block_count(view.count);
#pragma omp parallel for num_threads(cw_context_threads(engine->context)) schedule(static)
  for (int64_t b = 0; b < blocks; b++) {
    int64_t from = b * CW_BLOCK, to = cw_min_i64(from + CW_BLOCK, view.count);
    for (int a = 0; a < engine->grid.dim; a++) {
      int32_t cells = engine->grid.cells[a];
      if (!any_outside(view.i[a], from, to, cells))
        continue;
      for (int64_t p = from; p < to; p++)
        apply(&view, a, cells, engine->deck->grid.particles[a], p);
    }
  }
  return CW_OK;
}

static void move_item(void *array, size_t size, int64_t to, int64_t from) {
  if (array)
    memcpy((char *)array + (size_t)to * size, (const char *)array + (size_t)from * size, size);
}

cw_status cw_engine_compact(cw_engine *engine, cw_species_state *species) {
  const cw_particles_view view = cw_particles_get_view(species->particles);
  const size_t real = (size_t)cw_precision_size(view.precision);
  int64_t kept = 0;
  for (int64_t p = 0; p < view.count; p++) {
    if (view.tag[p] == CW_TAG_DEAD)
      continue;
    if (kept != p) {
      for (int a = 0; a < engine->grid.dim; a++) {
        move_item(view.i[a], sizeof(int32_t), kept, p);
        move_item(view.i_prev[a], sizeof(int32_t), kept, p);
        move_item(view.dx[a], real, kept, p);
        move_item(view.dx_prev[a], real, kept, p);
      }
      for (int a = 0; a < 3; a++)
        move_item(view.u[a], real, kept, p);
      move_item(view.weight, real, kept, p);
      move_item(view.tag, sizeof(uint8_t), kept, p);
      move_item(view.id, sizeof(uint64_t), kept, p);
    }
    kept++;
  }
  return cw_particles_resize(species->particles, kept);
}
