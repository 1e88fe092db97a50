#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/output_private.h"

/* Longest number: "-1.7976931348623157e+308" and a separator. */
enum { NUMBER_SIZE = 32 };

struct cw_history {
  cw_context *context;
  char path[CW_PATH_SIZE];
  int descriptor;
  int count;
  char *line; /* one row: count * NUMBER_SIZE bytes */
};

/* The shortest text that reads back to the same bits; whole numbers without a point. */
static int format_number(double value, char *text) {
  if (value == floor(value) && fabs(value) < 9007199254740992.0)
    return snprintf(text, NUMBER_SIZE, "%.0f", value);
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    length = snprintf(text, NUMBER_SIZE, "%.*g", digits, value);
    if (strtod(text, NULL) == value)
      break;
  }
  return length;
}

static cw_status check_names(cw_context *context, const char *const *names, int count,
                             size_t *length) {
  if (count < 1)
    return cw_fail(context, CW_ERROR_ARGUMENT, "history: no columns");
  *length = 0;
  for (int c = 0; c < count; c++) {
    if (!names[c][0] || strpbrk(names[c], ",\"\r\n"))
      return cw_fail(context, CW_ERROR_ARGUMENT,
                     "history: column name \"%s\" is empty or holds a comma, quote or line break",
                     names[c]);
    *length += strlen(names[c]) + 1;
  }
  return CW_OK;
}

static cw_status write_header(cw_history *history, const char *const *names, size_t length) {
  char *header;
  CW_TRY(CW_NEW(history->context, length + 1, "header of history.csv", &header));
  size_t used = 0;
  for (int c = 0; c < history->count; c++) {
    size_t name = strlen(names[c]);
    memcpy(header + used, names[c], name);
    used += name;
    header[used++] = c + 1 < history->count ? ',' : '\n';
  }
  cw_status status =
      cw_write_all(history->context, history->descriptor, history->path, header, used);
  CW_DELETE(history->context, header);
  return status;
}

cw_status cw_history_create(cw_context *context, const char *folder, const char *const *names,
                            int count, cw_history **history) {
  *history = NULL;
  size_t length = 0;
  cw_history *made = NULL;
  CW_TRY(check_names(context, names, count, &length));
  cw_status status = CW_OK;
  CW_TRY_CLEANUP(status, CW_NEW(context, 1, "history", &made));
  made->context = context;
  made->descriptor = -1;
  made->count = count;
  CW_TRY_CLEANUP(status,
                 CW_NEW(context, (size_t)count * NUMBER_SIZE, "row of history.csv", &made->line));
  CW_TRY_CLEANUP(status, cw_path_join(context, folder, "history.csv", made->path));
  made->descriptor = open(made->path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (made->descriptor < 0) {
    int error = errno;
    status = cw_fail(context, CW_ERROR_IO, "%s: cannot create: %s", made->path, strerror(error));
    goto cleanup;
  }
  CW_TRY_CLEANUP(status, write_header(made, names, length));
  *history = made;
  return CW_OK;
cleanup:
  if (made) {
    if (made->descriptor >= 0) {
      close(made->descriptor);
      unlink(made->path);
    }
    CW_DELETE(context, made->line);
  }
  CW_DELETE(context, made);
  return status;
}

cw_status cw_history_append(cw_history *history, const double *values) {
  size_t used = 0;
  for (int c = 0; c < history->count; c++) {
    used += (size_t)format_number(values[c], history->line + used);
    history->line[used++] = c + 1 < history->count ? ',' : '\n';
  }
  off_t end = lseek(history->descriptor, 0, SEEK_END);
  cw_status status =
      cw_write_all(history->context, history->descriptor, history->path, history->line, used);
  /* A row that did not fit must not stay in part; if even this fails, the first error is told. */
  if (status != CW_OK && end >= 0 && ftruncate(history->descriptor, end) != 0)
    return status;
  return status;
}

cw_status cw_history_close(cw_history *history) {
  if (!history)
    return CW_OK;
  cw_context *context = history->context;
  cw_status status = CW_OK;
  int failed = fsync(history->descriptor) != 0 && errno != EINVAL;
  int error = errno;
  if (close(history->descriptor) != 0 && !failed) {
    failed = 1;
    error = errno;
  }
  if (failed)
    status = cw_fail(context, CW_ERROR_IO, "%s: cannot flush to disk: %s", history->path,
                     strerror(error));
  CW_DELETE(context, history->line);
  CW_DELETE(context, history);
  return status;
}
