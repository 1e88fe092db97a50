/* The mass matrix in a build without device code. */
#include "kernels/massmatrix/massmatrix_cuda.h"

static cw_status absent(cw_context *context) {
  return cw_fail(context, CW_ERROR_UNSUPPORTED, "massmatrix: this build has no device code");
}

cw_status cw_mm_work_create_cuda(cw_context *context, cw_mm_device_work *work) {
  (void)work;
  return absent(context);
}

void cw_mm_work_destroy_cuda(cw_context *context, cw_mm_device_work *work) {
  (void)context;
  (void)work;
}

cw_status cw_mm_add_cuda(cw_massmatrix *matrix, const cw_mm_job *job, const cw_key_rule *tiled,
                         const cw_key_rule *by_bin) {
  (void)job;
  (void)tiled;
  (void)by_bin;
  return absent(matrix->context);
}

cw_status cw_mm_product_cuda(const cw_massmatrix *matrix, const double *const x[3],
                             double *const y[3]) {
  (void)x;
  (void)y;
  return absent(matrix->context);
}

cw_status cw_mm_row_sums_cuda(const cw_massmatrix *matrix, int component, double *sums) {
  (void)component;
  (void)sums;
  return absent(matrix->context);
}

cw_status cw_mm_canonical_cuda(const cw_massmatrix *matrix, const int d[3], int component,
                               double *array) {
  (void)d;
  (void)component;
  (void)array;
  return absent(matrix->context);
}
