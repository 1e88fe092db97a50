/* Hot loops are compiled once an instruction set: a file `x_cpu.c` listed with cw_isa_sources() in
 * CMake is compiled with -DCW_ISA_SUFFIX=_base, _avx2, _avx512, and exports its functions through
 * one table named CW_ISA_NAME(x_cpu_ops). The file x.c picks with CW_ISA_SELECT(x_cpu_ops, isa). */
#ifndef CW_BASE_ISA_H
#define CW_BASE_ISA_H

#define CW_ISA_JOIN2(name, suffix) name##suffix
#define CW_ISA_JOIN(name, suffix)  CW_ISA_JOIN2(name, suffix)

#ifdef CW_ISA_SUFFIX
#define CW_ISA_NAME(name) CW_ISA_JOIN(name, CW_ISA_SUFFIX)
#endif

#if defined(__x86_64__)
#define CW_ISA_DECLARE(type, name) extern const type name##_base, name##_avx2, name##_avx512
#define CW_ISA_SELECT(name, isa)                                                                   \
  ((isa) == CW_ISA_AVX512 ? &name##_avx512 : (isa) == CW_ISA_AVX2 ? &name##_avx2 : &name##_base)
#else
#define CW_ISA_DECLARE(type, name) extern const type name##_base
#define CW_ISA_SELECT(name, isa)   ((void)(isa), &name##_base)
#endif

#endif
