/* libFuzzer: any bytes as a trajectory of the format FUZZ_FORMAT. Frames that are read are whole
 * and finite, and all have the same number of atoms. */
#include <math.h>

#include "fuzz_file.h"

#include "molecular/trajectory.h"

static void check_frame(const cw_frame *frame, int64_t atoms) {
  require(frame->atoms == atoms && atoms > 0, "every frame has the atoms of the first");
  for (int64_t k = 0; k < 3 * atoms; k++)
    require(isfinite(frame->position[k]) != 0, "coordinates are finite");
  for (int k = 0; k < 9; k++)
    require(isfinite(frame->box.vectors[k / 3][k % 3]) != 0, "boxes are finite");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = as_file(data, size);
  cw_context *context = begin();
  cw_trajectory *trajectory = NULL;
  cw_status status = cw_trajectory_open(context, path, FUZZ_FORMAT, NULL, &trajectory);
  int more = status == CW_OK;
  int64_t atoms = 0;
  while (status == CW_OK && more) {
    status = cw_trajectory_next(trajectory, &more);
    if (status != CW_OK || !more)
      break;
    if (atoms == 0)
      atoms = trajectory->frame.atoms;
    check_frame(&trajectory->frame, atoms);
  }
  check_refusal(context, status);
  cw_trajectory_close(trajectory);
  end(context, path);
  return 0;
}
