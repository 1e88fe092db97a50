/* cellwise check: is a deck right, what does it resolve to, what will it take? */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context_private.h"
#include "cli/check_report.h"
#include "cli/command.h"
#include "cli/run_backend.h"
#include "cli/support.h"
#include "setup/setup.h"

typedef struct check_arguments {
  const char *command, *deck;
  int json, failed;
  cw_cli_overrides overrides;
} check_arguments;

static error_t parse(int key, char *value, struct argp_state *state) {
  check_arguments *arguments = state->input;
  switch (key) {
  case 's':
    arguments->failed |= cw_cli_overrides_add(arguments->command, &arguments->overrides, value);
    return 0;
  case 'j':
    arguments->json = 1;
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
    {"set", 's', "KEY=VALUE", 0, "override a key of the deck, such as particles.ppc0=32", 0},
    {"json", 'j', NULL, 0, "print one JSON document", 0},
    {0}};

const struct argp cw_check_argp = {
    options,
    parse,
    "DECK.toml",
    "Validate a deck; print it with every default, unit and meaning, then the lengths and times of "
    "its plasma in cells and steps, the memory and the time that it takes (the time by a short run "
    "of a small box like it), and warnings about what would mislead or be slow."
    "\vExample:\n  cellwise check examples/two_stream.toml --set grid.resolution=[256]\n\n"
    "Exit status: 0 the deck can run, 2 it cannot.",
    NULL,
    NULL,
    NULL};

static cw_status check(cw_context *context, const check_arguments *arguments, cw_deck **deck,
                       cw_check_report *report) {
  CW_TRY(cw_deck_read(context, arguments->deck, arguments->overrides.items,
                      arguments->overrides.count, deck));
  CW_TRY(cw_setup_check(context, *deck));
  CW_TRY(cw_engine_estimate(context, *deck, &report->memory));
  cw_check_output_fill(&report->output, *deck, report->memory.particle_count);
  report->checkpoint = report->memory.saved;
  report->available = (double)cw_memory_available(context, CW_SPACE_HOST);
  if (report->memory.total > report->available)
    return cw_run_fail_memory(context, *deck, &report->memory, report->memory.total,
                              report->available, "available");
  cw_check_scales_fill(&report->scales, *deck);
  cw_check_warn(&report->warnings, &report->scales, *deck);
  if (cw_deck_is_state(*deck)) /* whose particles' weights are not known without reading it */
    return CW_OK;
  if (cw_check_time_measure(context, *deck, &report->scales, (double)report->memory.particle_count,
                            &report->time) != CW_OK)
    cw_check_add_warning(&report->warnings, "a short run of a small box like it failed: %s",
                         cw_context_message(context));
  return CW_OK;
}

static int check_deck(const check_arguments *arguments) {
  cw_context *context = NULL;
  cw_deck *deck = NULL;
  cw_check_report report = {0};
  int result = cw_cli_context(arguments->command, &(cw_cli_place){0}, &context);
  if (result)
    return result;
  cw_status status = check(context, arguments, &deck, &report);
  if (status != CW_OK) {
    cw_cli_error(arguments->command, context, status);
    result = CW_EXIT_INPUT;
  } else {
    for (int k = 0; k < report.warnings.count; k++)
      fprintf(stderr, "%s: warning: %s\n", arguments->command, report.warnings.text[k]);
    status = arguments->json ? cw_check_report_json(context, &report, deck, stdout)
                             : cw_check_report_text(context, &report, deck, stdout);
    if (status != CW_OK)
      result = cw_cli_error(arguments->command, context, status);
  }
  cw_deck_destroy(deck);
  cw_context_destroy(context);
  return result;
}

int cw_command_check(int argc, char **argv) {
  check_arguments arguments = {.command = argv[0]};
  int wrong = cw_cli_parse(argv[0], &cw_check_argp, argc, argv, &arguments);
  int result = wrong || arguments.failed ? CW_EXIT_INPUT : check_deck(&arguments);
  cw_cli_overrides_clear(&arguments.overrides);
  return result;
}
