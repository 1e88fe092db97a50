#include "cli/run_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context_private.h"
#include "cli/run_fields.h"
#include "cli/run_histograms.h"
#include "cli/run_particles.h"
#include "engine/tracked.h"
#include "output/output.h"
#include "output/sidecar.h"
#include "output/tracks.h"

enum { COLUMN_NAME = CW_DECK_NAME + 16, FIXED_COLUMNS = 8 };

struct cw_run_output {
  cw_context *context;
  const cw_deck *deck;
  char folder[4096];
  char aside[CW_OUTPUT_PATH]; /* an earlier run's results, or "" */
  cw_history *history;
  cw_sidecar *sidecar[CW_SERIES_COUNT]; /* NULL: the series has none */
  cw_tracks *tracks;                    /* NULL: no particle is tracked */
  double stages_before[CW_STAGE_COUNT];
};

static cw_status start_history(cw_run_output *output, const cw_checkpoint_info *resumed) {
  static const char *const fixed[FIXED_COLUMNS] = {
      "step",           "time",         "electric_energy", "magnetic_energy",
      "kinetic_energy", "total_energy", "charge_error",    "particles"};
  char text[CW_DECK_MAX_SPECIES + CW_STAGE_COUNT][COLUMN_NAME];
  const char *names[FIXED_COLUMNS + CW_DECK_MAX_SPECIES + CW_STAGE_COUNT];
  const int species = output->deck->particles.species_count;
  for (int k = 0; k < FIXED_COLUMNS; k++)
    names[k] = fixed[k];
  for (int s = 0; s < species; s++)
    snprintf(text[s], COLUMN_NAME, "kinetic_%s", output->deck->particles.species[s].label);
  int stages;
  const char *const *stage_names = cw_engine_stages(output->deck, &stages);
  for (int k = 0; k < stages; k++)
    snprintf(text[species + k], COLUMN_NAME, "seconds_%s", stage_names[k]);
  for (int k = 0; k < species + stages; k++)
    names[FIXED_COLUMNS + k] = text[k];
  if (resumed)
    return cw_history_resume(output->context, output->folder, names,
                             FIXED_COLUMNS + species + stages, resumed->history_bytes,
                             &output->history);
  return cw_history_create(output->context, output->folder, names, FIXED_COLUMNS + species + stages,
                           &output->history);
}

/* The deck as resolved, as text. */
static cw_status write_resolved_deck(cw_run_output *output) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream)
    return cw_fail(output->context, CW_ERROR_MEMORY, "no memory for the resolved deck");
  cw_status status = cw_deck_echo(output->context, output->deck, stream);
  fclose(stream);
  if (status == CW_OK)
    status = cw_output_write_text(output->context, output->folder, "deck_resolved.toml", text);
  free(text);
  return status;
}

/* Length of the part of a path that is there: folders behind it are this run's own. */
static size_t existing_part(const char *path) {
  char part[sizeof((cw_run_output *)0)->folder];
  strcpy(part, path);
  while (*part && access(part, F_OK) != 0) {
    char *slash = strrchr(part, '/');
    *(slash ? slash : part) = '\0';
  }
  return strlen(part);
}

/* After a failure: removes what a new folder got so far, and the folders that were made. */
static void remove_new_folder(const char *folder, size_t existing) {
  static const char *const files[] = {"deck.toml", "deck_resolved.toml"};
  char path[sizeof((cw_run_output *)0)->folder + 32];
  if (existing == strlen(folder))
    return;
  for (int k = 0; k < 2; k++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[k]);
    unlink(path);
  }
  strcpy(path, folder);
  while (strlen(path) > existing && rmdir(path) == 0) {
    char *slash = strrchr(path, '/');
    *(slash ? slash : path) = '\0';
  }
}

/* Behind what an earlier run left, or of what the resumed run wrote. */
static cw_status start_sidecars(cw_run_output *output) {
  for (int k = 0; k < CW_SERIES_COUNT; k++)
    if (cw_sidecar_is_for((cw_series)k))
      CW_TRY(cw_sidecar_create(output->context, output->folder, (cw_series)k, &output->sidecar[k]));
  return CW_OK;
}

/* 1 when there are particles whose history is kept. */
static int tracks_any(const cw_deck *deck) {
  int any = 0;
  for (int s = 0; s < deck->particles.species_count; s++)
    any |= deck->particles.species[s].tracking;
  return any && deck->output.tracks_interval > 0;
}

static cw_status start_tracks(cw_run_output *output, int64_t after) {
  return tracks_any(output->deck) ? cw_tracks_create(output->context, output->folder, output->deck,
                                                     after, &output->tracks)
                                  : CW_OK;
}

static cw_status begin(cw_run_output *output) {
  CW_TRY(cw_output_set_aside(output->context, output->folder, output->aside));
  CW_TRY(cw_output_write_text(output->context, output->folder, "deck.toml", output->deck->source));
  CW_TRY(write_resolved_deck(output));
  CW_TRY(start_tracks(output, -1));
  CW_TRY(start_sidecars(output));
  return start_history(output, NULL);
}

static cw_status go_on(cw_run_output *output, const cw_checkpoint_info *resumed) {
  CW_TRY(start_history(output, resumed));
  CW_TRY(start_tracks(output, resumed->step));
  for (int k = 0; k < CW_SERIES_COUNT; k++)
    CW_TRY(cw_output_drop(output->context, output->folder, (cw_series)k, resumed->series_step[k]));
  CW_TRY(start_sidecars(output));
  CW_TRY(cw_output_write_text(output->context, output->folder, "deck.toml", output->deck->source));
  return write_resolved_deck(output);
}

cw_status cw_run_output_create(cw_context *context, const cw_deck *deck, const char *folder,
                               const cw_checkpoint_info *resumed, cw_run_output **output) {
  *output = NULL;
  if (strlen(folder) >= sizeof((cw_run_output *)0)->folder)
    return cw_fail(context, CW_ERROR_INPUT,
                   "the output folder's name is longer than %zu characters",
                   sizeof((cw_run_output *)0)->folder - 1);
  cw_run_output *made = NULL;
  CW_TRY(CW_NEW(context, 1, "output", &made));
  made->context = context;
  made->deck = deck;
  strcpy(made->folder, folder);
  size_t existing = existing_part(folder);
  cw_status status = cw_output_open_folder(context, folder);
  if (status == CW_OK)
    status = resumed ? go_on(made, resumed) : begin(made);
  if (status != CW_OK) {
    cw_output_put_back(folder, made->aside);
    remove_new_folder(folder, existing);
    cw_run_output_close(made);
    return status;
  }
  *output = made;
  return CW_OK;
}

cw_status cw_run_output_history(cw_run_output *output, const cw_engine *engine,
                                const cw_engine_diagnostics *diagnostics) {
  double values[FIXED_COLUMNS + CW_DECK_MAX_SPECIES + CW_STAGE_COUNT] = {
      (double)cw_engine_step_number(engine),
      cw_engine_time(engine),
      diagnostics->electric_energy,
      diagnostics->magnetic_energy,
      diagnostics->kinetic_energy,
      diagnostics->total_energy,
      diagnostics->charge_error,
      (double)diagnostics->particles};
  int column = FIXED_COLUMNS;
  for (int s = 0; s < output->deck->particles.species_count; s++)
    values[column++] = diagnostics->species_energy[s];
  const double *stages = cw_engine_stage_seconds(engine);
  int stage_count;
  cw_engine_stages(output->deck, &stage_count);
  for (int k = 0; k < stage_count; k++) {
    values[column++] = stages[k] - output->stages_before[k];
    output->stages_before[k] = stages[k];
  }
  return cw_history_append(output->history, values);
}

static cw_status write_series(cw_run_output *output, cw_engine *engine, cw_series series) {
  switch (series) {
  case CW_SERIES_FIELDS:
    return cw_run_fields_write(output->context, output->deck, output->folder, engine);
  case CW_SERIES_PARTICLES:
    return cw_run_particles_write(output->context, output->deck, output->folder, engine);
  case CW_SERIES_SPECTRA:
    return cw_run_spectra_write(output->context, output->deck, output->folder, engine);
  case CW_SERIES_PHASE_SPACE:
    return cw_run_phase_space_write(output->context, output->deck, output->folder, engine);
  case CW_SERIES_COUNT:
    break;
  }
  return cw_fail(output->context, CW_ERROR_INTERNAL, "there is no series %d", (int)series);
}

cw_status cw_run_output_tracks(cw_run_output *output, cw_engine *engine) {
  const int64_t step = cw_engine_step_number(engine);
  cw_status status = CW_OK;
  if (!output->tracks || step % output->deck->output.tracks_interval != 0)
    return CW_OK;
  for (int s = 0; s < output->deck->particles.species_count && status == CW_OK; s++) {
    cw_tracked tracked;
    if (!output->deck->particles.species[s].tracking)
      continue;
    status = cw_engine_tracked(engine, s, &tracked);
    if (status == CW_OK)
      status = cw_tracks_append(output->tracks, s, step, cw_engine_time(engine), &tracked);
    cw_tracked_free(output->context, &tracked);
  }
  return status;
}

cw_status cw_run_output_series(cw_run_output *output, cw_engine *engine, cw_series series) {
  CW_TRY(write_series(output, engine, series));
  return output->sidecar[series]
             ? cw_sidecar_add(output->sidecar[series], cw_engine_step_number(engine))
             : CW_OK;
}

const char *cw_run_output_aside(const cw_run_output *output) {
  return output->aside;
}

int64_t cw_run_output_history_bytes(const cw_run_output *output) {
  return cw_history_bytes(output->history);
}

cw_status cw_run_output_sync(cw_run_output *output) {
  int64_t bytes;
  if (output->tracks)
    CW_TRY(cw_tracks_flush(output->tracks));
  return cw_history_sync(output->history, &bytes);
}

const char *cw_run_output_folder(const cw_run_output *output) {
  return output->folder;
}

cw_status cw_run_output_close(cw_run_output *output) {
  if (!output)
    return CW_OK;
  const cw_status tracks = cw_tracks_close(output->tracks);
  cw_status status = cw_history_close(output->history);
  for (int k = 0; k < CW_SERIES_COUNT; k++)
    cw_sidecar_destroy(output->sidecar[k]);
  if (status == CW_OK)
    status = tracks;
  CW_DELETE(output->context, output);
  return status;
}
