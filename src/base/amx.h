/* The tiles of a processor with AMX (kernels/matrix_tile.h), which a process must ask the kernel for. */
#ifndef CW_BASE_AMX_H
#define CW_BASE_AMX_H

#include <cellwise/context.h>

/* Asks for them, for all threads of the process. NULL: code for AMX may run in this context; else
 * why not (static). */
const char *cw_amx_missing(const cw_context *context);

#endif
