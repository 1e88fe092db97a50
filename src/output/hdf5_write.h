/* HDF5 files that appear whole: the driver, attributes with checked results, and what every file of
 * cellwise says of itself. */
#ifndef CW_OUTPUT_HDF5_WRITE_H
#define CW_OUTPUT_HDF5_WRITE_H

#include "output/output_private.h"

/* A file being written. */
typedef struct cw_h5_out {
  cw_context *context;
  const char *path; /* the final name, for messages */
} cw_h5_out;

/* "PATH: OPERATION NAME failed: reason". */
cw_status cw_h5_out_fail(const cw_h5_out *out, const char *operation, const char *name);

/* Attributes: `count` strings of one fixed length each, or one scalar string if count is 0. */
cw_status cw_h5_put_strings(const cw_h5_out *out, hid_t object, const char *name, const char *text,
                            size_t length, hsize_t count);
cw_status cw_h5_put_text(const cw_h5_out *out, hid_t object, const char *name, const char *text);
/* Text of any length: fixed-length attributes end at 64 kB, variable-length ones do not. */
cw_status cw_h5_put_long_text(const cw_h5_out *out, hid_t object, const char *name,
                              const char *text);
cw_status cw_h5_put_double(const cw_h5_out *out, hid_t object, const char *name, double value);
cw_status cw_h5_put_integer(const cw_h5_out *out, hid_t object, const char *name, int64_t value);
cw_status cw_h5_put_uint32(const cw_h5_out *out, hid_t object, const char *name, uint32_t value);
/* openPMD's shape of a constant component: an array of one. */
cw_status cw_h5_put_shape(const cw_h5_out *out, hid_t object, const char *name, uint64_t count);
cw_status cw_h5_put_doubles(const cw_h5_out *out, hid_t object, const char *name,
                            const double *values, int count);

/* How a data set of that extent is stored: in chunks, compressed where the library can; H5P_DEFAULT
 * for small ones, to be closed where it is positive. */
hid_t cw_h5_compressed(int rank, const hsize_t *extent);

/* Software, version, commit, backend, date; then the deck as resolved (NULL: none) with its name and
 * scales. */
cw_status cw_h5_put_origin(const cw_h5_out *out, hid_t file, const cw_deck *deck);
/* openPMD's version, extensions (1: ED-PIC) and encoding of iterations (`format`:
 * "fields_%08T.h5"), and the origin. */
cw_status cw_h5_put_file_attributes(const cw_h5_out *out, hid_t file, const char *format,
                                    uint32_t extensions, const cw_deck *deck);

/* Everything in the part file, by `body`; closed on return, whatever happens. Errors: body's, and
 * CW_ERROR_IO with the system's own reason, if it gave one. */
typedef cw_status cw_h5_body(const cw_h5_out *out, hid_t file, const void *user);
cw_status cw_h5_write_part(const cw_h5_out *out, const char *part, hsize_t user_block,
                           cw_h5_body *body, const void *user);

#endif
