/* Field files of `cellwise run`. */
#ifndef CW_CLI_RUN_FIELDS_H
#define CW_CLI_RUN_FIELDS_H

#include "engine/engine.h"
#include "output/output.h"

/* The deck's quantities at the engine's step, one openPMD file; without any, none. Errors: those of
 * the engine and of cw_output_write_fields. */
cw_status cw_run_fields_write(cw_context *context, const cw_deck *deck, const char *folder,
                              cw_engine *engine);

#endif
