/* A seal on a file: its first 512 bytes say how long the file is and what its SHA-256 is, so that a
 * file that was cut off, damaged or made by another program is known before anything else of it is
 * read. HDF5 leaves that room as a "user block".
 *
 * The digest is SHA-256 over the SHA-256 of each block of 1 MiB behind the seal, in order, the last
 * block being as long as it is. */
#ifndef CW_BASE_SEAL_H
#define CW_BASE_SEAL_H

#include <cellwise/context.h>

enum { CW_SEAL_SIZE = 512, CW_SEAL_BLOCK = 1 << 20 };

/* Writes the seal over the first 512 bytes of a closed file of `kind` ("checkpoint"). `name`
 * stands for the file in messages. Errors: CW_ERROR_IO, CW_ERROR_MEMORY. */
cw_status cw_seal_write(cw_context *context, const char *path, const char *name, const char *kind);
/* Without `whole`, the contents are not read: only the seal and the length. Errors: CW_ERROR_IO
 * (cannot be read), CW_ERROR_FORMAT (no such seal, another length, another
 * digest: the message says which, what was found and what was expected), CW_ERROR_MEMORY. */
cw_status cw_seal_check(cw_context *context, const char *path, const char *kind, int whole);

#endif
