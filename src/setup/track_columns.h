/* The record of a tracked particle at one step: what the engine fills and tracks.h5 keeps. */
#ifndef CW_SETUP_TRACK_COLUMNS_H
#define CW_SETUP_TRACK_COLUMNS_H

#include "deck/deck.h"

enum { CW_TRACK_COLUMNS = 3 + 3 + 1 + 6 + CW_MAX_PAYLOADS, CW_TRACK_NAME = 24 };

/* Columns of species s beside step, time and id, in their order: position/x ... of simulated axes
 * (coordinates), momentum/x ... z (gamma v / c, half a step behind as particles have it), weighting,
 * E/x ... B/z (at the particle, external fields among them, in units of B0), payload1 ... */
int cw_track_columns(const cw_deck *deck, int s, char names[CW_TRACK_COLUMNS][CW_TRACK_NAME]);

typedef struct cw_tracked {
  int64_t count;
  uint64_t *id;
  double *value[CW_TRACK_COLUMNS]; /* of cw_track_columns */
} cw_tracked;

#endif
