/* Which tile size the device's deposit should use: a model of three pressures.
 *
 * A team of threads owns a tile of T^D cells and sums in a scratch of E^D values for
 * each of three components (kernels/deposit/deposit_scratch.h). In cycles of one multiprocessor
 * (SM; CU at AMD, Xe-core at Intel) a particle:
 *
 *   capacity     W resident warps, by scratch, threads and registers; a warp alone needs `serial`
 *                cycles a particle, W of them serial (1/W + 1/W_half): few hide no latency
 *   halo         the scratch is cleared and flushed once a tile: its values are shared by the
 *                tile's particles, and 1 - (T/E)^D of them lie outside the tile
 *   contention   an addition of a warp takes as many passes as lanes meet in one bank or word of
 *                the scratch; and tiles so large that few rounds of teams cover the box leave
 *                multiprocessors idle in the last one
 *
 * Pure functions of their arguments: no library, no device. docs/tile-size.md has the measured
 * sweep from which the constants of tile_model.c come. */
#ifndef CW_CLI_TILE_MODEL_H
#define CW_CLI_TILE_MODEL_H

#include <stddef.h>

enum { CW_TILE_SIZES = 7, CW_TILE_DEVICES = 6 };
extern const int cw_tile_sizes[CW_TILE_SIZES]; /* 4, 6, 8, 10, 12, 14, 16 */

typedef struct cw_tile_device {
  const char *name;
  int units;            /* multiprocessors */
  size_t shared_a_unit; /* bytes of shared memory that teams divide */
  size_t shared_a_team; /* the most that one team can have */
  size_t reserved;      /* bytes that the system takes from every team's share */
  int threads_a_unit;   /* resident at once */
  int teams_a_unit;     /* likewise */
  int registers_a_unit; /* 32-bit ones of all threads */
} cw_tile_device;

/* A100, H100, H200, MI250X, MI300X, Max1550. */
extern const cw_tile_device cw_tile_devices[CW_TILE_DEVICES];

/* What a tile's sums are stored as. */
typedef enum cw_tile_sums {
  CW_TILE_F32,
  CW_TILE_F64,
  CW_TILE_FIXED32,
  CW_TILE_FIXED64
} cw_tile_sums;

typedef struct cw_tile_case {
  int dim, order, drift;
  int is_double; /* particles and fields; F32 and FIXED32 need 0, F64 needs 1 */
  cw_tile_sums sums;
  double ppc;   /* particles of one species a cell */
  double cells; /* along each axis of the box */
} cw_tile_case;

typedef struct cw_tile_plan {
  int tile, edge;    /* cells of the tile; of the scratch */
  int components;    /* summed at once: 3, or 1 in three passes where 3 do not fit */
  size_t scratch;    /* bytes of those components */
  size_t arena;      /* bytes of shared memory a team: the scratch and the warps' stages */
  int threads;       /* a team */
  int teams;         /* resident on a multiprocessor; 0: the arena does not fit */
  double halo_waste; /* part of the scratch outside the tile */
  double contention; /* passes an addition to the scratch takes */
  double rounds;     /* of all resident teams over the box's tiles */
  /* cycles of a multiprocessor a particle; total = (work + halo + contended) * (1 + idle) */
  double work, halo, contended, idle, total;
} cw_tile_plan;

/* Whether there is a kernel with such sums. */
int cw_tile_exists(const cw_tile_case *c);

cw_tile_plan cw_tile_model(const cw_tile_device *device, const cw_tile_case *c, int tile);

/* Fills a plan for each size; returns the index of the cheapest that fits, or -1. */
int cw_tile_recommend(const cw_tile_device *device, const cw_tile_case *c,
                      cw_tile_plan plans[CW_TILE_SIZES]);

/* Why plans[best] and not its neighbours, in one sentence; `text` holds `size` bytes. */
void cw_tile_reason(const cw_tile_plan plans[CW_TILE_SIZES], int best, char *text, size_t size);

#endif
