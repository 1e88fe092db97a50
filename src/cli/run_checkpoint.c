#include "cli/run_checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "output/output.h"
#include "setup/setup.h"

cw_status cw_run_checkpoints_init(cw_run_checkpoints *checkpoints, cw_context *context,
                                  const cw_deck *deck, const char *command, const char *out) {
  const char *path = deck->checkpoint.write_path;
  *checkpoints = (cw_run_checkpoints){.context = context,
                                      .deck = deck,
                                      .command = command,
                                      .info = {.step = 0},
                                      .written = -1,
                                      .started = cw_seconds()};
  for (int k = 0; k < CW_SERIES_COUNT; k++)
    checkpoints->info.series_step[k] = -1;
  const size_t room = sizeof checkpoints->folder - CW_DECK_PATH_SIZE - 2;
  if (strlen(out) >= room)
    return cw_fail(context, CW_ERROR_INPUT,
                   "the output folder's name is longer than %zu characters", room - 1);
  strcpy(checkpoints->out, out);
  if (*path == '/')
    strcpy(checkpoints->folder, path);
  else if (*path)
    snprintf(checkpoints->folder, sizeof checkpoints->folder, "%.*s/%s", (int)room, out, path);
  else
    strcpy(checkpoints->folder, out);
  return CW_OK;
}

cw_status cw_run_checkpoints_begin(const cw_run_checkpoints *checkpoints, int resumed) {
  char aside[CW_OUTPUT_PATH];
  if (checkpoints->deck->checkpoint.keep == 0 || strcmp(checkpoints->out, checkpoints->folder) == 0)
    return CW_OK;
  CW_TRY(cw_output_open_folder(checkpoints->context, checkpoints->folder));
  return resumed ? CW_OK : cw_output_set_aside(checkpoints->context, checkpoints->folder, aside);
}

cw_status cw_run_checkpoints_check_setup(cw_run_checkpoints *checkpoints, cw_deck *deck) {
  cw_context *context = checkpoints->context;
  char path[CW_CHECKPOINT_PATH];
  cw_checkpoint_file file;
  int64_t *steps = NULL, count = 0;
  cw_status status = CW_OK;
  int found = 0;
  if (cw_deck_is_state(deck))
    status = cw_checkpoint_list(context, checkpoints->folder, &steps, &count);
  for (int64_t k = 0; k < count && status == CW_OK && !found; k++) {
    status = cw_checkpoint_path(context, checkpoints->folder, steps[k], path);
    found = status == CW_OK && cw_checkpoint_open(context, path, 0, &file) == CW_OK;
  }
  CW_DELETE(context, steps);
  if (status != CW_OK || !found)
    return status == CW_OK ? cw_setup_check(context, deck) : status;
  status = cw_setup_check_resumed(context, deck, file.deck, path);
  cw_checkpoint_close(&file);
  return status;
}

/* Files that another checkpoint, an older one, has taken the place of. */
static void rename_bad(const cw_run_checkpoints *checkpoints, const int64_t *steps, int64_t count) {
  char path[CW_CHECKPOINT_PATH], bad[CW_CHECKPOINT_PATH + 8];
  for (int64_t k = 0; k < count; k++) {
    if (cw_checkpoint_path(checkpoints->context, checkpoints->folder, steps[k], path) != CW_OK)
      continue;
    snprintf(bad, sizeof bad, "%s.bad", path);
    if (rename(path, bad) != 0)
      fprintf(stderr, "%s: warning: %s: cannot rename it to %s: %s\n", checkpoints->command, path,
              bad, strerror(errno));
  }
}

/* Whether the deck may go on from the checkpoint. */
static cw_status check_fits(const cw_run_checkpoints *checkpoints, const cw_checkpoint_file *file) {
  const cw_deck *deck = checkpoints->deck;
  char here[160];
  CW_TRY(cw_deck_check_same(checkpoints->context, deck, file->deck, file->path));
  if (file->info.step > deck->steps)
    return cw_fail(checkpoints->context, CW_ERROR_INPUT,
                   "%.300s: found a checkpoint of step %lld; the run is to end after step %lld: "
                   "expected a longer simulation.runtime or more --steps",
                   file->path, (long long)file->info.step, (long long)deck->steps);
  cw_checkpoint_describe(checkpoints->context, here);
  if (strcmp(here, file->origin) != 0)
    fprintf(stderr, "%s: warning: %s was written by %s; this is %s: last digits may differ\n",
            checkpoints->command, file->path, file->origin, here);
  return CW_OK;
}

/* A message about an array, with the file that it is in. */
static cw_status name_file(cw_context *context, cw_status status, const char *path) {
  char message[CW_MESSAGE_SIZE];
  snprintf(message, sizeof message, "%s", cw_context_message(context));
  if (strncmp(message, path, strlen(path)) == 0)
    return status;
  return cw_fail(context, status, "%.300s: %.600s", path, message);
}

/* One checkpoint; *sound is 0 where it cannot be used and an older one may. */
static cw_status try_one(cw_run_checkpoints *checkpoints, int64_t step, cw_engine **engine,
                         int *sound) {
  cw_checkpoint_file file;
  char path[CW_CHECKPOINT_PATH];
  *sound = 1;
  CW_TRY(cw_checkpoint_path(checkpoints->context, checkpoints->folder, step, path));
  cw_status status = cw_checkpoint_open(checkpoints->context, path, 1, &file);
  *sound = status == CW_OK || status == CW_ERROR_MEMORY;
  if (status != CW_OK)
    return status;
  status = check_fits(checkpoints, &file);
  if (status == CW_OK) {
    const cw_array_source source = cw_checkpoint_source(&file);
    status =
        cw_engine_restore(checkpoints->context, checkpoints->deck, file.info.step, &source, engine);
    *sound = status != CW_ERROR_FORMAT && status != CW_ERROR_ARGUMENT;
    if (!*sound)
      status = name_file(checkpoints->context, status, path);
  }
  if (status == CW_OK)
    checkpoints->info = file.info;
  cw_checkpoint_close(&file);
  return status;
}

static cw_status try_all(cw_run_checkpoints *checkpoints, const int64_t *steps, int64_t count,
                         cw_engine **engine) {
  char message[CW_MESSAGE_SIZE];
  for (int64_t k = 0; k < count; k++) {
    int sound;
    cw_status status = try_one(checkpoints, steps[k], engine, &sound);
    if (status == CW_OK) {
      checkpoints->written = steps[k];
      rename_bad(checkpoints, steps, k);
      return CW_OK;
    }
    if (sound)
      return status;
    if (k + 1 < count)
      fprintf(stderr, "%s: warning: %s; trying the checkpoint before it\n", checkpoints->command,
              cw_context_message(checkpoints->context));
  }
  snprintf(message, sizeof message, "%s", cw_context_message(checkpoints->context));
  return cw_fail(checkpoints->context, CW_ERROR_INPUT,
                 "option --resume: none of the %lld checkpoints in %.200s can be used: %s",
                 (long long)count, checkpoints->folder, message);
}

cw_status cw_run_checkpoints_resume(cw_run_checkpoints *checkpoints, cw_engine **engine) {
  int64_t *steps, count;
  *engine = NULL;
  CW_TRY(cw_checkpoint_list(checkpoints->context, checkpoints->folder, &steps, &count));
  cw_status status = CW_OK;
  if (count > 0)
    status = try_all(checkpoints, steps, count, engine);
  else if (cw_output_has_run(checkpoints->out))
    fprintf(stderr,
            "%s: warning: found no checkpoint in %s: the run in %s did not get so far; starting "
            "from the beginning\n",
            checkpoints->command, checkpoints->folder, checkpoints->out);
  else
    status = cw_fail(checkpoints->context, CW_ERROR_INPUT,
                     "option --resume: found no checkpoint in %.300s and no run in %.300s; "
                     "expected the output folder of an earlier run",
                     checkpoints->folder, checkpoints->out);
  CW_DELETE(checkpoints->context, steps);
  return status;
}

/* 1 when a multiple of `interval` lies in the step that ended at `time`. */
static int passed(double time, double dt, double interval) {
  /* a step that ends a round-off before the multiple has reached it */
  return floor(time / interval * (1 + 1e-12)) > floor((time - dt) / interval * (1 + 1e-12));
}

int cw_run_checkpoints_due(cw_run_checkpoints *checkpoints, const cw_engine *engine) {
  const cw_deck *deck = checkpoints->deck;
  const int64_t step = cw_engine_step_number(engine);
  if (deck->checkpoint.keep == 0 || step == 0)
    return 0;
  if (!checkpoints->walltime_done && deck->checkpoint.walltime > 0 &&
      cw_seconds() - checkpoints->started >= deck->checkpoint.walltime)
    return checkpoints->walltime_done = 1;
  if (deck->checkpoint.interval_time > 0)
    return passed(cw_engine_time(engine), deck->dt, deck->checkpoint.interval_time);
  return deck->checkpoint.interval > 0 && step % deck->checkpoint.interval == 0;
}

static cw_status walk(void *owner, cw_array_visit *visit, void *user) {
  return cw_engine_save(owner, visit, user);
}

cw_status cw_run_checkpoints_write(cw_run_checkpoints *checkpoints, cw_engine *engine) {
  const cw_deck *deck = checkpoints->deck;
  const int64_t step = cw_engine_step_number(engine);
  if (deck->checkpoint.keep == 0 || checkpoints->written == step)
    return CW_OK;
  checkpoints->info.step = step;
  CW_TRY(cw_checkpoint_write(checkpoints->context, checkpoints->folder, deck,
                             cw_engine_grid(engine), &checkpoints->info, walk, engine));
  checkpoints->written = step;
  if (deck->checkpoint.keep < 0)
    return CW_OK;
  return cw_checkpoint_prune(checkpoints->context, checkpoints->folder, step,
                             deck->checkpoint.keep);
}
