#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/output_private.h"

static cw_status fail_errno(cw_context *context, const char *path, const char *operation) {
  int error = errno;
  return cw_fail(context, CW_ERROR_IO, "%s: %s: %s", path, operation, strerror(error));
}

cw_status cw_path_join(cw_context *context, const char *folder, const char *name, char *path) {
  size_t length = strlen(folder);
  const char *slash = length && folder[length - 1] == '/' ? "" : "/";
  int written = snprintf(path, CW_PATH_SIZE, "%s%s%s", folder, slash, name);
  if (written < 0 || written >= CW_PATH_SIZE)
    return cw_fail(context, CW_ERROR_IO, "%.200s...: the path is longer than %d characters", folder,
                   CW_PATH_SIZE - 1);
  return CW_OK;
}

cw_status cw_aside_begin(cw_context *context, const char *path, cw_aside *aside) {
  int whole = snprintf(aside->path, sizeof aside->path, "%s", path);
  int part = snprintf(aside->part, sizeof aside->part, "%s.part", path);
  if (whole < 0 || part < 0 || part >= CW_PATH_SIZE)
    return cw_fail(context, CW_ERROR_IO, "%.200s...: the path is longer than %d characters", path,
                   CW_PATH_SIZE - 6);
  return CW_OK;
}

static cw_status sync_path(cw_context *context, const char *path, int flags) {
  int descriptor = open(path, flags | O_CLOEXEC);
  if (descriptor < 0)
    return fail_errno(context, path, "cannot open to flush");
  /* Some file systems cannot fsync a folder (EINVAL); the rename is then as safe as it gets. */
  int failed = fsync(descriptor) != 0 && !(errno == EINVAL && (flags & O_DIRECTORY));
  cw_status status = failed ? fail_errno(context, path, "cannot flush to disk") : CW_OK;
  close(descriptor);
  return status;
}

static cw_status sync_parent(cw_context *context, const char *path) {
  char folder[CW_PATH_SIZE];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (!slash)
    strcpy(folder, ".");
  else if (slash == folder)
    slash[1] = '\0';
  else
    *slash = '\0';
  return sync_path(context, folder, O_RDONLY | O_DIRECTORY);
}

cw_status cw_aside_commit(cw_context *context, const cw_aside *aside) {
  cw_status status = sync_path(context, aside->part, O_RDONLY);
  if (status == CW_OK && rename(aside->part, aside->path) != 0)
    status = fail_errno(context, aside->path, "cannot rename the finished file to this name");
  if (status != CW_OK) {
    cw_aside_abandon(aside);
    return status;
  }
  return sync_parent(context, aside->path);
}

void cw_aside_abandon(const cw_aside *aside) {
  (void)unlink(aside->part);
}

cw_status cw_claim(cw_context *context, int descriptor, const char *path, int exclusive) {
  if (flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return CW_OK;
  return cw_fail(context, CW_ERROR_IO,
                 "%s: another run is writing it; wait for its end, or choose another output folder",
                 path);
}

cw_status cw_write_all(cw_context *context, int descriptor, const char *path, const char *bytes,
                       size_t count) {
  while (count > 0) {
    ssize_t written = write(descriptor, bytes, count);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return fail_errno(context, path, "cannot write");
    bytes += written;
    count -= (size_t)written;
  }
  return CW_OK;
}

cw_status cw_output_write_text(cw_context *context, const char *folder, const char *name,
                               const char *text) {
  char path[CW_PATH_SIZE];
  cw_aside aside;
  CW_TRY(cw_path_join(context, folder, name, path));
  CW_TRY(cw_aside_begin(context, path, &aside));
  int descriptor = open(aside.part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return fail_errno(context, path, "cannot create");
  cw_status status = cw_write_all(context, descriptor, path, text, strlen(text));
  if (close(descriptor) != 0 && status == CW_OK)
    status = fail_errno(context, path, "cannot close");
  if (status != CW_OK) {
    cw_aside_abandon(&aside);
    return status;
  }
  return cw_aside_commit(context, &aside);
}

int64_t cw_step_of_name(const char *name, const char *stem) {
  const size_t length = strlen(stem);
  int64_t step = -1;
  int end = 0;
  if (strncmp(name, stem, length) != 0 ||
      sscanf(name + length, "_%18" SCNd64 ".h5%n", &step, &end) != 1 || end == 0 ||
      name[length + (size_t)end] != '\0')
    return -1;
  return step;
}

/* Removes the folders that make_folders made, deepest first: prefixes of path longer than `kept`.
 */
static void unmake_folders(char *path, size_t kept) {
  while (strlen(path) > kept && rmdir(path) == 0) {
    char *slash = strrchr(path, '/');
    if (!slash)
      return;
    *slash = '\0';
  }
}

/* Makes every missing folder of `path`; *kept: length of the prefix that was there before. */
static cw_status make_folders(cw_context *context, char *path, size_t *kept) {
  int made = 0;
  *kept = strlen(path);
  for (char *end = path; *end;) {
    size_t before = (size_t)(end - path);
    end += strspn(end, "/");
    end += strcspn(end, "/");
    char saved = *end;
    *end = '\0';
    struct stat entry;
    cw_status status = CW_OK;
    if (mkdir(path, 0777) == 0) {
      if (!made)
        *kept = before;
      made = 1;
    } else if (errno != EEXIST) {
      status = fail_errno(context, path, "cannot make the output folder");
    } else if (stat(path, &entry) != 0) {
      status = fail_errno(context, path, "cannot look at the output folder");
    } else if (!S_ISDIR(entry.st_mode)) {
      status =
          cw_fail(context, CW_ERROR_IO, "%s: is a file; expected a folder for the output", path);
    }
    if (status != CW_OK) {
      char *slash = strrchr(path, '/');
      if (made && slash) {
        *slash = '\0';
        unmake_folders(path, *kept);
      }
      return status;
    }
    *end = saved;
  }
  return CW_OK;
}

static cw_status probe_folder(cw_context *context, const char *folder) {
  char path[CW_PATH_SIZE];
  CW_TRY(cw_path_join(context, folder, ".cellwise_XXXXXX", path));
  int descriptor = mkstemp(path);
  if (descriptor < 0)
    return fail_errno(context, folder, "cannot write into the output folder");
  ssize_t written = write(descriptor, "", 1);
  int error = errno;
  close(descriptor);
  unlink(path);
  errno = error;
  return written == 1 ? CW_OK : fail_errno(context, folder, "cannot write into the output folder");
}

/* A history.csv that no run of cellwise wrote must not be lost. */
static cw_status check_history_is_ours(cw_context *context, const char *folder) {
  static const char expected[] = "step,time";
  char path[CW_PATH_SIZE], start[sizeof expected] = "";
  CW_TRY(cw_path_join(context, folder, "history.csv", path));
  FILE *file = fopen(path, "r");
  if (!file)
    return errno == ENOENT ? CW_OK : fail_errno(context, path, "cannot read");
  size_t count = fread(start, 1, sizeof expected - 1, file);
  cw_status status = cw_claim(context, fileno(file), path, 0);
  fclose(file);
  CW_TRY(status);
  if (count == 0 || strcmp(start, expected) == 0)
    return CW_OK;
  return cw_fail(context, CW_ERROR_IO,
                 "%s: was not written by cellwise (it does not start with \"%s\"); choose another "
                 "output folder",
                 path, expected);
}

/* What a killed run may have left half-written. */
static int is_part(const char *name) {
  static const char part[] = ".part";
  char whole[256];
  size_t length = strlen(name);
  if (length >= sizeof whole || length < sizeof part ||
      strcmp(name + length - (sizeof part - 1), part) != 0)
    return 0;
  snprintf(whole, sizeof whole, "%.*s", (int)(length - (sizeof part - 1)), name);
  int ours = strcmp(whole, "deck.toml") == 0 || strcmp(whole, "deck_resolved.toml") == 0 ||
             strcmp(whole, "tracks.h5") == 0;
  ours |= strcmp(whole, "fields.xdmf") == 0 || strcmp(whole, "particles.xdmf") == 0;
  ours |= cw_step_of_name(whole, "checkpoint") >= 0;
  for (int k = 0; k < CW_SERIES_COUNT; k++)
    ours |= cw_step_of_name(whole, cw_series_names[k]) >= 0;
  return ours;
}

/* Unlinks the entries that `chosen` says 1 to. */
static cw_status unlink_entries(cw_context *context, const char *folder,
                                int (*chosen)(const char *name)) {
  DIR *directory = opendir(folder);
  if (!directory)
    return fail_errno(context, folder, "cannot read the output folder");
  cw_status status = CW_OK;
  for (struct dirent *entry; status == CW_OK && (entry = readdir(directory));) {
    char path[CW_PATH_SIZE];
    if (!chosen(entry->d_name))
      continue;
    status = cw_path_join(context, folder, entry->d_name, path);
    if (status == CW_OK && unlink(path) != 0 && errno != ENOENT)
      status = fail_errno(context, path, "cannot remove");
  }
  closedir(directory);
  return status;
}

/* Parts in the folders of series, too. */
static cw_status unlink_parts(cw_context *context, const char *folder) {
  char own[CW_PATH_SIZE];
  CW_TRY(unlink_entries(context, folder, is_part));
  for (int k = CW_SERIES_FIELDS + 1; k < CW_SERIES_COUNT; k++) {
    CW_TRY(cw_series_folder(context, folder, (cw_series)k, own));
    if (access(own, F_OK) == 0)
      CW_TRY(unlink_entries(context, own, is_part));
  }
  return CW_OK;
}

cw_status cw_output_open_folder(cw_context *context, const char *folder) {
  char path[CW_PATH_SIZE];
  size_t length = strlen(folder), kept;
  if (length == 0)
    return cw_fail(context, CW_ERROR_IO, "the output folder's name is empty");
  if (length >= CW_PATH_SIZE - 64)
    return cw_fail(context, CW_ERROR_IO, "%.200s...: the output folder's name is too long", folder);
  memcpy(path, folder, length + 1);
  while (length > 1 && path[length - 1] == '/')
    path[--length] = '\0';
  CW_TRY(make_folders(context, path, &kept));
  cw_status status = probe_folder(context, path);
  if (status == CW_OK)
    status = check_history_is_ours(context, path);
  if (status == CW_OK)
    status = unlink_parts(context, path);
  if (status != CW_OK)
    unmake_folders(path, kept);
  return status;
}
