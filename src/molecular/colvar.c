#include "molecular/colvar.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BACKUPS = 100000, TIME_SIZE = 64 };

struct cw_colvar {
  cw_context *context;
  FILE *stream;
  char *path, *header; /* header: the FIELDS line without its end */
  int borrowed;        /* the stream */
  int64_t records;
  char last_time[TIME_SIZE];
};

/* What an existing file holds. */
typedef struct contents {
  int has_header, cut_off;
  int64_t rows;
  off_t end;    /* of the last whole line */
  off_t record; /* of the last whole record */
  char time[TIME_SIZE];
} contents;

static cw_status join(cw_context *context, const char *folder, const char *name, char **path) {
  size_t size = (folder ? strlen(folder) : 0) + strlen(name) + 2;
  CW_TRY(CW_NEW(context, size, "path", path));
  if (folder && name[0] != '/')
    snprintf(*path, size, "%s/%s", folder, name);
  else
    snprintf(*path, size, "%s", name);
  return CW_OK;
}

static cw_status make_header(cw_colvar *colvar, const cw_colvar_options *options) {
  size_t size = sizeof "#! FIELDS", at = size - 1;
  for (int k = 0; k < options->count; k++)
    size += strlen(options->fields[k]) + 1;
  CW_TRY(CW_NEW(colvar->context, size, "FIELDS line", &colvar->header));
  memcpy(colvar->header, "#! FIELDS", at + 1);
  for (int k = 0; k < options->count; k++)
    at += (size_t)snprintf(colvar->header + at, size - at, " %s", options->fields[k]);
  return CW_OK;
}

static cw_status io_fail(cw_colvar *colvar) {
  return cw_fail(colvar->context, CW_ERROR_IO, "%s: %s", colvar->path, strerror(errno));
}

/* Renames an existing file to the first free bck.N.NAME beside it. */
static cw_status keep_backup(cw_context *context, const char *path) {
  if (access(path, F_OK) != 0)
    return CW_OK;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  size_t size = strlen(path) + 32;
  char *backup = NULL;
  CW_TRY(CW_NEW(context, size, "path", &backup));
  int number = 0;
  do {
    snprintf(backup, size, "%.*sbck.%d.%s", (int)(name - path), path, number++, name);
  } while (access(backup, F_OK) == 0 && number < MAX_BACKUPS);
  cw_status status = CW_OK;
  if (rename(path, backup) != 0)
    status = cw_fail(context, CW_ERROR_IO, "%s cannot be renamed to %s: %s", path, backup,
                     strerror(errno));
  CW_DELETE(context, backup);
  return status;
}

static cw_status check_header(cw_colvar *colvar, const char *line) {
  if (strcmp(line, colvar->header) == 0)
    return CW_OK;
  return cw_fail(
      colvar->context, CW_ERROR_FORMAT,
      "%s cannot be continued: its columns are '%.200s', but those to write are '%.200s'",
      colvar->path, line, colvar->header);
}

static void take_time(const char *line, char time[TIME_SIZE]) {
  line += strspn(line, " \t");
  snprintf(time, TIME_SIZE, "%.*s", (int)strcspn(line, " \t"), line);
}

/* One line that ends in a newline, which is cut off. */
static cw_status take_line(cw_colvar *colvar, const char *line, int64_t record, contents *found) {
  if (strncmp(line, "#! FIELDS", 9) == 0) {
    CW_TRY(check_header(colvar, line));
    if (!found->has_header)
      found->record = found->end;
    found->has_header = 1;
    return CW_OK;
  }
  if (line[0] == '#')
    return CW_OK;
  if (!found->has_header)
    return cw_fail(colvar->context, CW_ERROR_FORMAT,
                   "%s cannot be continued: it does not begin with '#! FIELDS'", colvar->path);
  if (++found->rows % record == 0) {
    found->record = found->end;
    take_time(line, found->time);
  }
  return CW_OK;
}

static cw_status look_into(cw_colvar *colvar, FILE *file, int64_t record, contents *found) {
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  cw_status status = CW_OK;
  while (status == CW_OK && (length = getline(&line, &capacity, file)) > 0) {
    if (line[length - 1] != '\n') {
      found->cut_off = 1;
      break;
    }
    line[length - 1] = '\0';
    found->end += length;
    status = take_line(colvar, line, record, found);
  }
  if (status == CW_OK && ferror(file))
    status = io_fail(colvar);
  free(line);
  return status;
}

/* Opens for writing behind what stays of the file. */
static cw_status continue_file(cw_colvar *colvar, const cw_colvar_options *options) {
  contents found = {0};
  FILE *file = fopen(colvar->path, "r");
  if (!file && errno != ENOENT)
    return io_fail(colvar);
  if (file) {
    cw_status status = look_into(colvar, file, options->record, &found);
    fclose(file);
    CW_TRY(status);
  }
  off_t keep = found.end;
  if (options->mode == CW_COLVAR_RESUME) {
    keep = found.record;
    colvar->records = found.rows / options->record;
    memcpy(colvar->last_time, found.time, sizeof found.time);
  } else if (found.cut_off) {
    cw_log(colvar->context, CW_LOG_WARNING, "%s: the last line is cut off, and dropped",
           colvar->path);
  }
  if (!found.has_header)
    keep = 0;
  colvar->stream = fopen(colvar->path, "a");
  if (!colvar->stream || ftruncate(fileno(colvar->stream), keep) != 0)
    return io_fail(colvar);
  if (!found.has_header)
    fprintf(colvar->stream, "%s\n", colvar->header);
  return cw_colvar_check(colvar);
}

static cw_status open_file(cw_colvar *colvar, const cw_colvar_options *options) {
  CW_TRY(make_header(colvar, options));
  CW_TRY(join(colvar->context, options->folder, options->name ? options->name : "standard output",
              &colvar->path));
  if (options->name && options->mode != CW_COLVAR_NEW)
    return continue_file(colvar, options);
  if (options->name) {
    CW_TRY(keep_backup(colvar->context, colvar->path));
    colvar->stream = fopen(colvar->path, "w");
    if (!colvar->stream)
      return io_fail(colvar);
  } else {
    colvar->stream = options->other;
    colvar->borrowed = 1;
  }
  fprintf(colvar->stream, "%s\n", colvar->header);
  return cw_colvar_check(colvar);
}

cw_status cw_colvar_open(cw_context *context, const cw_colvar_options *options,
                         cw_colvar **colvar) {
  cw_colvar *made = NULL;
  *colvar = NULL;
  CW_TRY(CW_NEW(context, 1, "output file", &made));
  made->context = context;
  cw_status status = open_file(made, options);
  if (status == CW_OK) {
    *colvar = made;
    return CW_OK;
  }
  if (made->stream && !made->borrowed)
    fclose(made->stream);
  CW_DELETE(context, made->header);
  CW_DELETE(context, made->path);
  CW_DELETE(context, made);
  return status;
}

int64_t cw_colvar_records(const cw_colvar *colvar) {
  return colvar->records;
}

const char *cw_colvar_last_time(const cw_colvar *colvar) {
  return colvar->last_time;
}

const char *cw_colvar_path(const cw_colvar *colvar) {
  return colvar->path;
}

FILE *cw_colvar_stream(cw_colvar *colvar) {
  return colvar->stream;
}

cw_status cw_colvar_check(cw_colvar *colvar) {
  return ferror(colvar->stream) ? io_fail(colvar) : CW_OK;
}

cw_status cw_colvar_flush(cw_colvar *colvar) {
  fflush(colvar->stream);
  return cw_colvar_check(colvar);
}

cw_status cw_colvar_close(cw_colvar *colvar) {
  if (!colvar)
    return CW_OK;
  cw_context *context = colvar->context;
  cw_status status = cw_colvar_flush(colvar);
  if (!colvar->borrowed && fclose(colvar->stream) != 0 && status == CW_OK)
    status = io_fail(colvar);
  CW_DELETE(context, colvar->header);
  CW_DELETE(context, colvar->path);
  CW_DELETE(context, colvar);
  return status;
}
