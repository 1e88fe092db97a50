#include "molecular/colvar.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cw_colvar {
  cw_context *context;
  FILE *stream;
  char *path;
  int borrowed; /* the stream */
};

enum { MAX_BACKUPS = 100000 };

static cw_status join(cw_context *context, const char *folder, const char *name, char **path) {
  size_t size = (folder ? strlen(folder) : 0) + strlen(name) + 2;
  CW_TRY(CW_NEW(context, size, "path", path));
  if (folder && name[0] != '/')
    snprintf(*path, size, "%s/%s", folder, name);
  else
    snprintf(*path, size, "%s", name);
  return CW_OK;
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

static cw_status open_file(cw_colvar *colvar, const char *folder, const char *name, int append,
                           FILE *other) {
  CW_TRY(join(colvar->context, folder, name ? name : "standard output", &colvar->path));
  if (!name) {
    colvar->stream = other;
    colvar->borrowed = 1;
    return CW_OK;
  }
  if (!append)
    CW_TRY(keep_backup(colvar->context, colvar->path));
  colvar->stream = fopen(colvar->path, append ? "a" : "w");
  return colvar->stream
             ? CW_OK
             : cw_fail(colvar->context, CW_ERROR_IO, "%s: %s", colvar->path, strerror(errno));
}

cw_status cw_colvar_open(cw_context *context, const char *folder, const char *name, int append,
                         FILE *other, cw_colvar **colvar) {
  cw_colvar *made = NULL;
  *colvar = NULL;
  CW_TRY(CW_NEW(context, 1, "output file", &made));
  made->context = context;
  cw_status status = open_file(made, folder, name, append, other);
  if (status == CW_OK) {
    *colvar = made;
    return CW_OK;
  }
  CW_DELETE(context, made->path);
  CW_DELETE(context, made);
  return status;
}

cw_status cw_colvar_check(cw_colvar *colvar) {
  if (!ferror(colvar->stream))
    return CW_OK;
  return cw_fail(colvar->context, CW_ERROR_IO, "%s: %s", colvar->path, strerror(errno));
}

cw_status cw_colvar_fields(cw_colvar *colvar, const char *const *names, int count) {
  fprintf(colvar->stream, "#! FIELDS");
  for (int k = 0; k < count; k++)
    fprintf(colvar->stream, " %s", names[k]);
  fputc('\n', colvar->stream);
  return cw_colvar_check(colvar);
}

FILE *cw_colvar_stream(cw_colvar *colvar) {
  return colvar->stream;
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
    status = cw_fail(context, CW_ERROR_IO, "%s: %s", colvar->path, strerror(errno));
  CW_DELETE(context, colvar->path);
  CW_DELETE(context, colvar);
  return status;
}
