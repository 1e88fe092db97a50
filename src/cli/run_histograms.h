/* Spectra and phase-space maps of `cellwise run`. */
#ifndef CW_CLI_RUN_HISTOGRAMS_H
#define CW_CLI_RUN_HISTOGRAMS_H

#include "engine/engine.h"
#include "output/output.h"

/* Energy spectra of the deck's species at the engine's step: records spectrum_LABEL, energy fastest,
 * then the parts of the box along each axis that has several. Errors: those of the engine and of
 * cw_output_write_histograms. */
cw_status cw_run_spectra_write(cw_context *context, const cw_deck *deck, const char *folder,
                               cw_engine *engine);
/* The deck's maps: records phase_A_B_LABEL, A fastest. */
cw_status cw_run_phase_space_write(cw_context *context, const cw_deck *deck, const char *folder,
                                   cw_engine *engine);

#endif
