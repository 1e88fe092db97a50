/* One block of particles: gather, then move. Included for each precision. */
#include "base/real.h"
#undef CW_SQRT
#if CW_REAL_IS_DOUBLE
#define CW_SQRT sqrt
#else
#define CW_SQRT sqrtf
#endif

/* Each of these builds on those before it, whatever their names. */
/* clang-format off */
#define CW_LANE_IS_VECTOR 0
#include "kernels/push/push_lane.h"
#include "kernels/push/push_body.h"
#include "kernels/push/push_move.h"
#include "kernels/push/push_gather_scalar.h"
#include "kernels/push/guide_body.h"
#include "kernels/push/push_guide.h"
#undef CW_LANE_IS_VECTOR

#define CW_LANE_IS_VECTOR 1
#include "kernels/push/push_lane.h"
#include "kernels/push/push_body.h"
#include "kernels/push/push_move.h"
#include "kernels/push/push_gather_vector.h"
#include "kernels/push/push_group.h"
#undef CW_LANE_IS_VECTOR
/* clang-format on */

static int CW_REAL_NAME(cw_push_block)(const cw_push_job *job, int64_t begin, int count,
                                       cw_push_scratch *scratch) {
  int faults = 0;
  if (job->guides)
    return CW_REAL_NAME(cw_guide_block)(job, begin, count, scratch);
  if (job->gathers)
    faults = job->vector ? CW_REAL_NAME(cw_gather_block_lanes)(job, begin, count, scratch)
                         : CW_REAL_NAME(cw_gather_each)(job, begin, count, scratch);
  return faults | (job->vector ? CW_REAL_NAME(cw_move_block_lanes)(job, begin, count, scratch)
                               : CW_REAL_NAME(cw_move_block_one)(job, begin, count, scratch));
}

static int CW_REAL_NAME(cw_push_gather_block)(const cw_push_job *job, int64_t begin, int count,
                                              cw_push_scratch *scratch, double *const field[6]) {
  const uint8_t *tag = job->particles.tag ? job->particles.tag + begin : NULL;
  const int faults = CW_REAL_NAME(cw_gather_each)(job, begin, count, scratch);
  for (int c = 0; c < 6; c++)
    for (int p = 0; p < count; p++)
      field[c][begin + p] =
          tag && tag[p] == CW_TAG_DEAD ? 0 : (double)((const cw_real *)scratch->field[c])[p];
  return faults;
}
