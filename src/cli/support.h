/* What the commands share: contexts, errors, numbers and overrides from the command line. */
#ifndef CW_CLI_SUPPORT_H
#define CW_CLI_SUPPORT_H

#include <argp.h>

#include "deck/deck.h"

enum { CW_EXIT_DONE = 0, CW_EXIT_FAILED = 1, CW_EXIT_INPUT = 2 };

/* Exit status for a failure of the library. */
int cw_cli_exit_status(cw_status status);
/* Prints "COMMAND: error: MESSAGE" on stderr, COMMAND as in "cellwise run", and returns the exit
 * status. `context` may be NULL: then the status' own text is printed. */
int cw_cli_error(const char *command, const cw_context *context, cw_status status);
/* The same for a mistake on the command line: returns 2. */
int cw_cli_usage_error(const char *command, const char *format, ...) CW_PRINTF(2, 3);

/* argp_parse, with every mistake told as one line "COMMAND: error: ..." (an unknown option with the
 * nearest known one). Returns 0 or 2; --help and --usage end the process as argp does. The parser
 * prints its own mistakes with cw_cli_usage_error and returns EINVAL. */
int cw_cli_parse(const char *command, const struct argp *argp, int argc, char **argv, void *input);
/* Flushes stdout; 0, or 1 with the message printed where what was printed did not get out. */
int cw_cli_flush(const char *command);

/* Where to compute, as the command line has it; NULL: not given. */
typedef struct cw_cli_place {
  const char *backend; /* NULL: the CPU */
  const char *device;  /* its number; asks for the device, as backend cuda does */
  const char *threads;
} cw_cli_place;
/* Creates a context on that place; logs warnings to stderr. Returns 0 or an exit status, having
 * printed why. */
int cw_cli_context(const char *command, const cw_cli_place *place, cw_context **context);
/* The name of the context's device, or "cpu". */
const char *cw_cli_device_name(const cw_context *context);

/* The least important messages of the library that go to stderr; warnings at the start. */
void cw_cli_show_messages(cw_log_level least);

/* Parses a whole number in [low, high] or a real number; 0 on success, else 2 with the message
 * printed ("option --threads: found 'x'; expected ..."). */
int cw_cli_integer(const char *command, const char *option, const char *text, int64_t low,
                   int64_t high, int64_t *value);
int cw_cli_real(const char *command, const char *option, const char *text, double low, double high,
                double *value);

/* KEY=VALUE arguments of --set, in order. Zero-initialise; free with cw_cli_overrides_clear. */
typedef struct cw_cli_overrides {
  cw_deck_override *items;
  int count;
} cw_cli_overrides;
int cw_cli_overrides_add(const char *command, cw_cli_overrides *overrides, const char *argument);
void cw_cli_overrides_clear(cw_cli_overrides *overrides);

#endif
