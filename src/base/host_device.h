/* Marks of functions that C11 and CUDA share (`*_body.h`). */
#ifndef CW_BASE_HOST_DEVICE_H
#define CW_BASE_HOST_DEVICE_H

#ifdef __CUDACC__
#define CW_HOST_DEVICE __host__ __device__
#else
#define CW_HOST_DEVICE
#endif

/* CW_CONSTANT_FUNCTION: of its arguments only; in C++ its value may be a template's argument. */
#ifdef __cplusplus
#define CW_RESTRICT          __restrict__
#define CW_CONSTANT_FUNCTION static constexpr inline CW_HOST_DEVICE
#else
#define CW_RESTRICT          restrict
#define CW_CONSTANT_FUNCTION static inline
#endif

#endif
