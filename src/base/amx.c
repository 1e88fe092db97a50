#include "base/amx.h"

#include <stddef.h>

#ifdef CW_AMX
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *cw_amx_missing(const cw_context *context) {
  enum { TILES = 1 << 24, BF16 = 1 << 22 };                  /* cpuid, leaf 7, register d */
  enum { REQUEST_PERMISSION = 0x1023, STATE_OF_TILES = 18 }; /* <asm/prctl.h> of newer systems */
  unsigned a, b, c, d;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & TILES) || !(d & BF16))
    return "this processor has no AMX tiles with bf16";
  if (cw_context_isa(context) != CW_ISA_AVX512)
    return "the instruction set in use is not avx512";
  if (syscall(SYS_arch_prctl, REQUEST_PERMISSION, STATE_OF_TILES) != 0)
    return "the operating system grants no AMX tiles";
  return NULL;
}
#else
const char *cw_amx_missing(const cw_context *context) {
  (void)context;
  return "this build has no code for AMX";
}
#endif
