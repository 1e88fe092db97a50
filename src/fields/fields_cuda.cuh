/* Inside fields/ on the device: boxes of cells, and what fields_cuda.cu takes from other files. */
#ifndef CW_FIELDS_FIELDS_CUDA_CUH
#define CW_FIELDS_FIELDS_CUDA_CUH

#include "base/device_cuda.cuh"
#include "fields/fields_private.h"

/* Cells of a box: value (i, j, k), each from 0, stands at start + i + j stride1 + k stride2. */
typedef struct cw_box_cells {
  int64_t start, stride1, stride2;
  int32_t count[3];
} cw_box_cells;

/* Indices first[a] to end[a] - 1, counted from the first interior cell. */
cw_box_cells cw_fields_box(const cw_grid *grid, const int32_t first[3], const int32_t end[3]);

/* Blocks of 32 x 8 threads, 32 of them along axis 0. */
enum { CW_BOX_X = 32, CW_BOX_Y = 8 };
dim3 cw_fields_box_blocks(const cw_box_cells *box);

#ifdef __CUDACC__
#define cw_box_loop(box, i, j, k)                                                                  \
  for (int32_t k = blockIdx.z; k < (box).count[2]; k += gridDim.z)                                 \
    for (int32_t j = blockIdx.y * CW_BOX_Y + threadIdx.y; j < (box).count[1];                      \
         j += gridDim.y * CW_BOX_Y)                                                                \
      for (int32_t i = blockIdx.x * CW_BOX_X + threadIdx.x; i < (box).count[0];                    \
           i += gridDim.x * CW_BOX_X)

__device__ inline int64_t cw_box_at(const cw_box_cells &box, int32_t i, int32_t j, int32_t k) {
  return box.start + i + j * box.stride1 + k * box.stride2;
}
#endif

/* What the filter works on: the values first to last of each axis, and what continues them. */
typedef struct cw_filter_box {
  const cw_grid *grid;
  int32_t first[3], last[3];
  cw_axis_rule rule[3];
} cw_filter_box;
/* All passes along all axes, from *from to *to, which change places for each sweep: the result is in
 * *from at the end. Values outside the box are neither read nor written. Queued. */
cw_status cw_filter_device(cw_context *context, const cw_filter_box *box, cw_precision precision,
                           int passes, void **from, void **to);

/* match_cuda.cu, filters_cuda.cu, diagnostics_cuda.cu: entries of the device's table. */
cw_status cw_fields_device_match(cw_fields *fields, const cw_node_range *range,
                                 const cw_layer *layer, const double *target, void *array);
cw_status cw_fields_device_filter(cw_fields *fields, const cw_fields_kind *kind,
                                  cw_precision precision, void **array, int passes);
cw_status cw_fields_device_squares(cw_fields *fields, double sums[2]);
cw_status cw_fields_device_divergence(cw_fields *fields, int of_B, double *divergence);
cw_status cw_fields_device_charge(cw_fields *fields, const double *rho, double scale,
                                  const cw_node_range *range, double result[3]);

#endif
