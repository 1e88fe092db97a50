/* The absorbing layer: equal electric and magnetic loss, so that the layer's impedance is that of
 * the vacuum and only its discrete steps reflect at normal incidence:
 *   dE/dt = curl B - current - sigma E,  dB/dt = -curl E - sigma B,
 *   sigma(d) = sigma_max (d / width)^m at depth d,
 * each applied as a factor exp(-sigma dt) after an update. A wave that runs to the wall and back
 * is left with exp(-2 sigma_max width / (m + 1)); that sets sigma_max. README.md has the measured
 * reflection by thickness. */
#include <math.h>

#include "fields/fields_private.h"

static const double LAYER_EXPONENT = 3;      /* as in layer_body.h */
static const double LAYER_LOG_RETURN = 11.5; /* -log of what the wall would send back: 1e-5 */

#define CW_REAL_IS_DOUBLE 0
#include "base/real.h"
#include "fields/absorb_body.h"
#undef CW_REAL_IS_DOUBLE
#define CW_REAL_IS_DOUBLE 1
#include "base/real.h"
#include "fields/absorb_body.h"

/* Values of a layer handled at a time, so that their factors stand on the stack. */
enum { LAYER_CHUNK = 256 };

cw_status cw_fields_host_damp(cw_fields *fields, const cw_layer *layer, void *array) {
  for (int32_t first = layer->first; first <= layer->last; first += LAYER_CHUNK) {
    double factor[LAYER_CHUNK];
    int32_t end = (int32_t)cw_min_i64(layer->last, first + LAYER_CHUNK - 1);
    for (int32_t i = first; i <= end; i++)
      factor[i - first] = cw_layer_factor(layer, i);
    if (fields->options.precision == CW_DOUBLE)
      damp_f64(fields, layer->axis, first, end, factor, array);
    else
      damp_f32(fields, layer->axis, first, end, factor, array);
  }
  return CW_OK;
}

static cw_layer make_layer(const cw_fields *fields, const cw_fields_kind *kind, double dt, int axis,
                           int upper) {
  const cw_grid *grid = &fields->grid;
  double half = kind->dual[axis] ? 0.5 : 0;
  double width = cw_fields_layer_width(&fields->options, axis, upper) / grid->dx[axis]; /* cells */
  double sigma_max = (LAYER_EXPONENT + 1) * LAYER_LOG_RETURN / (2 * width * grid->dx[axis]);
  int32_t n = grid->cells[axis];
  return (cw_layer){.axis = axis,
                    .upper = upper,
                    .n = n,
                    .first = upper ? (int32_t)cw_max_i64(0, (int64_t)ceil(n - width - half)) : 0,
                    .last =
                        upper ? n - 1 : (int32_t)cw_min_i64(n - 1, (int64_t)floor(width - half)),
                    .width = width,
                    .half = half,
                    .sigma_dt = sigma_max * dt};
}

cw_status cw_fields_absorb(cw_fields *fields, const cw_fields_kind *kind, int component,
                           void *array, double dt) {
  for (int axis = 0; axis < fields->grid.dim; axis++)
    for (int upper = 0; upper < 2; upper++) {
      if (cw_fields_layer_width(&fields->options, axis, upper) == 0)
        continue;
      const cw_layer layer = make_layer(fields, kind, dt, axis, upper);
      if (fields->options.boundary[axis][upper] == CW_FIELD_MATCH)
        CW_TRY(cw_fields_approach(fields, &layer, component, array));
      else
        CW_TRY(fields->ops->damp(fields, &layer, array));
    }
  return CW_OK;
}
