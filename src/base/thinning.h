/* One of so many particles, by a hash of the id: as if at random, but the same ones whenever and
 * wherever it is asked, for tracks, particle files, any order and any number of threads.
 *
 * Ids count along the cells, so to take every so manieth would take the same places of each row, or
 * one species of beams that alternate. The finalizer of S. Vigna's splitmix64 knows no such order. */
#ifndef CW_BASE_THINNING_H
#define CW_BASE_THINNING_H

#include <stdint.h>

/* 1 for one in `stride` (at least 1) of all ids. Those of a multiple of `stride` are among them. */
static inline int cw_thinning_keeps(uint64_t id, int64_t stride) {
  id = (id ^ id >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  id = (id ^ id >> 27) * UINT64_C(0x94d049bb133111eb);
  return (id ^ id >> 31) % (uint64_t)stride == 0;
}

#endif
