/* The oracle: plain double-precision sums, written straight from the formulas as published and
 * sharing nothing with deposit_body.h. Checks of the arguments are in deposit.c. */
#include "kernels/deposit/deposit_reference.h"

#include <math.h>

#include "base/reals.h"

enum { MAX_NODES = CW_MAX_SHAPE_ORDER + 2 };

typedef struct reference_particle {
  int32_t i_prev[3], i[3];
  double dx_prev[3], dx[3];
  double charge; /* charge times weight */
  double v[3];
} reference_particle;

static int load(const cw_deposit_options *options, int dim, const cw_particles_view *view,
                int64_t slot, reference_particle *particle) {
  const cw_precision precision = view->precision;
  double square = 0;
  int valid = 1;
  for (int a = 0; a < dim; a++) {
    particle->i_prev[a] = view->i_prev[a][slot];
    particle->i[a] = view->i[a][slot];
    particle->dx_prev[a] = cw_real_get(view->dx_prev[a], precision, slot);
    particle->dx[a] = cw_real_get(view->dx[a], precision, slot);
    const double move =
        (double)particle->i[a] - particle->i_prev[a] + particle->dx[a] - particle->dx_prev[a];
    valid = valid && fabs(move) <= 1;
  }
  particle->charge =
      options->charge * (view->weight ? cw_real_get(view->weight, precision, slot) : 1);
  for (int c = 0; c < 3; c++) {
    particle->v[c] = dim < 3 ? cw_real_get(view->u[c], precision, slot) : 0;
    square += particle->v[c] * particle->v[c];
  }
  for (int c = 0; c < 3; c++)
    particle->v[c] /= sqrt(1 + square);
  return valid && isfinite(particle->charge) && isfinite(square);
}

/* Centred B-spline of that order at distance x (C. de Boor, A Practical Guide to Splines, ch. IX):
 * N_p(y) = (y N_{p-1}(y) + (p + 1 - y) N_{p-1}(y - 1))/p, from the unit box N_0. */
static double spline(int order, double x) {
  const double y = x + 0.5 * (order + 1);
  double n[CW_MAX_SHAPE_ORDER + 1];
  for (int j = 0; j <= order; j++)
    n[j] = y - j >= 0 && y - j < 1 ? 1 : 0;
  for (int p = 1; p <= order; p++)
    for (int j = 0; j <= order - p; j++)
      n[j] = ((y - j) * n[j] + (p + 1 - (y - j)) * n[j + 1]) / p;
  return n[0];
}

static int on_grid(const cw_grid *grid, const int32_t first[3], int window) {
  for (int a = 0; a < grid->dim; a++)
    if (first[a] < -grid->ghost || (int64_t)first[a] + window > grid->cells[a] + grid->ghost)
      return 0;
  return 1;
}

/* Factor of the axes across component c at the nodes n, as in Esirkepov's equations. */
static double across(int dim, int c, double S[3][MAX_NODES], double T[3][MAX_NODES],
                     const int n[3]) {
  if (dim == 1)
    return c == 0 ? 1 : (S[0][n[0]] + T[0][n[0]]) / 2;
  if (dim == 2 && c < 2)
    return (S[1 - c][n[1 - c]] + T[1 - c][n[1 - c]]) / 2;
  const int a = c == 0 ? 1 : 0, b = c == 2 ? 1 : 2;
  const double Sa = S[a][n[a]], Sb = S[b][n[b]], Ta = T[a][n[a]], Tb = T[b][n[b]];
  if (dim == 2)
    return (Ta * (Sb / 2 + Tb) + Sa * (Tb / 2 + Sb)) / 3;
  return (Sa * Sb + Ta * Tb + (Sa * Tb + Ta * Sb) / 2) / 3;
}

static int esirkepov(const cw_deposit_options *options, const cw_grid *grid,
                     const reference_particle *particle, double *const J[3]) {
  const int dim = grid->dim, order = options->order;
  double S[3][MAX_NODES], T[3][MAX_NODES], W[3][MAX_NODES];
  int32_t first[3] = {0};
  int nodes[3] = {1, 1, 1}, n[3];
  for (int a = 0; a < dim; a++) {
    /* first node closer than half the support, from the old cell */
    const double old = particle->dx_prev[a];
    const double new = particle->i[a] - particle->i_prev[a] + particle->dx[a];
    const int low = (int)floor(fmin(old, new) - 0.5 * (order + 1)) + 1;
    first[a] = particle->i_prev[a] + low;
    nodes[a] = order + 2;
    double sum = 0;
    for (int k = 0; k < nodes[a]; k++) {
      S[a][k] = spline(order, old - (low + k));
      T[a][k] = spline(order, new - (low + k));
      sum += T[a][k] - S[a][k];
      W[a][k] = sum;
    }
  }
  if (!on_grid(grid, first, order + 2))
    return 0;
  for (n[2] = 0; n[2] < nodes[2]; n[2]++)
    for (n[1] = 0; n[1] < nodes[1]; n[1]++)
      for (n[0] = 0; n[0] < nodes[0]; n[0]++) {
        const int64_t at = cw_grid_index(grid, first[0] + n[0], first[1] + n[1], first[2] + n[2]);
        for (int c = 0; c < 3; c++) {
          const double flow = c < dim ? -particle->charge * grid->dx[c] / options->dt * W[c][n[c]]
                                      : particle->charge * particle->v[c];
          /* the sum over all nodes of T - S is zero: no value beyond the last face */
          if (c >= dim || n[c] <= order)
            J[c][at] += flow * across(dim, c, S, T, n);
        }
      }
  return 1;
}

/* Weight of the corner `up` of a cell for flow along c, at x from the cell's lower corner. */
static double corner_weight(int dim, int c, const int up[3], const double x[3]) {
  double weight = 1;
  for (int a = 0; a < dim; a++)
    if (a != c)
      weight *= up[a] ? x[a] : 1 - x[a];
  return weight;
}

/* One half of the zigzag path in cell `cell`, from one point to another. In 3D the weights' mean
 * along the path (Simpson's rule, exact here), which the continuity equation needs. */
static void zigzag_half(const cw_grid *grid, const int32_t cell[3], const double flow[3],
                        const double from[3], const double to[3], double *const J[3]) {
  const int dim = grid->dim;
  double middle[3];
  for (int a = 0; a < dim; a++)
    middle[a] = (from[a] + to[a]) / 2;
  int up[3];
  for (int c = 0; c < 3; c++)
    for (up[2] = 0; up[2] <= (dim > 2 && c != 2); up[2]++)
      for (up[1] = 0; up[1] <= (dim > 1 && c != 1); up[1]++)
        for (up[0] = 0; up[0] <= (c != 0); up[0]++) {
          double weight = corner_weight(dim, c, up, middle);
          if (dim == 3)
            weight =
                (corner_weight(dim, c, up, from) + 4 * weight + corner_weight(dim, c, up, to)) / 6;
          J[c][cw_grid_index(grid, cell[0] + up[0], cell[1] + up[1], cell[2] + up[2])] +=
              flow[c] * weight;
        }
}

static int zigzag(const cw_deposit_options *options, const cw_grid *grid,
                  const reference_particle *particle, double *const J[3]) {
  int32_t first[3] = {0}, old_cell[3] = {0}, new_cell[3] = {0};
  double flow[2][3], path[4][3]; /* the ends of each half, from its cell's lower corner */
  for (int c = 0; c < 3; c++) {
    flow[0][c] = flow[1][c] = particle->charge * particle->v[c] / 2;
    if (c >= grid->dim)
      continue;
    old_cell[c] = particle->i_prev[c];
    new_cell[c] = particle->i[c];
    first[c] = old_cell[c] < new_cell[c] ? old_cell[c] : new_cell[c];
    /* from the old cell's lower corner: cell numbers would take digits from a short path */
    const int32_t crossed = new_cell[c] - old_cell[c];
    const double x_prev = particle->dx_prev[c], x = crossed + particle->dx[c];
    const double x_r = crossed == 0 ? (x_prev + x) / 2 : fmax(0, crossed);
    const double scale = particle->charge * grid->dx[c] / options->dt;
    flow[0][c] = scale * (x_r - x_prev);
    flow[1][c] = scale * (x - x_r);
    path[0][c] = x_prev;
    path[1][c] = x_r;
    path[2][c] = x_r - crossed;
    path[3][c] = particle->dx[c];
  }
  if (!on_grid(grid, first, 3))
    return 0;
  zigzag_half(grid, old_cell, flow[0], path[0], path[1], J);
  zigzag_half(grid, new_cell, flow[1], path[2], path[3], J);
  return 1;
}

int64_t cw_deposit_reference_sum(const cw_deposit_options *options, const cw_grid *grid,
                                 const cw_particles_view *particles, double *const J[3]) {
  for (int64_t slot = 0; slot < particles->count; slot++) {
    if (particles->tag && particles->tag[slot] == CW_TAG_DEAD)
      continue;
    reference_particle particle;
    if (!load(options, grid->dim, particles, slot, &particle))
      return slot;
    if (options->order == 0)
      zigzag(options, grid, &particle, J);
    else
      esirkepov(options, grid, &particle, J);
  }
  return -1;
}
