/* The device's deposit in a build without device code. */
#include "base/context_private.h"
#include "kernels/deposit/deposit_cuda.h"

static cw_status absent(cw_context *context) {
  return cw_fail(context, CW_ERROR_UNSUPPORTED,
                 "deposit: the particles are in device memory, and this build has no device code");
}

cw_status cw_deposit_currents_cuda(cw_context *context, const cw_deposit_options *options,
                                   const cw_grid *grid, const cw_deposit_species *species,
                                   int count, cw_vector_view J, cw_deposit_report *report) {
  (void)options, (void)grid, (void)species, (void)count, (void)J, (void)report;
  return absent(context);
}

cw_status cw_deposit_charge_cuda(cw_context *context, const cw_deposit_options *options,
                                 const cw_grid *grid, const cw_particles_view *particles,
                                 int use_prev, double *rho) {
  (void)options, (void)grid, (void)particles, (void)use_prev, (void)rho;
  return absent(context);
}
