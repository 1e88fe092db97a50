#include "molecular/lines.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cw_status copy_text(cw_context *context, const char *text, size_t length, char **copy) {
  CW_TRY(CW_NEW(context, length + 1, "text", copy));
  memcpy(*copy, text, length);
  return CW_OK;
}

cw_status cw_lines_open(cw_context *context, const char *path, cw_lines *lines) {
  *lines = (cw_lines){.context = context};
  CW_TRY(copy_text(context, path, strlen(path), &lines->path));
  lines->file = fopen(path, "rb");
  if (!lines->file) {
    cw_status status = cw_fail(context, CW_ERROR_IO, "%s: %s", path, strerror(errno));
    cw_lines_close(lines);
    return status;
  }
  return CW_OK;
}

void cw_lines_close(cw_lines *lines) {
  if (lines->file)
    fclose(lines->file);
  CW_DELETE(lines->context, lines->path);
  CW_DELETE(lines->context, lines->text);
  *lines = (cw_lines){.context = lines->context};
}

static cw_status grow(cw_lines *lines) {
  size_t capacity = lines->capacity ? 2 * lines->capacity : 256;
  char *text = NULL;
  if (capacity > CW_LINE_LIMIT)
    return cw_lines_fail(lines, "the line is longer than %d bytes", CW_LINE_LIMIT);
  CW_TRY(CW_NEW(lines->context, capacity, "line", &text));
  if (lines->text)
    memcpy(text, lines->text, lines->capacity);
  CW_DELETE(lines->context, lines->text);
  lines->text = text;
  lines->capacity = capacity;
  return CW_OK;
}

cw_status cw_lines_next(cw_lines *lines, int *more) {
  size_t length = 0;
  int c;
  lines->number++;
  *more = 0;
  while ((c = getc_unlocked(lines->file)) != EOF && c != '\n') {
    if (c == '\0')
      return cw_lines_fail(lines, "a zero byte: this is not a text file");
    if (length + 2 > lines->capacity)
      CW_TRY(grow(lines));
    lines->text[length++] = (char)c;
  }
  if (ferror(lines->file))
    return cw_fail(lines->context, CW_ERROR_IO, "%s: %s", lines->path, strerror(errno));
  if (c == EOF && length == 0)
    return CW_OK;
  if (!lines->text)
    CW_TRY(grow(lines));
  if (length > 0 && lines->text[length - 1] == '\r')
    length--;
  lines->text[length] = '\0';
  *more = 1;
  return CW_OK;
}

cw_status cw_lines_fail(const cw_lines *lines, const char *format, ...) {
  char text[CW_MESSAGE_SIZE / 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (lines->number == 0) /* a binary file has no lines */
    return cw_fail(lines->context, CW_ERROR_FORMAT, "%s: %s", lines->path, text);
  return cw_fail(lines->context, CW_ERROR_FORMAT, "%s:%lld: %s", lines->path,
                 (long long)lines->number, text);
}

int cw_lines_numbers(const char *text, int most, double *numbers, const char **end) {
  int count = 0;
  const char *at = text;
  while (count < most) {
    while (isspace((unsigned char)*at))
      at++;
    if (*at == '\0')
      break;
    char *stop;
    double value = strtod(at, &stop);
    int plain = stop > at && (*stop == '\0' || isspace((unsigned char)*stop));
    if (!plain || !isfinite(value)) {
      if (!end)
        return -1;
      break;
    }
    numbers[count++] = value;
    at = stop;
  }
  while (isspace((unsigned char)*at))
    at++;
  if (end)
    *end = at;
  else if (*at != '\0')
    return -1;
  return count;
}

cw_status cw_lines_find(cw_context *context, const char *path, const char *beside, char **found) {
  const char *slash = beside ? strrchr(beside, '/') : NULL;
  size_t folder = slash ? (size_t)(slash - beside) + 1 : 0;
  if (path[0] == '/' || folder == 0 || access(path, R_OK) == 0)
    return copy_text(context, path, strlen(path), found);
  CW_TRY(CW_NEW(context, folder + strlen(path) + 1, "path", found));
  memcpy(*found, beside, folder);
  strcpy(*found + folder, path);
  if (access(*found, R_OK) == 0)
    return CW_OK;
  strcpy(*found, path); /* as given, so that the message names what the user wrote */
  return CW_OK;
}
