/* A text file line by line, bounded, so that hostile files end in one clear error. */
#ifndef CW_MOLECULAR_LINES_H
#define CW_MOLECULAR_LINES_H

#include <stdio.h>

#include "base/context_private.h"

enum { CW_LINE_LIMIT = 1 << 24 }; /* bytes a line may have */

typedef struct cw_lines {
  cw_context *context;
  FILE *file;
  char *path; /* owned */
  char *text; /* the current line without its end; valid until the next call */
  size_t capacity;
  int64_t number; /* of the current line, from 1 */
} cw_lines;

/* Errors: CW_ERROR_IO (names the file and the reason), CW_ERROR_MEMORY. */
cw_status cw_lines_open(cw_context *context, const char *path, cw_lines *lines);
/* *more = 0 at the end of the file. Errors: CW_ERROR_IO, CW_ERROR_FORMAT (a line that is too long
 * or holds a zero byte), CW_ERROR_MEMORY. */
cw_status cw_lines_next(cw_lines *lines, int *more);
void cw_lines_close(cw_lines *lines);
/* Records "PATH:LINE: message" and returns CW_ERROR_FORMAT. */
cw_status cw_lines_fail(const cw_lines *lines, const char *format, ...) CW_PRINTF(2, 3);

/* Reads up to `most` numbers separated by blanks from text. Returns how many; -1 when the text
 * holds anything else. *end (may be NULL) receives where reading stopped. */
int cw_lines_numbers(const char *text, int most, double *numbers, const char **end);

/* Path as given if it can be read; otherwise beside the file `beside`, if it can be read there.
 * The caller frees *found with CW_DELETE. */
cw_status cw_lines_find(cw_context *context, const char *path, const char *beside, char **found);

#endif
