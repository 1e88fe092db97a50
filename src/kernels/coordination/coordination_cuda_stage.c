/* Host copies between the caller's arrays and pinned memory, on all threads: one core moves less
 * than the bus. */
#include <string.h>

#include "kernels/coordination/coordination_cuda.h"

enum { CHUNK = 8192 }; /* atoms */

/* Components follow each other: the whole array is one run of bytes. */
static int is_packed(const cw_coordinates_view *view) {
  const size_t size = (size_t)cw_precision_size(view->precision);
  const char *first = view->component[0];
  return view->stride == 3 && view->component[1] == first + size &&
         view->component[2] == first + 2 * size;
}

void cw_coordination_pack(const cw_coordinates_view *from, int64_t atoms, void *packed,
                          int threads) {
  const size_t size = (size_t)cw_precision_size(from->precision);
  const int whole = is_packed(from);
#pragma omp parallel for schedule(static) num_threads(threads) if (atoms > CHUNK)
  for (int64_t begin = 0; begin < atoms; begin += CHUNK) {
    const int64_t end = cw_min_i64(begin + CHUNK, atoms);
    char *to = (char *)packed + (size_t)(3 * begin) * size;
    if (whole) {
      memcpy(to, (const char *)from->component[0] + (size_t)(3 * begin) * size,
             (size_t)(3 * (end - begin)) * size);
      continue;
    }
    for (int64_t k = begin; k < end; k++)
      for (int c = 0; c < 3; c++, to += size)
        memcpy(to, (const char *)from->component[c] + (size_t)(k * from->stride) * size, size);
  }
}

void cw_coordination_unpack(const void *packed, int64_t atoms, const cw_coordinates_view *to,
                            int threads) {
  const size_t size = (size_t)cw_precision_size(to->precision);
  const int whole = is_packed(to);
#pragma omp parallel for schedule(static) num_threads(threads) if (atoms > CHUNK)
  for (int64_t begin = 0; begin < atoms; begin += CHUNK) {
    const int64_t end = cw_min_i64(begin + CHUNK, atoms);
    const char *from = (const char *)packed + (size_t)(3 * begin) * size;
    if (whole) {
      memcpy((char *)to->component[0] + (size_t)(3 * begin) * size, from,
             (size_t)(3 * (end - begin)) * size);
      continue;
    }
    for (int64_t k = begin; k < end; k++)
      for (int c = 0; c < 3; c++, from += size)
        memcpy((char *)to->component[c] + (size_t)(k * to->stride) * size, from, size);
  }
}
