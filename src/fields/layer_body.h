/* One side's absorbing layer, as one array sees it, and its factor. */
#ifndef CW_FIELDS_LAYER_BODY_H
#define CW_FIELDS_LAYER_BODY_H

#include <math.h>
#include <stdint.h>

#include "base/host_device.h"

typedef struct cw_layer {
  int axis, upper;
  int32_t n;           /* cells along the axis */
  int32_t first, last; /* indices inside the layer */
  double width, half;  /* in cells; half: 1/2 for values at i + 1/2 */
  double sigma_dt;     /* sigma_max dt */
} cw_layer;

/* exp(-sigma dt) at index i, sigma = sigma_max (depth / width)^3. */
static CW_HOST_DEVICE inline double cw_layer_factor(const cw_layer *layer, int32_t i) {
  double depth =
      layer->upper ? layer->width - (layer->n - i - layer->half) : layer->width - i - layer->half;
  double part = depth / layer->width;
  return exp(-layer->sigma_dt * (part * part * part));
}

#endif
