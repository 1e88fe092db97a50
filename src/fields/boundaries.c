/* What continues the fields and their sources beyond the box: images, mirrors, nothing.
 *
 * A wall stands at node 0 or node n of an axis. At a perfect conductor the normal E and tangential
 * B (dual across the wall) are even, the tangential E and normal B (primal) odd. Particles that a
 * wall reflects are continued by their mirror images, of the same charge and opposite normal
 * velocity: rho and tangential J (primal) are even, normal J (dual) is odd. A node on such a wall
 * holds the particles' share and that of their images, so that its value is a density too. */
#include "comm/comm.h"
#include "fields/fields_private.h"

typedef enum line_action { LINE_SET = 0, LINE_MOVE, LINE_SCALE, LINE_ZERO } line_action;

typedef struct line_op {
  line_action action;
  int32_t to, from;
  int factor;
} line_op;

enum { MAX_LINE_OPS = 2 * 64 + 4 }; /* both sides' ghost cells (cw_grid_init) and wall nodes */
typedef struct line_ops {
  int count;
  line_op op[MAX_LINE_OPS];
} line_ops;

#define CW_REAL_IS_DOUBLE 0
#include "base/real.h"
#include "fields/boundaries_body.h"
#undef CW_REAL_IS_DOUBLE
#define CW_REAL_IS_DOUBLE 1
#include "base/real.h"
#include "fields/boundaries_body.h"

static cw_fields_kind make_kind(int component, int dual_along, int is_source) {
  cw_fields_kind kind = {.is_source = is_source};
  for (int a = 0; a < 3; a++) {
    kind.dual[a] = (a == component) == dual_along;
    kind.mirror_sign[a] = kind.dual[a] != is_source ? 1 : -1;
  }
  return kind;
}

cw_fields_kind cw_fields_kind_E(int component) {
  return make_kind(component, 1, 0);
}
cw_fields_kind cw_fields_kind_B(int component) {
  return make_kind(component, 0, 0);
}
cw_fields_kind cw_fields_kind_J(int component) {
  return make_kind(component, 1, 1);
}
cw_fields_kind cw_fields_kind_rho(void) {
  return make_kind(-1, 1, 1);
}

cw_side cw_fields_side(const cw_fields *fields, const cw_fields_kind *kind, int axis, int upper) {
  if (fields->options.boundary[axis][upper] == CW_FIELD_PERIODIC)
    return CW_SIDE_PERIODIC;
  if (kind->is_source && fields->options.particle[axis][upper] == CW_PARTICLE_ABSORB)
    return CW_SIDE_OPEN;
  return CW_SIDE_MIRROR;
}

static int32_t modulo(int32_t i, int32_t n) {
  int32_t rest = i % n;
  return rest < 0 ? rest + n : rest;
}

int32_t cw_fields_image(const cw_fields *fields, const cw_fields_kind *kind, int axis, int32_t i,
                        int *sign) {
  int32_t n = fields->grid.cells[axis], ghost = fields->grid.ghost;
  int dual = kind->dual[axis], mirror = kind->mirror_sign[axis];
  cw_side lower = cw_fields_side(fields, kind, axis, 0);
  cw_side upper = cw_fields_side(fields, kind, axis, 1);
  int32_t top = dual ? n - 1 : n; /* last value on or before the upper wall */
  *sign = 1;
  if (lower == CW_SIDE_PERIODIC)
    return modulo(i, n);
  if (lower == CW_SIDE_MIRROR && upper == CW_SIDE_MIRROR) {
    i = modulo(i, 2 * n); /* two mirrors repeat everything after 2 n cells */
    if (i <= top)
      return i;
    *sign = mirror;
    return 2 * n - dual - i;
  }
  if (lower == CW_SIDE_MIRROR && i < 0) {
    *sign = mirror;
    i = -dual - i;
  } else if (upper == CW_SIDE_MIRROR && i > top) {
    *sign = mirror;
    i = 2 * n - dual - i;
  }
  if (i < -ghost || i >= n + ghost)
    *sign = 0;
  return i;
}

void cw_fields_own_range(const cw_fields *fields, const cw_fields_kind *kind, int axis,
                         int32_t *first, int32_t *last) {
  int32_t n = fields->grid.cells[axis], ghost = axis < fields->grid.dim ? fields->grid.ghost : 0;
  *first = 0;
  *last = n - 1;
  if (axis >= fields->grid.dim)
    return;
  if (cw_fields_side(fields, kind, axis, 0) == CW_SIDE_OPEN)
    *first = -ghost;
  switch (cw_fields_side(fields, kind, axis, 1)) {
  case CW_SIDE_PERIODIC:
    break;
  case CW_SIDE_MIRROR:
    if (!kind->dual[axis])
      *last = n;
    break;
  case CW_SIDE_OPEN:
    *last = n + ghost - 1;
    break;
  }
}

static void add_op(line_ops *ops, line_action action, int32_t to, int32_t from, int factor) {
  ops->op[ops->count++] = (line_op){action, to, from, factor};
}

static void apply_ops(const cw_fields *fields, cw_precision precision, void *array, int axis,
                      const line_ops *ops) {
  int threads = cw_context_threads(fields->context);
  if (precision == CW_DOUBLE)
    apply_ops_f64(&fields->grid, threads, axis, ops, array);
  else
    apply_ops_f32(&fields->grid, threads, axis, ops, array);
}

/* Ghost cells behind mirrors; an odd primal value on the wall itself is zero. */
static void fill_mirrors(const cw_fields *fields, const cw_fields_kind *kind,
                         cw_precision precision, void *array, int axis) {
  int32_t n = fields->grid.cells[axis], ghost = fields->grid.ghost, first, last;
  int odd_primal = !kind->dual[axis] && kind->mirror_sign[axis] < 0;
  line_ops ops = {0};
  cw_fields_own_range(fields, kind, axis, &first, &last);
  if (odd_primal) {
    add_op(&ops, LINE_ZERO, 0, 0, 0);
    add_op(&ops, LINE_ZERO, n, n, 0);
  }
  for (int32_t i = -ghost; i < n + ghost; i++) {
    if (i >= first && i <= last)
      continue;
    int sign;
    int32_t from = cw_fields_image(fields, kind, axis, i, &sign);
    add_op(&ops, sign ? LINE_SET : LINE_ZERO, i, sign ? from : i, sign);
  }
  apply_ops(fields, precision, array, axis, &ops);
}

cw_status cw_fields_fill_array(cw_fields *fields, const cw_fields_kind *kind,
                               cw_precision precision, void *array) {
  for (int axis = 0; axis < fields->grid.dim; axis++) {
    if (cw_fields_side(fields, kind, axis, 0) == CW_SIDE_PERIODIC)
      CW_TRY(cw_comm_fill_ghosts(fields->context, &fields->grid, precision, array, axis));
    else
      fill_mirrors(fields, kind, precision, array, axis);
  }
  return CW_OK;
}

static void fold_mirrors(const cw_fields *fields, const cw_fields_kind *kind,
                         cw_precision precision, void *array, int axis) {
  int32_t n = fields->grid.cells[axis], ghost = fields->grid.ghost, first, last;
  line_ops ops = {0};
  cw_fields_own_range(fields, kind, axis, &first, &last);
  for (int32_t i = -ghost; i < n + ghost; i++) {
    if (i >= first && i <= last)
      continue;
    int sign;
    int32_t to = cw_fields_image(fields, kind, axis, i, &sign);
    add_op(&ops, LINE_MOVE, to, i, sign);
  }
  for (int upper = 0; upper < 2; upper++)
    if (!kind->dual[axis] && cw_fields_side(fields, kind, axis, upper) == CW_SIDE_MIRROR)
      add_op(&ops, LINE_SCALE, upper ? n : 0, upper ? n : 0, 2);
  apply_ops(fields, precision, array, axis, &ops);
}

cw_status cw_fields_fold_array(cw_fields *fields, const cw_fields_kind *kind,
                               cw_precision precision, void *array) {
  for (int axis = 0; axis < fields->grid.dim; axis++) {
    if (cw_fields_side(fields, kind, axis, 0) == CW_SIDE_PERIODIC)
      CW_TRY(cw_comm_fold_ghosts(fields->context, &fields->grid, precision, array, axis));
    else
      fold_mirrors(fields, kind, precision, array, axis);
  }
  return CW_OK;
}

void cw_fields_drop_outside(cw_fields *fields, const cw_fields_kind *kind, cw_precision precision,
                            void *array) {
  int32_t ghost = fields->grid.ghost;
  for (int axis = 0; axis < fields->grid.dim; axis++) {
    int32_t n = fields->grid.cells[axis];
    line_ops ops = {0};
    if (cw_fields_side(fields, kind, axis, 0) == CW_SIDE_OPEN)
      for (int32_t i = -ghost; i < 0; i++)
        add_op(&ops, LINE_ZERO, i, i, 0);
    if (cw_fields_side(fields, kind, axis, 1) == CW_SIDE_OPEN)
      for (int32_t i = kind->dual[axis] ? n : n + 1; i < n + ghost; i++)
        add_op(&ops, LINE_ZERO, i, i, 0);
    if (ops.count)
      apply_ops(fields, precision, array, axis, &ops);
  }
}
