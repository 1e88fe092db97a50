/* The engine's device loops in a build without device code. */
#include "base/context_private.h"
#include "engine/ecsim_charge_cuda.h"
#include "engine/ecsim_cuda.h"
#include "engine/engine_cuda.h"

static cw_status absent(cw_context *context) {
  return cw_fail(context, CW_ERROR_UNSUPPORTED,
                 "engine: the particles are in device memory, and this build has no device code");
}

cw_status cw_engine_apply_sides_cuda(cw_context *context, const cw_block_sides *sides,
                                     const cw_particles_view *particles) {
  (void)sides, (void)particles;
  return absent(context);
}

cw_status cw_engine_block_energy_cuda(cw_context *context, const cw_particles_view *particles,
                                      int massless, double *work, double *energy, int64_t *alive) {
  (void)particles, (void)massless, (void)work, (void)energy, (void)alive;
  return absent(context);
}

cw_status cw_engine_count_region_cuda(cw_context *context, const cw_particles_view *particles,
                                      int dim, const cw_inject_region *region, int64_t *counts) {
  (void)particles, (void)dim, (void)region, (void)counts;
  return absent(context);
}

int64_t cw_engine_external_stack(int depth) {
  (void)depth;
  return 0;
}

cw_status cw_engine_fill_external_cuda(cw_context *context, const cw_external_job *job,
                                       cw_external_fault *first) {
  (void)job, (void)first;
  return absent(context);
}

cw_status cw_engine_move_particles_cuda(cw_context *context, const cw_particles_view *particles,
                                        int axis, int32_t cells, int32_t end) {
  (void)particles, (void)axis, (void)cells, (void)end;
  return absent(context);
}

cw_status cw_engine_shift_array_cuda(cw_context *context, const cw_window_shift *shift,
                                     cw_precision precision, const void *array, void *moved) {
  (void)shift, (void)precision, (void)array, (void)moved;
  return absent(context);
}

cw_status cw_engine_add_antenna_cuda(cw_context *context, const cw_antenna_waves *waves,
                                     const cw_grid *grid, cw_vector_view J) {
  (void)waves, (void)grid, (void)J;
  return absent(context);
}

cw_status cw_engine_add_density_cuda(cw_context *context, int64_t points, double *total,
                                     const double *one) {
  (void)points, (void)total, (void)one;
  return absent(context);
}

cw_status cw_engine_add_field_cuda(cw_context *context, int64_t points, cw_precision precision,
                                   const void *own, const double *external, void *total) {
  (void)points, (void)precision, (void)own, (void)external, (void)total;
  return absent(context);
}

cw_status cw_engine_continue_cuda(cw_context *context, const cw_grid *grid, cw_precision precision,
                                  const void *field, double *values) {
  (void)grid, (void)precision, (void)field, (void)values;
  return absent(context);
}

cw_status cw_engine_largest_cuda(cw_context *context, const cw_grid *grid, const double *density,
                                 double *work, double *largest) {
  (void)grid, (void)density, (void)work, (void)largest;
  return absent(context);
}

cw_status cw_ecsim_pack_nodes_cuda(cw_context *context, int64_t points, const double *const E[3],
                                   const double *const B[3], double *nodes) {
  (void)points, (void)E, (void)B, (void)nodes;
  return absent(context);
}

cw_status cw_ecsim_move_cuda(cw_context *context, int order, const cw_ecsim_move_job *job) {
  (void)order, (void)job;
  return absent(context);
}

cw_status cw_ecsim_predict_cuda(cw_context *context, int order, const cw_ecsim_move_job *job) {
  (void)order, (void)job;
  return absent(context);
}

cw_status cw_ecsim_sum_cuda(cw_context *context, const cw_particles_view *particles, int what,
                            double *work, double *sum, int64_t *alive) {
  (void)particles, (void)what, (void)work, (void)sum, (void)alive;
  return absent(context);
}

cw_status cw_ecsim_shift_cuda(cw_context *context, const cw_particles_view *particles, int dim,
                              int32_t *const i[3], double *const dx[3]) {
  (void)particles, (void)dim, (void)i, (void)dx;
  return absent(context);
}

cw_status cw_ecsim_charge_add_cuda(cw_context *context, int order, const cw_ecsim_charge_job *job,
                                   double *sums) {
  (void)order, (void)job, (void)sums;
  return absent(context);
}

cw_status cw_ecsim_charge_scale_cuda(cw_context *context, int64_t count, double unit,
                                     double *sums) {
  (void)count, (void)unit, (void)sums;
  return absent(context);
}

cw_status cw_ecsim_charge_displace_cuda(cw_context *context, int order,
                                        const cw_ecsim_charge_job *job, const double *phi) {
  (void)order, (void)job, (void)phi;
  return absent(context);
}
