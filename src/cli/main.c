/* cellwise: one program, one table of commands. */
#include <stdio.h>
#include <string.h>

#include <cellwise/version.h>

#include "cli/command.h"
#include "deck/deck.h"

typedef struct command {
  const char *name, *text;
  int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"run", "run the simulation of a deck", cw_command_run},
    {"check", "validate a deck and print it with every default", cw_command_check},
    {"keys", "list the deck's keys", cw_command_keys},
    {"plot", "draw pictures of a run's results", cw_command_plot},
    {"coordination", "coordination numbers over a trajectory", cw_command_coordination},
    {"bench", "time every variant of a kernel on the same data", cw_command_bench},
    {"tile-size", "recommend the deposit's tile edge for a device", cw_command_tile_size},
    {"info", "version, build, instruction sets, devices", cw_command_info},
};
enum { COMMANDS = (int)(sizeof commands / sizeof *commands) };

static void usage(FILE *stream) {
  fprintf(stream, "Usage: cellwise COMMAND [OPTION...]\n\nCommands:\n");
  for (int c = 0; c < COMMANDS; c++)
    fprintf(stream, "  %-14s %s\n", commands[c].name, commands[c].text);
  fprintf(stream, "\n`cellwise COMMAND --help` tells more. Example:\n"
                  "  cellwise run examples/reconnection.toml --out reconnection\n");
}

static int unknown(const char *name) {
  const char *names[COMMANDS];
  for (int c = 0; c < COMMANDS; c++)
    names[c] = commands[c].name;
  const char *near = cw_deck_nearest(name, names, COMMANDS);
  fprintf(stderr, "cellwise: error: unknown command '%s'%s%s%s; expected one of:", name,
          near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
  for (int c = 0; c < COMMANDS; c++)
    fprintf(stderr, " %s", names[c]);
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
  for (int c = 0; c < COMMANDS; c++)
    if (strcmp(argv[1], commands[c].name) == 0) {
      char name[64];
      snprintf(name, sizeof name, "cellwise %s", commands[c].name);
      argv[1] = name;
      return commands[c].run(argc - 1, argv + 1);
    }
  return unknown(argv[1]);
}
