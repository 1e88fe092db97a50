/* Fields and particles that a user wrote into an HDF5 file, on the deck's own grid, species and
 * units.
 *
 * Data sets of numbers at the root, all optional (without one: zero): Ex, Ey, Ez, Bx, By, Bz, one
 * axis of the file for each of the grid, x first; in units of B0, at the engine's places (Yee: E_a
 * in the middle of the edge along a, B_a of the face across a; engine ecsim: E on nodes, B at cell
 * centres). A group of each species' label: x, y, z as far as the grid has axes, inside the box;
 * ux, uy, uz (gamma v / c; engine ecsim: v / c); and weight, if and only if the deck has
 * use_weights. A species without a group has no particles. Nothing else may stand there, and something must. */
#ifndef CW_SETUP_ARRAYS_FILE_H
#define CW_SETUP_ARRAYS_FILE_H

#include <hdf5.h>

#include "setup/setup.h"

typedef struct cw_arrays_file {
  cw_context *context;
  const cw_deck *deck;
  char path[4096 + 256];
  hid_t file;
  H5E_auto2_t report; /* HDF5's own error printer, off while the file is open */
  void *report_data;
  int64_t count[CW_DECK_MAX_SPECIES];
} cw_arrays_file;

/* Opens the file and checks the names and extents of all that it holds. Errors: CW_ERROR_IO,
 * CW_ERROR_FORMAT (the message names the data set, what was found and what was expected). */
cw_status cw_arrays_open(cw_context *context, const cw_deck *deck, const char *path,
                         cw_arrays_file *file);
void cw_arrays_close(cw_arrays_file *file);
/* 1 when the file has that data set, such as "Ex" or "electrons/ux". */
int cw_arrays_has(const cw_arrays_file *file, const char *name);
/* All of its `count` values. Errors: CW_ERROR_FORMAT (unreadable, or not finite: with the place).
 */
cw_status cw_arrays_read(const cw_arrays_file *file, const char *name, int64_t count,
                         double *values);
#endif
