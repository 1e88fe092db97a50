/* Sides at which the fields go over to given ones: the absorbing layer's loss acts on what differs
 * from them, dF/dt = ... - sigma (F - target), and the target goes on behind the side. What comes
 * from inside is damped as in the absorbing layer; a field that is the target stays as it is. */
#include "base/reals.h"
#include "fields/fields_private.h"
#include "fields/match_body.h"

void cw_fields_match(cw_fields *fields, const double *const target[6]) {
  for (int f = 0; f < 6; f++)
    fields->target[f] = target[f];
}

cw_status cw_fields_host_match(cw_fields *fields, const cw_node_range *range, const cw_layer *layer,
                               const double *target, void *array) {
  const cw_grid *grid = &fields->grid;
  const cw_precision precision = fields->options.precision;
#pragma omp parallel for num_threads(cw_context_threads(                                           \
    fields->context)) if (grid->points > CW_FIELDS_PARALLEL_POINTS) schedule(static)
  for (int32_t k = range->first[2]; k < range->end[2]; k++)
    for (int32_t j = range->first[1]; j < range->end[1]; j++)
      for (int32_t i = range->first[0]; i < range->end[0]; i++) {
        const int64_t p = cw_grid_index(grid, i, j, k);
        const double left = layer ? cw_layer_factor(layer, layer->axis == 0   ? i
                                                           : layer->axis == 1 ? j
                                                                              : k)
                                  : 0;
        const double aim = target ? target[p] : 0;
        cw_real_set(array, precision, p,
                    cw_match_value(cw_real_get(array, precision, p), aim, left));
      }
  return CW_OK;
}

/* Slices [first, end) across an axis, with `margin` ghost cells along the others. */
static cw_node_range slices(const cw_grid *grid, int axis, int32_t first, int32_t end,
                            int32_t margin) {
  cw_node_range made;
  for (int a = 0; a < 3; a++) {
    const int32_t more = a < grid->dim ? margin : 0;
    made.first[a] = a == axis ? first : -more;
    made.end[a] = a == axis ? end : grid->cells[a] + more;
  }
  return made;
}

cw_status cw_fields_approach(cw_fields *fields, const cw_layer *layer, int component, void *array) {
  const cw_node_range range = slices(&fields->grid, layer->axis, layer->first, layer->last + 1, 0);
  return fields->ops->match(fields, &range, layer, fields->target[component], array);
}

cw_status cw_fields_set_outside(cw_fields *fields, const cw_fields_kind *kind, int component,
                                void *array) {
  const cw_grid *grid = &fields->grid;
  for (int axis = 0; axis < grid->dim; axis++)
    for (int upper = 0; upper < 2; upper++) {
      const int32_t n = grid->cells[axis];
      const cw_node_range range =
          upper ? slices(grid, axis, n, n + grid->ghost, grid->ghost)
                : slices(grid, axis, -grid->ghost, kind->dual[axis] ? 0 : 1, grid->ghost);
      if (fields->options.boundary[axis][upper] == CW_FIELD_MATCH)
        CW_TRY(fields->ops->match(fields, &range, NULL, fields->target[component], array));
    }
  return CW_OK;
}
