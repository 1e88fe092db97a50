/* A command that must be refused: one error line with its place, exit status 2, no file left. */
#ifndef CW_TESTS_REFUSED_H
#define CW_TESTS_REFUSED_H

#include "program.h"

/* Writes program_deck with `find` replaced, where '^' stands before the character that the message
 * must point at; `place`: "deck.toml:LINE:COLUMN: ", or "" without '^'. */
static inline void refused_write_deck(const char *find, const char *replace, char *place,
                                      size_t size) {
  char text[2 * sizeof program_deck];
  const char *found = strstr(program_deck, find);
  ck_assert_msg(found != NULL, "the deck does not hold '%s'", find);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(found - program_deck), program_deck, replace,
           found + strlen(find));
  *place = '\0';
  char *mark = strchr(text, '^');
  if (mark) {
    int line = 1, column = 1;
    for (const char *at = text; at < mark; at++)
      column = *at == '\n' ? (line++, 1) : column + 1;
    memmove(mark, mark + 1, strlen(mark));
    snprintf(place, size, "deck.toml:%d:%d: ", line, column);
  }
  program_write("deck.toml", text);
}

static inline void refused_check(const char *arguments, const char *expected, const char *place) {
  int before = program_count(program_path(""), NULL);
  const program_result *result = program_run("%s", arguments);
  ck_assert_msg(result->status == 2, "%s: status %d; stderr: %s", arguments, result->status,
                result->err);
  ck_assert_msg(strcmp(result->out, "") == 0, "%s: stdout: %s", arguments, result->out);
  ck_assert_msg(strncmp(result->err, "cellwise", 8) == 0 &&
                    program_occurrences(result->err, ": error: ") == 1 &&
                    program_occurrences(result->err, "\n") == 1,
                "%s: not one error line: %s", arguments, result->err);
  ck_assert_msg(strstr(result->err, expected) != NULL && strstr(result->err, place) != NULL,
                "%s: expected '%s%s' in: %s", arguments, place, expected, result->err);
  ck_assert_msg(program_count(program_path(""), NULL) == before, "%s left something behind",
                arguments);
}

#endif
