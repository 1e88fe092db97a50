/* cellwise coordination: a PLUMED input over a trajectory. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/coordination_json.h"
#include "cli/progress.h"
#include "cli/support.h"
#include "molecular/virtual.h"

typedef struct coordination_arguments {
  const char *command, *input, *trajectory, *format, *backend, *threads, *box, *length_units;
  const char *timestep, *stride, *initial_step, *every, *precision, *folder, *masses, *mass_file;
  int json, derivatives, explain, quiet;
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
  KEY_PRECISION
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
    {"traj", 'T', "FILE", 0, "trajectory: xyz (plain or extended), gro, pdb, dcd", 0},
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
    {"explain", KEY_EXPLAIN, NULL, 0, "say which atoms, cells and pairs were taken", 0},
    {"precision", KEY_PRECISION, "NAME", 0, "single or double (default double)", 0},
    {"backend", 'b', "NAME", 0, "auto, cpu or cuda (default auto)", 0},
    {"threads", 't', "N", 0, "CPU threads (default: all)", 0},
    {"quiet", 'q', NULL, 0, "no progress", 0},
    {0}};

static const struct argp argp = {
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
  int64_t stride, initial_step, every;
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

static cw_status read_masses_pdb(job *job, const char *path, double *mass) {
  cw_trajectory *structure = NULL;
  int more = 0;
  CW_TRY(cw_trajectory_open(job->context, path, "pdb", NULL, &structure));
  cw_status status = cw_trajectory_next(structure, &more);
  if (status == CW_OK && (!more || structure->frame.atoms != job->input.atoms))
    status =
        cw_fail(job->context, CW_ERROR_INPUT, "%s has %lld atoms, but the trajectory has %lld",
                path, more ? (long long)structure->frame.atoms : 0LL, (long long)job->input.atoms);
  if (status == CW_OK)
    memcpy(mass, structure->frame.mass, (size_t)job->input.atoms * sizeof *mass);
  cw_trajectory_close(structure);
  return status;
}

static cw_status read_masses_table(job *job, const char *path, double *mass) {
  cw_lines lines;
  int more = 1;
  CW_TRY(cw_lines_open(job->context, path, &lines));
  cw_status status = CW_OK;
  while (status == CW_OK) {
    double n[3];
    status = cw_lines_next(&lines, &more);
    if (status != CW_OK || !more)
      break;
    const char *text = lines.text + strspn(lines.text, " \t");
    if (*text == '#' || *text == '\0')
      continue;
    int count = cw_lines_numbers(text, 3, n, NULL);
    if (count < 2 || n[0] != floor(n[0]) || n[0] < 0 || n[0] >= (double)job->input.atoms)
      status = cw_lines_fail(&lines, "an atom's index (from 0), mass and charge are expected");
    else
      mass[(int64_t)n[0]] = n[1];
  }
  cw_lines_close(&lines);
  return status;
}

static cw_status find_masses(job *job) {
  double *mass = NULL;
  const coordination_arguments *a = job->arguments;
  CW_TRY(cw_memory_alloc(job->context, CW_SPACE_HOST, (size_t)job->input.atoms, sizeof *mass,
                         "masses", (void **)&mass));
  cw_status status = CW_OK;
  if (job->trajectory->frame.mass)
    memcpy(mass, job->trajectory->frame.mass, (size_t)job->input.atoms * sizeof *mass);
  if (a->masses)
    status = read_masses_pdb(job, a->masses, mass);
  if (status == CW_OK && a->mass_file)
    status = read_masses_table(job, a->mass_file, mass);
  if (status == CW_OK)
    status = cw_virtual_masses(&job->input, mass);
  cw_memory_free(job->context, CW_SPACE_HOST, mass);
  return status;
}

/* Reads the first frame, which tells the number of atoms, and then the input. */
static cw_status prepare(job *job, int *more) {
  const coordination_arguments *a = job->arguments;
  cw_box box;
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
  CW_TRY(find_masses(job));
  if (a->explain)
    cw_coordination_explain_input(stderr, &job->input, job->input.length);
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

static cw_status run_frames(job *job, int more, cw_progress *progress) {
  const coordination_arguments *a = job->arguments;
  cw_status status = CW_OK;
  int64_t frame = 0, done = 0;
  while (more && status == CW_OK && !interrupted) {
    int64_t step = job->initial_step + frame * job->stride;
    if (frame++ % job->every == 0) {
      CW_TRY(cw_analysis_frame(job->analysis, &job->trajectory->frame, step));
      if (a->json)
        cw_coordination_json_frame(stdout, job->analysis, &job->input, step, done == 0);
      else if (job->input.output_count == 0)
        print_values(job, step, done == 0);
      if (a->explain)
        cw_coordination_explain_frame(stderr, job->analysis, &job->input, step);
      done++;
      if (!a->quiet && !a->explain)
        show(progress, frame, job->input.atoms);
    }
    status = cw_trajectory_next(job->trajectory, &more);
  }
  if (status == CW_OK && interrupted)
    status = cw_fail(job->context, CW_ERROR_INTERRUPTED, "interrupted after %lld frames",
                     (long long)done);
  if (status == CW_OK && !a->json && job->input.output_count)
    printf("%lld frames of %lld atoms\n", (long long)done, (long long)job->input.atoms);
  return status;
}

static cw_status run(job *job) {
  int more = 0;
  cw_progress progress;
  cw_status status = prepare(job, &more);
  if (status == CW_OK) {
    cw_progress_start(&progress, stderr, estimate_frames(job));
    if (job->arguments->json)
      cw_coordination_json_begin(stdout);
    status = run_frames(job, more, &progress);
    if (job->arguments->json)
      cw_coordination_json_end(stdout);
    cw_progress_end(&progress);
  }
  cw_status closed = cw_analysis_destroy(job->analysis);
  if (status == CW_OK)
    status = closed;
  return status;
}

static int read_options(job *job) {
  const coordination_arguments *a = job->arguments;
  const char *command = a->command;
  int bad = 0;
  job->stride = job->every = 1;
  job->options.timestep = 1;
  job->options.derivatives = a->derivatives;
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
  if (cw_cli_parse(argv[0], &argp, argc, argv, &arguments) || read_options(&job))
    return CW_EXIT_INPUT;
  int failed = cw_cli_context(argv[0], arguments.backend, arguments.threads, &job.context);
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
  cw_input_clear(&job.input);
  cw_trajectory_close(job.trajectory);
  cw_context_destroy(job.context);
  return exit_status;
}
