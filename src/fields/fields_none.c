/* Fields on a device, in a build without device code. */
#include "fields/ecsim_cuda.h"
#include "fields/ecsim_private.h"
#include "fields/fields_private.h"

const cw_fields_ops *cw_fields_device_ops(void) {
  return NULL;
}

const cw_ecsim_ops *cw_ecsim_device_ops(void) {
  return NULL;
}

static cw_status absent(cw_context *context) {
  return cw_fail(context, CW_ERROR_UNSUPPORTED, "fields: this build has no device code");
}

cw_status cw_lines_device(cw_context *context, const cw_grid *grid, cw_precision precision,
                          void *array, int axis, const cw_line_ops *ops) {
  (void)grid, (void)precision, (void)array, (void)axis, (void)ops;
  return absent(context);
}

cw_status cw_ecsim_sums_create_cuda(cw_context *context, cw_ecsim_sums **sums) {
  *sums = NULL;
  return absent(context);
}

void cw_ecsim_sums_destroy_cuda(cw_context *context, cw_ecsim_sums *sums) {
  (void)context, (void)sums;
}

cw_status cw_ecsim_dots_cuda(cw_context *context, cw_ecsim_sums *sums, int64_t length,
                             const double *x, int count, const double *const *y, double *results) {
  (void)sums, (void)length, (void)x, (void)count, (void)y, (void)results;
  return absent(context);
}

cw_status cw_ecsim_combine_cuda(cw_context *context, int64_t length, int count, const double *c,
                                const double *const *x, double *z) {
  (void)length, (void)count, (void)c, (void)x, (void)z;
  return absent(context);
}

cw_status cw_ecsim_set_cuda(cw_context *context, int64_t length, double c, double *z) {
  (void)length, (void)c, (void)z;
  return absent(context);
}

cw_status cw_ecsim_pointwise_cuda(cw_context *context, int64_t length, const double *x,
                                  const double *y, int divide, double *z) {
  (void)length, (void)x, (void)y, (void)divide, (void)z;
  return absent(context);
}
