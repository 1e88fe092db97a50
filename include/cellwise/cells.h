/* The cell table: particles (or any points with keys) sorted by cell, tile by tile. */
#ifndef CELLWISE_CELLS_H
#define CELLWISE_CELLS_H

#include <cellwise/particles.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A cell table: the order of one container's particles, and the working memory of the sort. */
typedef struct cw_cells cw_cells;

/* From which position a particle's key is taken. */
typedef enum cw_cells_key {
  CW_KEY_MIN_PREV = 0, /* min(i, i_prev): the first cell that a deposit of this very step touches */
  CW_KEY_CURRENT       /* i: where the next step's push starts from */
} cw_cells_key;

/* How finely a tile's particles are ordered. */
typedef enum cw_cells_depth {
  CW_DEPTH_TILE = 0, /* by tile only */
  CW_DEPTH_CELL,     /* by tile, then by cell */
  CW_DEPTH_NODE      /* by tile, then by nearest node: i + (dx >= 1/2) (even shape orders). The tile
                      * is still that of the cell key; nodes count 0 to tile in it, kept inside */
} cw_cells_depth;

/* How a table sorts. Zero-initialised means defaults, but for dim, cells and tile. */
typedef struct cw_cells_options {
  int dim;              /* simulated axes: 1, 2 or 3 */
  int32_t cells[3];     /* interior cells an axis */
  int32_t tile;         /* tile edge in cells: 4, 6, 8, 10, 12, 14 or 16 */
  cw_cells_key key;     /* the position that counts */
  cw_cells_depth depth; /* how finely a tile is ordered */
  int low_memory; /* 1: keep no keys (they are formed twice) and move unsorted particles along the
                     permutation's cycles instead of through a buffer; same result, slower. Device:
                     8 bytes a slot of working memory instead of 16, and no spare arrays */
  cw_space space; /* where the particles, the working memory and the offsets are */
} cw_cells_options;

/* What a kernel needs to know of the last sort. Borrowed from the table; host or device pointers
 * like the particles'. Tile t owns slots [tile_offsets[t], tile_offsets[t + 1]); tiles count axis 0
 * fastest; partial tiles stand at the upper edges. */
typedef struct cw_cells_view {
  int dim;                     /* simulated axes */
  int32_t tile;                /* tile edge, cells */
  int32_t cells[3];            /* interior cells an axis */
  int32_t tiles[3];            /* tiles an axis (1 along axes not simulated) */
  int64_t total_tiles;         /* 0 before the first sort */
  const int64_t *tile_offsets; /* total_tiles + 1 entries */
  int64_t npart_partitioned;   /* alive particles at the sort: tile_offsets[total_tiles] */
  uint64_t epoch;              /* of the particles when sorted */
} cw_cells_view;

/* Creates a table that has sorted nothing. On failure *cells is NULL.
 * Errors: CW_ERROR_ARGUMENT (dim, cells, tile), CW_ERROR_MEMORY, CW_ERROR_UNSUPPORTED (a space that
 * this build has not). */
CW_API cw_status cw_cells_create(cw_context *context, const cw_cells_options *options,
                                 cw_cells **cells);
/* Frees the table; the particles stay as they are. NULL is allowed. */
CW_API void cw_cells_destroy(cw_cells *cells);

/* Sorts the particles by key in place (stable: equal keys keep their order), parks dead ones in a
 * sentinel bin behind the last tile and drops them (count becomes npart_partitioned). On the host
 * every array keeps its address: members pass through a small window (nearly sorted particles) or,
 * one at a time, through a buffer of one member's length. On the device members trade places with
 * the _prev arrays and with spares of the container: views taken before are no longer valid. i_prev
 * and dx_prev are not permuted and are undefined after the call: sort before a push, which
 * overwrites them. Particles outside the block are binned with the nearest tile.
 * The result does not depend on the number of threads and is the same on host and device. On the
 * device the work is queued; the number of live particles is read at the end, which waits for it.
 * Errors: CW_ERROR_MEMORY (particles unchanged, the table is as before its first sort),
 * CW_ERROR_ARGUMENT (dim or space differ), CW_ERROR_UNSUPPORTED (more than 2^32 - 1 slots). */
CW_API cw_status cw_cells_sort(cw_cells *cells, cw_particles *particles);
/* As above on a caller's own arrays; *count receives the number of alive particles. All arrays that
 * are not NULL are permuted, except the _prev ones, and keep their addresses. */
CW_API cw_status cw_cells_sort_view(cw_cells *cells, cw_particles_view particles, int64_t *count);
/* The last sort as kernels take it; good until the next sort, restore or destroy. */
CW_API cw_cells_view cw_cells_get_view(const cw_cells *cells);
/* Takes over where an earlier sort left off: the particles stand as that sort (and what was appended
 * since) left them, and `offsets`, on the host, are its tile_offsets: as many as the table has tiles
 * and one more. Errors: CW_ERROR_ARGUMENT (a count that is not the table's, offsets that do not
 * start at 0, fall, or end behind the particles), CW_ERROR_DEVICE; the table is then as before its
 * first sort. */
CW_API cw_status cw_cells_restore(cw_cells *cells, const cw_particles *particles,
                                  const int64_t *offsets, int64_t count);
/* CW_ERROR_STALE when the particles were reordered since the last sort, or are not those that it
 * sorted. A table that was never sorted claims nothing and passes. */
CW_API cw_status cw_cells_check(const cw_cells *cells, const cw_particles *particles);

/* Stable counting sort of arbitrary points by arbitrary keys: on return permutation[s] is the point
 * that stands at sorted place s, and bin b owns places [offsets[b], offsets[b + 1]).
 *   keys         [count] each < bins; keys equal to `bins` go to a sentinel bin at the end
 *   permutation  [count] out
 *   offsets      [bins + 1] out; offsets[bins] = points that are not in the sentinel bin
 * Serves link cells and mass-matrix cells. Same result for any thread count.
 * Errors: CW_ERROR_ARGUMENT (a key > bins: message names the point), CW_ERROR_MEMORY,
 * CW_ERROR_UNSUPPORTED (more than 2^32 - 1 points or 2^32 - 2 bins). */
CW_API cw_status cw_cells_sort_keys(cw_context *context, int64_t count, const uint32_t *keys,
                                    uint32_t bins, uint32_t *permutation, int64_t *offsets);
/* destination[s] = source[permutation[s]] for `count` items of item_size bytes (1, 2, 4 or 8). */
CW_API cw_status cw_cells_gather(cw_context *context, int64_t count, const uint32_t *permutation,
                                 size_t item_size, const void *source, void *destination);

/* The same two on device arrays; the first waits for its end. low_memory: the histogram sort
 * instead of the vendor's radix sort, with half of the working memory.
 * Errors: as above, but a key > bins is CW_ERROR_NUMERIC, and CW_ERROR_DEVICE; CW_ERROR_UNSUPPORTED
 * also where there is no device. */
CW_API cw_status cw_cells_sort_keys_device(cw_context *context, int64_t count, const uint32_t *keys,
                                           uint32_t bins, int low_memory, uint32_t *permutation,
                                           int64_t *offsets);
CW_API cw_status cw_cells_gather_device(cw_context *context, int64_t count,
                                        const uint32_t *permutation, size_t item_size,
                                        const void *source, void *destination);

#ifdef __cplusplus
}
#endif
#endif
