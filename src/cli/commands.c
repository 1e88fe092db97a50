/* The one table of commands. */
#include <string.h>

#include "cli/command.h"
#include "deck/deck.h"

const cw_command cw_commands[] = {
    {"run", "run the simulation of a deck", cw_command_run, &cw_run_argp},
    {"check", "validate a deck and print it with every default", cw_command_check, &cw_check_argp},
    {"keys", "list the deck's keys", cw_command_keys, &cw_keys_argp},
    {"plot", "draw pictures of a run's results", cw_command_plot, &cw_plot_argp},
    {"coordination", "coordination numbers over a trajectory", cw_command_coordination,
     &cw_coordination_argp},
    {"bench", "time every variant of a kernel on the same data", cw_command_bench, &cw_bench_argp},
    {"tile-size", "recommend the deposit's tile edge for a device", cw_command_tile_size,
     &cw_tile_size_argp},
    {"info", "version, build, instruction sets, devices", cw_command_info, &cw_info_argp},
    {"man", "manual pages", cw_command_man, &cw_man_argp},
    {NULL, NULL, NULL, NULL}};

const cw_command *cw_command_find(const char *name, const char **near) {
  enum { COMMANDS = (int)(sizeof cw_commands / sizeof *cw_commands) - 1 };
  const char *names[COMMANDS];
  for (int c = 0; c < COMMANDS; c++) {
    if (strcmp(cw_commands[c].name, name) == 0)
      return &cw_commands[c];
    names[c] = cw_commands[c].name;
  }
  if (near)
    *near = cw_deck_nearest(name, names, COMMANDS);
  return NULL;
}
