/* CUB's radix sort, in a file of its own: it takes long to compile. */
#include <cub/device/device_radix_sort.cuh>

#include "sort/sort_cuda.cuh"

static cudaError_t run(const cw_sort_pairs *pairs, void *temporary, size_t *bytes, int *sorted,
                       cudaStream_t stream) {
  cub::DoubleBuffer<uint32_t> keys(pairs->keys[0], pairs->keys[1]);
  cub::DoubleBuffer<uint32_t> slots(pairs->slots[0], pairs->slots[1]);
  cudaError_t error = cub::DeviceRadixSort::SortPairs(temporary, *bytes, keys, slots, pairs->count,
                                                      0, pairs->bits, stream);
  *sorted = keys.selector; /* the same as slots.selector */
  return error;
}

cw_status cw_sort_cub_bytes(cw_context *context, const cw_sort_pairs *pairs, size_t *bytes) {
  int sorted;
  cudaStream_t stream;
  *bytes = 0;
  CW_TRY(cw_device_use(context, &stream));
  return cw_cuda_check(context, run(pairs, NULL, bytes, &sorted, stream),
                       "cub::DeviceRadixSort::SortPairs (size)");
}

cw_status cw_sort_cub(cw_context *context, const cw_sort_pairs *pairs, void *temporary,
                      size_t bytes, int *sorted) {
  cudaStream_t stream;
  CW_TRY(cw_device_use(context, &stream));
  CW_TRY(cw_cuda_check(context, run(pairs, temporary, &bytes, sorted, stream),
                       "cub::DeviceRadixSort::SortPairs"));
  return cw_cuda_launched(context, "cub::DeviceRadixSort");
}
