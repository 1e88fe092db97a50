/* The JSON document of `cellwise coordination --json`, written frame by frame. */
#ifndef CW_CLI_COORDINATION_JSON_H
#define CW_CLI_COORDINATION_JSON_H

#include <stdio.h>

#include "molecular/analysis.h"

/* {"frames":[{"step":0,"time":0,"variables":{"c":{"value":...,"atom_derivatives":[[...]],
 * "box_derivatives":[...]}}}]}; derivatives only when the analysis has them. */
void cw_coordination_json_begin(FILE *stream);
void cw_coordination_json_frame(FILE *stream, const cw_analysis *analysis, const cw_input *input,
                                int64_t step, int first);
void cw_coordination_json_end(FILE *stream);

/* Which atoms each group took, how pairs were found, and how many counted. */
void cw_coordination_explain_input(FILE *stream, const cw_input *input, double range_of_unit);
void cw_coordination_explain_frame(FILE *stream, const cw_analysis *analysis, const cw_input *input,
                                   int64_t step);

#endif
