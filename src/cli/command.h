/* The program's commands: one file each, one row in the table of commands.c. */
#ifndef CW_CLI_COMMAND_H
#define CW_CLI_COMMAND_H

#include <argp.h>

/* Each parses its own arguments (argp), prints to stdout, messages to stderr, and returns the exit
 * status: 0 done, 1 failed while running, 2 bad input. Only main.c ends the process. argv[0] is
 * "cellwise NAME". */
typedef struct cw_command {
  const char *name, *text;
  int (*run)(int argc, char **argv);
  const struct argp *argp; /* options and help: what --help and the manual page are made from */
} cw_command;

/* All commands, ending with a NULL name. */
extern const cw_command cw_commands[];
/* NULL if there is none of that name; *near (`near` may be NULL) is then the nearest name, or NULL. */
const cw_command *cw_command_find(const char *name, const char **near);

#define CW_COMMAND(name)                                                                           \
  int cw_command_##name(int argc, char **argv);                                                    \
  extern const struct argp cw_##name##_argp
CW_COMMAND(run);
CW_COMMAND(check);
CW_COMMAND(keys);
CW_COMMAND(plot);
CW_COMMAND(bench);
CW_COMMAND(info);
CW_COMMAND(coordination);
CW_COMMAND(tile_size);
CW_COMMAND(man);

#endif
