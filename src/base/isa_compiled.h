/* Facts about the code of one instruction set, one object an instruction set. */
#ifndef CW_BASE_ISA_COMPILED_H
#define CW_BASE_ISA_COMPILED_H

#include "base/isa.h"

typedef struct cw_isa_compiled {
  int vector_bits;
  int fused_multiply_add;
} cw_isa_compiled;

CW_ISA_DECLARE(cw_isa_compiled, cw_isa_compiled_ops);

#endif
