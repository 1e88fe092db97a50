/* What one particle has to do with the charge at the centres around it, on host and device: weights,
 * their slopes, its part of the matrix, and the displacement that changes the charge. Y. Chen and G.
 * Toth, J. Comput. Phys. 386 (2019) 632. */
#ifndef CW_ENGINE_ECSIM_CHARGE_BODY_H
#define CW_ENGINE_ECSIM_CHARGE_BODY_H

#include <math.h>
#include <stdint.h>

#include <cellwise/grid.h>

#include "engine/ecsim_body.h"

/* The particles of one species. */
typedef struct cw_ecsim_charge_job {
  cw_grid grid;
  cw_particles_view particles; /* doubles */
  double factor;               /* of what is done, beside a particle's weight */
  int walls[3];                /* 1: an axis ends at conductors, else it is periodic */
} cw_ecsim_charge_job;

static inline CW_HOST_DEVICE int cw_ecsim_is_live(const cw_particles_view *view, int64_t p) {
  return !view->tag || view->tag[p] != CW_TAG_DEAD;
}

/* Along one axis: centres first, first + 1, ...; weight and d weight / dx in cells. */
typedef struct cw_ecsim_line {
  int64_t first;
  double weight[3], slope[3];
} cw_ecsim_line;

/* Slopes of cw_ecsim_weights at the same offset. */
static inline CW_HOST_DEVICE void cw_ecsim_slopes(int order, double offset, double slope[3]) {
  if (order == 1) {
    slope[0] = -1;
    slope[1] = 1;
    return;
  }
  const double t = offset - (offset >= 0.5);
  slope[0] = t - 0.5;
  slope[1] = -2 * t;
  slope[2] = t + 0.5;
}

/* Behind conductors stand images of the opposite charge: a centre there takes from its mirror
 * image inside. */
static inline CW_HOST_DEVICE void cw_ecsim_mirror_line(int order, int64_t cells,
                                                       cw_ecsim_line *line) {
  double weight[3] = {0, 0, 0}, slope[3] = {0, 0, 0};
  const int64_t first = line->first < 0 ? 0 : line->first;
  for (int m = 0; m <= order; m++) {
    int64_t centre = line->first + m;
    double sign = 1;
    if (centre < 0)
      centre = -1 - centre, sign = -sign;
    if (centre >= cells)
      centre = 2 * cells - 1 - centre, sign = -sign;
    weight[centre - first] += sign * line->weight[m];
    slope[centre - first] += sign * line->slope[m];
  }
  line->first = first;
  for (int m = 0; m < 3; m++)
    line->weight[m] = weight[m], line->slope[m] = slope[m];
}

/* A place is given by its cell and its offset there; centre i stands at i + 1/2. */
static inline CW_HOST_DEVICE cw_ecsim_line cw_ecsim_centre_line(int order, int64_t cell,
                                                                double offset, int64_t cells,
                                                                int mirrors) {
  cw_ecsim_line line = {0, {1, 0, 0}, {0, 0, 0}};
  const int upper = offset >= 0.5;
  const double from_centre = upper ? offset - 0.5 : offset + 0.5;
  line.first = cell - !upper + cw_ecsim_weights(order, from_centre, line.weight);
  cw_ecsim_slopes(order, from_centre, line.slope);
  if (mirrors)
    cw_ecsim_mirror_line(order, cells, &line);
  return line;
}

/* x += step cells, at most half of one, along an axis; a particle does not leave between walls. */
static inline CW_HOST_DEVICE void cw_ecsim_displace(int32_t *cell, double *offset, double step,
                                                    int32_t cells, int walls) {
  const double place = *offset + fmin(fmax(step, -0.5), 0.5), whole = floor(place);
  double rest = place - whole;
  int64_t index = *cell + (int64_t)whole;
  if (rest >= 1) /* a tiny negative place, rounded */
    rest = 0, index++;
  if (index < 0) {
    index = walls ? 0 : cells - 1;
    rest = walls ? 0 : rest;
  } else if (index >= cells) {
    index = walls ? cells - 1 : 0;
    rest = walls ? 1 - 0x1p-53 : rest;
  }
  *cell = (int32_t)index;
  *offset = rest;
}

/* The lines of slot p along every axis, slopes per length. */
static inline CW_HOST_DEVICE void cw_ecsim_find_lines(const cw_ecsim_charge_job *job, int order,
                                                      int dim, int64_t p, cw_ecsim_line line[3]) {
  const cw_ecsim_line alone = {0, {1, 0, 0}, {0, 0, 0}};
  CW_ECSIM_UNROLL
  for (int a = 0; a < 3; a++) {
    line[a] = alone;
    if (a >= dim)
      continue;
    line[a] = cw_ecsim_centre_line(order, job->particles.i[a][p],
                                   ((const double *)job->particles.dx[a])[p], job->grid.cells[a],
                                   job->walls[a]);
    for (int m = 0; m < 3; m++)
      line[a].slope[m] /= job->grid.dx[a];
  }
}

/* The unordered pairs of centres around a particle, axis by axis: where a pair's value stands, in
 * the array of its distance at its lower centre, and products of the two weights and slopes. */
typedef struct cw_ecsim_charge_pairs {
  int count[3];
  int64_t place[3][6];
  double weights[3][6], slopes[3][6];
} cw_ecsim_charge_pairs;

/* Returns job->factor times the particle's weight. */
static inline CW_HOST_DEVICE double cw_ecsim_find_pairs(const cw_ecsim_charge_job *job, int order,
                                                        int dim, int64_t p,
                                                        cw_ecsim_charge_pairs *pairs) {
  const double *weight = (const double *)job->particles.weight;
  int64_t array = job->grid.points; /* values between pairs one centre further apart */
  cw_ecsim_line line[3];
  cw_ecsim_find_lines(job, order, dim, p, line);
  CW_ECSIM_UNROLL
  for (int a = 0; a < 3; a++) {
    const int last = a < dim ? order : 0;
    int n = 0;
    CW_ECSIM_UNROLL
    for (int low = 0; low <= last; low++)
      CW_ECSIM_UNROLL
    for (int high = low; high <= last; high++, n++) {
      pairs->place[a][n] = (high - low) * array + (line[a].first + low) * job->grid.stride[a] +
                           (a == 0 ? job->grid.offset : 0);
      pairs->weights[a][n] = line[a].weight[low] * line[a].weight[high];
      pairs->slopes[a][n] = line[a].slope[low] * line[a].slope[high];
    }
    pairs->count[a] = n;
    array *= order + 1;
  }
  return weight ? job->factor * weight[p] : job->factor;
}

static inline CW_HOST_DEVICE int64_t cw_ecsim_pair_place(const cw_ecsim_charge_pairs *pairs, int i,
                                                         int j, int k) {
  return pairs->place[0][i] + (pairs->place[1][j] + pairs->place[2][k]);
}

/* factor grad W_c . grad W_c' */
static inline CW_HOST_DEVICE double cw_ecsim_pair_value(const cw_ecsim_charge_pairs *pairs,
                                                        double factor, int i, int j, int k) {
  const double both = factor * pairs->weights[1][j] * pairs->weights[2][k];
  const double one = factor * (pairs->slopes[1][j] * pairs->weights[2][k] +
                               pairs->weights[1][j] * pairs->slopes[2][k]);
  return pairs->slopes[0][i] * both + pairs->weights[0][i] * one;
}

/* Displaces slot p by job->factor sum_c phi_c grad W_pc; phi is over the grid. */
static inline CW_HOST_DEVICE void cw_ecsim_displace_one(const cw_ecsim_charge_job *job,
                                                        const double *phi, int order, int dim,
                                                        int64_t p) {
  const cw_grid *grid = &job->grid;
  const int last[3] = {order, dim > 1 ? order : 0, dim > 2 ? order : 0};
  cw_ecsim_line line[3];
  double move[3] = {0, 0, 0};
  cw_ecsim_find_lines(job, order, dim, p, line);
  const double *corner = phi + grid->offset + line[0].first * grid->stride[0] +
                         line[1].first * grid->stride[1] + line[2].first * grid->stride[2];
  CW_ECSIM_UNROLL
  for (int k = 0; k <= last[2]; k++)
    CW_ECSIM_UNROLL
  for (int j = 0; j <= last[1]; j++)
    CW_ECSIM_UNROLL
  for (int i = 0; i <= last[0]; i++) {
    const double value = corner[i * grid->stride[0] + j * grid->stride[1] + k * grid->stride[2]];
    const double wx = line[0].weight[i], wy = line[1].weight[j], wz = line[2].weight[k];
    move[0] += value * line[0].slope[i] * wy * wz;
    move[1] += value * wx * line[1].slope[j] * wz;
    move[2] += value * wx * wy * line[2].slope[k];
  }
  CW_ECSIM_UNROLL
  for (int a = 0; a < dim; a++)
    cw_ecsim_displace(&job->particles.i[a][p], (double *)job->particles.dx[a] + p,
                      job->factor * move[a] / grid->dx[a], grid->cells[a], job->walls[a]);
}

#endif
