/* Inside the device's sort: how keys are formed, and what its files do for one another. */
#ifndef CW_SORT_SORT_CUDA_CUH
#define CW_SORT_SORT_CUDA_CUH

#include "base/device_cuda.cuh"
#include "sort/sort_cuda.h"

/* Key of a slot, formed when asked for. All are at most `bins`, the sentinel. */
template <class real> struct cw_keys_of_particles {
  cw_key_rule rule;
  cw_particles_view particles;
#ifdef __CUDACC__
  __device__ uint32_t operator()(int64_t slot) const {
    if (particles.tag && particles.tag[slot] == CW_TAG_DEAD)
      return rule.bins;
    uint32_t key = 0;
#pragma unroll
    for (int a = 0; a < 3; a++) {
      if (a >= rule.dim)
        break;
      const int32_t now = particles.i[a][slot];
      int32_t first = now;
      if (rule.with_prev && particles.i_prev[a])
        first = min(now, particles.i_prev[a][slot]);
      const cw_key_axis axis = cw_key_axis_of(&rule, a);
      key += rule.by_node ? cw_key_by_node(axis, first, now,
                                           ((const real *)particles.dx[a])[slot] >= (real)0.5)
                          : cw_key_by_cell(axis, first);
    }
    return key;
  }
#endif
};

struct cw_keys_given {
  const uint32_t *keys;
  uint32_t bins;
#ifdef __CUDACC__
  __device__ uint32_t operator()(int64_t slot) const {
    return min(keys[slot], bins);
  }
#endif
};

/* 0 for live slots, 1 for dead ones. */
struct cw_keys_of_tags {
  const uint8_t *tag;
#ifdef __CUDACC__
  __device__ uint32_t operator()(int64_t slot) const {
    return tag[slot] == CW_TAG_DEAD;
  }
#endif
};

/* Bits of the keys 0 .. bins, at least 1. */
static inline int cw_sort_key_bits(uint32_t bins) {
  int bits = 1;
  while (bits < 32 && bins >> bits)
    bits++;
  return bits;
}

/* CUB's radix sort of pairs. Array 0 of each holds what is to be sorted; *sorted is the number of
 * the array that holds the result. */
typedef struct cw_sort_pairs {
  uint32_t *keys[2], *slots[2];
  int64_t count;
  int bits;
} cw_sort_pairs;
cw_status cw_sort_cub_bytes(cw_context *context, const cw_sort_pairs *pairs, size_t *bytes);
cw_status cw_sort_cub(cw_context *context, const cw_sort_pairs *pairs, void *temporary,
                      size_t bytes, int *sorted);

/* The histogram sort: slots in the order of their keys, by one stable counting pass a digit of at
 * most 8 bits, lowest first. Keys are formed anew in each pass. The result goes to
 * slots[cw_sort_histogram_result(bits)]; table has cw_sort_histogram_bytes(count). */
size_t cw_sort_histogram_bytes(int64_t count);
int cw_sort_histogram_result(int bits);
template <class Keys>
cw_status cw_sort_histogram(cw_context *context, const Keys &keys, int64_t count, int bits,
                            uint32_t *const slots[2], void *table);

/* Particles that the last sort left in tiles, of which few have changed theirs. */
typedef struct cw_sort_nearly_job {
  int64_t count, sorted; /* slots; those that the last sort had */
  int64_t tiles;
  uint32_t tile_bins, bins;
  int64_t *offsets; /* in: of the last sort; out: of this one */
  void *tables;     /* cw_sort_nearly_bytes(tiles) */
  uint32_t *keys, *permutation;
  uint32_t *left_keys[2], *left_slots[2]; /* each `room` */
  int64_t room;
  void *passes; /* of cw_sort_cub, for `count` pairs */
  size_t pass_bytes;
} cw_sort_nearly_job;
size_t cw_sort_nearly_bytes(int64_t tiles);
/* The permutation and the offsets of a sort of all keys, or, where more than `room` have left their
 * tile, *done is 0 and the offsets are as before. Waits once. */
template <class Keys>
cw_status cw_sort_nearly(cw_context *context, const Keys &keys, const cw_sort_nearly_job *job,
                         int *done);

/* Where the gather may put a member before it is where it belongs. */
typedef struct cw_gather_room {
  void *buffer; /* `bytes` a slot: 8, or 4 (8-byte items are then moved in halves) */
  size_t bytes;
  void **spare;  /* NULL, or CW_SPARES arrays that members may trade places with */
  int with_prev; /* the _prev arrays are members too; else they are room */
} cw_gather_room;
/* Slot s of each member receives slot permutation[s], for s < *alive (device) <= count. */
cw_status cw_sort_gather_members(cw_context *context, cw_particles_view *particles,
                                 const uint32_t *permutation, const int64_t *alive,
                                 const cw_gather_room *room);

#endif
