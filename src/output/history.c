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

static cw_status fail_errno(const cw_history *history, const char *operation) {
  return cw_fail(history->context, CW_ERROR_IO, "%s: cannot %s: %s", history->path, operation,
                 strerror(errno));
}

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

/* All of a history but its file. */
static cw_status make(cw_context *context, const char *folder, int count, cw_history **history) {
  cw_history *made = NULL;
  CW_TRY(CW_NEW(context, 1, "history", &made));
  made->context = context;
  made->descriptor = -1;
  made->count = count;
  *history = made;
  CW_TRY(CW_NEW(context, (size_t)count * NUMBER_SIZE, "row of history.csv", &made->line));
  return cw_path_join(context, folder, "history.csv", made->path);
}

static void discard(cw_history *history) {
  if (!history)
    return;
  if (history->descriptor >= 0)
    close(history->descriptor);
  CW_DELETE(history->context, history->line);
  CW_DELETE(history->context, history);
}

cw_status cw_history_create(cw_context *context, const char *folder, const char *const *names,
                            int count, cw_history **history) {
  *history = NULL;
  size_t length = 0;
  cw_history *made = NULL;
  CW_TRY(check_names(context, names, count, &length));
  cw_status status = CW_OK;
  CW_TRY_CLEANUP(status, make(context, folder, count, &made));
  made->descriptor = open(made->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (made->descriptor < 0) {
    status = fail_errno(made, "create");
    goto cleanup;
  }
  CW_TRY_CLEANUP(status, cw_claim(context, made->descriptor, made->path, 1));
  if (ftruncate(made->descriptor, 0) != 0)
    status = fail_errno(made, "empty");
  else
    status = write_header(made, names, length);
  if (status != CW_OK)
    unlink(made->path);
cleanup:
  if (status != CW_OK)
    discard(made);
  else
    *history = made;
  return status;
}

/* Is the file's beginning of `bytes` bytes a history with these columns? */
static cw_status check_beginning(const cw_history *history, const char *const *names, size_t length,
                                 int64_t bytes) {
  cw_context *context = history->context;
  char *header = NULL, last = 0;
  const off_t end = lseek(history->descriptor, 0, SEEK_END);
  if (end < bytes || bytes < (int64_t)length)
    return cw_fail(context, CW_ERROR_FORMAT,
                   "%s: found %lld bytes; the checkpoint expects %lld or more, of which at least "
                   "%zu are the header",
                   history->path, (long long)end, (long long)bytes, length);
  CW_TRY(CW_NEW(context, length + 1, "header of history.csv", &header));
  int same = pread(history->descriptor, header, length, 0) == (ssize_t)length &&
             pread(history->descriptor, &last, 1, (off_t)bytes - 1) == 1;
  const char *at = header;
  for (int c = 0; c < history->count && same; c++) {
    const size_t name = strlen(names[c]);
    same = strncmp(at, names[c], name) == 0 && at[name] == (c + 1 < history->count ? ',' : '\n');
    at += name + 1;
  }
  CW_DELETE(context, header);
  if (same && last == '\n')
    return CW_OK;
  return cw_fail(context, CW_ERROR_FORMAT, "%s: %s", history->path,
                 same ? "found no end of a row where the checkpoint was written"
                      : "found other columns than this run's");
}

cw_status cw_history_resume(cw_context *context, const char *folder, const char *const *names,
                            int count, int64_t bytes, cw_history **history) {
  *history = NULL;
  size_t length = 0;
  cw_history *made = NULL;
  CW_TRY(check_names(context, names, count, &length));
  cw_status status = CW_OK;
  CW_TRY_CLEANUP(status, make(context, folder, count, &made));
  made->descriptor = open(made->path, O_RDWR | O_APPEND | O_CLOEXEC);
  if (made->descriptor < 0) {
    status = fail_errno(made, "open");
    goto cleanup;
  }
  CW_TRY_CLEANUP(status, cw_claim(context, made->descriptor, made->path, 1));
  CW_TRY_CLEANUP(status, check_beginning(made, names, length, bytes));
  if (ftruncate(made->descriptor, (off_t)bytes) != 0)
    status = fail_errno(made, "cut back");
cleanup:
  if (status != CW_OK)
    discard(made);
  else
    *history = made;
  return status;
}

int64_t cw_history_bytes(const cw_history *history) {
  return lseek(history->descriptor, 0, SEEK_END);
}

cw_status cw_history_sync(cw_history *history, int64_t *bytes) {
  if (fsync(history->descriptor) != 0 && errno != EINVAL)
    return fail_errno(history, "flush to disk");
  *bytes = cw_history_bytes(history);
  return *bytes < 0 ? fail_errno(history, "find the end of") : CW_OK;
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
