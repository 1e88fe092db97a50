/* cellwise tile-size: the tile edge that suits a device, by the model of tile_model.h. */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <strings.h>

#include <cellwise/cellwise.h>

#include "base/device.h"
#include "cli/command.h"
#include "cli/support.h"
#include "cli/tile_model.h"

typedef struct tile_arguments {
  const char *command, *device, *sums;
  int json, failed;
  int one; /* an option that names a case was given */
  cw_tile_case c;
} tile_arguments;

enum { OPT_DIM = 256, OPT_ORDER, OPT_PRECISION, OPT_DRIFT, OPT_SCRATCH, OPT_PPC, OPT_CELLS };

static const struct argp_option options[] = {
    {"device", 'd', "NAME", 0,
     "A100, H100, H200, MI250X, MI300X, Max1550, or the number of a device here (default 0)", 0},
    {"dim", OPT_DIM, "D", 0, "dimension, 1 to 3 (default 3)", 0},
    {"order", OPT_ORDER, "O", 0, "shape order, 0 to 11 (default 2)", 0},
    {"precision", OPT_PRECISION, "P", 0, "single or double (default single)", 0},
    {"drift", OPT_DRIFT, "N", 0, "cells a particle may be from its tile, 0 to 16 (default 1)", 0},
    {"scratch", OPT_SCRATCH, "S", 0,
     "f32, f64, fixed32 or fixed64 (default: f32 in single precision, f64 in double)", 0},
    {"ppc", OPT_PPC, "N", 0, "particles of a species in a cell (default 32)", 0},
    {"cells", OPT_CELLS, "N", 0,
     "cells along each axis (default 256 in 3D, 2048 in 2D, 4194304 in 1D)", 0},
    {"json", 'j', NULL, 0, "print one JSON document", 0},
    {0}};

static const char *const sums_names[] = {"f32", "f64", "fixed32", "fixed64"};
static const int drifts[] = {0, 1, 2, 4};
enum { SUMS = 4, DRIFTS = 4 };

static int integer(tile_arguments *a, const char *option, const char *text, int64_t low,
                   int64_t high) {
  int64_t value = low;
  a->failed |= cw_cli_integer(a->command, option, text, low, high, &value);
  return (int)value;
}

static void precision(tile_arguments *a, const char *text) {
  a->c.is_double = strcmp(text, "double") == 0;
  if (!a->c.is_double && strcmp(text, "single") != 0)
    a->failed = cw_cli_usage_error(
        a->command, "option --precision: found '%s'; expected single or double", text);
}

static error_t parse(int key, char *value, struct argp_state *state) {
  tile_arguments *a = state->input;
  a->one |= key >= OPT_DIM && key <= OPT_SCRATCH;
  switch (key) {
  case OPT_DIM:
    a->c.dim = integer(a, "--dim", value, 1, 3);
    return 0;
  case OPT_ORDER:
    a->c.order = integer(a, "--order", value, 0, CW_MAX_SHAPE_ORDER);
    return 0;
  case OPT_PRECISION:
    precision(a, value);
    return 0;
  case OPT_DRIFT:
    a->c.drift = integer(a, "--drift", value, 0, 16);
    return 0;
  case OPT_SCRATCH:
    a->sums = value;
    return 0;
  case OPT_PPC:
    a->c.ppc = integer(a, "--ppc", value, 1, 1 << 20);
    return 0;
  case OPT_CELLS:
    a->c.cells = integer(a, "--cells", value, 1, 1 << 30);
    return 0;
  case 'd':
    a->device = value;
    return 0;
  case 'j':
    a->json = 1;
    return 0;
  case ARGP_KEY_ARG:
    cw_cli_usage_error(a->command, "found '%s'; expected no argument", value);
    return EINVAL;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static int choose_sums(tile_arguments *a) {
  a->c.sums = a->c.is_double ? CW_TILE_F64 : CW_TILE_F32;
  if (!a->sums)
    return 0;
  for (int s = 0; s < SUMS; s++)
    if (strcmp(a->sums, sums_names[s]) == 0) {
      a->c.sums = (cw_tile_sums)s;
      if (cw_tile_exists(&a->c))
        return 0;
      return cw_cli_usage_error(
          a->command,
          "option --scratch: found %s in %s precision, %dD, order %d; expected "
          "f32 or fixed64 in single, f64 or fixed64 in double, or fixed32 "
          "in single, 2D or 3D, with order 1 to 3",
          a->sums, a->c.is_double ? "double" : "single", a->c.dim, a->c.order);
    }
  return cw_cli_usage_error(
      a->command, "option --scratch: found '%s'; expected f32, f64, fixed32 or fixed64", a->sums);
}

static int named_device(const tile_arguments *a, cw_tile_device *device) {
  for (int n = 0; n < CW_TILE_DEVICES; n++)
    if (strcasecmp(a->device, cw_tile_devices[n].name) == 0) {
      *device = cw_tile_devices[n];
      return 0;
    }
  return cw_cli_usage_error(a->command,
                            "option --device: found '%s'; expected A100, H100, H200, MI250X, "
                            "MI300X, Max1550 or the number of a device here",
                            a->device);
}

/* The device of that number here. `found` keeps its name. */
static int device_here(const tile_arguments *a, int number, cw_device_properties *found,
                       cw_tile_device *device) {
  cw_context *context = NULL;
  int failed = cw_cli_context(a->command, &(cw_cli_place){0}, &context);
  if (failed)
    return failed;
  if (cw_device_describe(context, number, found) != CW_OK)
    failed = cw_cli_usage_error(a->command, "%s; expected --device NAME, such as --device H200",
                                cw_context_message(context));
  cw_context_destroy(context);
  *device = (cw_tile_device){found->name,
                             found->multiprocessors,
                             found->shared_per_multiprocessor,
                             found->shared_per_block,
                             found->shared_reserved_per_block,
                             found->threads_per_multiprocessor,
                             found->blocks_per_multiprocessor,
                             found->registers_per_multiprocessor};
  return failed;
}

static int find_device(const tile_arguments *a, cw_device_properties *found,
                       cw_tile_device *device) {
  int64_t number = 0;
  if (a->device && strspn(a->device, "0123456789") != strlen(a->device))
    return named_device(a, device);
  if (a->device && cw_cli_integer(a->command, "--device", a->device, 0, 1023, &number))
    return CW_EXIT_INPUT;
  return device_here(a, (int)number, found, device);
}

static double default_cells(int dim) {
  return dim == 3 ? 256 : dim == 2 ? 2048 : 4194304;
}

static json_t *device_json(const cw_tile_device *device) {
  return json_pack(
      "{s:s, s:i, s:I, s:I, s:i, s:i}", "name", device->name, "multiprocessors", device->units,
      "shared_memory_per_multiprocessor", (json_int_t)device->shared_a_unit,
      "shared_memory_per_team", (json_int_t)device->shared_a_team, "threads_per_multiprocessor",
      device->threads_a_unit, "registers_per_multiprocessor", device->registers_a_unit);
}

static json_t *case_json(const cw_tile_case *c) {
  return json_pack("{s:i, s:i, s:s, s:s, s:i, s:f, s:f}", "dim", c->dim, "order", c->order,
                   "precision", c->is_double ? "double" : "single", "scratch", sums_names[c->sums],
                   "drift", c->drift, "ppc", c->ppc, "cells", c->cells);
}

static json_t *plan_json(const cw_tile_plan *p) {
  return json_pack("{s:i, s:i, s:I, s:I, s:i, s:i, s:f, s:f, s:f, s:o}", "tile", p->tile,
                   "components", p->components, "scratch_bytes", (json_int_t)p->scratch,
                   "team_bytes", (json_int_t)p->arena, "team_size", p->threads,
                   "teams_per_multiprocessor", p->teams, "halo_waste", p->halo_waste, "contention",
                   p->contention, "idle", p->idle, "cycles_per_particle",
                   p->teams ? json_real(p->total) : json_null());
}

static void print_plans(const cw_tile_device *device, const cw_tile_case *c,
                        const cw_tile_plan plans[CW_TILE_SIZES], int best, const char *why) {
  printf("%s: %d multiprocessors, %zu KB of shared memory each\n", device->name, device->units,
         device->shared_a_unit / 1024);
  printf("%dD, order %d, %s precision, scratch %s, drift %d, %g particles a cell, %g cells an "
         "axis\n\n",
         c->dim, c->order, c->is_double ? "double" : "single", sums_names[c->sums], c->drift,
         c->ppc, c->cells);
  printf(
      "tile  scratch bytes  team bytes  team size  teams an SM  halo waste  contention   cost\n");
  for (int n = 0; n < CW_TILE_SIZES; n++) {
    const cw_tile_plan *p = &plans[n];
    printf("%4d %14zu %11zu %10d %12d %9.0f %% %11.2f", p->tile, p->scratch, p->arena, p->threads,
           p->teams, 100 * p->halo_waste, p->contention);
    if (p->teams)
      printf(" %6.2f%s%s\n", p->total / plans[best].total, n == best ? "  <" : "",
             p->components == 1 ? "  one component at a time" : "");
    else
      printf("      -\n");
  }
  if (best >= 0)
    printf("\nrecommended: tiled_deposit_tile_size = %d\n%s\n", plans[best].tile, why);
  else
    printf("\nrecommended: none, tiled_deposit = false\n%s\n", why);
}

static void one_case(const tile_arguments *a, const cw_tile_device *device) {
  cw_tile_plan plans[CW_TILE_SIZES];
  char why[400];
  const int best = cw_tile_recommend(device, &a->c, plans);
  cw_tile_reason(plans, best, why, sizeof why);
  if (!a->json) {
    print_plans(device, &a->c, plans, best, why);
    return;
  }
  json_t *tiles = json_array();
  for (int n = 0; n < CW_TILE_SIZES; n++)
    json_array_append_new(tiles, plan_json(&plans[n]));
  json_t *document = json_pack("{s:o, s:o, s:o, s:o, s:s}", "device", device_json(device), "case",
                               case_json(&a->c), "tiles", tiles, "recommended",
                               best < 0 ? json_null() : json_integer(plans[best].tile), "why", why);
  json_dumpf(document, stdout, JSON_INDENT(2));
  printf("\n");
  json_decref(document);
}

/* The recommended edge; 0: none fits. */
static int recommended(const cw_tile_device *device, const cw_tile_case *c) {
  cw_tile_plan plans[CW_TILE_SIZES];
  const int best = cw_tile_recommend(device, c, plans);
  return best < 0 ? 0 : plans[best].tile;
}

/* Precision and sums of the columns of the table of all cases. */
static const struct {
  int is_double;
  cw_tile_sums sums;
} columns[] = {{0, CW_TILE_F32},
               {0, CW_TILE_FIXED32},
               {0, CW_TILE_FIXED64},
               {1, CW_TILE_F64},
               {1, CW_TILE_FIXED64}};
enum { COLUMNS = (int)(sizeof columns / sizeof *columns) };

static void row_of(const tile_arguments *a, const cw_tile_device *device, int dim, int order,
                   json_t *list) {
  if (!a->json)
    printf("%2dD %5d ", dim, order);
  for (int k = 0; k < COLUMNS; k++) {
    char text[32] = "";
    for (int d = 0; d < DRIFTS; d++) {
      const cw_tile_case c = {dim,
                              order,
                              drifts[d],
                              columns[k].is_double,
                              columns[k].sums,
                              a->c.ppc,
                              a->c.cells > 0 ? a->c.cells : default_cells(dim)};
      if (!cw_tile_exists(&c))
        continue;
      const int tile = recommended(device, &c);
      json_t *entry = case_json(&c);
      json_object_set_new(entry, "recommended", tile ? json_integer(tile) : json_null());
      json_array_append_new(list, entry);
      const size_t used = strlen(text);
      snprintf(text + used, sizeof text - used, tile ? "%s%d" : "%s-", d ? " " : "", tile);
    }
    if (!a->json)
      printf("  %-14s", text);
  }
  if (!a->json)
    printf("\n");
}

static void every_case(const tile_arguments *a, const cw_tile_device *device) {
  json_t *list = json_array();
  if (!a->json)
    printf("%s: recommended tile edges for drift 0 1 2 4, %g particles a cell\n(-: none fits; "
           "fixed32 exists in 2D and 3D for orders 1 to 3)\n\n"
           "dim order   %-14s  %-14s  %-14s  %-14s  %s\n",
           device->name, a->c.ppc, "single f32", "fixed32", "fixed64", "double f64", "fixed64");
  for (int dim = 1; dim <= 3; dim++)
    for (int order = 0; order <= CW_MAX_SHAPE_ORDER; order++)
      row_of(a, device, dim, order, list);
  if (a->json) {
    json_t *document =
        json_pack("{s:o, s:O}", "device", device_json(device), "recommendations", list);
    json_dumpf(document, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(document);
  } else {
    printf("\n`%s --dim 3 --order 2` tells why.\n", a->command);
  }
  json_decref(list);
}

const struct argp cw_tile_size_argp = {
    options,
    parse,
    "",
    "Recommend the edge of the deposit's tiles for a device, weighing what fits in its shared "
    "memory, the halo's share and contention. Without options that name a case: every "
    "dimension, order, precision and drift.\vExample:\n"
    "  cellwise tile-size --device H200 --dim 3 --order 2 --precision single --drift 1",
    NULL,
    NULL,
    NULL};

int cw_command_tile_size(int argc, char **argv) {
  tile_arguments a = {.command = argv[0], .c = {.dim = 3, .order = 2, .drift = 1, .ppc = 32}};
  if (cw_cli_parse(argv[0], &cw_tile_size_argp, argc, argv, &a) || a.failed || choose_sums(&a))
    return CW_EXIT_INPUT;
  cw_tile_device device = {0};
  cw_device_properties found = {0};
  const int failed = find_device(&a, &found, &device);
  if (failed)
    return failed;
  if (a.one) {
    a.c.cells = a.c.cells > 0 ? a.c.cells : default_cells(a.c.dim);
    one_case(&a, &device);
  } else {
    every_case(&a, &device);
  }
  return cw_cli_flush(argv[0]);
}
