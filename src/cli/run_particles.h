/* Particle files of `cellwise run`. */
#ifndef CW_CLI_RUN_PARTICLES_H
#define CW_CLI_RUN_PARTICLES_H

#include "engine/engine.h"
#include "output/output.h"

/* The particles that the deck chooses, at the engine's step. Errors: those of the engine, of
 * cw_selection_create and of cw_output_write_particles. */
cw_status cw_run_particles_write(cw_context *context, const cw_deck *deck, const char *folder,
                                 cw_engine *engine);

#endif
