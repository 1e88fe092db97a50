#include "cli/support.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/context_private.h"
#include "base/device.h"

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

/* The option whose long name is, or alone begins with, the first `length` characters of `name`. */
static const struct argp_option *find_long(const struct argp_option *options, const char *name,
                                           size_t length) {
  const struct argp_option *found = NULL;
  int count = 0;
  for (const struct argp_option *option = options; option->name; option++) {
    if (strncmp(option->name, name, length) != 0)
      continue;
    if (option->name[length] == '\0')
      return option;
    found = option;
    count++;
  }
  return count == 1 ? found : NULL;
}

static const struct argp_option *find_short(const struct argp_option *options, char letter) {
  for (const struct argp_option *option = options; option->name; option++)
    if (option->key == letter)
      return option;
  return NULL;
}

static int unknown_long(const char *command, const struct argp_option *options, const char *word,
                        size_t length) {
  enum { MOST = 64 };
  const char *names[MOST];
  char name[80];
  int count = 0;
  for (const struct argp_option *option = options; option->name && count < MOST; option++)
    names[count++] = option->name;
  snprintf(name, sizeof name, "%.*s", (int)cw_min_i64((int64_t)length, 64), word);
  const char *near = cw_deck_nearest(name + 2, names, count);
  return cw_cli_usage_error(
      command, "found unknown option '%s'; expected one that `%s --help` lists%s%s%s", name,
      command, near ? ", such as '--" : "", near ? near : "", near ? "'" : "");
}

/* Steps over the value in the word behind an option that takes one. */
static int check_value(const char *command, const struct argp_option *option, char **argv,
                       int *at) {
  *at += 1;
  if (argv[*at])
    return 0;
  return cw_cli_usage_error(command, "option --%s: found no value; expected %s", option->name,
                            option->arg);
}

static int check_long(const char *command, const struct argp_option *options, char **argv,
                      int *at) {
  const char *word = argv[*at];
  size_t length = strcspn(word, "=");
  const struct argp_option *option = find_long(options, word + 2, length - 2);
  if (!option)
    return unknown_long(command, options, word, length);
  if (option->arg)
    return word[length] ? 0 : check_value(command, option, argv, at);
  if (!word[length])
    return 0;
  return cw_cli_usage_error(command, "option --%s: found '%s'; expected no value", option->name,
                            word + length + 1);
}

/* A word of letters: "-q", "-qj", "-t2". */
static int check_short(const char *command, const struct argp_option *options, char **argv,
                       int *at) {
  for (const char *letter = argv[*at] + 1; *letter; letter++) {
    const struct argp_option *option = find_short(options, *letter);
    if (!option)
      return cw_cli_usage_error(command,
                                "found unknown option '-%c'; expected one that `%s --help` lists",
                                *letter, command);
    if (option->arg)
      return letter[1] ? 0 : check_value(command, option, argv, at);
  }
  return 0;
}

/* getopt words and prints its messages itself: what it would refuse is refused here first. */
int cw_cli_parse(const char *command, const struct argp *argp, int argc, char **argv, void *input) {
  for (int k = 1; k < argc; k++) {
    const char *word = argv[k];
    if (strcmp(word, "--") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "--usage") == 0 ||
        strcmp(word, "-?") == 0)
      break;
    if (word[0] != '-' || !word[1])
      continue;
    int wrong = word[1] == '-' ? check_long(command, argp->options, argv, &k)
                               : check_short(command, argp->options, argv, &k);
    if (wrong)
      return CW_EXIT_INPUT;
  }
  return argp_parse(argp, argc, argv, 0, NULL, input) ? CW_EXIT_INPUT : 0;
}

int cw_cli_flush(const char *command) {
  if (fflush(stdout) == 0 && !ferror(stdout))
    return CW_EXIT_DONE;
  fprintf(stderr, "%s: error: standard output could not be written\n", command);
  return CW_EXIT_FAILED;
}

static cw_log_level least_shown = CW_LOG_WARNING;

void cw_cli_show_messages(cw_log_level least) {
  least_shown = least;
}

static void log_to_stderr(void *user, cw_log_level level, const char *message) {
  static const char *const names[] = {"error", "warning", "note", "debug"};
  if (level <= least_shown)
    fprintf(stderr, "%s: %s: %s\n", (const char *)user, names[level], message);
}

static int choose_backend(const char *command, const cw_cli_place *place,
                          cw_context_options *options) {
  static const char *const names[] = {"auto", "cpu", "cuda"};
  const char *wanted = place->backend ? place->backend : place->device ? "cuda" : "cpu";
  int64_t number = 0;
  int known = 0;
  for (int b = 0; b < 3; b++)
    if (strcmp(wanted, names[b]) == 0)
      options->backend = (cw_backend)b, known = 1;
  if (!known)
    return cw_cli_usage_error(command, "option --backend: found '%s'; expected auto, cpu or cuda",
                              wanted);
  if (!place->device)
    return 0;
  if (cw_cli_integer(command, "--device", place->device, 0, INT32_MAX, &number))
    return CW_EXIT_INPUT;
  if (options->backend == CW_BACKEND_CPU)
    return cw_cli_usage_error(command,
                              "option --device: found %s with the backend cpu; expected "
                              "it with cuda or auto",
                              place->device);
  options->backend = CW_BACKEND_CUDA;
  options->device = (int)number;
  options->only_device = 1;
  return 0;
}

int cw_cli_context(const char *command, const cw_cli_place *place, cw_context **context) {
  cw_context_options options = {.log = log_to_stderr, .log_user = (void *)(uintptr_t)command};
  int64_t count = 0;
  if (choose_backend(command, place, &options))
    return CW_EXIT_INPUT;
  if (place->threads && cw_cli_integer(command, "--threads", place->threads, 1, 4096, &count))
    return CW_EXIT_INPUT;
  options.threads = (int)count;
  char message[CW_MESSAGE_SIZE];
  cw_status status = cw_context_create(&options, context, message, sizeof message);
  if (status == CW_OK)
    return 0;
  cw_cli_usage_error(command, "%s", message);
  return cw_cli_exit_status(status);
}

const char *cw_cli_device_name(const cw_context *context) {
  const cw_device_properties *device = cw_device_opened(context);
  return device ? device->name : "cpu";
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
