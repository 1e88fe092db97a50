/* What continues the fields and their sources beyond the box: images, mirrors, nothing.
 *
 * A wall stands at node 0 or node n of an axis. At a perfect conductor the normal E and tangential
 * B (dual across the wall) are even, the tangential E and normal B (primal) odd. Particles that a
 * wall reflects are continued by their mirror images, of the same charge and opposite normal
 * velocity: rho and tangential J (primal) are even, normal J (dual) is odd. A node on such a wall
 * holds the particles' share and that of their images, so that its value is a density too. */
#include "comm/comm.h"
#include "fields/fields_private.h"

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

cw_axis_rule cw_fields_axis_rule(const cw_fields *fields, const cw_fields_kind *kind, int axis) {
  return (cw_axis_rule){.n = fields->grid.cells[axis],
                        .ghost = axis < fields->grid.dim ? fields->grid.ghost : 0,
                        .dual = kind->dual[axis],
                        .mirror_sign = kind->mirror_sign[axis],
                        .lower = cw_fields_side(fields, kind, axis, 0),
                        .upper = cw_fields_side(fields, kind, axis, 1)};
}

int32_t cw_fields_image(const cw_fields *fields, const cw_fields_kind *kind, int axis, int32_t i,
                        int *sign) {
  const cw_axis_rule rule = cw_fields_axis_rule(fields, kind, axis);
  return cw_axis_image(&rule, i, sign);
}

/* First and last index that hold values of their own. */
static void own_range(const cw_axis_rule *rule, int32_t *first, int32_t *last) {
  *first = rule->lower == CW_SIDE_OPEN ? -rule->ghost : 0;
  *last = rule->upper == CW_SIDE_OPEN                    ? rule->n + rule->ghost - 1
          : rule->upper == CW_SIDE_MIRROR && !rule->dual ? rule->n
                                                         : rule->n - 1;
}

void cw_fields_own_range(const cw_fields *fields, const cw_fields_kind *kind, int axis,
                         int32_t *first, int32_t *last) {
  const cw_axis_rule rule = cw_fields_axis_rule(fields, kind, axis);
  *first = 0;
  *last = rule.n - 1;
  if (axis < fields->grid.dim)
    own_range(&rule, first, last);
}

static void add_op(cw_line_ops *ops, cw_line_action action, int32_t to, int32_t from, int factor) {
  ops->op[ops->count++] = (cw_line_op){action, to, from, factor};
}

void cw_lines_apply(const cw_grid *grid, int threads, cw_precision precision, void *array, int axis,
                    const cw_line_ops *ops) {
  if (precision == CW_DOUBLE)
    apply_ops_f64(grid, threads, axis, ops, array);
  else
    apply_ops_f32(grid, threads, axis, ops, array);
}

cw_status cw_fields_host_lines(cw_fields *fields, cw_precision precision, void *array, int axis,
                               const cw_line_ops *ops) {
  cw_lines_apply(&fields->grid, cw_context_threads(fields->context), precision, array, axis, ops);
  return CW_OK;
}

static int is_odd_primal(const cw_axis_rule *rule) {
  return !rule->dual && rule->mirror_sign < 0;
}

void cw_axis_fill_ops(const cw_axis_rule *rule, cw_line_ops *ops) {
  int32_t n = rule->n, first, last;
  ops->count = 0;
  own_range(rule, &first, &last);
  if (is_odd_primal(rule)) {
    add_op(ops, CW_LINE_ZERO, 0, 0, 0);
    add_op(ops, CW_LINE_ZERO, n, n, 0);
  }
  for (int32_t i = -rule->ghost; i < n + rule->ghost; i++) {
    if (i >= first && i <= last)
      continue;
    int sign;
    int32_t from = cw_axis_image(rule, i, &sign);
    add_op(ops, sign ? CW_LINE_SET : CW_LINE_ZERO, i, sign ? from : i, sign);
  }
}

/* Ghost cells behind mirrors; an odd primal value on the wall itself is zero. */
static cw_status fill_mirrors(cw_fields *fields, const cw_fields_kind *kind, cw_precision precision,
                              void *array, int axis) {
  const cw_axis_rule rule = cw_fields_axis_rule(fields, kind, axis);
  cw_line_ops ops;
  cw_axis_fill_ops(&rule, &ops);
  return fields->ops->lines(fields, precision, array, axis, &ops);
}

cw_status cw_fields_fill_array(cw_fields *fields, const cw_fields_kind *kind,
                               cw_precision precision, void *array) {
  for (int axis = 0; axis < fields->grid.dim; axis++) {
    if (cw_fields_side(fields, kind, axis, 0) == CW_SIDE_PERIODIC)
      CW_TRY(cw_comm_fill_ghosts_in(fields->context, fields->options.space, &fields->grid,
                                    precision, array, axis));
    else
      CW_TRY(fill_mirrors(fields, kind, precision, array, axis));
  }
  return CW_OK;
}

void cw_axis_fold_ops(const cw_axis_rule *rule, cw_line_ops *ops) {
  const cw_side sides[2] = {rule->lower, rule->upper};
  int32_t n = rule->n, first, last;
  ops->count = 0;
  own_range(rule, &first, &last);
  for (int32_t i = -rule->ghost; i < n + rule->ghost; i++) {
    if (i >= first && i <= last)
      continue;
    int sign;
    int32_t to = cw_axis_image(rule, i, &sign);
    add_op(ops, CW_LINE_MOVE, to, i, sign);
  }
  for (int upper = 0; upper < 2; upper++)
    if (!rule->dual && sides[upper] == CW_SIDE_MIRROR)
      add_op(ops, is_odd_primal(rule) ? CW_LINE_ZERO : CW_LINE_SCALE, upper ? n : 0, upper ? n : 0,
             2);
}

static cw_status fold_mirrors(cw_fields *fields, const cw_fields_kind *kind, cw_precision precision,
                              void *array, int axis) {
  const cw_axis_rule rule = cw_fields_axis_rule(fields, kind, axis);
  cw_line_ops ops;
  cw_axis_fold_ops(&rule, &ops);
  return fields->ops->lines(fields, precision, array, axis, &ops);
}

cw_status cw_fields_fold_array(cw_fields *fields, const cw_fields_kind *kind,
                               cw_precision precision, void *array) {
  for (int axis = 0; axis < fields->grid.dim; axis++) {
    if (cw_fields_side(fields, kind, axis, 0) == CW_SIDE_PERIODIC)
      CW_TRY(cw_comm_fold_ghosts_in(fields->context, fields->options.space, &fields->grid,
                                    precision, array, axis));
    else
      CW_TRY(fold_mirrors(fields, kind, precision, array, axis));
  }
  return CW_OK;
}

cw_status cw_fields_drop_outside(cw_fields *fields, const cw_fields_kind *kind,
                                 cw_precision precision, void *array) {
  int32_t ghost = fields->grid.ghost;
  for (int axis = 0; axis < fields->grid.dim; axis++) {
    int32_t n = fields->grid.cells[axis];
    cw_line_ops ops;
    ops.count = 0;
    if (cw_fields_side(fields, kind, axis, 0) == CW_SIDE_OPEN)
      for (int32_t i = -ghost; i < 0; i++)
        add_op(&ops, CW_LINE_ZERO, i, i, 0);
    if (cw_fields_side(fields, kind, axis, 1) == CW_SIDE_OPEN)
      for (int32_t i = kind->dual[axis] ? n : n + 1; i < n + ghost; i++)
        add_op(&ops, CW_LINE_ZERO, i, i, 0);
    if (ops.count)
      CW_TRY(fields->ops->lines(fields, precision, array, axis, &ops));
  }
  return CW_OK;
}
