/* What `cellwise check` says of a deck that is right. */
#ifndef CW_CLI_CHECK_REPORT_H
#define CW_CLI_CHECK_REPORT_H

#include "cli/check_output.h"
#include "cli/check_time.h"

typedef struct cw_check_report {
  cw_engine_memory memory;
  double available;  /* bytes */
  double checkpoint; /* bytes of one checkpoint */
  cw_check_output output;
  cw_check_scales scales;
  cw_check_warnings warnings;
  cw_check_time time;
} cw_check_report;

/* The resolved deck, the parameters that [setup] leaves to their defaults, scales and memory.
 * Errors: CW_ERROR_IO. */
cw_status cw_check_report_text(cw_context *context, const cw_check_report *report,
                               const cw_deck *deck, FILE *stream);
/* The same as {"deck": {...}, "derived": {...}, "species": [{...}], "memory": {...}, "time": {...},
 * "output": {"fields": {"files": N, "bytes": N}, ...}, "checkpoint_bytes": N, "warnings": [...]}; null stands for a number without a meaning.
 * Errors: CW_ERROR_IO, CW_ERROR_MEMORY. */
cw_status cw_check_report_json(cw_context *context, const cw_check_report *report,
                               const cw_deck *deck, FILE *stream);

#endif
