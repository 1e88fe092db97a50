#include <math.h>

#include <Random123/philox.h>

#include <cellwise/random.h>

static const double TWO_PI = 6.283185307179586476925286766559;

void cw_random_bits(uint32_t seed, uint32_t stream, uint64_t index, uint32_t draw,
                    uint32_t bits[4]) {
  philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), draw, 0}};
  philox4x32_key_t key = {{seed, stream}};
  philox4x32_ctr_t result = philox4x32(counter, key);
  for (int k = 0; k < 4; k++)
    bits[k] = result.v[k];
}

/* (k + 1/2) 2^-52 for the upper 52 of 64 bits: exact in double, never 0 or 1. */
static double open_unit(uint32_t high, uint32_t low) {
  uint64_t word = ((uint64_t)high << 32 | low) >> 12;
  return ((double)word + 0.5) * 0x1p-52;
}

void cw_random_uniform(uint32_t seed, uint32_t stream, uint64_t index, uint32_t draw,
                       double uniform[2]) {
  uint32_t bits[4];
  cw_random_bits(seed, stream, index, draw, bits);
  uniform[0] = open_unit(bits[0], bits[1]);
  uniform[1] = open_unit(bits[2], bits[3]);
}

void cw_random_normal(uint32_t seed, uint32_t stream, uint64_t index, uint32_t draw,
                      double normal[2]) {
  double uniform[2];
  cw_random_uniform(seed, stream, index, draw, uniform);
  double radius = sqrt(-2.0 * log(uniform[0]));
  normal[0] = radius * cos(TWO_PI * uniform[1]);
  normal[1] = radius * sin(TWO_PI * uniform[1]);
}
