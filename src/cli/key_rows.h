/* The deck's keys as rows of text, for tables, JSON and the manual page. */
#ifndef CW_CLI_KEY_ROWS_H
#define CW_CLI_KEY_ROWS_H

#include "setup/setup.h"

/* One key; strings are borrowed. */
typedef struct cw_key_row {
  const char *section, *name, *type;
  const char *default_value; /* as in a deck, or how it is computed; "required" */
  const char *unit, *text;
  char range[200];
} cw_key_row;

typedef void cw_key_row_visit(void *user, const cw_key_row *row);

/* The keys of a section and the tables in it, in the list's order; NULL: all sections. */
void cw_key_rows_of_deck(const char *section, cw_key_row_visit *visit, void *user);
/* The parameters of a problem, or of any (cw_setup_common_keys). */
void cw_key_rows_of_setup(const cw_problem_key *keys, cw_key_row_visit *visit, void *user);

#endif
