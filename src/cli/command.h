/* The program's commands: one file each, one entry in the table of main.c. */
#ifndef CW_CLI_COMMAND_H
#define CW_CLI_COMMAND_H

/* Each parses its own arguments (argp), prints to stdout, messages to stderr, and returns the exit
 * status: 0 done, 1 failed while running, 2 bad input. Only main.c ends the process. */
int cw_command_run(int argc, char **argv);
int cw_command_check(int argc, char **argv);
int cw_command_keys(int argc, char **argv);
int cw_command_plot(int argc, char **argv);
int cw_command_bench(int argc, char **argv);
int cw_command_info(int argc, char **argv);
int cw_command_coordination(int argc, char **argv);
int cw_command_tile_size(int argc, char **argv);
#endif
