#include "cli/support.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int cw_cli_exit_status(cw_status status) {
  switch (status) {
  case CW_OK:
    return CW_EXIT_DONE;
  case CW_ERROR_ARGUMENT:
  case CW_ERROR_INPUT:
  case CW_ERROR_FORMAT:
  case CW_ERROR_UNSUPPORTED:
    return CW_EXIT_INPUT;
  default:
    return CW_EXIT_FAILED;
  }
}

int cw_cli_error(const char *command, const cw_context *context, cw_status status) {
  const char *message = context ? cw_context_message(context) : "";
  fprintf(stderr, "%s: error: %s\n", command, *message ? message : cw_status_text(status));
  return cw_cli_exit_status(status);
}

int cw_cli_usage_error(const char *command, const char *format, ...) {
  va_list arguments;
  fprintf(stderr, "%s: error: ", command);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, "\n");
  return CW_EXIT_INPUT;
}

static void log_to_stderr(void *user, cw_log_level level, const char *message) {
  static const char *const names[] = {"error", "warning", "note", "debug"};
  if (level <= CW_LOG_WARNING)
    fprintf(stderr, "%s: %s: %s\n", (const char *)user, names[level], message);
}

int cw_cli_context(const char *command, const char *backend, const char *threads,
                   cw_context **context) {
  static const char *const names[] = {"auto", "cpu", "cuda"};
  cw_context_options options = {.log = log_to_stderr, .log_user = (void *)(uintptr_t)command};
  int known = !backend;
  for (int b = 0; backend && b < 3; b++)
    if (strcmp(backend, names[b]) == 0)
      options.backend = (cw_backend)b, known = 1;
  if (!known)
    return cw_cli_usage_error(command, "option --backend: found '%s'; expected auto, cpu or cuda",
                              backend);
  int64_t count = 0;
  if (threads && cw_cli_integer(command, "--threads", threads, 1, 4096, &count))
    return CW_EXIT_INPUT;
  options.threads = (int)count;
  char message[512];
  cw_status status = cw_context_create(&options, context, message, sizeof message);
  if (status == CW_OK)
    return 0;
  cw_cli_usage_error(command, "%s", message);
  return cw_cli_exit_status(status);
}

int cw_cli_integer(const char *command, const char *option, const char *text, int64_t low,
                   int64_t high, int64_t *value) {
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (end == text || *end || errno || number < low || number > high)
    return cw_cli_usage_error(command,
                              "option %s: found '%s'; expected a whole number from %lld to %lld",
                              option, text, (long long)low, (long long)high);
  *value = number;
  return 0;
}

int cw_cli_real(const char *command, const char *option, const char *text, double low, double high,
                double *value) {
  char *end;
  double number = strtod(text, &end);
  if (end == text || *end || !(number >= low && number <= high))
    return cw_cli_usage_error(command, "option %s: found '%s'; expected a number from %g to %g",
                              option, text, low, high);
  *value = number;
  return 0;
}

int cw_cli_overrides_add(const char *command, cw_cli_overrides *overrides, const char *argument) {
  const char *equals = strchr(argument, '=');
  if (!equals || equals == argument)
    return cw_cli_usage_error(command,
                              "option --set: found '%s'; expected KEY=VALUE, such as "
                              "particles.ppc0=32",
                              argument);
  size_t size = (size_t)overrides->count + 1;
  cw_deck_override *items = realloc(overrides->items, size * sizeof *items);
  char *key = items ? strdup(argument) : NULL;
  if (items)
    overrides->items = items;
  if (!key)
    return cw_cli_usage_error(command, "not enough memory for option --set");
  key[equals - argument] = 0;
  items[overrides->count++] = (cw_deck_override){key, key + (equals - argument) + 1};
  return 0;
}

void cw_cli_overrides_clear(cw_cli_overrides *overrides) {
  for (int k = 0; k < overrides->count; k++)
    free((void *)(uintptr_t)overrides->items[k].key);
  free(overrides->items);
  *overrides = (cw_cli_overrides){0};
}
