#include "fields/yee_cpu.h"

#include "fields/fields_private.h"

#define CW_REAL_IS_DOUBLE 0
#include "base/real.h"
#include "fields/yee_body.h"
#undef CW_REAL_IS_DOUBLE
#define CW_REAL_IS_DOUBLE 1
#include "base/real.h"
#include "fields/yee_body.h"

const cw_yee_cpu_table CW_ISA_NAME(cw_yee_cpu_ops) = {.curl = {curl_f32, curl_f64}};
