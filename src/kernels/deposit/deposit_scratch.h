/* The size of a tile's scratch: the one place that knows it. The launchers allocate by it and
 * `cellwise tile-size` plans with it. C11 and CUDA; constants where the arguments are. */
#ifndef CW_KERNELS_DEPOSIT_SCRATCH_H
#define CW_KERNELS_DEPOSIT_SCRATCH_H

#include <stddef.h>

#include "base/host_device.h"

enum {
  CW_DEPOSIT_COMPONENTS = 3,    /* of J */
  CW_DEPOSIT_STAGE_SLOTS = 32,  /* particles that a warp prepares at a time */
  CW_DEPOSIT_OWN_SHARED = 896,  /* bytes that such a kernel has beside its arena */
  CW_DEPOSIT_STAGED_TEAM = 128, /* threads a team at least, by default, where warps have stages */
  CW_DEPOSIT_LARGEST_TEAM = 256 /* where a lane is a particle */
};

/* Threads of a team at most where warps have stages: the more, the fewer registers a thread has, 96
 * with 640. Doubles, which take more, would go to local memory. */
CW_CONSTANT_FUNCTION int cw_deposit_largest_staged_team(int is_double) {
  return is_double ? 512 : 640;
}

/* Cells above the lower of the old and the new cell that a stencil reaches; 2 for zigzag. */
CW_CONSTANT_FUNCTION int cw_deposit_reach(int order) {
  return order ? order : 2;
}

/* Cells that the scratch extends beyond its tile on each side. */
CW_CONSTANT_FUNCTION int cw_deposit_halo(int order, int drift) {
  return cw_deposit_reach(order) + drift;
}

/* A device's scratch where runs are summed: nodes below the tile, and what its edge has more than
 * the tile's. The shape of order p of a particle in cell i begins at i - p/2 at the lowest, and ends
 * at i + (p + 1)/2, for an even p at i + p/2 + 1 at the highest. Elsewhere the halo on both sides. */
CW_CONSTANT_FUNCTION int cw_deposit_below(int order, int drift, int runs) {
  return runs ? order / 2 + drift : cw_deposit_halo(order, drift);
}
CW_CONSTANT_FUNCTION int cw_deposit_margin(int order, int drift, int runs) {
  return runs ? order + (order % 2 == 0) + 2 * drift : 2 * cw_deposit_halo(order, drift);
}

/* Values of one component on a scratch of that edge. */
CW_CONSTANT_FUNCTION size_t cw_deposit_volume(int dim, int edge) {
  return (size_t)edge * (dim > 1 ? (size_t)edge : 1) * (dim > 2 ? (size_t)edge : 1);
}

/* The device sums runs of particles with one window in registers there; elsewhere it adds particle
 * by particle. */
CW_CONSTANT_FUNCTION int cw_deposit_has_runs(int dim, int order) {
  return dim > 1 && order >= 1 && order <= 3;
}

/* Bytes of a sum: reals, but doubles from order 4 on; or fixed point of `bits` (0: 64), of which 32
 * exist in the form above and in single precision only. */
CW_CONSTANT_FUNCTION size_t cw_deposit_value_bytes(int dim, int order, int is_double, int fixed,
                                                   int bits) {
  return fixed ? (bits == 32 && !is_double && cw_deposit_has_runs(dim, order) ? 4 : 8)
               : (is_double || order > 3 ? 8 : 4);
}

/* On a window of n nodes an axis: rows of planes, and flows (deposit_cuda_window.cuh). */
CW_CONSTANT_FUNCTION int cw_deposit_rows(int dim, int n) {
  return dim == 3 ? 3 * n * n : n * (n + 2);
}
CW_CONSTANT_FUNCTION int cw_deposit_flows(int dim, int n) {
  return dim == 3 ? 3 * (n - 1) : 2 * (n - 1) + 1;
}

/* Columns that a lane loads at once, 16 bytes. */
CW_CONSTANT_FUNCTION int cw_deposit_group(int word) {
  return 16 / word;
}

/* A warp's stage in that form, in words of `word` bytes: a column a particle, rows padded by 16
 * bytes; or, for those that change their support, the pairs (T, E) of each axis and the flows of 32
 * particles, an odd number of words each. */
CW_CONSTANT_FUNCTION int cw_deposit_column_stride(int word) {
  return CW_DEPOSIT_STAGE_SLOTS + 16 / word;
}
CW_CONSTANT_FUNCTION int cw_deposit_particle_words(int dim, int order) {
  return (2 * dim * (order + 2) + cw_deposit_flows(dim, order + 2)) | 1;
}
CW_CONSTANT_FUNCTION int cw_deposit_stage_words(int dim, int order, int word) {
  return (cw_deposit_rows(dim, order + 1) + cw_deposit_flows(dim, order + 1)) *
                     cw_deposit_column_stride(word) >
                 CW_DEPOSIT_STAGE_SLOTS * cw_deposit_particle_words(dim, order)
             ? (cw_deposit_rows(dim, order + 1) + cw_deposit_flows(dim, order + 1)) *
                   cw_deposit_column_stride(word)
             : CW_DEPOSIT_STAGE_SLOTS * cw_deposit_particle_words(dim, order);
}
CW_CONSTANT_FUNCTION size_t cw_deposit_stage_bytes(int dim, int order, int word) {
  return ((size_t)(cw_deposit_stage_words(dim, order, word) * word) + 15) / 16 * 16;
}

/* The list of a team's slots (deposit_cuda_list.cuh): entries of 2 bytes, enough for half a tile of 8
 * and 16 particles of a cell in 3D, or all of it and 64 in 2D. */
CW_CONSTANT_FUNCTION int cw_deposit_list_entries(int dim) {
  return dim == 3 ? 6400 : 6144;
}
CW_CONSTANT_FUNCTION size_t cw_deposit_list_bytes(int dim) {
  return (size_t)cw_deposit_list_entries(dim) * 2;
}
/* What it is made in, where the stages will be: a word a bin and, at the least, some a slot. */
CW_CONSTANT_FUNCTION size_t cw_deposit_least_work(int bins) {
  return ((size_t)bins + 1024) * 4;
}
/* A scratch ends where a stage can begin. */
CW_CONSTANT_FUNCTION size_t cw_deposit_even(size_t values) {
  return (values + 3) / 4 * 4;
}

/* Lanes that add a row's flow n at once are spread over the banks by some values between the
 * components: the fewest, at most 31, that make the additions of a warp take the fewest passes. Sums of
 * 4 bytes, or of 8 whose low words stand together. */
static inline int cw_deposit_pad(int dim, int order, int edge) {
  enum { LANES = 32, BANKS = 32 };
  const int nodes = order + 1, rows = cw_deposit_rows(dim, nodes);
  const int stride[3] = {1, edge, edge * edge};
  const int volume = dim == 3 ? edge * edge * edge : edge * edge;
  int best = -1, chosen = 0;
  for (int pad = 0; pad < BANKS; pad++) {
    int passes = 0;
    for (int first = 0; first < rows; first += LANES) {
      int here[BANKS] = {0}, most = 0;
      for (int row = first; row < rows && row < first + LANES; row++) {
        const int planes = dim == 3 ? nodes * nodes : nodes;
        const int c = row / planes < 2 ? row / planes : 2, r = row - c * planes;
        const int across = dim == 3 || c == 2 ? r / nodes : 0, a = c == 0 ? 1 : 0;
        const int place = c * (volume + pad) + r % nodes * stride[a] +
                          across * stride[dim == 3 && c != 2 ? 2 : 1];
        const int count = ++here[place % BANKS];
        most = count > most ? count : most;
      }
      passes += most;
    }
    if (best < 0 || passes < best) {
      best = passes;
      chosen = pad;
    }
  }
  return chosen;
}

/* A team's shared memory: the scratch, and where runs are summed the list and a stage a warp. */
typedef struct cw_deposit_arena {
  int dim, order;
  int margin;     /* values of the scratch's edge beyond the tile's */
  size_t value;   /* bytes of a sum */
  size_t stage;   /* bytes of a warp's stage; 0: none */
  int warps;      /* of a team */
  int components; /* of J that a team sums: 3, or 1 where the scratch of three is too large */
  int pad;        /* values behind each component */
} cw_deposit_arena;

/* To compare numbers of resident teams and warps. */
CW_CONSTANT_FUNCTION int cw_deposit_worth(int teams, int warps) {
  return (teams > 1 ? 5 : 4) * teams * warps;
}

CW_CONSTANT_FUNCTION size_t cw_deposit_scratch_bytes(const cw_deposit_arena *arena, int tile) {
  const size_t volume = cw_deposit_volume(arena->dim, tile + arena->margin) + (size_t)arena->pad;
  return cw_deposit_even((size_t)arena->components * volume) * arena->value;
}
/* All but the stages, or the work of the list if that is more. */
CW_CONSTANT_FUNCTION size_t cw_deposit_arena_bytes(const cw_deposit_arena *arena, int tile) {
  const size_t scratch = cw_deposit_scratch_bytes(arena, tile);
  if (arena->stage == 0)
    return scratch;
  const int bins = (int)cw_deposit_volume(arena->dim, tile + arena->margin - arena->order);
  const size_t work = cw_deposit_least_work(bins), stages = arena->stage * (size_t)arena->warps;
  return cw_deposit_list_bytes(arena->dim) + scratch + (stages > work ? stages : work);
}

#endif
