/* What `cellwise check` says of a deck that is right. */
#ifndef CW_CLI_CHECK_REPORT_H
#define CW_CLI_CHECK_REPORT_H

#include "engine/engine.h"

enum { CW_CHECK_WARNINGS = 8 };

typedef struct cw_check_report {
  cw_engine_memory memory; /* set by the caller, with `available` */
  double available;        /* bytes */
  double checkpoint;       /* bytes of one checkpoint; set by the caller */
  double skindepth_cells, larmor_cells, plasma_period_steps, cells;
  double debye_cells; /* coldest species that [setup] gives a temperature for; 0: unknown */
  int warning_count;
  char warnings[CW_CHECK_WARNINGS][240];
} cw_check_report;

/* Scales in cells and steps, and warnings about decks that run but mislead. */
void cw_check_report_fill(cw_check_report *report, const cw_deck *deck);
/* The resolved deck, the parameters that [setup] leaves to their defaults, scales and memory.
 * Errors: CW_ERROR_IO. */
cw_status cw_check_report_text(cw_context *context, const cw_check_report *report,
                               const cw_deck *deck, FILE *stream);
/* The same as {"deck": {...}, "derived": {...}, "memory": {...}, "checkpoint_bytes": N,
 * "warnings": [...]}.
 * Errors: CW_ERROR_IO, CW_ERROR_MEMORY. */
cw_status cw_check_report_json(cw_context *context, const cw_check_report *report,
                               const cw_deck *deck, FILE *stream);

#endif
