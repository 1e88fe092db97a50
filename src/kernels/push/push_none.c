/* The device's push in a build without device code. */
#include "base/context_private.h"
#include "kernels/push/push_cuda.h"

cw_status cw_push_cuda(cw_context *context, const cw_push_job *job, const cw_cells_view *cells,
                       const cw_push_tuning *tuning) {
  (void)job, (void)cells, (void)tuning;
  return cw_fail(context, CW_ERROR_UNSUPPORTED,
                 "push: the particles are in device memory, and this build has no device code");
}
