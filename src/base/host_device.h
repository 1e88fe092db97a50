/* Marks of functions that C11 and CUDA share (`*_body.h`). */
#ifndef CW_BASE_HOST_DEVICE_H
#define CW_BASE_HOST_DEVICE_H

#ifdef __CUDACC__
#define CW_HOST_DEVICE __host__ __device__
#else
#define CW_HOST_DEVICE
#endif

#ifdef __cplusplus
#define CW_RESTRICT __restrict__
#else
#define CW_RESTRICT restrict
#endif

#endif
