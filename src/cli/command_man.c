/* cellwise man: manual pages, printed or written into a folder for an installation. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/man_page.h"
#include "cli/support.h"

typedef struct man_arguments {
  const char *command, *page, *folder;
} man_arguments;

static error_t parse(int key, char *value, struct argp_state *state) {
  man_arguments *arguments = state->input;
  switch (key) {
  case 'f':
    arguments->folder = value;
    return 0;
  case ARGP_KEY_ARG:
    if (arguments->page) {
      cw_cli_usage_error(arguments->command, "found a second page '%s'; expected one", value);
      return EINVAL;
    }
    arguments->page = value;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"folder", 'f', "DIR", 0, "write every page, to DIR/man1 and DIR/man5", 0}, {0}};

const struct argp cw_man_argp = {
    options,
    parse,
    "[PAGE]",
    "Print a manual page, in the format of man(7): of a command by its name, `deck` for the keys "
    "of a deck, and without PAGE that of the program."
    "\vExample:\n  cellwise man deck | man -l -\n",
    NULL,
    NULL,
    NULL};

/* A page of the program (command NULL), or of a command, into DIR/man1. */
static int write_page(const man_arguments *arguments, const char *name, int section,
                      const cw_command *command) {
  char path[4096];
  snprintf(path, sizeof path, "%s/man%d/%s.%d", arguments->folder, section, name, section);
  FILE *stream = fopen(path, "w");
  if (stream) {
    if (section == 5)
      cw_man_page_deck(stream);
    else if (command)
      cw_man_page_command(stream, command);
    else
      cw_man_page_program(stream);
  }
  int failed = !stream || ferror(stream);
  if (stream && fclose(stream) != 0)
    failed = 1;
  if (!failed)
    return CW_EXIT_DONE;
  fprintf(stderr, "%s: error: %s could not be written: %s\n", arguments->command, path,
          strerror(errno));
  return CW_EXIT_FAILED;
}

static int write_pages(const man_arguments *arguments) {
  static const char *const folders[] = {"", "/man1", "/man5"};
  char path[4096];
  for (int k = 0; k < 3; k++) {
    snprintf(path, sizeof path, "%.4000s%s", arguments->folder, folders[k]);
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
      continue;
    return cw_cli_usage_error(arguments->command, "folder %s could not be made: %s", path,
                              strerror(errno));
  }
  int failed = write_page(arguments, "cellwise", 1, NULL);
  for (const cw_command *command = cw_commands; command->name && !failed; command++) {
    snprintf(path, sizeof path, "cellwise-%s", command->name);
    failed = write_page(arguments, path, 1, command);
  }
  return failed ? failed : write_page(arguments, "cellwise-deck", 5, NULL);
}

int cw_command_man(int argc, char **argv) {
  man_arguments arguments = {.command = argv[0]};
  if (cw_cli_parse(argv[0], &cw_man_argp, argc, argv, &arguments))
    return CW_EXIT_INPUT;
  if (arguments.folder && arguments.page)
    return cw_cli_usage_error(argv[0], "found page '%s' with a folder; expected one of the two",
                              arguments.page);
  if (arguments.folder)
    return write_pages(&arguments);
  /* the name that the page is installed by will do, too */
  const size_t prefix = strlen("cellwise-");
  const char *near = NULL, *page = arguments.page;
  if (page && strncmp(page, "cellwise-", prefix) == 0)
    page += prefix;
  const cw_command *command = page ? cw_command_find(page, &near) : NULL;
  if (!page || strcmp(page, "cellwise") == 0)
    cw_man_page_program(stdout);
  else if (command)
    cw_man_page_command(stdout, command);
  else if (strcmp(page, "deck") == 0)
    cw_man_page_deck(stdout);
  else
    return cw_cli_usage_error(argv[0], "found page '%.80s'; expected deck or a command%s%s%s",
                              arguments.page, near ? ", such as '" : "", near ? near : "",
                              near ? "'" : "");
  return cw_cli_flush(argv[0]);
}
