/* The vector path of one precision: the files that build on each other, in their order. */
/* clang-format off */
#include "kernels/deposit/deposit_body.h"
#include "kernels/deposit/deposit_load.h"
#include "kernels/deposit/deposit_vector.h"
#include "kernels/deposit/deposit_vector_sum.h"
#ifdef CW_VECTOR_HAS_FIXED
#include "kernels/deposit/deposit_vector_fixed.h"
#endif
#include "kernels/deposit/deposit_vector_loop.h"
/* clang-format on */
