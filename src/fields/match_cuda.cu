/* Matching sides on the device. */
#include "fields/fields_cuda.cuh"
#include "fields/match_body.h"

namespace {

template <class real, bool IN_LAYER>
__global__ void __launch_bounds__(CW_THREADS)
    match(cw_box_cells box, cw_layer layer, const double *target, real *array) {
  cw_box_loop(box, i, j, k) {
    const int64_t at = cw_box_at(box, i, j, k);
    const int32_t along = layer.first + (layer.axis == 0 ? i : layer.axis == 1 ? j : k);
    const double left = IN_LAYER ? cw_layer_factor(&layer, along) : 0;
    array[at] = (real)cw_match_value((double)array[at], target ? target[at] : 0, left);
  }
}

template <class real>
cw_status launch(cw_context *context, const cw_box_cells *box, const cw_layer *layer,
                 const double *target, real *array) {
  const dim3 blocks = cw_fields_box_blocks(box), threads(CW_BOX_X, CW_BOX_Y);
  if (layer)
    CW_CUDA_LAUNCH_NAMED(context, "match", (match<real, true>), blocks, threads, 0, *box, *layer,
                         target, array);
  else
    CW_CUDA_LAUNCH_NAMED(context, "match", (match<real, false>), blocks, threads, 0, *box,
                         cw_layer(), target, array);
  return CW_OK;
}

} // namespace

cw_status cw_fields_device_match(cw_fields *fields, const cw_node_range *range,
                                 const cw_layer *layer, const double *target, void *array) {
  const cw_box_cells box = cw_fields_box(&fields->grid, range->first, range->end);
  if (box.count[0] == 0 || box.count[1] == 0 || box.count[2] == 0)
    return CW_OK;
  return fields->options.precision == CW_DOUBLE
             ? launch(fields->context, &box, layer, target, (double *)array)
             : launch(fields->context, &box, layer, target, (float *)array);
}
