/* The table that closes a run, for people. */
#ifndef CW_CLI_RUN_SUMMARY_H
#define CW_CLI_RUN_SUMMARY_H

#include <jansson.h>

/* Prints what `run --json` prints as a document: name, steps, time, particles, energy_change,
 * charge_error, ... deposits 0: charges made no field, and the charge error says nothing. */
void cw_run_summary_print(const json_t *summary, int deposits);

#endif
