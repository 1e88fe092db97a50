#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output/output_private.h"

/* The table owns its memory through its context, kept behind the public part. */
typedef struct owned_table {
  cw_table table;
  cw_context *context;
  char *text; /* the file; names point into it */
} owned_table;

static cw_status read_text(cw_context *context, const char *path, char **text, size_t *length) {
  *text = NULL;
  FILE *file = fopen(path, "rb");
  int error = errno;
  struct stat entry;
  if (!file)
    return cw_fail(context, CW_ERROR_IO, "%s: cannot open: %s", path, strerror(error));
  cw_status status = CW_OK;
  if (fstat(fileno(file), &entry) != 0 || !S_ISREG(entry.st_mode)) {
    status = cw_fail(context, CW_ERROR_IO, "%s: is not a regular file", path);
    goto cleanup;
  }
  CW_TRY_CLEANUP(status, CW_NEW(context, (size_t)entry.st_size + 1, "text of a table", text));
  *length = fread(*text, 1, (size_t)entry.st_size, file);
  error = errno;
  if (ferror(file))
    status = cw_fail(context, CW_ERROR_IO, "%s: cannot read: %s", path, strerror(error));
  if (status == CW_OK && memchr(*text, '\0', *length))
    status =
        cw_fail(context, CW_ERROR_FORMAT, "%s: holds a zero byte; expected a text table", path);
cleanup:
  fclose(file);
  if (status != CW_OK) {
    CW_DELETE(context, *text);
    *text = NULL;
  }
  return status;
}

/* Cuts the next line off *rest (without its line break), or NULL at the end. */
static char *next_line(char **rest) {
  char *line = *rest;
  if (!*line)
    return NULL;
  size_t length = strcspn(line, "\n");
  *rest = line + length + (line[length] == '\n');
  line[length] = '\0';
  if (length && line[length - 1] == '\r')
    line[length - 1] = '\0';
  return line;
}

static int count_columns(const char *line) {
  int columns = 1;
  for (; *line; line++)
    columns += *line == ',';
  return columns;
}

static cw_status read_names(owned_table *owned, const char *path, char *line) {
  cw_table *table = &owned->table;
  if (!line || !*line)
    return cw_fail(owned->context, CW_ERROR_FORMAT,
                   "%s:1: is empty; expected a header line of column names", path);
  table->columns = count_columns(line);
  CW_TRY(CW_NEW(owned->context, table->columns, "names of a table", &table->names));
  for (int c = 0; c < table->columns; c++) {
    table->names[c] = line;
    line += strcspn(line, ",");
    if (*line)
      *line++ = '\0';
    if (!table->names[c][0])
      return cw_fail(owned->context, CW_ERROR_FORMAT,
                     "%s:1: column %d has no name; expected names separated by commas", path,
                     c + 1);
  }
  return CW_OK;
}

static cw_status read_row(owned_table *owned, const char *path, int64_t number, char *line,
                          double *values) {
  const cw_table *table = &owned->table;
  int found = count_columns(line);
  if (found != table->columns)
    return cw_fail(owned->context, CW_ERROR_FORMAT,
                   "%s:%" PRId64 ": has %d values; expected %d as in the header", path, number,
                   found, table->columns);
  for (int c = 0; c < table->columns; c++) {
    char *next = line + strcspn(line, ","), *end;
    if (*next)
      *next++ = '\0';
    values[c] = strtod(line, &end);
    if (end == line || *end)
      return cw_fail(owned->context, CW_ERROR_FORMAT,
                     "%s:%" PRId64 ": column %d (%s) holds \"%.40s\"; expected a number", path,
                     number, c + 1, table->names[c], line);
    line = next;
  }
  return CW_OK;
}

cw_status cw_table_read(cw_context *context, const char *path, cw_table **table) {
  *table = NULL;
  owned_table *owned = NULL;
  size_t length = 0;
  cw_status status = CW_OK;
  CW_TRY_CLEANUP(status, CW_NEW(context, 1, "table", &owned));
  owned->context = context;
  CW_TRY_CLEANUP(status, read_text(context, path, &owned->text, &length));
  int64_t lines = 1;
  for (size_t at = 0; at < length; at++)
    lines += owned->text[at] == '\n';
  char *rest = owned->text;
  CW_TRY_CLEANUP(status, read_names(owned, path, next_line(&rest)));
  cw_table *made = &owned->table;
  CW_TRY_CLEANUP(status, CW_NEW(context, (size_t)lines * (size_t)made->columns, "values of a table",
                                &made->values));
  int64_t number = 1;
  for (char *line; (line = next_line(&rest));) {
    number++;
    if (!*line && !*rest)
      break; /* an empty last line */
    double *row = made->values + made->rows * made->columns;
    CW_TRY_CLEANUP(status, read_row(owned, path, number, line, row));
    made->rows++;
  }
  *table = made;
  return CW_OK;
cleanup:
  if (owned)
    cw_table_destroy(&owned->table);
  return status;
}

void cw_table_destroy(cw_table *table) {
  if (!table)
    return;
  owned_table *owned = (owned_table *)table; /* `table` is its first member */
  cw_context *context = owned->context;
  CW_DELETE(context, table->names);
  CW_DELETE(context, table->values);
  CW_DELETE(context, owned->text);
  CW_DELETE(context, owned);
}
