/* Counter-based random numbers (Philox4x32-10, J. Salmon et al., SC 2011, from Random123): a number
 * depends only on (seed, stream, index, draw), never on order, thread or rank. */
#ifndef CELLWISE_RANDOM_H
#define CELLWISE_RANDOM_H

#include <stdint.h>

#include <cellwise/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Four 32-bit words of the counter (index, draw) under the key (seed, stream). */
CW_API void cw_random_bits(uint32_t seed, uint32_t stream, uint64_t index, uint32_t draw,
                           uint32_t bits[4]);
/* Two doubles uniform in (0, 1), 52 bits each, never 0 or 1. */
CW_API void cw_random_uniform(uint32_t seed, uint32_t stream, uint64_t index, uint32_t draw,
                              double uniform[2]);
/* Two independent standard normal numbers (Box-Muller). */
CW_API void cw_random_normal(uint32_t seed, uint32_t stream, uint64_t index, uint32_t draw,
                             double normal[2]);

#ifdef __cplusplus
}
#endif
#endif
