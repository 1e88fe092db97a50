/* Inside the injectors: the parts of cells that get particles in a step. */
#ifndef CW_SETUP_INJECT_PRIVATE_H
#define CW_SETUP_INJECT_PRIVATE_H

#include "setup/inject.h"

/* A part of a cell that gets particles. */
typedef struct cw_inject_piece {
  int32_t index[3];
  double from[3], to[3]; /* offsets in the cell */
  cw_injected_plasma plasma;
  double expected; /* of each species */
  double plane;    /* moving: speed of the plane, outwards */
  uint64_t key;    /* of its random numbers */
  int64_t slot;    /* first of its candidates */
} cw_inject_piece;

typedef struct cw_inject_pieces {
  const cw_injectors *injectors;
  const cw_injector *injector;
  const cw_inject_target *target;
  uint32_t seed, stream;
  double outward; /* sign of the side */
  int64_t count, room;
  cw_inject_piece *piece;
} cw_inject_pieces;

/* Adds the step's pieces; their slots are 0. After a failure all->piece is to be freed, too. Errors: as
 * cw_inject. */
cw_status cw_inject_find_pieces(cw_inject_pieces *all);

#endif
