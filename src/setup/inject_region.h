/* The cells of a region that an injector looks after, and how particles in it are counted. C11 and
 * CUDA. */
#ifndef CW_SETUP_INJECT_REGION_H
#define CW_SETUP_INJECT_REGION_H

#include <stdint.h>

typedef struct cw_inject_region {
  int32_t first[3], end[3]; /* cells; 0 and 1 along axes that are not simulated */
  int64_t cells;
} cw_inject_region;

enum { CW_INJECT_WEIGHT = 1 << 20 }; /* a particle of weight 1 counts so many, fractions dropped */

#endif
