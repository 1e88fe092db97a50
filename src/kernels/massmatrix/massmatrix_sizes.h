/* Sizes of the loops' storage. */
#ifndef CW_KERNELS_MASSMATRIX_SIZES_H
#define CW_KERNELS_MASSMATRIX_SIZES_H

#include "kernels/massmatrix/massmatrix_private.h"
#include "kernels/matrix_tile.h"

/* AMX: not a power of two, lest the rows of a vector of particles share few lines of the cache. */
#ifdef CW_MM_AMX
#define CW_MM_BATCH 80
#else
#define CW_MM_BATCH 64
#endif

enum {
  MAX_NODES = CW_MASSMATRIX_MAX_ORDER + 1, /* of one axis, and pairs a <= b of them */
  MAX_PAIRS = MAX_NODES * (MAX_NODES + 1) / 2,
  BATCH = CW_MM_BATCH, /* particles whose factors are held at once */
  MAX_MOMENTS = 125,
  MAX_SUMS = 9 * 216 + 4 * 27, /* pairs of M (6^3 for TSC), nodes of J and rho */
  MAX_PRODUCTS = 9 * 27 * 32   /* pairs of 27 nodes, rows padded to 32 */
};

#endif
