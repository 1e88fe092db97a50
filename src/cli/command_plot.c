/* cellwise plot: PNG pictures of a run's folder. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <cellwise/cellwise.h>

#include "cli/command.h"
#include "cli/support.h"
#include "output/plot.h"

typedef struct arguments {
  const char *command, *folder, *quantity, *step, *output;
  int lines, as_json;
} arguments;

static error_t parse(int key, char *argument, struct argp_state *state) {
  arguments *given = state->input;
  switch (key) {
  case 'q':
    given->quantity = argument;
    return 0;
  case 's':
    given->step = argument;
    return 0;
  case 'o':
    given->output = argument;
    return 0;
  case 'l':
    given->lines = 1;
    return 0;
  case 'j':
    given->as_json = 1;
    return 0;
  case ARGP_KEY_ARG:
    if (given->folder) {
      cw_cli_usage_error(given->command, "found '%s'; expected one folder", argument);
      return EINVAL;
    }
    given->folder = argument;
    return 0;
  case ARGP_KEY_END:
    if (!given->folder) {
      cw_cli_usage_error(given->command, "found no folder; expected the output folder of a run");
      return EINVAL;
    }
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* FOLDER/overview.png or FOLDER/QUANTITY.png, with the step if it was asked for. */
static int default_name(const char *command, const arguments *given, int64_t step, char *name,
                        size_t size) {
  char stem[128], suffix[32] = "";
  snprintf(stem, sizeof stem, "%s", given->quantity ? given->quantity : "overview");
  for (char *c = stem; *c; c++)
    if (strchr("/|\\ ", *c))
      *c = '_';
  if (step >= 0)
    snprintf(suffix, sizeof suffix, "_%08" PRId64, step);
  int length = snprintf(name, size, "%s/%s%s.png", given->folder, stem, suffix);
  if (length < 0 || (size_t)length >= size)
    return cw_cli_usage_error(command, "the folder's name is too long");
  return 0;
}

static int print_json(const arguments *given, const char *png, const cw_plot_result *shown) {
  json_t *result = json_pack("{s:s, s:s, s:f}", "file", png, "quantity",
                             given->quantity ? given->quantity : "overview", "time", shown->time);
  json_object_set_new(result, "step", shown->step < 0 ? json_null() : json_integer(shown->step));
  json_object_set_new(result, "minimum", json_real(shown->minimum));
  json_object_set_new(result, "maximum", json_real(shown->maximum));
  int failed = json_dumpf(result, stdout, JSON_INDENT(2));
  printf("\n");
  json_decref(result);
  return failed ? CW_EXIT_FAILED : CW_EXIT_DONE;
}

static int draw(const char *command, const arguments *given) {
  int64_t step = -1;
  char made[4096];
  cw_context *context = NULL;
  cw_plot_result shown;
  int failed = 0;
  if (given->step)
    failed = cw_cli_integer(command, "--step", given->step, 0, INT64_MAX, &step);
  if (!failed && !given->output)
    failed = default_name(command, given, step, made, sizeof made);
  if (!failed)
    failed = cw_cli_context(command, &(cw_cli_place){0}, &context);
  if (failed)
    return failed;
  const char *png = given->output ? given->output : made;
  cw_status status =
      !given->quantity ? cw_plot_overview_at(context, given->folder, step, png, &shown)
      : given->lines
          ? cw_plot_quantity_lines(context, given->folder, given->quantity, step, png, &shown)
          : cw_plot_quantity(context, given->folder, given->quantity, step, png, &shown);
  if (status != CW_OK)
    failed = cw_cli_error(command, context, status);
  else if (given->as_json)
    failed = print_json(given, png, &shown);
  else
    printf("wrote %s\n", png);
  cw_context_destroy(context);
  return failed;
}

static const struct argp_option options[] = {
    {"quantity", 'q', "Q", 0,
     "what to draw: Bz, |B|, rho, density_LABEL, N, Txx_LABEL, energy, spectrum, phase, "
     "phase_x_ux_LABEL, track, ... (default: an overview)",
     0},
    {"step", 's', "N", 0, "step of the field file (default: the last)", 0},
    {"output", 'o', "FILE.png", 0, "the picture (default: in DIR, named after what it shows)", 0},
    {"lines", 'l', NULL, 0,
     "draw magnetic field lines over the quantity (in 3D in the middle plane of x and y); an "
     "overview has them anyway",
     0},
    {"json", 'j', NULL, 0, "print one JSON document", 0},
    {0}};

const struct argp cw_plot_argp = {
    options,
    parse,
    "DIR",
    "Draw a run's output folder as a PNG picture: field maps and the energy history.\v"
    "Examples:\n"
    "  cellwise plot reconnection\n"
    "  cellwise plot reconnection --quantity Jz --step 400 --output jz.png\n"
    "  cellwise plot ecsim_gem --quantity density_ions --lines",
    NULL,
    NULL,
    NULL};

int cw_command_plot(int argc, char **argv) {
  arguments given = {.command = argv[0]};
  if (cw_cli_parse(argv[0], &cw_plot_argp, argc, argv, &given))
    return CW_EXIT_INPUT;
  return draw(argv[0], &given);
}
