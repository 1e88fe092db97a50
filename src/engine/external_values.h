/* Fields that the deck gives as expressions of place and time, as arrays over the grid in the
 * engine's space: evaluated again when time or the box has moved on. */
#ifndef CW_ENGINE_EXTERNAL_VALUES_H
#define CW_ENGINE_EXTERNAL_VALUES_H

#include "engine/engine_cuda.h"
#include "engine/engine_private.h"
#include "setup/external.h"

typedef struct cw_external_values {
  cw_external *external;
  double scale;     /* from the deck's expressions to fields in units of B0 */
  double time;      /* of the values; NAN: none yet, or not of where the box now stands */
  double *value[6]; /* Ex ... Bz; NULL: zero everywhere and always */
  /* What a device evaluates them by. */
  cw_expression_instruction *code[6];
  double *stack[6]; /* NULL: the threads' own are deep enough */
  cw_external_fault *first;
} cw_external_values;

/* Takes `external` over. After a failure *made is to be destroyed, too. */
cw_status cw_external_values_create(cw_engine *engine, cw_external *external, double scale,
                                    cw_external_values *made);
/* What is all zero is left so. */
void cw_external_values_destroy(cw_engine *engine, cw_external_values *values);
/* Brings the values to time t. On a device queued, and nothing crosses to it; a value that is not
 * finite is told by the next wait. Errors on the host: CW_ERROR_INPUT, with key, place and time. */
cw_status cw_external_values_at(cw_engine *engine, cw_external_values *values, double t);
/* After a fault on a device: CW_ERROR_INPUT, with the same message, if a value was not finite; else
 * CW_OK, or what made it impossible to tell. */
cw_status cw_external_values_explain(cw_engine *engine, const cw_external_values *values);

#endif
