#include "cli/bench_device.h"

#include "base/context_private.h"
#include "base/device.h"

static cw_status copy(cw_context *context, const void *host, size_t bytes, void **device) {
  *device = NULL;
  if (!host)
    return CW_OK;
  CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, bytes, 1, "benchmark data", device));
  return cw_device_write(context, *device, host, bytes);
}

cw_status cw_bench_device_particles(cw_context *context, int dim, const cw_particles_view *host,
                                    cw_particles_view *device) {
  const size_t count = (size_t)host->count, real = (size_t)cw_precision_size(host->precision);
  *device = (cw_particles_view){
      .count = host->count, .precision = host->precision, .space = CW_SPACE_DEVICE};
  for (int a = 0; a < dim; a++) {
    CW_TRY(copy(context, host->i[a], count * sizeof(int32_t), (void **)&device->i[a]));
    CW_TRY(copy(context, host->i_prev[a], count * sizeof(int32_t), (void **)&device->i_prev[a]));
    CW_TRY(copy(context, host->dx[a], count * real, &device->dx[a]));
    CW_TRY(copy(context, host->dx_prev[a], count * real, &device->dx_prev[a]));
  }
  for (int a = 0; a < 3; a++)
    CW_TRY(copy(context, host->u[a], count * real, &device->u[a]));
  CW_TRY(copy(context, host->weight, count * real, &device->weight));
  CW_TRY(copy(context, host->tag, count, (void **)&device->tag));
  return copy(context, host->id, count * sizeof(uint64_t), (void **)&device->id);
}

void cw_bench_device_particles_free(cw_context *context, cw_particles_view *device) {
  if (device->space != CW_SPACE_DEVICE)
    return;
  for (int a = 0; a < 3; a++) {
    cw_memory_free(context, CW_SPACE_DEVICE, device->i[a]);
    cw_memory_free(context, CW_SPACE_DEVICE, device->i_prev[a]);
    cw_memory_free(context, CW_SPACE_DEVICE, device->dx[a]);
    cw_memory_free(context, CW_SPACE_DEVICE, device->dx_prev[a]);
    cw_memory_free(context, CW_SPACE_DEVICE, device->u[a]);
  }
  cw_memory_free(context, CW_SPACE_DEVICE, device->weight);
  cw_memory_free(context, CW_SPACE_DEVICE, device->tag);
  cw_memory_free(context, CW_SPACE_DEVICE, device->id);
  *device = (cw_particles_view){0};
}

cw_status cw_bench_device_cells(cw_context *context, const cw_cells_view *host,
                                cw_cells_view *device) {
  void *offsets = NULL;
  cw_status status = copy(context, host->tile_offsets,
                          ((size_t)host->total_tiles + 1) * sizeof(int64_t), &offsets);
  *device = *host;
  device->tile_offsets = offsets;
  return status;
}

void cw_bench_device_cells_free(cw_context *context, cw_cells_view *device) {
  cw_memory_free(context, CW_SPACE_DEVICE, (void *)(uintptr_t)device->tile_offsets);
  *device = (cw_cells_view){0};
}
