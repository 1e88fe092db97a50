/* cellwise coordination: a PLUMED input over a trajectory. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/coordination_hdf5.h"
#include "cli/coordination_json.h"
#include "cli/coordination_masses.h"
#include "cli/coordination_run.h"
#include "cli/progress.h"
#include "cli/support.h"

typedef struct coordination_arguments {
  const char *command, *input, *trajectory, *format, *backend, *threads, *box, *length_units;
  const char *timestep, *stride, *initial_step, *every, *precision, *folder, *masses, *mass_file;
  const char *per_atom, *histogram, *bin_width;
  int json, derivatives, explain, quiet, resume;
} coordination_arguments;

enum {
  KEY_LENGTH_UNITS = 1000,
  KEY_TIMESTEP,
  KEY_STRIDE,
  KEY_INITIAL_STEP,
  KEY_EVERY,
  KEY_BOX,
  KEY_PDB,
  KEY_MC,
  KEY_EXPLAIN,
  KEY_PRECISION,
  KEY_PER_ATOM,
  KEY_HISTOGRAM,
  KEY_BIN_WIDTH,
  KEY_RESUME
};

static error_t parse(int key, char *value, struct argp_state *state) {
  coordination_arguments *a = state->input;
  switch (key) {
  case 'T':
    a->trajectory = value;
    return 0;
  case 'f':
    a->format = value;
    return 0;
  case 'b':
    a->backend = value;
    return 0;
  case 't':
    a->threads = value;
    return 0;
  case 'o':
    a->folder = value;
    return 0;
  case 'd':
    a->derivatives = 1;
    return 0;
  case 'j':
    a->json = 1;
    return 0;
  case 'q':
    a->quiet = 1;
    return 0;
  case KEY_LENGTH_UNITS:
    a->length_units = value;
    return 0;
  case KEY_TIMESTEP:
    a->timestep = value;
    return 0;
  case KEY_STRIDE:
    a->stride = value;
    return 0;
  case KEY_INITIAL_STEP:
    a->initial_step = value;
    return 0;
  case KEY_EVERY:
    a->every = value;
    return 0;
  case KEY_BOX:
    a->box = value;
    return 0;
  case KEY_PDB:
    a->masses = value;
    return 0;
  case KEY_MC:
    a->mass_file = value;
    return 0;
  case KEY_EXPLAIN:
    a->explain = 1;
    return 0;
  case KEY_PRECISION:
    a->precision = value;
    return 0;
  case KEY_PER_ATOM:
    a->per_atom = value;
    return 0;
  case KEY_HISTOGRAM:
    a->histogram = value;
    return 0;
  case KEY_BIN_WIDTH:
    a->bin_width = value;
    return 0;
  case KEY_RESUME:
    a->resume = 1;
    return 0;
  case ARGP_KEY_ARG:
    if (a->input) {
      cw_cli_usage_error(a->command, "found a second input '%s'; expected one", value);
      return EINVAL;
    }
    a->input = value;
    return 0;
  case ARGP_KEY_END:
    if (a->input && a->trajectory)
      return 0;
    cw_cli_usage_error(a->command, a->input ? "no trajectory was given; expected --traj FILE"
                                            : "no input was given; expected INPUT.dat");
    return EINVAL;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"traj", 'T', "FILE", 0, "trajectory: xyz (plain or extended), gro, pdb, dcd, xtc, trr", 0},
    {"format", 'f', "NAME", 0, "its format, where the ending of its name does not tell", 0},
    {"derivatives", 'd', NULL, 0, "compute derivatives for every atom and the box", 0},
    {"json", 'j', NULL, 0, "print one JSON document with every frame", 0},
    {"out", 'o', "DIR", 0, "folder of the files that PRINT writes (default: here)", 0},
    {"length-units", KEY_LENGTH_UNITS, "UNIT", 0,
     "length unit of the trajectory: nm, A, um, Bohr or a number of nm", 0},
    {"box", KEY_BOX, "NUMBERS", 0, "3 or 9 numbers with commas, instead of the file's boxes", 0},
    {"timestep", KEY_TIMESTEP, "PS", 0, "time of a step (default 1)", 0},
    {"stride", KEY_STRIDE, "N", 0, "steps between frames (default 1)", 0},
    {"trajectory-stride", KEY_STRIDE, "N", OPTION_ALIAS, NULL, 0},
    {"initial-step", KEY_INITIAL_STEP, "N", 0, "step of the first frame (default 0)", 0},
    {"every", KEY_EVERY, "N", 0, "take only each N-th frame", 0},
    {"pdb", KEY_PDB, "FILE", 0, "masses from the occupancy column of a structure", 0},
    {"mc", KEY_MC, "FILE", 0, "masses from rows of: index from 0, mass, charge", 0},
    {"resume", KEY_RESUME, NULL, 0, "go on behind the last whole record of the files", 0},
    {"per-atom", KEY_PER_ATOM, "FILE.h5", 0, "coordination of each entry of GROUPA, each frame", 0},
    {"histogram", KEY_HISTOGRAM, "FILE.h5", 0, "histogram of it over entries and frames", 0},
    {"bin-width", KEY_BIN_WIDTH, "W", 0, "width of the histogram's bins (default 0.1)", 0},
    {"explain", KEY_EXPLAIN, NULL, 0, "say which atoms, cells and pairs were taken", 0},
    {"precision", KEY_PRECISION, "NAME", 0, "single or double (default double)", 0},
    {"backend", 'b', "NAME", 0, "auto, cpu or cuda (default cpu)", 0},
    {"threads", 't', "N", 0, "CPU threads (default: all)", 0},
    {"quiet", 'q', NULL, 0, "no progress", 0},
    {0}};

const struct argp cw_coordination_argp = {
    options,
    parse,
    "INPUT.dat",
    "Compute the coordination numbers that a PLUMED input defines for each frame of a trajectory."
    "\vExample:\n  cellwise coordination plumed.dat --traj run.xyz --derivatives --json\n\n"
    "Exit status: 0 done, 1 failed or interrupted while running, 2 bad input.",
    NULL,
    NULL,
    NULL};

static volatile sig_atomic_t interrupted;

static void on_signal(int signal) {
  (void)signal;
  interrupted = 1;
}

typedef struct job {
  cw_context *context;
  const coordination_arguments *arguments;
  cw_trajectory *trajectory;
  cw_input input;
  cw_analysis *analysis;
  cw_analysis_options options;
  cw_atoms_file *per_atom, *histogram;
  cw_progress progress;
  double bin_width;
  int64_t stride, initial_step, every;
  int reading; /* the input's files: one that is missing is bad input */
} job;

static cw_status read_box(job *job, const char *text, cw_box *box) {
  double n[10];
  char copy[512];
  snprintf(copy, sizeof copy, "%s", text);
  for (char *at = copy; *at; at++)
    if (*at == ',')
      *at = ' ';
  int count = cw_lines_numbers(copy, 10, n, NULL);
  memset(box, 0, sizeof *box);
  if (count != 3 && count != 9)
    return cw_fail(job->context, CW_ERROR_INPUT,
                   "option --box: found '%s'; expected 3 or 9 numbers", text);
  for (int k = 0; k < count; k++)
    box->vectors[count == 3 ? k : k / 3][count == 3 ? k : k % 3] = n[k];
  return CW_OK;
}

/* Reads the first frame, which tells the number of atoms, and then the input. */
static cw_status prepare(job *job, int *more) {
  const coordination_arguments *a = job->arguments;
  cw_box box;
  job->reading = 1;
  if (a->box)
    CW_TRY(read_box(job, a->box, &box));
  CW_TRY(cw_trajectory_open(job->context, a->trajectory, a->format, a->box ? &box : NULL,
                            &job->trajectory));
  job->options.file_length = job->trajectory->format->length;
  if (a->length_units)
    CW_TRY(cw_input_length_unit(job->context, a->length_units, &job->options.file_length));
  CW_TRY(cw_trajectory_next(job->trajectory, more));
  if (!*more)
    return cw_fail(job->context, CW_ERROR_FORMAT, "%s: the trajectory has no frame", a->trajectory);
  CW_TRY(cw_input_read(job->context, a->input, job->trajectory->frame.atoms, &job->input));
  CW_TRY(cw_coordination_masses(&job->input, &job->trajectory->frame, a->masses, a->mass_file));
  if (a->explain)
    cw_coordination_explain_input(stderr, &job->input, job->input.length);
  job->reading = 0;
  return cw_analysis_create(&job->input, &job->options, &job->analysis);
}

/* Values on standard output, for inputs that print nothing themselves. */
static void print_values(const job *job, int64_t step, int first) {
  for (int k = 0; first && k < job->input.variable_count; k++)
    printf("%s%s", k ? " " : "#! FIELDS time ", cw_analysis_get(job->analysis, k).label);
  printf("%s %f", first ? "\n" : "", cw_analysis_time(job->analysis, step));
  for (int k = 0; k < job->input.variable_count; k++)
    printf(" %.10g", cw_analysis_get(job->analysis, k).value);
  printf("\n");
}

/* Frames in the file, from its size and that of the first frame; 0 where that cannot be told. */
static int64_t estimate_frames(const job *job) {
  FILE *file = job->trajectory->lines.file;
  struct stat about;
  long first = ftell(file);
  if (first <= 0 || fstat(fileno(file), &about) != 0 || about.st_size < first)
    return 0;
  return (about.st_size + first / 2) / first;
}

/* Nothing is shown of a run that is over in seconds, unless somebody is watching. */
static void show(cw_progress *progress, int64_t frame, int64_t atoms) {
  if (progress->total > 1 && (progress->terminal || cw_seconds() - progress->started > 10))
    cw_progress_update(progress, frame, atoms);
}

static cw_status open_atoms_files(job *job) {
  const coordination_arguments *a = job->arguments;
  cw_atoms_file_options options = {
      .input_path = a->input, .trajectory = a->trajectory, .bin_width = job->bin_width};
  options.path = a->per_atom;
  if (a->per_atom)
    CW_TRY(cw_atoms_file_create(&job->input, &options, &job->per_atom));
  options.path = a->histogram;
  options.histogram = 1;
  return a->histogram ? cw_atoms_file_create(&job->input, &options, &job->histogram) : CW_OK;
}

static cw_status after_frame(void *user, int64_t step, int64_t done, int64_t read) {
  job *job = user;
  const coordination_arguments *a = job->arguments;
  if (a->json)
    cw_coordination_json_frame(stdout, job->analysis, &job->input, step, done == 1);
  else if (job->input.output_count == 0)
    print_values(job, step, done == 1);
  if (a->explain)
    cw_coordination_explain_frame(stderr, job->analysis, &job->input, step);
  if (job->per_atom)
    CW_TRY(cw_atoms_file_frame(job->per_atom, job->analysis, step));
  if (job->histogram)
    CW_TRY(cw_atoms_file_frame(job->histogram, job->analysis, step));
  if (!a->quiet && !a->explain)
    show(&job->progress, read, job->input.atoms);
  return CW_OK;
}

static cw_status run_frames(job *job) {
  cw_coordination_run run = {.trajectory = job->trajectory,
                             .input = &job->input,
                             .analysis = job->analysis,
                             .stride = job->stride,
                             .initial_step = job->initial_step,
                             .every = job->every,
                             .interrupted = &interrupted,
                             .after = after_frame,
                             .user = job};
  cw_progress_start(&job->progress, stderr, 0, estimate_frames(job));
  if (job->arguments->json)
    cw_coordination_json_begin(stdout);
  cw_status status = cw_coordination_run_frames(&run);
  if (job->arguments->json)
    cw_coordination_json_end(stdout);
  cw_progress_end(&job->progress);
  if (status == CW_OK && !job->arguments->json && job->input.output_count)
    printf("%lld frames of %lld atoms\n", (long long)run.done, (long long)job->input.atoms);
  return status;
}

static cw_status run(job *job) {
  int more = 0;
  cw_status status = prepare(job, &more);
  if (status == CW_OK)
    status = open_atoms_files(job);
  if (status == CW_OK)
    status = run_frames(job);
  cw_status closed[3] = {cw_analysis_destroy(job->analysis),
                         cw_atoms_file_close(job->per_atom, status == CW_OK),
                         cw_atoms_file_close(job->histogram, status == CW_OK)};
  for (int k = 0; k < 3 && status == CW_OK; k++)
    status = closed[k];
  return status;
}

static int read_options(job *job) {
  const coordination_arguments *a = job->arguments;
  const char *command = a->command;
  int bad = 0;
  job->stride = job->every = 1;
  job->options.timestep = 1;
  job->options.derivatives = a->derivatives;
  job->options.entry_values = a->per_atom || a->histogram;
  job->options.resume = a->resume;
  job->bin_width = 0.1;
  job->options.folder = a->folder;
  job->options.standard_output = a->json ? stderr : stdout;
  if (a->stride)
    bad |= cw_cli_integer(command, "--stride", a->stride, 1, INT32_MAX, &job->stride);
  if (a->every)
    bad |= cw_cli_integer(command, "--every", a->every, 1, INT32_MAX, &job->every);
  if (a->initial_step)
    bad |= cw_cli_integer(command, "--initial-step", a->initial_step, 0, INT64_MAX / 4,
                          &job->initial_step);
  if (a->timestep)
    bad |= cw_cli_real(command, "--timestep", a->timestep, 1e-30, 1e30, &job->options.timestep);
  if (a->bin_width)
    bad |= cw_cli_real(command, "--bin-width", a->bin_width, 1e-12, 1e12, &job->bin_width);
  if (a->resume && a->json)
    bad |= cw_cli_usage_error(command, "option --resume: it goes with files, not with --json");
  if (a->bin_width && !a->histogram)
    bad |= cw_cli_usage_error(command, "option --bin-width: found no --histogram to use it");
  if (a->precision && strcmp(a->precision, "single") == 0)
    job->options.all_single = 1;
  else if (a->precision && strcmp(a->precision, "double") != 0)
    bad |= cw_cli_usage_error(command, "option --precision: found '%s'; expected single or double",
                              a->precision);
  return bad;
}

int cw_command_coordination(int argc, char **argv) {
  coordination_arguments arguments = {.command = argv[0]};
  job job = {.arguments = &arguments};
  if (cw_cli_parse(argv[0], &cw_coordination_argp, argc, argv, &arguments) || read_options(&job))
    return CW_EXIT_INPUT;
  const cw_cli_place place = {.backend = arguments.backend, .threads = arguments.threads};
  int failed = cw_cli_context(argv[0], &place, &job.context);
  if (failed)
    return failed;
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  job.input.context = job.context;
  cw_status status = run(&job);
  int exit_status =
      status == CW_OK ? cw_cli_flush(argv[0]) : cw_cli_error(argv[0], job.context, status);
  if (status == CW_ERROR_IO && job.reading)
    exit_status = CW_EXIT_INPUT;
  cw_input_clear(&job.input);
  cw_trajectory_close(job.trajectory);
  cw_context_destroy(job.context);
  return exit_status;
}
