/* The absorbing layer: equal electric and magnetic loss, so that the layer's impedance is that of
 * the vacuum and only its discrete steps reflect at normal incidence:
 *   dE/dt = curl B - current - sigma E,  dB/dt = -curl E - sigma B,
 *   sigma(d) = sigma_max (d / width)^m at depth d,
 * each applied as a factor exp(-sigma dt) after an update. A wave that runs to the wall and back
 * is left with exp(-2 sigma_max width / (m + 1)); that sets sigma_max. README.md has the measured
 * reflection by thickness. */
#include <math.h>

#include "fields/fields_private.h"

static const double LAYER_EXPONENT = 3;
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

static void absorb_side(cw_fields *fields, const cw_fields_kind *kind, void *array, double dt,
                        int axis, int upper) {
  const cw_grid *grid = &fields->grid;
  int32_t n = grid->cells[axis];
  double width = fields->options.absorb_width[axis] / grid->dx[axis]; /* in cells */
  double half = kind->dual[axis] ? 0.5 : 0;
  double sigma_max = (LAYER_EXPONENT + 1) * LAYER_LOG_RETURN / (2 * width * grid->dx[axis]);
  int32_t first = upper ? (int32_t)cw_max_i64(0, (int64_t)ceil(n - width - half)) : 0;
  int32_t last = upper ? n - 1 : (int32_t)cw_min_i64(n - 1, (int64_t)floor(width - half));
  for (; first <= last; first += LAYER_CHUNK) {
    double factor[LAYER_CHUNK];
    int32_t end = (int32_t)cw_min_i64(last, first + LAYER_CHUNK - 1);
    for (int32_t i = first; i <= end; i++) {
      double depth = upper ? width - (n - i - half) : width - i - half;
      factor[i - first] = exp(-sigma_max * pow(depth / width, LAYER_EXPONENT) * dt);
    }
    if (fields->options.precision == CW_DOUBLE)
      damp_f64(fields, axis, first, end, factor, array);
    else
      damp_f32(fields, axis, first, end, factor, array);
  }
}

void cw_fields_absorb(cw_fields *fields, const cw_fields_kind *kind, void *array, double dt) {
  for (int axis = 0; axis < fields->grid.dim; axis++)
    for (int upper = 0; upper < 2; upper++)
      if (fields->options.boundary[axis][upper] == CW_FIELD_ABSORB)
        absorb_side(fields, kind, array, dt, axis, upper);
}
