#include "base/tile_edges.h"

#include <stdio.h>

const int cw_tile_edges[CW_TILE_EDGES] = {4, 6, 8, 10, 12, 14, 16};

void cw_tile_edges_that_fit(size_t limit, size_t (*arena_of_tile)(const void *user, int tile),
                            const void *user, char *text, size_t size) {
  size_t length = 0;
  snprintf(text, size, "none");
  for (int n = 0; n < CW_TILE_EDGES; n++)
    if (arena_of_tile(user, cw_tile_edges[n]) <= limit && length < size)
      length += (size_t)snprintf(text + length, size - length, "%s%d", length ? ", " : "",
                                 cw_tile_edges[n]);
}
