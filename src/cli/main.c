/* cellwise: one program, one table of commands. */
#include <stdio.h>
#include <string.h>

#include <cellwise/version.h>

#include "cli/command.h"

static void usage(FILE *stream) {
  fprintf(stream, "Usage: cellwise COMMAND [OPTION...]\n\nCommands:\n");
  for (const cw_command *command = cw_commands; command->name; command++)
    fprintf(stream, "  %-14s %s\n", command->name, command->text);
  fprintf(stream, "\n`cellwise COMMAND --help` tells more. Example:\n"
                  "  cellwise run examples/reconnection.toml --out reconnection\n");
}

static int unknown(const char *name, const char *near) {
  fprintf(stderr, "cellwise: error: unknown command '%s'%s%s%s; expected one of:", name,
          near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
  for (const cw_command *command = cw_commands; command->name; command++)
    fprintf(stderr, " %s", command->name);
  fprintf(stderr, "\n");
  return 2;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    usage(stderr);
    return 2;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    usage(stdout);
    return 0;
  }
  if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
    printf("cellwise %s\n", cw_version());
    return 0;
  }
  const char *near = NULL;
  const cw_command *command = cw_command_find(argv[1], &near);
  if (!command)
    return unknown(argv[1], near);
  char name[64];
  snprintf(name, sizeof name, "cellwise %s", command->name);
  argv[1] = name;
  return command->run(argc - 1, argv + 1);
}
