/* A checkpoint: a whole state in an HDF5 file behind a seal (base/seal.h), to go on from.
 *
 * Root attributes: those of every file of cellwise (openPMD 1.1 with iterationFormat
 * "checkpoint_%08T.h5", software, softwareVersion, commit, backend, date, deck as resolved), and
 * deckSource (as written), origin (version, commit, backend, instruction set in one line), engine,
 * precision, instructionSet, q0, B0. Group /data/STEP: attributes time, dt, timeUnitSI, ghostCells
 * and what the run had come to: firstEnergy, maxChargeError, historyBytes, fieldsStep. Below it the
 * arrays of the engine (cw_engine_save): fields/E/x, ... with their ghost cells;
 * particles/LABEL/... (particle_arrays.h) and particles/LABEL/tile_offsets. */
#ifndef CW_SETUP_CHECKPOINT_FILE_H
#define CW_SETUP_CHECKPOINT_FILE_H

#include <hdf5.h>

#include "base/array.h"
#include "deck/deck.h"

/* What the run had come to. */
typedef struct cw_checkpoint_info {
  int64_t step;
  double first_energy;                  /* total, at step 0 */
  double max_charge_error;              /* over the rows of history.csv */
  int64_t history_bytes;                /* of history.csv, up to the last row at its interval */
  int64_t series_step[CW_SERIES_COUNT]; /* of the last file at its interval; -1: none */
} cw_checkpoint_info;

enum { CW_CHECKPOINT_PATH = 4096 + 320 };

typedef struct cw_checkpoint_file {
  cw_context *context;
  char path[CW_CHECKPOINT_PATH];
  hid_t file, iteration;
  H5E_auto2_t report; /* HDF5's own error printer, off while the file is open */
  void *report_data;
  cw_checkpoint_info info;
  char origin[160]; /* "version, commit, backend, instruction set" that wrote it */
  cw_deck *deck;    /* as resolved, read back, with the q0 and B0 of the run */
} cw_checkpoint_file;

/* Opens the file and reads all but the arrays; with `whole`, verifies the contents by the seal
 * first. Errors: CW_ERROR_IO, CW_ERROR_FORMAT (not a checkpoint, cut off, damaged, without an
 * attribute: the message says which), CW_ERROR_MEMORY; nothing is left open then. */
cw_status cw_checkpoint_open(cw_context *context, const char *path, int whole,
                             cw_checkpoint_file *checkpoint);
void cw_checkpoint_close(cw_checkpoint_file *checkpoint);
/* Its arrays; errors of read: CW_ERROR_FORMAT (no such array, another type or extent). Borrows. */
cw_array_source cw_checkpoint_source(cw_checkpoint_file *checkpoint);
/* What this program and the one that wrote the file have not in common, or "": "version ...". */
void cw_checkpoint_describe(const cw_context *context, char text[160]);
/* HDF5's name for a type. */
hid_t cw_checkpoint_type(cw_array_type type);
/* 1 when the file begins as a checkpoint does, sound or not. */
int cw_checkpoint_is(const char *path);

#endif
