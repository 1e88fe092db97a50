/* Quanta of the device's fixed point from a bound that no sum can pass (README.md). */
#ifndef CW_KERNELS_DEPOSIT_CUDA_BOUND_CUH
#define CW_KERNELS_DEPOSIT_CUDA_BOUND_CUH

#include "kernels/deposit/deposit_cuda_job.cuh"

/* How values are rounded: deposit_cuda_modes.cuh, and the bodies that round a finished value. */
typedef enum cw_deposit_rounding {
  CW_ROUND_PRODUCT, /* integers of 30 bits times ones of 23, 64-bit sums */
  CW_ROUND_32,      /* values of 22 bits, 32-bit sums */
  CW_ROUND_64,      /* values of 51 bits, 64-bit sums */
} cw_deposit_rounding;

/* Largest flow and plane of each component for weight 1. */
typedef struct cw_deposit_bounds {
  cw_deposit_rounding rounding;
  double flow[3], plane[3];
} cw_deposit_bounds;

/* Bytes of the counts that find_quanta works in. */
size_t cw_deposit_census_bytes(const cw_grid *grid);

/* Queues what finds *quanta: the largest |weight|, the number of particles in reach of one value
 * (their places are i_prev, or i if now), the powers of two. *quanta and the census are zeroed
 * here. A weight that is not finite is a fault. */
cw_status cw_deposit_find_quanta(cw_context *context, const cw_grid *grid,
                                 const cw_particles_view *particles, int order, int now,
                                 const cw_deposit_bounds *bounds, unsigned *census,
                                 cw_deposit_quanta *quanta);

#endif
