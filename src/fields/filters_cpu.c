#include "fields/filters_cpu.h"

#include <string.h>

#include <omp.h>

#include "fields/fields_private.h"

#define CW_REAL_IS_DOUBLE 0
#include "base/real.h"
#include "fields/filters_body.h"
#undef CW_REAL_IS_DOUBLE
#define CW_REAL_IS_DOUBLE 1
#include "base/real.h"
#include "fields/filters_body.h"

const cw_filter_cpu_table CW_ISA_NAME(cw_filter_cpu_ops) = {.sweep = {sweep_f32, sweep_f64}};
