/* A PLUMED input as logical lines of words: comments, continuations, braces and INCLUDE resolved.
 */
#ifndef CW_MOLECULAR_WORDS_H
#define CW_MOLECULAR_WORDS_H

#include "base/context_private.h"

/* One action: LABEL= or "label:" taken out, the first word is its name. Outermost braces of a word
 * are removed: SWITCH={A B} is the word "SWITCH=A B". */
typedef struct cw_words {
  const char *path; /* borrowed from the script */
  int line;         /* first physical line */
  char *label;      /* NULL: none given */
  char *action;
  int count; /* keywords and flags, without name and label */
  char **word;
  char *used;    /* [count] set by the one who reads it */
  char *storage; /* what the pointers point into */
} cw_words;

typedef struct cw_script {
  cw_context *context;
  cw_words *lines;
  int count;
  size_t capacity;
  char **paths; /* of the files read */
  int path_count;
} cw_script;

/* Reads an input and what it includes (to a depth of 8). Errors: CW_ERROR_INPUT ("FILE:LINE: ..."),
 * CW_ERROR_IO, CW_ERROR_FORMAT, CW_ERROR_MEMORY. On failure *script is empty. */
cw_status cw_script_read(cw_context *context, const char *path, cw_script *script);
void cw_script_clear(cw_script *script);

/* Splits text in place at blanks (and commas, if asked) outside braces; outermost braces are
 * removed. Returns the number of words written to `word` (at most `most`); -1: braces do not match,
 * -2: more than `most`. */
int cw_words_split(char *text, int commas, char **word, int most);

/* Records "FILE:LINE: ACTION: message" and returns CW_ERROR_INPUT. */
cw_status cw_words_fail(cw_context *context, const cw_words *words, const char *format, ...)
    CW_PRINTF(3, 4);

/* Value of KEY=value (any case), marked as used; NULL if absent. */
char *cw_words_value(const cw_words *words, const char *key);
/* 1 if the flag stands there, marked as used. */
int cw_words_flag(const cw_words *words, const char *flag);
/* Fails by name on the first word that nobody used, or on a key that stands twice. */
cw_status cw_words_check_used(cw_context *context, const cw_words *words);
/* Numbers may be expressions: "sqrt(0.09)". Absent keys leave *value alone. */
cw_status cw_words_real(cw_context *context, const cw_words *words, const char *key, double *value);
cw_status cw_words_integer(cw_context *context, const cw_words *words, const char *key, int *value);

#endif
