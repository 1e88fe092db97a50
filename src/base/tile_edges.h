/* The edges that a tile can have. */
#ifndef CW_BASE_TILE_EDGES_H
#define CW_BASE_TILE_EDGES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CW_TILE_EDGES = 7 };
extern const int cw_tile_edges[CW_TILE_EDGES]; /* 4, 6, 8, 10, 12, 14, 16 */

/* Writes those whose arena, of arena_of_tile(user, edge) bytes, is at most `limit` bytes: "4, 6", or
 * "none". `text` holds `size` > 0 bytes. */
void cw_tile_edges_that_fit(size_t limit, size_t (*arena_of_tile)(const void *user, int tile),
                            const void *user, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
