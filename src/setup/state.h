/* A state file: grid, fields, species and units of a run, to start from.
 *
 * Root attributes: grid (cells an axis, 3), length (of the box, 3), dt, theta, c (1),
 * smoothing_passes, cycle, shape ("CIC" or "TSC"), units (text that begins with "Gaussian" or not).
 * Root data sets Ex, Ey, Ez (on nodes) and Bx, By, Bz (at cell centres), [nx, ny, nz] with z
 * fastest. Groups species_0, species_1, ...: attribute q_over_m and data sets x_x, x_y, x_z
 * (positions half a step later), v_x, v_y, v_z and q (of each macro-particle, with its sign). */
#ifndef CW_SETUP_STATE_H
#define CW_SETUP_STATE_H

#include <hdf5.h>

#include "deck/deck.h"

typedef struct cw_state_file {
  cw_context *context;
  char path[4096];
  hid_t file;
  H5E_auto2_t report; /* HDF5's own error printer, off while the file is open */
  void *report_data;
  int64_t cells[3];
  double length[3], dt, theta;
  int smoothing_passes, order, gaussian;
  int64_t cycle;
  int species_count;
  double q_over_m[CW_DECK_MAX_SPECIES];
  int64_t count[CW_DECK_MAX_SPECIES];
} cw_state_file;

/* Opens the file and reads all but the arrays. Errors: CW_ERROR_IO, CW_ERROR_FORMAT (what is
 * missing or does not fit: the message names it); nothing is left open then. */
cw_status cw_state_open(cw_context *context, const char *path, cw_state_file *state);
void cw_state_close(cw_state_file *state);
/* One data set of doubles, `name` such as "Ex" or "species_0/q", `count` values in all. */
cw_status cw_state_read(cw_state_file *state, const char *name, int64_t count, double *values);

#endif
