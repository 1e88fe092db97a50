/* Sides at which the fields go over to given ones: the absorbing layer's loss acts on what differs
 * from them, dF/dt = ... - sigma (F - target), and the target goes on behind the side. What comes
 * from inside is damped as in the absorbing layer; a field that is the target stays as it is. */
#include "base/reals.h"
#include "fields/fields_private.h"

void cw_fields_match(cw_fields *fields, const double *const target[6]) {
  for (int f = 0; f < 6; f++)
    fields->target[f] = target[f];
}

/* Slices [first, last] of an array across an axis: all lines (ghost ones too), or interior ones. */
typedef struct slices {
  int axis;
  int32_t first, last;
  int32_t margin; /* ghost cells along the other axes */
} slices;

typedef double slice_factor(const cw_layer *layer, int32_t i);

static double layer_factor(const cw_layer *layer, int32_t i) {
  return cw_layer_factor(layer, i);
}
static double nothing_left(const cw_layer *layer, int32_t i) {
  (void)layer, (void)i;
  return 0;
}

static void approach(const cw_fields *fields, const slices *at, const cw_layer *layer,
                     slice_factor *factor, int component, void *array) {
  const cw_grid *grid = &fields->grid;
  const cw_precision precision = fields->options.precision;
  const double *target = fields->target[component];
  int32_t low[3], high[3];
  for (int a = 0; a < 3; a++) {
    const int32_t margin = a < grid->dim ? at->margin : 0;
    low[a] = a == at->axis ? at->first : -margin;
    high[a] = a == at->axis ? at->last : grid->cells[a] - 1 + margin;
  }
#pragma omp parallel for num_threads(cw_context_threads(                                           \
    fields->context)) if (grid->points > CW_FIELDS_PARALLEL_POINTS) schedule(static)
  for (int32_t k = low[2]; k <= high[2]; k++)
    for (int32_t j = low[1]; j <= high[1]; j++)
      for (int32_t i = low[0]; i <= high[0]; i++) {
        const int64_t p = cw_grid_index(grid, i, j, k);
        const double own = factor(layer, at->axis == 0 ? i : at->axis == 1 ? j : k);
        const double aim = target ? target[p] : 0, value = cw_real_get(array, precision, p);
        cw_real_set(array, precision, p, own == 0 ? aim : aim + own * (value - aim));
      }
}

void cw_fields_approach(cw_fields *fields, const cw_layer *layer, int component, void *array) {
  const slices at = {.axis = layer->axis, .first = layer->first, .last = layer->last};
  approach(fields, &at, layer, layer_factor, component, array);
}

void cw_fields_set_outside(cw_fields *fields, const cw_fields_kind *kind, int component,
                           void *array) {
  const cw_grid *grid = &fields->grid;
  for (int axis = 0; axis < grid->dim; axis++)
    for (int upper = 0; upper < 2; upper++) {
      const int32_t n = grid->cells[axis];
      const slices at = {.axis = axis,
                         .first = upper ? n : -grid->ghost,
                         .last = upper              ? n + grid->ghost - 1
                                 : kind->dual[axis] ? -1
                                                    : 0,
                         .margin = grid->ghost};
      if (fields->options.boundary[axis][upper] == CW_FIELD_MATCH)
        approach(fields, &at, NULL, nothing_left, component, array);
    }
}
