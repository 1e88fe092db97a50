/* Manual pages in man(7), from the tables that --help and `cellwise keys` print. */
#ifndef CW_CLI_MAN_PAGE_H
#define CW_CLI_MAN_PAGE_H

#include <stdio.h>

#include "cli/command.h"

/* cellwise(1): what the commands are. */
void cw_man_page_program(FILE *stream);
/* cellwise-NAME(1). */
void cw_man_page_command(FILE *stream, const cw_command *command);
/* cellwise-deck(5): every key of a deck, and the problems with theirs. */
void cw_man_page_deck(FILE *stream);

#endif
