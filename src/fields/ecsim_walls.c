/* Conductors of engine ecsim: what continues node and centre arrays behind them.
 *
 * At a conductor across an axis the tangential E is zero and odd, the normal E even; curl E, and B
 * with it, the other way about; a charge at centres has an image of the opposite sign. What
 * particles give to the nodes behind a wall is folded back by the same signs, and a wall's node has
 * half a cell's volume (a quarter on an edge), so that sources and fields keep being adjoint:
 * <J, E> over nodes with their volumes is the particles' work. */
#include "comm/comm.h"
#include "fields/ecsim_private.h"
#include "fields/fields_private.h"

cw_axis_rule cw_ecsim_rule(const cw_ecsim_fields *fields, cw_ecsim_kind kind, int component,
                           int axis) {
  const int normal = component == axis;
  const int even = (kind == CW_ECSIM_NODE_E && normal) ||
                   ((kind == CW_ECSIM_NODE_B || kind == CW_ECSIM_CENTRE_B) && !normal);
  const cw_side side = fields->options.conductor[axis] ? CW_SIDE_MIRROR : CW_SIDE_PERIODIC;
  return (cw_axis_rule){.n = fields->grid.cells[axis],
                        .ghost = axis < fields->grid.dim ? fields->grid.ghost : 0,
                        .dual = kind == CW_ECSIM_CENTRE_B || kind == CW_ECSIM_CHARGE,
                        .mirror_sign = even ? 1 : -1,
                        .lower = side,
                        .upper = side};
}

int cw_ecsim_has_conductors(const cw_ecsim_fields *fields) {
  const int *conductor = fields->options.conductor;
  return conductor[0] || conductor[1] || conductor[2];
}

int64_t cw_ecsim_nodes(const cw_ecsim_fields *fields, int32_t count[3]) {
  for (int a = 0; a < 3; a++)
    count[a] = fields->grid.cells[a] + fields->options.conductor[a];
  return (int64_t)count[0] * count[1] * count[2];
}

double cw_ecsim_share(const cw_ecsim_fields *fields, int axis, int32_t i) {
  return fields->options.conductor[axis] && (i == 0 || i == fields->grid.cells[axis]) ? 0.5 : 1;
}

void cw_ecsim_continue(const cw_ecsim_fields *fields, cw_ecsim_kind kind, int component, int axis,
                       int passes, int32_t *sources, int *signs) {
  const cw_axis_rule rule = cw_ecsim_rule(fields, kind, component, axis);
  const int32_t end = rule.n + (fields->options.conductor[axis] && !rule.dual);
  for (int e = 0; e < passes; e++) {
    sources[e] = cw_axis_image(&rule, e - passes, &signs[e]);
    sources[passes + e] = cw_axis_image(&rule, end + e, &signs[passes + e]);
  }
}

static cw_status apply(const cw_ecsim_fields *fields, cw_space space, double *array, int axis,
                       const cw_line_ops *ops) {
  if (space != CW_SPACE_HOST)
    return cw_lines_device(fields->context, &fields->grid, CW_DOUBLE, array, axis, ops);
  cw_lines_apply(&fields->grid, cw_context_threads(fields->context), CW_DOUBLE, array, axis, ops);
  return CW_OK;
}

cw_status cw_ecsim_fill_ghosts(cw_ecsim_fields *fields, cw_ecsim_kind kind,
                               double *const array[3]) {
  for (int a = 0; a < fields->grid.dim; a++) {
    if (!fields->options.conductor[a])
      CW_TRY(cw_comm_fill_arrays(fields->context, fields->options.space, &fields->grid, CW_DOUBLE,
                                 array[0], 3, a));
    for (int c = 0; c < 3 && fields->options.conductor[a]; c++) {
      const cw_axis_rule rule = cw_ecsim_rule(fields, kind, c, a);
      cw_line_ops ops;
      cw_axis_fill_ops(&rule, &ops);
      CW_TRY(apply(fields, fields->options.space, array[c], a, &ops));
    }
  }
  return CW_OK;
}

static cw_status fold_wall(cw_ecsim_fields *fields, cw_space space, const cw_axis_rule *rule,
                           int axis, double *array) {
  cw_line_ops ops;
  cw_axis_fold_ops(rule, &ops);
  return apply(fields, space, array, axis, &ops);
}

cw_status cw_ecsim_fold_walls(cw_ecsim_fields *fields, double *const array[3]) {
  for (int c = 0; c < 3; c++)
    for (int a = 0; a < fields->grid.dim; a++)
      if (fields->options.conductor[a]) {
        const cw_axis_rule rule = cw_ecsim_rule(fields, CW_ECSIM_NODE_E, c, a);
        CW_TRY(fold_wall(fields, fields->options.space, &rule, a, array[c]));
      }
  return CW_OK;
}

/* An axis that is periodic, or whose walls the rule describes. */
static cw_status fold_axis(cw_ecsim_fields *fields, cw_space space, const cw_axis_rule *rule,
                           int axis, double *sums) {
  return fields->options.conductor[axis]
             ? fold_wall(fields, space, rule, axis, sums)
             : cw_comm_fold_ghosts_in(fields->context, space, &fields->grid, CW_DOUBLE, sums, axis);
}

cw_status cw_ecsim_fold_moment(cw_ecsim_fields *fields, cw_space space, const int odd[3],
                               double *sums) {
  for (int a = 0; a < fields->grid.dim; a++) {
    cw_axis_rule rule = cw_ecsim_rule(fields, CW_ECSIM_NODE_E, a, a);
    rule.mirror_sign = odd[a] ? -1 : 1;
    CW_TRY(fold_axis(fields, space, &rule, a, sums));
  }
  return CW_OK;
}

cw_status cw_ecsim_fold_charge(cw_ecsim_fields *fields, double *charge) {
  for (int a = 0; a < fields->grid.dim; a++) {
    const cw_axis_rule rule = cw_ecsim_rule(fields, CW_ECSIM_CHARGE, -1, a);
    CW_TRY(fold_axis(fields, fields->options.space, &rule, a, charge));
  }
  return CW_OK;
}
