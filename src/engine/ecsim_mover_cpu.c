#include "engine/ecsim_mover_cpu.h"

#include <math.h>

#include "engine/ecsim_body.h"

/* Offsets past a cell that an index of 32 bits can still hold. */
static const double FARTHEST = 1e9;

/* E and B at slot p: sums over its nodes of weight times the node's eight doubles. */
static inline void gather(const cw_ecsim_move_job *job, int order, int dim, int64_t p,
                          double field[CW_ECSIM_NODE]) {
  const cw_grid *grid = job->grid;
  double weight[3][3] = {{1}, {1}, {1}};
  int64_t at = grid->offset;
  for (int a = 0; a < dim; a++) {
    const double offset = ((const double *)job->particles.dx[a])[p];
    const int first = cw_ecsim_weights(order, offset, weight[a]);
    at += (job->particles.i[a][p] + first) * grid->stride[a];
  }
  const int nodes[3] = {order + 1, dim > 1 ? order + 1 : 1, dim > 2 ? order + 1 : 1};
  for (int c = 0; c < CW_ECSIM_NODE; c++)
    field[c] = 0;
  for (int k = 0; k < nodes[2]; k++)
    for (int j = 0; j < nodes[1]; j++)
      for (int i = 0; i < nodes[0]; i++) {
        const double w = weight[0][i] * (weight[1][j] * weight[2][k]);
        const double *node =
            job->nodes + CW_ECSIM_NODE * (at + i + j * grid->stride[1] + k * grid->stride[2]);
        for (int c = 0; c < CW_ECSIM_NODE; c++)
          field[c] += w * node[c];
      }
}

/* Mirrors a place outside [0, cells) at the axis's ends until it is inside; each mirror turns the
 * velocity about. Two mirrors repeat everything after 2 cells. */
static inline void reflect(int64_t *cell, double *offset, double *u, int32_t cells) {
  int64_t index = *cell % (2 * (int64_t)cells);
  index += index < 0 ? 2 * (int64_t)cells : 0;
  if (index >= cells) {
    index = 2 * (int64_t)cells - (*offset > 0) - index;
    *offset = *offset > 0 ? 1 - *offset : 0;
    *u = -*u;
  }
  if (index == cells || *offset >= 1) { /* on the upper wall, or a tiny offset, rounded */
    index -= index == cells;
    *offset = 1 - 0x1p-53;
  }
  *cell = index;
}

/* x += step cells along an axis; 0 if that can't be told. */
static inline int advance(int32_t *cell, double *offset, double *u, double step, int32_t cells,
                          int reflects) {
  const double place = *offset + step, whole = floor(place);
  if (!(fabs(place) <= FARTHEST))
    return 0;
  double rest = place - whole;
  int64_t index = *cell + (int64_t)whole;
  if (rest >= 1) /* a tiny negative place, rounded */
    rest = 0, index++;
  if (index < 0 || index >= cells) {
    if (reflects) {
      reflect(&index, &rest, u, cells);
    } else {
      index %= cells;
      index += index < 0 ? cells : 0;
    }
  }
  *cell = (int32_t)index;
  *offset = rest;
  return 1;
}

static inline int64_t move(const cw_ecsim_move_job *job, int order, int dim, int64_t from,
                           int64_t to) {
  const cw_particles_view *view = &job->particles;
  double *const u[3] = {view->u[0], view->u[1], view->u[2]};
  const double beta = job->beta;
  for (int64_t p = from; p < to; p++) {
    if (view->tag && view->tag[p] == CW_TAG_DEAD)
      continue;
    double f[CW_ECSIM_NODE];
    gather(job, order, dim, p, f);
    const cw_ecsim_vector v = {u[0][p], u[1][p], u[2][p]};
    const cw_ecsim_vector w = {beta * f[4], beta * f[5], beta * f[6]};
    const cw_ecsim_vector half = {v.x + beta * f[0], v.y + beta * f[1], v.z + beta * f[2]};
    const cw_ecsim_vector mean = cw_ecsim_rotate(w, half);
    const double next[3] = {2 * mean.x - v.x, 2 * mean.y - v.y, 2 * mean.z - v.z};
    for (int a = 0; a < 3; a++)
      u[a][p] = next[a];
    for (int a = 0; a < dim; a++)
      if (!advance(&view->i[a][p], (double *)view->dx[a] + p, &u[a][p],
                   next[a] * job->dt / job->grid->dx[a], job->grid->cells[a], job->reflect[a]))
        return p;
  }
  return -1;
}

#define MOVE(order)                                                                                \
  static int64_t move_##order(const cw_ecsim_move_job *job, int64_t from, int64_t to) {            \
    return job->grid->dim == 1   ? move(job, order, 1, from, to)                                   \
           : job->grid->dim == 2 ? move(job, order, 2, from, to)                                   \
                                 : move(job, order, 3, from, to);                                  \
  }
MOVE(1)
MOVE(2)

const cw_ecsim_mover_table CW_ISA_NAME(cw_ecsim_mover_ops) = {.move = {move_1, move_2}};
