#include "output/sidecar.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/sidecar_grid.h"

/* The piece of XML of one file. */
typedef struct piece {
  int64_t step;
  char *text; /* by malloc */
} piece;

struct cw_sidecar {
  cw_context *context;
  char folder[CW_PATH_SIZE];
  cw_series series;
  int64_t count, room;
  piece *pieces; /* by step */
};

int cw_sidecar_is_for(cw_series series) {
  return series == CW_SERIES_FIELDS || series == CW_SERIES_PARTICLES;
}

void cw_sidecar_name(cw_series series, char name[32]) {
  snprintf(name, 32, "%s.xdmf", cw_series_names[series]);
}

static cw_status no_memory(const cw_sidecar *sidecar) {
  return cw_fail(sidecar->context, CW_ERROR_MEMORY, "%.300s: text of %s.xdmf", sidecar->folder,
                 cw_series_names[sidecar->series]);
}

/* Keeps a piece in its place by step; takes over the text. */
static cw_status keep(cw_sidecar *sidecar, int64_t step, char *text) {
  if (sidecar->count == sidecar->room) {
    const int64_t room = 2 * sidecar->room + 16;
    piece *pieces;
    cw_status status = CW_NEW(sidecar->context, room, "pieces of a sidecar", &pieces);
    if (status != CW_OK) {
      free(text);
      return status;
    }
    if (sidecar->count)
      memcpy(pieces, sidecar->pieces, (size_t)sidecar->count * sizeof *pieces);
    CW_DELETE(sidecar->context, sidecar->pieces);
    sidecar->pieces = pieces;
    sidecar->room = room;
  }
  int64_t at = sidecar->count;
  while (at > 0 && sidecar->pieces[at - 1].step >= step)
    at--;
  if (at < sidecar->count && sidecar->pieces[at].step == step) {
    free(sidecar->pieces[at].text);
  } else {
    memmove(sidecar->pieces + at + 1, sidecar->pieces + at,
            (size_t)(sidecar->count - at) * sizeof *sidecar->pieces);
    sidecar->count++;
  }
  sidecar->pieces[at] = (piece){step, text};
  return CW_OK;
}

/* The file of a step as a piece of XML. */
static cw_status describe(cw_sidecar *sidecar, int64_t step) {
  char path[CW_PATH_SIZE], link[160], *text = NULL;
  const char *name = cw_series_names[sidecar->series];
  size_t size = 0;
  CW_TRY(cw_series_path(sidecar->context, sidecar->folder, sidecar->series, step, path));
  if (sidecar->series == CW_SERIES_FIELDS)
    snprintf(link, sizeof link, "%s_%08" PRId64 ".h5", name, step);
  else
    snprintf(link, sizeof link, "%s/%s_%08" PRId64 ".h5", name, name, step);
  FILE *stream = open_memstream(&text, &size);
  if (!stream)
    return no_memory(sidecar);
  cw_status status =
      cw_sidecar_put_grid(sidecar->context, path, link, sidecar->series, step, stream);
  if (fclose(stream) != 0 && status == CW_OK)
    status = no_memory(sidecar);
  if (status == CW_OK)
    return keep(sidecar, step, text);
  free(text);
  return status;
}

static cw_status write_whole(const cw_sidecar *sidecar) {
  char name[32], *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream)
    return no_memory(sidecar);
  fprintf(stream,
          "<?xml version=\"1.0\"?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf "
          "Version=\"2.2\">\n<Domain>\n<Grid Name=\"%s\" GridType=\"Collection\" "
          "CollectionType=\"Temporal\">\n",
          cw_series_names[sidecar->series]);
  for (int64_t n = 0; n < sidecar->count; n++)
    fputs(sidecar->pieces[n].text, stream);
  fputs("</Grid>\n</Domain>\n</Xdmf>\n", stream);
  cw_status status = fclose(stream) == 0 ? CW_OK : no_memory(sidecar);
  cw_sidecar_name(sidecar->series, name);
  if (status == CW_OK)
    status = cw_output_write_text(sidecar->context, sidecar->folder, name, text);
  free(text);
  return status;
}

cw_status cw_sidecar_add(cw_sidecar *sidecar, int64_t step) {
  CW_TRY(describe(sidecar, step));
  return write_whole(sidecar);
}

/* Files of before; a damaged one is told and left out. */
static cw_status describe_all(cw_sidecar *sidecar) {
  char own[CW_PATH_SIZE];
  cw_status status = CW_OK;
  CW_TRY(cw_series_folder(sidecar->context, sidecar->folder, sidecar->series, own));
  DIR *directory = opendir(own);
  for (struct dirent *entry; directory && status == CW_OK && (entry = readdir(directory));) {
    const int64_t step = cw_step_of_name(entry->d_name, cw_series_names[sidecar->series]);
    if (step < 0)
      continue;
    status = describe(sidecar, step);
    if (status == CW_ERROR_IO || status == CW_ERROR_FORMAT) { /* no reason not to go on */
      cw_log(sidecar->context, CW_LOG_WARNING, "%s", cw_context_message(sidecar->context));
      status = CW_OK;
    }
  }
  if (directory)
    closedir(directory);
  return status;
}

cw_status cw_sidecar_create(cw_context *context, const char *folder, cw_series series,
                            cw_sidecar **sidecar) {
  char name[32], path[CW_PATH_SIZE];
  cw_sidecar *made = NULL;
  cw_status status = CW_OK;
  *sidecar = NULL;
  cw_sidecar_name(series, name);
  CW_TRY(cw_path_join(context, folder, name, path));
  CW_TRY(CW_NEW(context, 1, "sidecar", &made));
  made->context = context;
  made->series = series;
  snprintf(made->folder, sizeof made->folder, "%s", folder);
  CW_TRY_CLEANUP(status, describe_all(made));
  if (made->count || access(path, F_OK) == 0)
    CW_TRY_CLEANUP(status, write_whole(made));
  *sidecar = made;
  made = NULL;
cleanup:
  cw_sidecar_destroy(made);
  return status;
}

void cw_sidecar_destroy(cw_sidecar *sidecar) {
  if (!sidecar)
    return;
  for (int64_t n = 0; n < sidecar->count; n++)
    free(sidecar->pieces[n].text);
  CW_DELETE(sidecar->context, sidecar->pieces);
  CW_DELETE(sidecar->context, sidecar);
}
