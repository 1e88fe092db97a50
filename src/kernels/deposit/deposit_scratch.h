/* The size of a tile's scratch: the one place that knows it. The launchers allocate by it and
 * `cellwise tile-size` plans with it. C11 and CUDA; constants where the arguments are. */
#ifndef CW_KERNELS_DEPOSIT_SCRATCH_H
#define CW_KERNELS_DEPOSIT_SCRATCH_H

#include <stddef.h>

#include "base/host_device.h"

enum {
  CW_DEPOSIT_COMPONENTS = 3,    /* of J */
  CW_DEPOSIT_STAGE_SLOTS = 32,  /* particles that a warp prepares at a time */
  CW_DEPOSIT_STAGED_TEAM = 128, /* threads a team by default where warps have stages */
  CW_DEPOSIT_LARGEST_TEAM = 256
};

/* Cells above the lower of the old and the new cell that a stencil reaches; 2 for zigzag. */
CW_CONSTANT_FUNCTION int cw_deposit_reach(int order) {
  return order ? order : 2;
}

/* Cells that the scratch extends beyond its tile on each side. */
CW_CONSTANT_FUNCTION int cw_deposit_halo(int order, int drift) {
  return cw_deposit_reach(order) + drift;
}

/* Values of one component: the tile and its halo. */
CW_CONSTANT_FUNCTION size_t cw_deposit_volume(int dim, int tile, int halo) {
  return (size_t)(tile + 2 * halo) * (dim > 1 ? (size_t)(tile + 2 * halo) : 1) *
         (dim > 2 ? (size_t)(tile + 2 * halo) : 1);
}

/* The device sums runs of particles with one window in registers for these orders; the others add
 * particle by particle. */
CW_CONSTANT_FUNCTION int cw_deposit_has_runs(int order) {
  return order >= 1 && order <= 3;
}

/* Bytes of a sum: reals, or fixed point of `bits` (0: 64). 32 bits exist in the form above and in
 * single precision only. */
CW_CONSTANT_FUNCTION size_t cw_deposit_value_bytes(int order, int is_double, int fixed, int bits) {
  return fixed ? (bits == 32 && !is_double && cw_deposit_has_runs(order) ? 4 : 8)
               : (is_double ? 8 : 4);
}

/* Reals of one particle's stage in that form: P of each axis, pairs (T, E) of each axis, the flow
 * along axes that are not simulated. A multiple of 4 with an odd quarter: 16-byte accesses of 8
 * lanes hit all banks. */
CW_CONSTANT_FUNCTION int cw_deposit_step_words(int order) {
  return (order + 2 + 3) / 4 * 4;
}
CW_CONSTANT_FUNCTION int cw_deposit_stage_words(int dim, int order) {
  return 4 *
         (((dim * (cw_deposit_step_words(order) + 2 * (order + 3)) + (dim < 3 ? 2 : 0) + 3) / 4) |
          1);
}

/* A team's shared memory: the scratch of three components, and a stage a warp (0: none). */
typedef struct cw_deposit_arena {
  int dim, halo;
  size_t value; /* bytes of a sum */
  size_t stage; /* bytes of a warp's stage */
  int warps;    /* of a team */
} cw_deposit_arena;

CW_CONSTANT_FUNCTION size_t cw_deposit_scratch_bytes(const cw_deposit_arena *arena, int tile) {
  return CW_DEPOSIT_COMPONENTS * cw_deposit_volume(arena->dim, tile, arena->halo) * arena->value;
}
CW_CONSTANT_FUNCTION size_t cw_deposit_arena_bytes(const cw_deposit_arena *arena, int tile) {
  return cw_deposit_scratch_bytes(arena, tile) + arena->stage * (size_t)arena->warps;
}

#endif
