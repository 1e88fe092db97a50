/* A kernel that dies is named at the next synchronisation. Nothing can be done with the device
 * afterwards in this process, so this program has one case. */
#include "base/device_cuda.cuh"
#include "plain_check.h"

__global__ void die(int when) {
  if (when == (int)threadIdx.x)
    __trap();
}

static cw_status launch_die(cw_context *context) {
  CW_CUDA_LAUNCH(context, die, 1, 32, 0, 7);
  return CW_OK;
}

static void test_kernel_that_dies_is_named(cw_context *context) {
  cw_status status = launch_die(context); /* fails here already with CELLWISE_DEVICE_SYNC=1 */
  if (status == CW_OK)
    status = cw_device_synchronize(context);
  plain_check(status == CW_ERROR_DEVICE, "%s", cw_status_name(status));
  plain_check(strstr(cw_context_message(context), "kernel die") != NULL, "'%s'",
              cw_context_message(context));
  char byte = 0;
  plain_check(cw_device_read(context, &byte, cw_device_fault(context), 1) != CW_OK,
              "the device works on");
}

int main(void) {
  static const plain_case cases[] = {PLAIN_CASE(test_kernel_that_dies_is_named)};
  return plain_main(cases, 1);
}
