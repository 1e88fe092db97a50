/* Loops of the Yee update, one table an instruction set. */
#ifndef CW_FIELDS_YEE_CPU_H
#define CW_FIELDS_YEE_CPU_H

#include "base/isa.h"
#include "fields/fields_private.h"

typedef struct cw_yee_cpu_table {
  void (*curl[2])(const cw_yee_job *job); /* by cw_precision */
} cw_yee_cpu_table;

CW_ISA_DECLARE(cw_yee_cpu_table, cw_yee_cpu_ops);

#endif
