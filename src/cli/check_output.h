/* What a run will write, as `cellwise check` says it. */
#ifndef CW_CLI_CHECK_OUTPUT_H
#define CW_CLI_CHECK_OUTPUT_H

#include "deck/deck.h"

/* Files of each series over the whole run, and bytes of values in one of them before compression; of
 * particles what `stride` leaves of `particles`, shared evenly by the species: `select` leaves
 * fewer. */
typedef struct cw_check_output {
  int64_t files[CW_SERIES_COUNT];
  double bytes[CW_SERIES_COUNT];
} cw_check_output;

void cw_check_output_fill(cw_check_output *output, const cw_deck *deck, int64_t particles);

#endif
