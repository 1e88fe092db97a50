/* Files of one kind, a step each: where they are, and which of them go. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/output_private.h"

cw_status cw_series_folder(cw_context *context, const char *folder, cw_series series, char *path) {
  if (series != CW_SERIES_FIELDS)
    return cw_path_join(context, folder, cw_series_names[series], path);
  if (strlen(folder) >= CW_PATH_SIZE)
    return cw_fail(context, CW_ERROR_IO, "%.200s...: the output folder's name is too long", folder);
  strcpy(path, folder);
  return CW_OK;
}

cw_status cw_series_path(cw_context *context, const char *folder, cw_series series, int64_t step,
                         char *path) {
  char own[CW_PATH_SIZE], name[64];
  CW_TRY(cw_series_folder(context, folder, series, own));
  snprintf(name, sizeof name, "%s_%08" PRId64 ".h5", cw_series_names[series], step);
  return cw_path_join(context, own, name, path);
}

cw_status cw_series_make_folder(cw_context *context, const char *folder, cw_series series) {
  char path[CW_PATH_SIZE];
  if (series == CW_SERIES_FIELDS)
    return CW_OK;
  CW_TRY(cw_series_folder(context, folder, series, path));
  if (mkdir(path, 0777) == 0 || errno == EEXIST)
    return CW_OK;
  return cw_fail(context, CW_ERROR_IO, "%.300s: cannot make the folder: %s", path, strerror(errno));
}

int cw_series_is_there(const char *folder, cw_series series) {
  DIR *directory = opendir(folder);
  int any = 0;
  for (struct dirent *entry; directory && (entry = readdir(directory));)
    any |= cw_step_of_name(entry->d_name, cw_series_names[series]) >= 0;
  if (directory)
    closedir(directory);
  return any;
}

cw_status cw_output_drop(cw_context *context, const char *folder, cw_series series, int64_t step) {
  char own[CW_PATH_SIZE], path[CW_PATH_SIZE];
  cw_status status = CW_OK;
  CW_TRY(cw_series_folder(context, folder, series, own));
  DIR *directory = opendir(own);
  if (!directory)
    return series != CW_SERIES_FIELDS && errno == ENOENT
               ? CW_OK
               : cw_fail(context, CW_ERROR_IO, "%.300s: cannot read the folder: %s", own,
                         strerror(errno));
  for (struct dirent *entry; status == CW_OK && (entry = readdir(directory));) {
    if (cw_step_of_name(entry->d_name, cw_series_names[series]) <= step)
      continue;
    status = cw_path_join(context, own, entry->d_name, path);
    if (status == CW_OK && unlink(path) != 0 && errno != ENOENT)
      status = cw_fail(context, CW_ERROR_IO, "%.300s: cannot remove: %s", path, strerror(errno));
  }
  closedir(directory);
  return status;
}
