/* tracks.h5: the histories of tracked particles. For each species that is tracked a group
 * tracks/LABEL of columns, one value a record: step, time, id, and those of cw_track_columns. Records
 * are ordered by step, those of a step by id. The file is written whole and renamed, so that there is
 * always a good one; what is recorded in between waits in memory. */
#ifndef CW_OUTPUT_TRACKS_H
#define CW_OUTPUT_TRACKS_H

#include "setup/track_columns.h"

typedef struct cw_tracks cw_tracks;

/* Starts the tracks of a run, of a deck that tracks a species; nothing is written yet. With `after`
 * >= 0 the run goes on from that step: records up to it stay, later ones go with the next flush.
 * Errors: CW_ERROR_IO, CW_ERROR_FORMAT (a tracks.h5 that is not this run's), CW_ERROR_MEMORY. */
cw_status cw_tracks_create(cw_context *context, const char *folder, const cw_deck *deck,
                           int64_t after, cw_tracks **tracks);
/* Records the particles of species s at a step. Where much waits, writes. Errors: as flush. */
cw_status cw_tracks_append(cw_tracks *tracks, int s, int64_t step, double time,
                           const cw_tracked *tracked);
/* Brings all records to the disk. Errors: CW_ERROR_IO, CW_ERROR_FORMAT, CW_ERROR_MEMORY; the file is
 * then as it was. */
cw_status cw_tracks_flush(cw_tracks *tracks);
/* Flushes and frees; NULL is allowed. */
cw_status cw_tracks_close(cw_tracks *tracks);

/* What a tracks.h5 says of itself. */
typedef struct cw_tracks_about {
  char name[CW_DECK_NAME]; /* of the simulation */
  double skindepth0;
  int dim, species_count;
  char label[CW_DECK_MAX_SPECIES][CW_DECK_NAME];
} cw_tracks_about;
/* Errors: CW_ERROR_INPUT (no such file), CW_ERROR_FORMAT. */
cw_status cw_tracks_look(cw_context *context, const char *path, cw_tracks_about *about);
/* One column read back, as doubles or (id, step) as they are. *values is freed with CW_DELETE.
 * Errors: CW_ERROR_INPUT (no such file or column), CW_ERROR_FORMAT, CW_ERROR_MEMORY. */
cw_status cw_tracks_read(cw_context *context, const char *path, const char *label, const char *name,
                         int64_t *count, double **values);
cw_status cw_tracks_read_integers(cw_context *context, const char *path, const char *label,
                                  const char *name, int64_t *count, int64_t **values);

#endif
