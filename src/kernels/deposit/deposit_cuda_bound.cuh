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

/* Largest flow and plane of each component for a charge and a weight of 1. */
typedef struct cw_deposit_bounds {
  cw_deposit_rounding rounding;
  double flow[3], plane[3];
} cw_deposit_bounds;

/* A species whose particles are counted. */
typedef struct cw_deposit_counted {
  const cw_particles_view *particles;
  const cw_cells_view *cells; /* NULL: not sorted */
  double charge;
} cw_deposit_counted;

/* Bytes of the counts that find_quanta works in. */
size_t cw_deposit_census_bytes(const cw_grid *grid);

/* Queues what finds *quanta for the sum of all species, at most CW_DEPOSIT_TOGETHER: the largest
 * |charge weight|, the number of particles in reach of one value (their places are i_prev, or i if
 * now), the powers of two. *quanta and the census are zeroed here. A weight that is not finite is a
 * fault. */
cw_status cw_deposit_find_quanta(cw_context *context, const cw_grid *grid,
                                 const cw_deposit_counted *species, int count, int order, int now,
                                 const cw_deposit_bounds *bounds, unsigned *census,
                                 cw_deposit_quanta *quanta);

#endif
