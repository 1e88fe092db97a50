#include "base/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nettle/sha2.h>
#include <omp.h>

#include "base/context_private.h"

enum { FORMAT = 1, HEX = 2 * SHA256_DIGEST_SIZE + 1 };

static cw_status fail_errno(cw_context *context, const char *name, const char *operation,
                            int error) {
  return cw_fail(context, CW_ERROR_IO, "%.300s: cannot %s: %s", name, operation, strerror(error));
}

/* All of `size` bytes at `place`; 0 or an errno (EIO where the file ends before). */
static int read_all(int descriptor, int64_t place, int64_t size, uint8_t *bytes) {
  while (size > 0) {
    ssize_t got = pread(descriptor, bytes, (size_t)size, (off_t)place);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got < 0 ? errno : EIO;
    bytes += got, place += got, size -= got;
  }
  return 0;
}

/* Digests of all blocks behind the seal, by as many threads as the context has; 0 or an errno. */
static int digest_blocks(const cw_context *context, int descriptor, int64_t end, uint8_t *buffers,
                         uint8_t *digests) {
  const int64_t blocks = (end - CW_SEAL_SIZE + CW_SEAL_BLOCK - 1) / CW_SEAL_BLOCK;
  int error = 0;
#pragma omp parallel for schedule(static) reduction(max                                            \
                                                    : error)                                       \
    num_threads(cw_context_threads(context))
  for (int64_t b = 0; b < blocks; b++) {
    uint8_t *buffer = buffers + (int64_t)omp_get_thread_num() * CW_SEAL_BLOCK;
    const int64_t from = CW_SEAL_SIZE + b * CW_SEAL_BLOCK;
    const int64_t size = cw_min_i64(CW_SEAL_BLOCK, end - from);
    const int failed = read_all(descriptor, from, size, buffer);
    struct sha256_ctx hash;
    error = failed > error ? failed : error;
    sha256_init(&hash);
    if (!failed)
      sha256_update(&hash, (size_t)size, buffer);
    sha256_digest(&hash, SHA256_DIGEST_SIZE, digests + b * SHA256_DIGEST_SIZE);
  }
  return error;
}

static cw_status digest(cw_context *context, int descriptor, const char *name, int64_t end,
                        char hex[HEX]) {
  const int64_t blocks = (end - CW_SEAL_SIZE + CW_SEAL_BLOCK - 1) / CW_SEAL_BLOCK;
  uint8_t *buffers = NULL, *digests = NULL, whole[SHA256_DIGEST_SIZE];
  struct sha256_ctx hash;
  cw_status status;
  int error;
  CW_TRY_CLEANUP(status, CW_NEW(context, (int64_t)cw_context_threads(context) * CW_SEAL_BLOCK,
                                "blocks of a sealed file", &buffers));
  CW_TRY_CLEANUP(
      status, CW_NEW(context, blocks * SHA256_DIGEST_SIZE, "digests of a sealed file", &digests));
  error = digest_blocks(context, descriptor, end, buffers, digests);
  if (error)
    status = fail_errno(context, name, "read", error);
  sha256_init(&hash);
  sha256_update(&hash, (size_t)(blocks * SHA256_DIGEST_SIZE), digests);
  sha256_digest(&hash, SHA256_DIGEST_SIZE, whole);
  for (int k = 0; k < SHA256_DIGEST_SIZE; k++)
    snprintf(hex + 2 * k, 3, "%02x", whole[k]);
cleanup:
  CW_DELETE(context, buffers);
  CW_DELETE(context, digests);
  return status;
}

static cw_status put_seal(cw_context *context, int descriptor, const char *name, const char *kind) {
  char seal[CW_SEAL_SIZE] = "", hex[HEX];
  struct stat file;
  if (fstat(descriptor, &file) != 0)
    return fail_errno(context, name, "look at", errno);
  if (file.st_size < CW_SEAL_SIZE)
    return cw_fail(context, CW_ERROR_INTERNAL, "%.300s: has no room for its seal", name);
  CW_TRY(digest(context, descriptor, name, file.st_size, hex));
  snprintf(seal, sizeof seal, "cellwise %s %d\nbytes %" PRId64 "\nsha256 %s\n", kind, FORMAT,
           (int64_t)file.st_size, hex);
  ssize_t written = pwrite(descriptor, seal, sizeof seal, 0);
  if (written < 0)
    return fail_errno(context, name, "write", errno);
  return written == CW_SEAL_SIZE ? CW_OK : fail_errno(context, name, "write", ENOSPC);
}

cw_status cw_seal_write(cw_context *context, const char *path, const char *name, const char *kind) {
  int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0)
    return fail_errno(context, name, "open", errno);
  cw_status status = put_seal(context, descriptor, name, kind);
  if (close(descriptor) != 0 && status == CW_OK)
    status = fail_errno(context, name, "close", errno);
  return status;
}

static cw_status compare(cw_context *context, int descriptor, const char *path, const char *kind,
                         int whole) {
  char seal[CW_SEAL_SIZE + 1] = "", start[64], expected[HEX] = "", hex[HEX];
  int64_t bytes = 0;
  int format = 0;
  struct stat file;
  if (fstat(descriptor, &file) != 0)
    return fail_errno(context, path, "look at", errno);
  if (!S_ISREG(file.st_mode))
    return cw_fail(context, CW_ERROR_FORMAT,
                   "%.300s: found no plain file; expected a %s of "
                   "cellwise",
                   path, kind);
  int error = read_all(descriptor, 0, cw_min_i64(CW_SEAL_SIZE, file.st_size), (uint8_t *)seal);
  if (error)
    return fail_errno(context, path, "read", error);
  snprintf(start, sizeof start, "cellwise %s ", kind);
  if (strncmp(seal, start, strlen(start)) != 0)
    return cw_fail(context, CW_ERROR_FORMAT, "%.300s: found a file that is not a %s of cellwise",
                   path, kind);
  if (sscanf(seal + strlen(start), "%9d\nbytes %18" SCNd64 "\nsha256 %64[0-9a-f]", &format, &bytes,
             expected) != 3)
    return cw_fail(context, CW_ERROR_FORMAT,
                   "%.300s: found a damaged head; expected format, bytes and sha256", path);
  if (format != FORMAT)
    return cw_fail(context, CW_ERROR_FORMAT,
                   "%.300s: found a %s of format %d; this version of cellwise reads format %d",
                   path, kind, format, FORMAT);
  if (bytes != file.st_size || bytes < CW_SEAL_SIZE)
    return cw_fail(context, CW_ERROR_FORMAT,
                   "%.300s: found %" PRId64 " bytes; expected %" PRId64 ": the file was cut off",
                   path, (int64_t)file.st_size, bytes);
  if (!whole)
    return CW_OK;
  CW_TRY(digest(context, descriptor, path, bytes, hex));
  if (strcmp(hex, expected) != 0)
    return cw_fail(context, CW_ERROR_FORMAT,
                   "%.300s: found contents of SHA-256 %.16s...; expected %.16s...: the file was "
                   "damaged",
                   path, hex, expected);
  return CW_OK;
}

cw_status cw_seal_check(cw_context *context, const char *path, const char *kind, int whole) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return fail_errno(context, path, "open", errno);
  cw_status status = compare(context, descriptor, path, kind, whole);
  close(descriptor);
  return status;
}
