/* cellwise run: a deck to its results. */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/context_private.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/run_backend.h"
#include "cli/run_checkpoint.h"
#include "cli/run_output.h"
#include "cli/run_summary.h"
#include "cli/support.h"
#include "engine/engine.h"
#include "output/output.h"
#include "setup/setup.h"

typedef struct run_arguments {
  const char *command, *deck, *out, *steps;
  cw_cli_place place;
  int json, quiet, resume, failed;
  cw_cli_overrides overrides;
} run_arguments;

/* Set by Ctrl-C: the run ends after the step. */
static volatile sig_atomic_t interrupted;

static void on_signal(int signal) {
  (void)signal;
  interrupted = 1;
}

static error_t parse(int key, char *value, struct argp_state *state) {
  run_arguments *arguments = state->input;
  switch (key) {
  case 'o':
    arguments->out = value;
    return 0;
  case 'b':
    arguments->place.backend = value;
    return 0;
  case 'd':
    arguments->place.device = value;
    return 0;
  case 't':
    arguments->place.threads = value;
    return 0;
  case 'n':
    arguments->steps = value;
    return 0;
  case 's':
    arguments->failed |= cw_cli_overrides_add(arguments->command, &arguments->overrides, value);
    return 0;
  case 'r':
    arguments->resume = 1;
    return 0;
  case 'j':
    arguments->json = 1;
    return 0;
  case 'q':
    arguments->quiet = 1;
    return 0;
  case ARGP_KEY_ARG:
    if (arguments->deck) {
      cw_cli_usage_error(arguments->command, "found a second deck '%s'; expected one", value);
      return EINVAL;
    }
    arguments->deck = value;
    return 0;
  case ARGP_KEY_NO_ARGS:
    cw_cli_usage_error(arguments->command, "no deck was given; expected DECK.toml");
    return EINVAL;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"out", 'o', "DIR", 0, "folder for the results (default: the simulation's name)", 0},
    {"backend", 'b', "NAME", 0,
     "auto, cpu or cuda; auto (the default) takes a device that is here if the deck's engine runs "
     "on it and the problem fits",
     0},
    {"device", 'd', "N", 0,
     "number of the device, as `cellwise info` lists them; implies cuda (without it: of those that "
     "can be used the one with the most free memory)",
     0},
    {"threads", 't', "N", 0, "CPU threads (default: all)", 0},
    {"steps", 'n', "N", 0, "end after N steps instead of at simulation.runtime", 0},
    {"resume", 'r', NULL, 0, "go on from the newest good checkpoint in the output folder", 0},
    {"set", 's', "KEY=VALUE", 0, "override a key of the deck, such as particles.ppc0=32", 0},
    {"quiet", 'q', NULL, 0, "no progress", 0},
    {"json", 'j', NULL, 0, "print the closing table as one JSON document", 0},
    {0}};

const struct argp cw_run_argp = {
    options,
    parse,
    "DECK.toml",
    "Run the simulation that a deck describes; write history.csv, field files and the deck as used."
    "\vExample:\n  cellwise run examples/two_stream.toml --out two_stream --set "
    "particles.ppc0=64\n  cellwise run examples/two_stream.toml --out two_stream --resume\n\n"
    "An interrupted run (Ctrl-C, SIGTERM) ends after the step with a checkpoint. The results of an "
    "earlier run in the folder are moved to previous_N in it, unless the run resumes.\n\n"
    "Exit status: 0 done, 1 failed or interrupted while running, 2 bad input.",
    NULL,
    NULL,
    NULL};

/* The parts of one run. */
typedef struct run {
  cw_context *context;
  cw_deck *deck;
  cw_engine *engine;
  cw_run_output *output;
  cw_run_checkpoints checkpoints;
  int resumed; /* from a checkpoint */
  cw_engine_diagnostics first, last;
  double max_charge_error;
  double seconds;         /* in steps */
  int64_t particle_steps; /* particles pushed, summed over the steps */
  int interrupted;        /* by a signal, before the last step */
} run;

/* The state to begin with, and the files that follow it. */
static cw_status start(run *run, const run_arguments *arguments, const char *folder) {
  cw_run_checkpoints *checkpoints = &run->checkpoints;
  if (arguments->resume)
    CW_TRY(cw_run_checkpoints_resume(checkpoints, &run->engine));
  run->resumed = run->engine != NULL;
  if (!run->engine)
    CW_TRY(cw_engine_create(run->context, run->deck, &run->engine));
  CW_TRY(cw_run_output_create(run->context, run->deck, folder,
                              run->resumed ? &checkpoints->info : NULL, &run->output));
  CW_TRY(cw_run_checkpoints_begin(checkpoints, run->resumed));
  run->first.total_energy = checkpoints->info.first_energy;
  run->max_charge_error = checkpoints->info.max_charge_error;
  if (arguments->quiet)
    return CW_OK;
  if (run->resumed)
    fprintf(stderr, "%s: resumed at step %lld of %lld from %s\n", arguments->command,
            (long long)checkpoints->info.step, (long long)run->deck->steps, checkpoints->folder);
  if (*cw_run_output_aside(run->output))
    fprintf(stderr, "%s: the results of an earlier run are now in %s\n", arguments->command,
            cw_run_output_aside(run->output));
  return CW_OK;
}

/* Everything before the first step; failures here are the input's. */
static cw_status prepare(run *run, const run_arguments *arguments) {
  CW_TRY(cw_deck_read(run->context, arguments->deck, arguments->overrides.items,
                      arguments->overrides.count, &run->deck));
  const char *folder = arguments->out ? arguments->out : run->deck->simulation.name;
  CW_TRY(cw_run_checkpoints_init(&run->checkpoints, run->context, run->deck, arguments->command,
                                 folder));
  CW_TRY(arguments->resume ? cw_run_checkpoints_check_setup(&run->checkpoints, run->deck)
                           : cw_setup_check(run->context, run->deck));
  cw_cli_show_messages(run->deck->diagnostics.log_level);
  if (arguments->steps)
    run->deck->steps = strtoll(arguments->steps, NULL, 10);
  const cw_deck_where runtime = cw_deck_written(run->deck, "simulation", "runtime");
  if (!arguments->steps && !runtime.line)
    return cw_deck_fail(run->context, run->deck, (cw_deck_where){1, 1},
                        "found no runtime in [simulation]; expected it, or --steps N");
  const int automatic = strcmp(arguments->place.backend, "auto") == 0 && !arguments->place.device;
  CW_TRY(cw_run_settle_backend(run->context, run->deck, automatic));
  return start(run, arguments, folder);
}

static int due(int64_t interval, int64_t step) {
  return interval > 0 && step % interval == 0;
}

static int series_due(const run *run, cw_series series, int64_t step) {
  return due(cw_deck_interval(run->deck, series), step);
}

/* Whether something of this step is written. */
static int output_due(const run *run, int64_t step) {
  int any = due(run->deck->output.stats_interval, step);
  for (int k = 0; k < CW_SERIES_COUNT; k++)
    any |= series_due(run, (cw_series)k, step);
  return any;
}

/* What a checkpoint of this state says of the run. Rows and files that stand only because the run
 * ends here are not counted: an unbroken run would not have them. */
static void note_state(run *run, int64_t step) {
  cw_checkpoint_info *info = &run->checkpoints.info;
  if (due(run->deck->output.stats_interval, step)) {
    info->first_energy = run->first.total_energy;
    info->max_charge_error = run->max_charge_error;
    info->history_bytes = cw_run_output_history_bytes(run->output);
  }
  for (int k = 0; k < CW_SERIES_COUNT; k++)
    if (series_due(run, (cw_series)k, step))
      info->series_step[k] = step;
}

/* History and fields of the state as it stands, where due or at the end. `again`: the state was
 * read from a checkpoint, and what was due at its step is there. */
static cw_status write_state(run *run, int at_end, int again) {
  int64_t step = cw_engine_step_number(run->engine);
  if (at_end || due(run->deck->output.stats_interval, step)) {
    CW_TRY(cw_engine_diagnose(run->engine, &run->last));
    if (step == 0)
      run->first = run->last;
    if (!isfinite(run->last.total_energy) || !isfinite(run->last.charge_error))
      return cw_fail(run->context, CW_ERROR_NUMERIC,
                     "step %lld: found a total energy of %g and a charge error of %g; expected "
                     "finite numbers: the state is lost",
                     (long long)step, run->last.total_energy, run->last.charge_error);
    if (run->last.charge_error > run->max_charge_error)
      run->max_charge_error = run->last.charge_error;
    if (!again || !due(run->deck->output.stats_interval, step))
      CW_TRY(cw_run_output_history(run->output, run->engine, &run->last));
  }
  if (!again)
    CW_TRY(cw_run_output_tracks(run->output, run->engine));
  for (int k = 0; k < CW_SERIES_COUNT; k++) {
    const int now = series_due(run, (cw_series)k, step);
    if (cw_deck_interval(run->deck, (cw_series)k) > 0 && (at_end || now) && !(again && now))
      CW_TRY(cw_run_output_series(run->output, run->engine, (cw_series)k));
  }
  note_state(run, step);
  return CW_OK;
}

/* A checkpoint of the state as it stands, behind what was written of it. */
static cw_status write_checkpoint(run *run) {
  CW_TRY(cw_run_output_sync(run->output));
  return cw_run_checkpoints_write(&run->checkpoints, run->engine);
}

/* A step; where it fails and leaves the state whole, that state is not lost. */
static cw_status take_step(run *run) {
  char message[CW_MESSAGE_SIZE];
  const long long before = (long long)cw_engine_step_number(run->engine);
  cw_status status = cw_engine_step(run->engine);
  if (status == CW_OK || run->deck->checkpoint.keep == 0 || !cw_engine_is_whole(run->engine))
    return status;
  snprintf(message, sizeof message, "%s", cw_context_message(run->context));
  cw_status saved = cw_run_output_sync(run->output);
  if (saved == CW_OK)
    saved = cw_run_checkpoints_write(&run->checkpoints, run->engine);
  if (saved != CW_OK)
    return cw_fail(run->context, status, "%.800s; no checkpoint could be written", message);
  return cw_fail(run->context, status, "%.800s; a checkpoint of step %lld stands in %.150s",
                 message, before, run->checkpoints.folder);
}

static int64_t count_particles(const run *run) {
  int64_t count = 0;
  for (int s = 0; s < run->deck->particles.species_count; s++)
    count += cw_particles_count(cw_engine_particles(run->engine, s));
  return count;
}

static cw_status advance(run *run, cw_progress *progress) {
  const int64_t interval = cw_max_i64(run->deck->diagnostics.interval, 1);
  int64_t step = cw_engine_step_number(run->engine);
  if (!run->resumed || step == run->deck->steps)
    CW_TRY(write_state(run, step == run->deck->steps, run->resumed));
  while (step < run->deck->steps && !run->interrupted) {
    double since = cw_seconds();
    run->particle_steps += count_particles(run);
    CW_TRY(take_step(run));
    step = cw_engine_step_number(run->engine);
    /* Looked at once a step: a signal while the state is written ends the run after the next. */
    run->interrupted = interrupted && step < run->deck->steps;
    const int at_end = step == run->deck->steps || run->interrupted;
    const int checkpoint =
        cw_run_checkpoints_due(&run->checkpoints, run->engine) || run->interrupted;
    if (at_end || checkpoint || output_due(run, step))
      CW_TRY(cw_engine_wait(run->engine)); /* steps are timed, not what is written */
    run->seconds += cw_seconds() - since;
    CW_TRY(write_state(run, at_end, 0));
    if (checkpoint)
      CW_TRY(write_checkpoint(run));
    if (progress && (step % interval == 0 || step == run->deck->steps))
      cw_progress_update(progress, step, count_particles(run));
  }
  return CW_OK;
}

static json_t *summary(const run *run, const char state[65]) {
  double change = run->first.total_energy > 0
                      ? (run->last.total_energy - run->first.total_energy) / run->first.total_energy
                      : 0;
  double per_second = run->seconds > 0 ? (double)run->particle_steps / run->seconds : 0;
  json_t *stages = json_object();
  const double *seconds = cw_engine_stage_seconds(run->engine);
  int stage_count;
  const char *const *stage_names = cw_engine_stages(run->deck, &stage_count);
  for (int k = 0; k < stage_count; k++)
    json_object_set_new(stages, stage_names[k], json_real(seconds[k]));
  return json_pack(
      "{s:s, s:I, s:f, s:b, s:I, s:f, s:f, s:f, s:f, s:s, s:s, s:i, s:s, s:s, s:o, s:s}", "name",
      run->deck->simulation.name, "steps", (json_int_t)cw_engine_step_number(run->engine), "time",
      cw_engine_time(run->engine), "interrupted", run->interrupted, "particles",
      (json_int_t)run->last.particles, "energy_change", change, "charge_error",
      run->max_charge_error, "particles_per_second", per_second, "ns_per_particle",
      per_second > 0 ? 1e9 / per_second : 0, "backend",
      cw_backend_name(cw_context_backend(run->context)), "device", cw_cli_device_name(run->context),
      "threads", cw_context_threads(run->context), "instruction_set",
      cw_isa_name(cw_context_isa(run->context)), "sha256", state, "stage_seconds", stages, "folder",
      cw_run_output_folder(run->output));
}

static int execute(run *run, const run_arguments *arguments) {
  cw_progress progress;
  cw_progress_start(&progress, stderr, cw_engine_step_number(run->engine), run->deck->steps);
  char state[65];
  cw_status status = advance(run, arguments->quiet ? NULL : &progress);
  if (status == CW_OK)
    status = cw_engine_sha256(run->engine, state);
  if (!arguments->quiet)
    cw_progress_end(&progress);
  if (status != CW_OK) {
    cw_cli_error(arguments->command, run->context, status);
    return CW_EXIT_FAILED;
  }
  json_t *table = summary(run, state);
  if (arguments->json) {
    json_dumpf(table, stdout, JSON_INDENT(2));
    printf("\n");
  } else {
    cw_run_summary_print(table, run->deck->algorithms.deposit.enable);
  }
  json_decref(table);
  int unwritten = cw_cli_flush(arguments->command);
  if (!run->interrupted)
    return unwritten;
  fprintf(stderr, "%s: interrupted after step %lld of %lld; what is written is whole%s\n",
          arguments->command, (long long)cw_engine_step_number(run->engine),
          (long long)run->deck->steps,
          run->deck->checkpoint.keep ? "; --resume goes on from here" : "");
  return CW_EXIT_FAILED;
}

static int run_deck(const run_arguments *arguments) {
  run run = {0};
  int64_t steps;
  if (arguments->steps &&
      cw_cli_integer(arguments->command, "--steps", arguments->steps, 0, INT64_MAX, &steps))
    return CW_EXIT_INPUT;
  int result = cw_cli_context(arguments->command, &arguments->place, &run.context);
  if (result)
    return result;
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow: an error to be told, not a death */
  cw_status status = prepare(&run, arguments);
  if (status != CW_OK) {
    cw_cli_error(arguments->command, run.context, status);
    result = CW_EXIT_INPUT;
  } else {
    result = execute(&run, arguments);
  }
  status = cw_run_output_close(run.output);
  if (status != CW_OK && result == CW_EXIT_DONE)
    result = cw_cli_error(arguments->command, run.context, status);
  cw_engine_destroy(run.engine);
  cw_deck_destroy(run.deck);
  cw_context_destroy(run.context);
  return result;
}

int cw_command_run(int argc, char **argv) {
  run_arguments arguments = {.command = argv[0], .place = {.backend = "auto"}};
  int wrong = cw_cli_parse(argv[0], &cw_run_argp, argc, argv, &arguments);
  int result = wrong || arguments.failed ? CW_EXIT_INPUT : run_deck(&arguments);
  cw_cli_overrides_clear(&arguments.overrides);
  return result;
}
