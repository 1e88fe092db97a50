/* Files after the openPMD standard 1.1.0 (https://github.com/openPMD/openPMD-standard), one a step:
 * what they have in common. */
#ifndef CW_OUTPUT_OPENPMD_WRITE_H
#define CW_OUTPUT_OPENPMD_WRITE_H

#include "output/hdf5_write.h"

/* Fills the iteration's group of the file. */
typedef cw_status cw_openpmd_body(const cw_h5_out *out, hid_t file, hid_t iteration,
                                  const void *user);
/* Writes the file of a series at a step, whole or not at all; makes the series' folder. `deck` (may
 * be NULL) is stored as resolved. Errors: body's, CW_ERROR_ARGUMENT (a negative step), CW_ERROR_IO. */
cw_status cw_openpmd_write(cw_context *context, const char *folder, cw_series series,
                           const cw_deck *deck, const cw_output_time *when, cw_openpmd_body *body,
                           const void *user);
/* Makes the iteration's group `name` and says so in the root's attribute `path` ("meshesPath"). */
cw_status cw_openpmd_group(const cw_h5_out *out, hid_t file, hid_t iteration, const char *path,
                           const char *name, hid_t *group);
/* Units of 0 count as 1. */
double cw_openpmd_unit(double unit);

#endif
