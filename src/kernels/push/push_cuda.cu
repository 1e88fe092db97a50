/* The device's push: which slots go through which kernel. */
#include "kernels/push/push_cuda_launch.cuh"

/* Shared memory that a team takes beside the fields: its list, in single precision a particle a
 * thread, and what the device keeps. */
enum { TEAM_EXTRA_BYTES = 4096, TEAM_AHEAD_BYTES = CW_THREADS * 9 * 4 };

/* The largest margin of cells that leaves room for enough teams on a multiprocessor, so that their
 * waits for memory overlap: as many as the registers of the kernels allow, or at worst two. -1: no
 * margin does. */
static int choose_drift(const cw_device_properties *device, const cw_push_job *job, int tile) {
  const size_t room = device->shared_per_multiprocessor;
  const int is_double = job->particles.precision == CW_DOUBLE;
  const size_t teams = is_double ? 2 : 3;
  const size_t extra = TEAM_EXTRA_BYTES + (is_double ? 0 : TEAM_AHEAD_BYTES);
  if ((cw_push_arena(job, tile, 1) + extra) * teams <= room)
    return 1;
  return (cw_push_arena(job, tile, 0) + extra) * 2 <= room ? 0 : -1;
}

static cw_status check_always(cw_context *context, const cw_push_job *job,
                              const cw_cells_view *cells) {
  if (job->order > CW_PUSH_STAGED_ORDERS || !job->gathers || job->drags || job->guides)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "push: fields are staged for orders 1 to %d, where they act, and neither "
                   "radiation nor guiding centres do; order is %d",
                   CW_PUSH_STAGED_ORDERS, job->order);
  if (!cells || cells->total_tiles == 0)
    return cw_fail(context, CW_ERROR_ARGUMENT, "push: fields are staged for sorted particles only");
  return CW_OK;
}

/* Finds whether tiles are staged (*drift >= 0), and with which margin. */
static cw_status plan(cw_context *context, const cw_push_job *job, const cw_cells_view *cells,
                      const cw_push_tuning *tuning, int *drift) {
  *drift = -1;
  if (tuning->staging == CW_PUSH_STAGING_ALWAYS) {
    CW_TRY(check_always(context, job, cells));
    *drift = tuning->drift;
    return CW_OK;
  }
  if (tuning->staging == CW_PUSH_STAGING_AUTO && cells && cells->total_tiles > 0 && job->vector &&
      job->gathers && !job->drags && !job->guides && job->order <= CW_PUSH_STAGED_ORDERS)
    *drift = choose_drift(cw_device_opened(context), job, cells->tile);
  return CW_OK;
}

cw_status cw_push_cuda(cw_context *context, const cw_push_job *job, const cw_cells_view *cells,
                       const cw_push_tuning *tuning) {
  const cw_push_tuning automatic = {};
  const int is_double = job->particles.precision == CW_DOUBLE;
  int64_t sorted = 0;
  int drift;
  if (!tuning)
    tuning = &automatic;
  CW_TRY(cw_device_use(context, NULL));
  CW_TRY(plan(context, job, cells, tuning, &drift));
  if (drift >= 0) {
    cw_push_tiles tiles = {
        cells->tile,         {1, 1, 1}, cells->total_tiles,
        cells->tile_offsets, drift,     cw_push_edge(job->order, cells->tile, drift)};
    for (int a = 0; a < 3; a++)
      tiles.tiles[a] = cells->tiles[a];
    sorted = cw_min_i64(cells->npart_partitioned, job->particles.count);
    CW_TRY((is_double ? cw_push_cuda_tiled_f64 : cw_push_cuda_tiled_f32)(context, job, &tiles,
                                                                         tuning->team_size));
  }
  if (sorted == job->particles.count)
    return CW_OK;
  return (is_double ? cw_push_cuda_flat_f64 : cw_push_cuda_flat_f32)(context, job, sorted);
}
