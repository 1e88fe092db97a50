/* cellwise info: what this binary is and what it can use here. */
#include <argp.h>
#include <jansson.h>
#include <stdlib.h>

#include <cellwise/cellwise.h>

#include "base/isa_compiled.h"
#include "cli/command.h"
#include "cli/support.h"

static error_t parse(int key, char *argument, struct argp_state *state) {
  (void)argument;
  switch (key) {
  case 'j':
    *(int *)state->input = 1;
    return 0;
  case ARGP_KEY_ARG:
    argp_error(state, "found '%s'; expected no argument", argument);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static json_t *describe(const cw_context *context) {
  json_t *sets = json_array();
  cw_isa here = cw_context_isa(context);
  for (cw_isa isa = CW_ISA_BASE; isa <= here; isa++) {
    const cw_isa_compiled *compiled = CW_ISA_SELECT(cw_isa_compiled_ops, isa);
    json_array_append_new(sets, json_pack("{s:s, s:i, s:b}", "name", cw_isa_name(isa),
                                          "vector_bits", compiled->vector_bits,
                                          "fused_multiply_add", compiled->fused_multiply_add));
  }
  return json_pack("{s:s, s:s, s:s, s:[s], s:s, s:o, s:i, s:f}", "version", cw_version(), "commit",
                   cw_commit(), "build", cw_build_options(), "backends", "cpu", "instruction_set",
                   cw_isa_name(here), "instruction_sets", sets, "threads",
                   cw_context_threads(context), "memory_available_MB",
                   (double)cw_memory_available(context, CW_SPACE_HOST) / 1048576.0);
}

int cw_command_info(int argc, char **argv) {
  static const struct argp_option options[] = {{"json", 'j', NULL, 0, "print one JSON document", 0},
                                               {0}};
  static const struct argp argp = {
      options,
      parse,
      "",
      "Print version, commit, build options, backends and instruction sets.\v"
      "Example:\n  cellwise info --json",
      NULL,
      NULL,
      NULL};
  int as_json = 0;
  argp_err_exit_status = CW_EXIT_INPUT;
  argp_parse(&argp, argc, argv, 0, NULL, &as_json);
  cw_context *context = NULL;
  int failed = cw_cli_context(argv[0], NULL, NULL, &context);
  if (failed)
    return failed;
  json_t *info = describe(context);
  if (as_json) {
    json_dumpf(info, stdout, JSON_INDENT(2));
    printf("\n");
  } else {
    printf("cellwise %s (commit %s)\nbuild:            %s\nbackends:         cpu\n", cw_version(),
           cw_commit(), cw_build_options());
    printf("instruction set:  %s (CELLWISE_ISA forces base, avx2 or avx512)\n",
           cw_isa_name(cw_context_isa(context)));
    printf("threads:          %d\nmemory available: %.0f MB\n", cw_context_threads(context),
           (double)cw_memory_available(context, CW_SPACE_HOST) / 1048576.0);
  }
  json_decref(info);
  cw_context_destroy(context);
  return CW_EXIT_DONE;
}
