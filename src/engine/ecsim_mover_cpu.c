#include "engine/ecsim_mover_cpu.h"

static inline int64_t move(const cw_ecsim_move_job *job, int order, int dim, int64_t from,
                           int64_t to) {
  const uint8_t *tag = job->particles.tag;
  for (int64_t p = from; p < to; p++)
    if (!(tag && tag[p] == CW_TAG_DEAD) && !cw_ecsim_move_one(job, order, dim, p))
      return p;
  return -1;
}

static inline void predict(const cw_ecsim_move_job *job, int order, int dim, int64_t from,
                           int64_t to) {
  const uint8_t *tag = job->particles.tag;
  for (int64_t p = from; p < to; p++)
    job->gamma[p] = tag && tag[p] == CW_TAG_DEAD ? 1 : cw_ecsim_predict_one(job, order, dim, p);
}

#define MOVE(order)                                                                                \
  static int64_t move_##order(const cw_ecsim_move_job *job, int64_t from, int64_t to) {            \
    return job->grid.dim == 1   ? move(job, order, 1, from, to)                                    \
           : job->grid.dim == 2 ? move(job, order, 2, from, to)                                    \
                                : move(job, order, 3, from, to);                                   \
  }                                                                                                \
  static void predict_##order(const cw_ecsim_move_job *job, int64_t from, int64_t to) {            \
    if (job->grid.dim == 1)                                                                        \
      predict(job, order, 1, from, to);                                                            \
    else if (job->grid.dim == 2)                                                                   \
      predict(job, order, 2, from, to);                                                            \
    else                                                                                           \
      predict(job, order, 3, from, to);                                                            \
  }
MOVE(1)
MOVE(2)

const cw_ecsim_mover_table CW_ISA_NAME(cw_ecsim_mover_ops) = {.move = {move_1, move_2},
                                                              .predict = {predict_1, predict_2}};
