/* What an earlier run left in the folder of a new one is moved aside, never removed. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/output_private.h"

enum { MOST_ASIDE = 100000 };

static cw_status fail_errno(cw_context *context, const char *path, const char *operation) {
  return cw_fail(context, CW_ERROR_IO, "%.300s: cannot %s: %s", path, operation, strerror(errno));
}

/* A folder of one of the series with files of it, whatever else is there. */
static int is_series(const char *folder, const char *name) {
  char path[CW_PATH_SIZE];
  for (int k = CW_SERIES_FIELDS + 1; k < CW_SERIES_COUNT; k++)
    if (strcmp(name, cw_series_names[k]) == 0)
      return cw_path_join(NULL, folder, name, path) == CW_OK &&
             cw_series_is_there(path, (cw_series)k);
  return 0;
}

static int is_output(const char *folder, const char *name) {
  return strcmp(name, "history.csv") == 0 || strcmp(name, "tracks.h5") == 0 ||
         strcmp(name, "fields.xdmf") == 0 || strcmp(name, "particles.xdmf") == 0 ||
         cw_step_of_name(name, "fields") >= 0 || cw_step_of_name(name, "checkpoint") >= 0 ||
         is_series(folder, name);
}

int cw_output_has_run(const char *folder) {
  static const char *const signs[] = {"deck.toml", "history.csv"};
  char path[CW_PATH_SIZE];
  int any = 0;
  for (int k = 0; k < 2; k++)
    any |= cw_path_join(NULL, folder, signs[k], path) == CW_OK && access(path, F_OK) == 0;
  return any;
}

/* folder/previous_N with the first N that is free, made. */
static cw_status make_aside(cw_context *context, const char *folder, char aside[CW_OUTPUT_PATH]) {
  for (int n = 1; n < MOST_ASIDE; n++) {
    char name[32];
    snprintf(name, sizeof name, "previous_%d", n);
    CW_TRY(cw_path_join(context, folder, name, aside));
    if (mkdir(aside, 0777) == 0)
      return CW_OK;
    if (errno != EEXIST)
      return fail_errno(context, aside, "make the folder for an earlier run's results");
  }
  return cw_fail(context, CW_ERROR_IO, "%.300s: holds %d earlier runs", folder, MOST_ASIDE);
}

static cw_status move(cw_context *context, const char *from, const char *to, const char *name) {
  char old[CW_PATH_SIZE], new[CW_PATH_SIZE];
  CW_TRY(cw_path_join(context, from, name, old));
  CW_TRY(cw_path_join(context, to, name, new));
  return rename(old, new) == 0 ? CW_OK : fail_errno(context, old, "move it aside");
}

/* Entries move while the folder is read: it is read again until nothing is found. */
static cw_status move_all(cw_context *context, const char *from, const char *to, int *count) {
  for (int found = 1; found;) {
    DIR *directory = opendir(from);
    cw_status status = CW_OK;
    found = 0;
    if (!directory)
      return fail_errno(context, from, "read the folder");
    for (struct dirent *entry; status == CW_OK && (entry = readdir(directory));) {
      if (!is_output(from, entry->d_name))
        continue;
      status = move(context, from, to, entry->d_name);
      found++, ++*count;
    }
    closedir(directory);
    CW_TRY(status);
  }
  return CW_OK;
}

static int any_output(const char *folder) {
  DIR *directory = opendir(folder);
  int any = 0;
  for (struct dirent *entry; directory && (entry = readdir(directory));)
    any |= is_output(folder, entry->d_name);
  if (directory)
    closedir(directory);
  return any;
}

/* The deck may be the very file that the new run reads: it is copied. A folder without one, or with
 * one of more than a deck can have, goes without. */
static cw_status copy_text(cw_context *context, const char *from, const char *to,
                           const char *name) {
  char path[CW_PATH_SIZE], *text = NULL;
  struct stat file;
  CW_TRY(cw_path_join(context, from, name, path));
  FILE *stream = fopen(path, "rb");
  if (!stream)
    return CW_OK;
  cw_status status = CW_OK;
  if (fstat(fileno(stream), &file) == 0 && S_ISREG(file.st_mode) && file.st_size < 1 << 24) {
    status = CW_NEW(context, file.st_size + 1, "an earlier deck", &text);
    if (status == CW_OK) {
      text[fread(text, 1, (size_t)file.st_size, stream)] = '\0';
      status = cw_output_write_text(context, to, name, text);
    }
  }
  fclose(stream);
  CW_DELETE(context, text);
  return status;
}

void cw_output_put_back(const char *folder, const char *aside) {
  static const char *const decks[] = {"deck.toml", "deck_resolved.toml"};
  char path[CW_PATH_SIZE];
  int count = 0;
  if (!*aside || move_all(NULL, aside, folder, &count) != CW_OK)
    return;
  for (int k = 0; k < 2; k++)
    if (cw_path_join(NULL, aside, decks[k], path) == CW_OK)
      (void)unlink(path);
  (void)rmdir(aside);
}

cw_status cw_output_set_aside(cw_context *context, const char *folder, char aside[CW_OUTPUT_PATH]) {
  int count = 0;
  aside[0] = '\0';
  if (!any_output(folder))
    return CW_OK;
  cw_status status = make_aside(context, folder, aside);
  if (status == CW_OK)
    status = copy_text(context, folder, aside, "deck.toml");
  if (status == CW_OK)
    status = copy_text(context, folder, aside, "deck_resolved.toml");
  if (status == CW_OK)
    status = move_all(context, folder, aside, &count);
  if (status != CW_OK)
    cw_output_put_back(folder, aside);
  return status;
}
