/* cellwise bench: every variant of a kernel on the same data in one run. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/bench.h"
#include "cli/command.h"
#include "cli/support.h"

typedef struct bench_arguments {
  const char *command, *kernel;
  cw_cli_place place;
  int json, failed;
  cw_bench_case c;
} bench_arguments;

enum {
  OPT_DIM = 256,
  OPT_ORDER,
  OPT_PRECISION,
  OPT_CELLS,
  OPT_PPC,
  OPT_TILE,
  OPT_DRIFT,
  OPT_TEAM,
  OPT_SORT,
  OPT_DEAD,
  OPT_TAIL,
  OPT_TEMPERATURE,
  OPT_BULK,
  OPT_CFL,
  OPT_REPEATS,
  OPT_SEED,
  OPT_ATOMS,
  OPT_R_0,
  OPT_D_MAX,
  OPT_ONLY,
  OPT_DECK
};

static const struct argp_option options[] = {
    {"dim", OPT_DIM, "D", 0, "dimension, 1 to 3 (default 3)", 0},
    {"order", OPT_ORDER, "O", 0, "shape order, 0 to 11 (default 2)", 0},
    {"precision", OPT_PRECISION, "P", 0, "single or double (default single)", 0},
    {"cells", OPT_CELLS, "N", 0, "cells along each axis (default 32 in 3D, 256 in 2D)", 0},
    {"ppc", OPT_PPC, "N", 0, "particles a cell (default 64)", 0},
    {"tile", OPT_TILE, "T", 0, "tile edge: 4, 6, 8, 10, 12, 14 or 16 (default 8)", 0},
    {"drift", OPT_DRIFT, "N", 0, "cells a particle may be from its tile, 0 to 4 (default 1)", 0},
    {"team-size", OPT_TEAM, "N", 0, "threads a team on a device (default 0: by occupancy)", 0},
    {"sort-interval", OPT_SORT, "N[,N...]", 0,
     "steps between sorts in `step`, up to 8 numbers; since the sort in `deposit`, one "
     "(default 1); 0: never sorted",
     0},
    {"dead", OPT_DEAD, "SHARE", 0, "of the slots in `deposit` that died since the sort (default 0)",
     0},
    {"tail", OPT_TAIL, "SHARE", 0,
     "of the slots in `deposit` that were appended since the sort (default 0)", 0},
    {"temperature", OPT_TEMPERATURE, "T", 0, "thermal spread of u (default 0.1)", 0},
    {"bulk", OPT_BULK, "U", 0, "drift of u along x (default 0)", 0},
    {"cfl", OPT_CFL, "C", 0, "CFL number (default 0.5)", 0},
    {"repeats", OPT_REPEATS, "N", 0, "timed runs, at least 7 (default 7)", 0},
    {"seed", OPT_SEED, "N", 0, "of the random numbers (default 1)", 0},
    {"atoms", OPT_ATOMS, "N", 0, "atoms of `coordination` (default 50000)", 0},
    {"r0", OPT_R_0, "R", 0, "length R_0 of `coordination` (default 0.2)", 0},
    {"dmax", OPT_D_MAX, "R", 0, "length D_MAX of `coordination` (default 0.5)", 0},
    {"only", OPT_ONLY, "TEXT", 0, "variants of `massmatrix` or `step` whose names contain TEXT", 0},
    {"deck", OPT_DECK, "FILE", 0,
     "`step` of this deck's engine and problem (ecsim: in every pipeline), whose error is the "
     "change of the total energy",
     0},
    {"backend", 'b', "NAME", 0,
     "auto, cpu or cuda (default auto: a device if there is one and the kernel has variants for "
     "it)",
     0},
    {"device", 'd', "N", 0, "number of the device, as `cellwise info` lists them; implies cuda", 0},
    {"threads", 't', "N", 0, "CPU threads (default: all)", 0},
    {"json", 'j', NULL, 0, "print one JSON document", 0},
    {0}};

static int integer(bench_arguments *arguments, const char *option, const char *text, int64_t low,
                   int64_t high) {
  int64_t value = low;
  arguments->failed |= cw_cli_integer(arguments->command, option, text, low, high, &value);
  return (int)value;
}

static double real(bench_arguments *arguments, const char *option, const char *text, double low,
                   double high) {
  double value = low;
  arguments->failed |= cw_cli_real(arguments->command, option, text, low, high, &value);
  return value;
}

/* Numbers parted by commas. */
static void sort_intervals(bench_arguments *arguments, const char *value) {
  enum { MOST = (int)(sizeof arguments->c.sort_intervals / sizeof(int)), LONGEST = 16 };
  int count = 0;
  for (const char *from = value; from; count++) {
    char one[LONGEST];
    const char *comma = strchr(from, ',');
    const size_t length = comma ? (size_t)(comma - from) : strlen(from);
    if (count == MOST || length >= LONGEST) {
      arguments->failed |= cw_cli_usage_error(
          arguments->command, "option --sort-interval: found '%s'; expected 1 to %d numbers", value,
          MOST);
      return;
    }
    memcpy(one, from, length);
    one[length] = 0;
    arguments->c.sort_intervals[count] = integer(arguments, "--sort-interval", one, 0, 1000);
    from = comma ? comma + 1 : NULL;
  }
  arguments->c.sort_interval_count = count;
  arguments->c.sort_interval = arguments->c.sort_intervals[0];
}

static error_t parse(int key, char *value, struct argp_state *state) {
  bench_arguments *a = state->input;
  switch (key) {
  case OPT_DIM:
    a->c.dim = integer(a, "--dim", value, 1, 3);
    return 0;
  case OPT_ORDER:
    a->c.order = integer(a, "--order", value, 0, CW_MAX_SHAPE_ORDER);
    return 0;
  case OPT_CELLS:
    a->c.cells[0] = integer(a, "--cells", value, 1, 1 << 24);
    return 0;
  case OPT_PPC:
    a->c.ppc = integer(a, "--ppc", value, 1, 1 << 20);
    return 0;
  case OPT_TILE:
    a->c.tile = integer(a, "--tile", value, 4, 16);
    return 0;
  case OPT_DRIFT:
    a->c.drift = integer(a, "--drift", value, 0, 4);
    return 0;
  case OPT_TEAM:
    a->c.team_size = integer(a, "--team-size", value, 0, 1024);
    return 0;
  case OPT_SORT:
    sort_intervals(a, value);
    return 0;
  case OPT_DEAD:
    a->c.dead = real(a, "--dead", value, 0, 0.99);
    return 0;
  case OPT_TAIL:
    a->c.tail = real(a, "--tail", value, 0, 0.99);
    return 0;
  case OPT_TEMPERATURE:
    a->c.temperature = real(a, "--temperature", value, 0, 100);
    return 0;
  case OPT_BULK:
    a->c.bulk = real(a, "--bulk", value, -1e4, 1e4);
    return 0;
  case OPT_CFL:
    a->c.cfl = real(a, "--cfl", value, 1e-3, 1);
    return 0;
  case OPT_REPEATS:
    a->c.repeats = integer(a, "--repeats", value, 7, 1000);
    return 0;
  case OPT_SEED:
    a->c.seed = (uint32_t)integer(a, "--seed", value, 0, INT32_MAX);
    return 0;
  case OPT_ATOMS:
    a->c.atoms = integer(a, "--atoms", value, 1, 1 << 28);
    return 0;
  case OPT_R_0:
    a->c.r_0 = real(a, "--r0", value, 1e-3, 1e3);
    return 0;
  case OPT_D_MAX:
    a->c.d_max = real(a, "--dmax", value, 1e-3, 1e3);
    return 0;
  case OPT_ONLY:
    a->c.only = value;
    return 0;
  case OPT_DECK:
    a->c.deck = value;
    return 0;
  case OPT_PRECISION:
    if (strcmp(value, "single") == 0)
      a->c.precision = CW_SINGLE;
    else if (strcmp(value, "double") == 0)
      a->c.precision = CW_DOUBLE;
    else
      a->failed |= cw_cli_usage_error(a->command,
                                      "option --precision: found '%s'; expected "
                                      "single or double",
                                      value);
    return 0;
  case 'b':
    a->place.backend = value;
    return 0;
  case 'd':
    a->place.device = value;
    return 0;
  case 't':
    a->place.threads = value;
    return 0;
  case 'j':
    a->json = 1;
    return 0;
  case ARGP_KEY_ARG:
    if (a->kernel) {
      cw_cli_usage_error(a->command, "found a second kernel '%s'; expected one", value);
      return EINVAL;
    }
    a->kernel = value;
    return 0;
  case ARGP_KEY_NO_ARGS:
    cw_cli_usage_error(
        a->command,
        "no kernel was named; expected deposit, tiles, sort, step, coordination or massmatrix");
    return EINVAL;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct {
  const char *name;
  cw_bench_kernel *run;
  int on_device; /* 1: has variants for --backend cuda */
} kernels[] = {{"deposit", cw_bench_deposit, 1},
               {"tiles", cw_bench_tiles, 1},
               {"sort", cw_bench_sort, 1},
               {"step", cw_bench_step, 1},
               {"massmatrix", cw_bench_massmatrix, 1},
               {"coordination", cw_bench_coordination, 1}};
enum { KERNELS = (int)(sizeof kernels / sizeof *kernels) };

/* `coordination` has atoms where the others have particles in cells. */
static int has_atoms(const char *kernel) {
  return strcmp(kernel, "coordination") == 0;
}

static json_t *case_json(const char *kernel, const cw_bench_case *c, const cw_context *context) {
  if (c->deck)
    return json_pack("{s:s, s:i, s:s, s:i}", "deck", c->deck, "threads",
                     cw_context_threads(context), "instruction_set",
                     cw_isa_name(cw_context_isa(context)), "repeats", c->repeats);
  if (has_atoms(kernel))
    return json_pack("{s:i, s:f, s:f, s:s, s:i, s:s, s:i}", "atoms", c->atoms, "r_0", c->r_0,
                     "d_max", c->d_max, "precision", cw_precision_name(c->precision), "threads",
                     cw_context_threads(context), "instruction_set",
                     cw_isa_name(cw_context_isa(context)), "repeats", c->repeats);
  json_t *cells = json_array();
  for (int a = 0; a < c->dim; a++)
    json_array_append_new(cells, json_integer(c->cells[a]));
  return json_pack(
      "{s:i, s:i, s:s, s:o, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:i, s:s, s:i}", "dim",
      c->dim, "order", c->order, "precision", cw_precision_name(c->precision), "cells", cells,
      "ppc", c->ppc, "tile", c->tile, "drift", c->drift, "sort_interval", c->sort_interval, "dead",
      c->dead, "tail", c->tail, "temperature", c->temperature, "bulk", c->bulk, "cfl", c->cfl,
      "threads", cw_context_threads(context), "instruction_set",
      cw_isa_name(cw_context_isa(context)), "repeats", c->repeats);
}

static void print_table(const char *kernel, const json_t *variants) {
  printf("%-24s %16s %14s  %s\n", kernel, "ns a particle", "max rel. error", "checksum");
  size_t k;
  json_t *row;
  json_array_foreach(variants, k, row) {
    json_t *error = json_object_get(row, "max_rel_err");
    printf("%-24s %16.3f ", json_string_value(json_object_get(row, "name")),
           json_number_value(json_object_get(row, "ns_per_particle")));
    if (json_is_number(error))
      printf("%14.2e", json_number_value(error));
    else
      printf("%14s", json_string_value(error));
    printf("  %s", json_string_value(json_object_get(row, "checksum")));
    json_t *a_pair = json_object_get(row, "ns_per_pair"),
           *a_step = json_object_get(row, "ms_per_step");
    if (a_pair)
      printf("  %.4f ns a pair", json_number_value(a_pair));
    if (a_pair && a_step)
      printf(", %.3f ms a step", json_number_value(a_step));
    printf("\n");
    json_t *stages = json_object_get(row, "stages"), *share;
    const char *name;
    if (stages)
      json_object_foreach(stages, name, share)
          printf("    %-20s %16.3f\n", name, json_number_value(share));
  }
}

/* A case that cannot fit is told before anything is made: some 200 bytes a particle hold its two
 * copies, in double, and what orders them; some 300 an atom its coordinates, the plan and a second
 * one for the check. */
static int check_memory(const bench_arguments *arguments, int atoms, const cw_context *context) {
  double particles = atoms ? arguments->c.atoms : arguments->c.ppc / (1 - arguments->c.tail);
  for (int a = 0; a < arguments->c.dim && !atoms; a++)
    particles *= arguments->c.cells[a];
  double need = (atoms ? 300 : 200) * particles / 1048576;
  double available = (double)cw_memory_available(context, CW_SPACE_HOST) / 1048576;
  if (need <= available)
    return 0;
  return cw_cli_usage_error(arguments->command,
                            "the case of %.4g %s needs about %.0f MB; %.0f MB are available: lower "
                            "%s",
                            particles, atoms ? "atoms" : "particles", need, available,
                            atoms ? "--atoms" : "--cells or --ppc");
}

static int bench(const bench_arguments *arguments, int kernel) {
  cw_context *context = NULL;
  cw_cli_place place = arguments->place;
  if (!place.device && (!place.backend || strcmp(place.backend, "auto") == 0))
    place.backend = kernels[kernel].on_device ? "auto" : "cpu";
  int failed = cw_cli_context(arguments->command, &place, &context);
  if (failed)
    return failed;
  if (cw_context_backend(context) == CW_BACKEND_CUDA && !kernels[kernel].on_device)
    failed = cw_cli_usage_error(arguments->command,
                                "option --backend: found cuda; kernel %s has variants for cpu only",
                                kernels[kernel].name);
  if (failed ||
      (!arguments->c.deck && check_memory(arguments, has_atoms(kernels[kernel].name), context))) {
    cw_context_destroy(context);
    return CW_EXIT_INPUT;
  }
  json_t *variants = json_array();
  cw_status status = kernels[kernel].run(context, &arguments->c, variants);
  if (status != CW_OK) {
    failed = cw_cli_error(arguments->command, context, status);
  } else if (arguments->json) {
    json_t *document = json_pack(
        "{s:s, s:s, s:s, s:o, s:O}", "kernel", kernels[kernel].name, "backend",
        cw_backend_name(cw_context_backend(context)), "device", cw_cli_device_name(context), "case",
        case_json(kernels[kernel].name, &arguments->c, context), "variants", variants);
    json_dumpf(document, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(document);
  } else {
    print_table(kernels[kernel].name, variants);
  }
  json_decref(variants);
  cw_context_destroy(context);
  return failed ? failed : cw_cli_flush(arguments->command);
}

const struct argp cw_bench_argp = {
    options,
    parse,
    "KERNEL",
    "Time every variant of a kernel (deposit, tiles, sort, step, coordination, massmatrix) on the "
    "same data; each is checked against the plain double-precision one.\vExample:\n  cellwise "
    "bench deposit --dim 3 --order 2 --precision single --cells 32 --ppc 64 --tile 8 --threads 1 "
    "--json",
    NULL,
    NULL,
    NULL};

int cw_command_bench(int argc, char **argv) {
  bench_arguments arguments = {.command = argv[0],
                               .c = {.dim = 3,
                                     .order = 2,
                                     .ppc = 64,
                                     .tile = 8,
                                     .drift = 1,
                                     .sort_interval = 1,
                                     .sort_intervals = {1},
                                     .sort_interval_count = 1,
                                     .temperature = 0.1,
                                     .cfl = 0.5,
                                     .repeats = 7,
                                     .seed = 1,
                                     .atoms = 50000,
                                     .r_0 = 0.2,
                                     .d_max = 0.5}};
  int wrong = cw_cli_parse(argv[0], &cw_bench_argp, argc, argv, &arguments);
  if (wrong || arguments.failed)
    return CW_EXIT_INPUT;
  if (arguments.c.sort_interval_count > 1 && strcmp(arguments.kernel, "step") != 0)
    return cw_cli_usage_error(arguments.command,
                              "option --sort-interval: found %d numbers; kernel %s expects one",
                              arguments.c.sort_interval_count, arguments.kernel);
  int32_t cells = arguments.c.cells[0];
  if (cells == 0)
    cells = arguments.c.dim == 3 ? 32 : arguments.c.dim == 2 ? 256 : 4096;
  for (int a = 0; a < 3; a++)
    arguments.c.cells[a] = a < arguments.c.dim ? cells : 1;
  if (arguments.c.deck && strcmp(arguments.kernel, "step") != 0)
    return cw_cli_usage_error(arguments.command,
                              "option --deck: found it with kernel '%s'; expected step",
                              arguments.kernel);
  for (int k = 0; k < KERNELS; k++)
    if (strcmp(arguments.kernel, kernels[k].name) == 0)
      return bench(&arguments, k);
  return cw_cli_usage_error(
      arguments.command,
      "found kernel '%s'; expected deposit, tiles, sort, step, coordination or massmatrix",
      arguments.kernel);
}
