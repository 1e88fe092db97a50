/* An HDF5 file driver for files written once. HDF5 1.10 does not survive a file that it cannot
 * write: closing it fails, and the library crashes when the process ends. So this driver remembers
 * the first error of the operating system, lets HDF5 close the file in peace, and the caller asks
 * afterwards. The file of a failed write is worthless and is removed by the caller. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/output_private.h"
#if H5_VERSION_GE(1, 14, 0)
#include <H5FDdevelop.h>
#endif

typedef struct part_file {
  H5FD_t base; /* first, as HDF5 demands */
  int descriptor;
  int *error; /* the caller's */
  haddr_t allocated, end;
} part_file;

static void remember(part_file *part, int error) {
  if (*part->error == 0)
    *part->error = error;
}

static H5FD_t *part_open(const char *name, unsigned flags, hid_t access, haddr_t highest) {
  (void)flags, (void)highest;
  int *const *error = H5Pget_driver_info(access);
  part_file *part = error ? calloc(1, sizeof *part) : NULL;
  if (!part)
    return NULL;
  part->error = *error;
  part->descriptor = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (part->descriptor < 0) {
    remember(part, errno);
    free(part);
    return NULL;
  }
  return &part->base;
}

static herr_t part_close(H5FD_t *file) {
  part_file *part = (part_file *)file;
  if (close(part->descriptor) != 0)
    remember(part, errno);
  free(part);
  return 0;
}

static herr_t part_query(const H5FD_t *file, unsigned long *flags) {
  (void)file;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

static haddr_t part_get_allocated(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const part_file *)file)->allocated;
}

static herr_t part_set_allocated(H5FD_t *file, H5FD_mem_t type, haddr_t address) {
  (void)type;
  ((part_file *)file)->allocated = address;
  return 0;
}

static haddr_t part_get_end(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const part_file *)file)->end;
}

static herr_t part_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                        void *buffer) {
  part_file *part = (part_file *)file;
  char *bytes = buffer;
  (void)type, (void)transfer;
  while (size > 0) {
    ssize_t count = pread(part->descriptor, bytes, size, (off_t)address);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      remember(part, errno);
    if (count <= 0)
      break;
    bytes += count;
    address += (haddr_t)count;
    size -= (size_t)count;
  }
  memset(bytes, 0, size); /* beyond the end */
  return 0;
}

static herr_t part_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address,
                         size_t size, const void *buffer) {
  part_file *part = (part_file *)file;
  const char *bytes = buffer;
  (void)type, (void)transfer;
  if (address + size > part->end)
    part->end = address + size;
  while (size > 0 && *part->error == 0) {
    ssize_t count = pwrite(part->descriptor, bytes, size, (off_t)address);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) {
      remember(part, errno);
      break;
    }
    bytes += count;
    address += (haddr_t)count;
    size -= (size_t)count;
  }
  return 0;
}

static herr_t part_truncate(H5FD_t *file, hid_t transfer, hbool_t closing) {
  part_file *part = (part_file *)file;
  (void)transfer, (void)closing;
  if (part->end == part->allocated)
    return 0;
  if (ftruncate(part->descriptor, (off_t)part->allocated) != 0)
    remember(part, errno);
  part->end = part->allocated;
  return 0;
}

hid_t cw_h5_part_driver(void) {
  static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 14, 0)
    .version = H5FD_CLASS_VERSION,
    .value = 600, /* any that the HDF Group has not given to others' drivers */
#endif
    .name = "cellwise_part",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(int *),
    .open = part_open,
    .close = part_close,
    .query = part_query,
    .get_eoa = part_get_allocated,
    .set_eoa = part_set_allocated,
    .get_eof = part_get_end,
    .read = part_read,
    .write = part_write,
    .truncate = part_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY
  };
  return H5FDregister(&driver);
}
