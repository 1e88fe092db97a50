/* What the compiler was told to use for one instruction set; `cellwise info` prints it. */
#include "base/isa_compiled.h"
#include "base/isa.h"

const cw_isa_compiled CW_ISA_NAME(cw_isa_compiled_ops) = {
#if defined(__AVX512F__)
    .vector_bits = 512,
#elif defined(__AVX2__)
    .vector_bits = 256,
#else
    .vector_bits = 128,
#endif
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    .fused_multiply_add = 1,
#endif
};
