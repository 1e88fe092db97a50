/* The loops over particles around deposit_body.h, one instance a dimension and order class.
 * Included as that file is, once for each pair of precision and sink. */
#include "kernels/deposit/deposit_body.h"

#if !CW_SINK_IS_FIXED
#include "kernels/deposit/deposit_load.h"

static int64_t CW_REAL_NAME(cw_deposit_list_missed)(const cw_deposit_job *job,
                                                    const cw_deposit_target *target, int64_t first,
                                                    int64_t last, int64_t *missed) {
  const cw_particles_view *view = &job->particles;
  int64_t count = 0;
  for (int64_t slot = first; slot < last; slot++) {
    if (view->tag && view->tag[slot] == CW_TAG_DEAD)
      continue;
    CW_REAL_NAME(cw_deposit_particle) particle;
    int32_t start[3];
    for (int a = 0; a < job->dim; a++) {
      particle.i_prev[a] = view->i_prev[a][slot];
      particle.i[a] = view->i[a][slot];
      particle.dx_prev[a] = ((const cw_real *)view->dx_prev[a])[slot];
      particle.dx[a] = ((const cw_real *)view->dx[a])[slot];
    }
    if (!CW_REAL_NAME(cw_deposit_fits)(job->dim, job->order, job->window, &particle, target, start))
      missed[count++] = slot;
  }
  return count;
}
#endif

CW_BODY void CW_SINK_NAME(cw_deposit_slots)(int dim, int order, const cw_deposit_job *job,
                                            const cw_deposit_target *target, const int64_t *slots,
                                            int64_t first, int64_t last, cw_deposit_tally *tally) {
  const cw_particles_view view = job->particles;
  const int window = order ? order + 2 : 3;
  cw_real scale[3];
  CW_SINK_NAME(cw_deposit_sink) sink;
  for (int c = 0; c < 3; c++) {
    scale[c] = (cw_real)job->scale[c];
    sink.quanta[c] = (cw_real)job->quanta[c];
    sink.stride[c] = target->stride[c];
  }
  cw_deposit_tally count = {.fault = -1};
  for (int64_t n = first; n < last; n++) {
    const int64_t slot = slots ? slots[n] : n;
    if (view.tag && view.tag[slot] == CW_TAG_DEAD) {
      count.dead++;
      continue;
    }
    const cw_real weight = view.weight ? ((const cw_real *)view.weight)[slot] : 1;
    const CW_REAL_NAME(cw_deposit_particle) particle =
        CW_REAL_NAME(cw_deposit_load)(dim, &view, scale, weight, slot);
    int32_t start[3];
    if (!CW_REAL_NAME(cw_deposit_fits)(dim, order, window, &particle, target, start)) {
      count.missed++;
      continue;
    }
    if (!CW_REAL_NAME(cw_deposit_valid)(dim, order, &particle)) {
      if (count.fault < 0 || slot < count.fault)
        count.fault = slot;
      continue;
    }
    int64_t at = 0;
    for (int a = 0; a < dim; a++)
      at += (start[a] - target->low[a]) * sink.stride[a];
    for (int c = 0; c < 3; c++)
      sink.component[c] = (cw_sink *)target->component[c] + at;
    CW_SINK_NAME(cw_deposit_particle_current)(dim, order, &particle, start, &sink);
    count.done++;
  }
  *tally = count;
}

#define CW_DEPOSIT_LOOP(name, dim, order)                                                          \
  static void CW_SINK_NAME(name)(const cw_deposit_job *job, const cw_deposit_target *target,       \
                                 const int64_t *slots, int64_t first, int64_t last,                \
                                 cw_deposit_tally *tally) {                                        \
    CW_SINK_NAME(cw_deposit_slots)(dim, order, job, target, slots, first, last, tally);            \
  }
CW_DEPOSIT_LOOP(cw_deposit_1d_0, 1, 0)
CW_DEPOSIT_LOOP(cw_deposit_1d_1, 1, 1)
CW_DEPOSIT_LOOP(cw_deposit_1d_2, 1, 2)
CW_DEPOSIT_LOOP(cw_deposit_1d_3, 1, 3)
CW_DEPOSIT_LOOP(cw_deposit_1d_n, 1, job->order)
CW_DEPOSIT_LOOP(cw_deposit_2d_0, 2, 0)
CW_DEPOSIT_LOOP(cw_deposit_2d_1, 2, 1)
CW_DEPOSIT_LOOP(cw_deposit_2d_2, 2, 2)
CW_DEPOSIT_LOOP(cw_deposit_2d_3, 2, 3)
CW_DEPOSIT_LOOP(cw_deposit_2d_n, 2, job->order)
CW_DEPOSIT_LOOP(cw_deposit_3d_0, 3, 0)
CW_DEPOSIT_LOOP(cw_deposit_3d_1, 3, 1)
CW_DEPOSIT_LOOP(cw_deposit_3d_2, 3, 2)
CW_DEPOSIT_LOOP(cw_deposit_3d_3, 3, 3)
CW_DEPOSIT_LOOP(cw_deposit_3d_n, 3, job->order)
#undef CW_DEPOSIT_LOOP
