/* One particle's step of the energy-conserving method, on host and device: fields gathered with
 * exactly the weights that deposit, vbar and v (ecsim_body.h), the place, the axes' ends. */
#ifndef CW_ENGINE_ECSIM_MOVER_BODY_H
#define CW_ENGINE_ECSIM_MOVER_BODY_H

#include <math.h>

#include <cellwise/particles.h>

#include "engine/ecsim_body.h"

/* Doubles of one node: E and B, each filled up to four. */
enum { CW_ECSIM_NODE = 8 };

typedef struct cw_ecsim_move_job {
  cw_grid grid;
  cw_particles_view particles; /* doubles */
  const double *nodes;         /* [points][CW_ECSIM_NODE], ghost cells filled */
  double beta;                 /* q dt / (2 m), in the fields' unit */
  double dt;
  double *gamma;  /* of the step, a slot each; NULL: particles are not relativistic */
  int reflect[3]; /* 1: an axis's ends reflect particles, else it is periodic */
} cw_ecsim_move_job;

/* E and B at slot p: sums over its nodes of weight times the node's eight doubles. */
static inline CW_HOST_DEVICE void cw_ecsim_gather(const cw_ecsim_move_job *job, int order, int dim,
                                                  int64_t p, double field[CW_ECSIM_NODE]) {
  const cw_grid *grid = &job->grid;
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
  CW_ECSIM_UNROLL
  for (int k = 0; k < nodes[2]; k++)
    CW_ECSIM_UNROLL
  for (int j = 0; j < nodes[1]; j++)
    CW_ECSIM_UNROLL
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
static inline CW_HOST_DEVICE void cw_ecsim_reflect(int64_t *cell, double *offset, double *u,
                                                   int32_t cells) {
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

/* x += step cells along axis a; 0 if that can't be told: an index of 32 bits can't hold it. */
static inline CW_HOST_DEVICE int cw_ecsim_advance_place(const cw_ecsim_move_job *job, int a,
                                                        int64_t p, double step) {
  const double farthest = 1e9;
  const int32_t cells = job->grid.cells[a];
  int32_t *cell = &job->particles.i[a][p];
  double *offset = (double *)job->particles.dx[a] + p;
  const double place = *offset + step, whole = floor(place);
  if (!(fabs(place) <= farthest))
    return 0;
  double rest = place - whole;
  int64_t index = *cell + (int64_t)whole;
  if (rest >= 1) /* a tiny negative place, rounded */
    rest = 0, index++;
  if (index < 0 || index >= cells) {
    if (job->reflect[a]) {
      cw_ecsim_reflect(&index, &rest, (double *)job->particles.u[a] + p, cells);
    } else {
      index %= cells;
      index += index < 0 ? cells : 0;
    }
  }
  *cell = (int32_t)index;
  *offset = rest;
  return 1;
}

/* Moves slot p, which must be alive; 0 if its place is then not finite or too far. */
static inline CW_HOST_DEVICE int cw_ecsim_move_one(const cw_ecsim_move_job *job, int order, int dim,
                                                   int64_t p) {
  double f[CW_ECSIM_NODE];
  double *const ux = (double *)job->particles.u[0] + p,
                *const uy = (double *)job->particles.u[1] + p,
                *const uz = (double *)job->particles.u[2] + p;
  cw_ecsim_gather(job, order, dim, p, f);
  cw_ecsim_vector u;
  u.x = *ux, u.y = *uy, u.z = *uz;
  u = cw_ecsim_push(u, f, job->beta, job->gamma ? job->gamma[p] : 1);
  const double dt = job->gamma ? job->dt / cw_ecsim_gamma(u) : job->dt;
  const double next[3] = { *ux = u.x, *uy = u.y, *uz = u.z};
  CW_ECSIM_UNROLL
  for (int a = 0; a < dim; a++)
    if (!cw_ecsim_advance_place(job, a, p, next[a] * dt / job->grid.dx[a]))
      return 0;
  return 1;
}

/* The mean gamma of slot p, which must be alive, over a step with the fields in job->nodes. */
static inline CW_HOST_DEVICE double cw_ecsim_predict_one(const cw_ecsim_move_job *job, int order,
                                                         int dim, int64_t p) {
  double f[CW_ECSIM_NODE];
  cw_ecsim_gather(job, order, dim, p, f);
  cw_ecsim_vector u;
  u.x = ((const double *)job->particles.u[0])[p];
  u.y = ((const double *)job->particles.u[1])[p];
  u.z = ((const double *)job->particles.u[2])[p];
  return cw_ecsim_mean_gamma(u, f, job->beta);
}

#endif
