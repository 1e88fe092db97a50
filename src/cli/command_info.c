/* cellwise info: what this binary is and what it can use here. */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include <cellwise/cellwise.h>

#include "base/amx.h"
#include "base/device.h"
#include "base/isa_compiled.h"
#include "cli/command.h"
#include "cli/support.h"

typedef struct info_arguments {
  const char *command;
  int as_json;
} info_arguments;

static error_t parse(int key, char *argument, struct argp_state *state) {
  info_arguments *given = state->input;
  switch (key) {
  case 'j':
    given->as_json = 1;
    return 0;
  case ARGP_KEY_ARG:
    cw_cli_usage_error(given->command, "found '%s'; expected no argument", argument);
    return EINVAL;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static json_t *describe_device(const cw_device_properties *device, const cw_device_entry *entry) {
  char capability[32], why[256];
  const int unusable = cw_device_unusable(entry, why, sizeof why);
  snprintf(capability, sizeof capability, "%d.%d", device->compute_major, device->compute_minor);
  return json_pack(
      "{s:i, s:s, s:b, s:s, s:s, s:i, s:I, s:I, s:I, s:f, s:f}", "number", entry->number, "name",
      device->name, "usable", !unusable, "note", why, "compute_capability", capability,
      "multiprocessors", device->multiprocessors, "shared_memory_per_block",
      (json_int_t)device->shared_per_block, "shared_memory_per_multiprocessor",
      (json_int_t)device->shared_per_multiprocessor, "l2_bytes", (json_int_t)device->l2_bytes,
      "memory_MB", (double)device->memory_total / 1048576.0, "memory_free_MB",
      (double)entry->memory_free / 1048576.0);
}

/* Every device; `reason` receives why there is none. */
static json_t *list_devices(cw_context *context, const char **reason) {
  json_t *devices = json_array();
  int count = 0;
  *reason = "";
  if (cw_device_count(context, &count) != CW_OK)
    *reason = cw_context_message(context);
  for (int number = 0; number < count; number++) {
    cw_device_properties found;
    cw_device_entry entry;
    if (cw_device_describe(context, number, &found) == CW_OK &&
        cw_device_probe(context, number, 1, &entry) == CW_OK) {
      json_array_append_new(devices, describe_device(&found, &entry));
      cw_device_unprobe(&entry);
    } else {
      *reason = cw_context_message(context);
    }
  }
  return devices;
}

static void print_devices(const json_t *devices, const char *reason) {
  size_t index;
  const json_t *device;
  json_array_foreach(devices, index, device) {
    printf(
        "device %zu:         %s, compute capability %s, %d multiprocessors, %.0f of %.0f MB free, "
        "%.0f KB of shared memory a block\n",
        index, json_string_value(json_object_get(device, "name")),
        json_string_value(json_object_get(device, "compute_capability")),
        (int)json_integer_value(json_object_get(device, "multiprocessors")),
        json_real_value(json_object_get(device, "memory_free_MB")),
        json_real_value(json_object_get(device, "memory_MB")),
        (double)json_integer_value(json_object_get(device, "shared_memory_per_block")) / 1024);
    if (!json_is_true(json_object_get(device, "usable")))
      printf("                  can't be used: %s\n",
             json_string_value(json_object_get(device, "note")));
  }
  if (*reason)
    printf("devices:          %s: %s\n", index ? "not all can be read" : "none", reason);
}

static json_t *describe(cw_context *context) {
  json_t *sets = json_array();
  cw_isa here = cw_context_isa(context);
  for (cw_isa isa = CW_ISA_BASE; isa <= here; isa++) {
    const cw_isa_compiled *compiled = CW_ISA_SELECT(cw_isa_compiled_ops, isa);
    json_array_append_new(sets, json_pack("{s:s, s:i, s:b}", "name", cw_isa_name(isa),
                                          "vector_bits", compiled->vector_bits,
                                          "fused_multiply_add", compiled->fused_multiply_add));
  }
  const char *reason;
  json_t *devices = list_devices(context, &reason), *backends = json_array();
  json_array_append_new(backends, json_string("cpu"));
  if (json_array_size(devices))
    json_array_append_new(backends, json_string("cuda"));
  const char *missing = cw_amx_missing(context);
  return json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:s, s:s, s:o, s:b, s:s, s:i, s:f}", "version",
                   cw_version(), "commit", cw_commit(), "build", cw_build_options(), "backends",
                   backends, "backend_chosen", cw_backend_name(cw_context_backend(context)),
                   "devices", devices, "devices_note", reason, "instruction_set", cw_isa_name(here),
                   "instruction_sets", sets, "amx", !missing, "amx_note", missing ? missing : "",
                   "threads", cw_context_threads(context), "memory_available_MB",
                   (double)cw_memory_available(context, CW_SPACE_HOST) / 1048576.0);
}

static const struct argp_option options[] = {{"json", 'j', NULL, 0, "print one JSON document", 0},
                                             {0}};

const struct argp cw_info_argp = {
    options,
    parse,
    "",
    "Print version, commit, build options, backends, devices and instruction sets.\v"
    "Example:\n  cellwise info --json",
    NULL,
    NULL,
    NULL};

int cw_command_info(int argc, char **argv) {
  info_arguments given = {.command = argv[0]};
  if (cw_cli_parse(argv[0], &cw_info_argp, argc, argv, &given))
    return CW_EXIT_INPUT;
  cw_context *context = NULL;
  const cw_cli_place best = {.backend = "auto"};
  int failed = cw_cli_context(argv[0], &best, &context);
  if (failed)
    return failed;
  json_t *info = describe(context);
  if (given.as_json) {
    json_dumpf(info, stdout, JSON_INDENT(2));
    printf("\n");
  } else {
    const json_t *devices = json_object_get(info, "devices");
    printf("cellwise %s (commit %s)\nbuild:            %s\nbackends:         cpu%s\n", cw_version(),
           cw_commit(), cw_build_options(), json_array_size(devices) ? ", cuda" : "");
    print_devices(devices, json_string_value(json_object_get(info, "devices_note")));
    printf("instruction set:  %s (CELLWISE_ISA forces base, avx2 or avx512)\n",
           cw_isa_name(cw_context_isa(context)));
    printf("matrix unit:      %s\n", json_is_true(json_object_get(info, "amx"))
                                         ? "AMX: tiles of bf16"
                                         : json_string_value(json_object_get(info, "amx_note")));
    printf("threads:          %d\nmemory available: %.0f MB\n", cw_context_threads(context),
           (double)cw_memory_available(context, CW_SPACE_HOST) / 1048576.0);
  }
  json_decref(info);
  cw_context_destroy(context);
  return cw_cli_flush(argv[0]);
}
