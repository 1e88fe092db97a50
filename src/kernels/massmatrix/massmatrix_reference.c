/* The oracle: particle after particle in double precision, all pairs of the nodes it may reach,
 * with the B-spline by its own recursion and alpha from its linear equation. */
#include <math.h>

#include "base/reals.h"
#include "kernels/massmatrix/massmatrix_private.h"

enum { MAX_REACH = CW_MASSMATRIX_MAX_ORDER + 3 };

typedef struct reference_particle {
  int64_t first[3]; /* lowest node along each axis */
  int nodes[3];
  double weight[3][MAX_REACH]; /* S along each axis */
  double column[CW_MM_COLUMNS];
} reference_particle;

/* The centred B-spline of an order at x, in cells from its centre. */
static double bspline(int order, double x) {
  if (order == 0)
    return x >= -0.5 && x < 0.5 ? 1 : 0;
  double half = 0.5 * (order + 1);
  if (fabs(x) >= half)
    return 0;
  return ((half + x) * bspline(order - 1, x + 0.5) + (half - x) * bspline(order - 1, x - 0.5)) /
         order;
}

static void find_weights(const cw_mm_job *job, int64_t slot, reference_particle *p) {
  for (int a = 0; a < 3; a++) {
    p->first[a] = 0;
    p->nodes[a] = 1;
    p->weight[a][0] = 1;
    if (a >= job->dim)
      continue;
    double dx = cw_real_get(job->particles.dx[a], job->particles.precision, slot);
    int below = job->order / 2 + 1;
    p->first[a] = job->particles.i[a][slot] - below;
    p->nodes[a] = job->order + 3;
    for (int n = 0; n < p->nodes[a]; n++)
      p->weight[a][n] = bspline(job->order, dx - (n - below));
  }
}

static double weight_at(const reference_particle *p, int i, int j, int k) {
  return p->weight[0][i] * p->weight[1][j] * p->weight[2][k];
}

static int64_t node_at(const cw_mm_job *job, const reference_particle *p, int i, int j, int k) {
  return (p->first[0] + i) * job->stride[0] + (p->first[1] + j) * job->stride[1] +
         (p->first[2] + k) * job->stride[2];
}

static double gather(const cw_mm_job *job, const reference_particle *p, const double *field) {
  double sum = 0;
  for (int k = 0; k < p->nodes[2]; k++)
    for (int j = 0; j < p->nodes[1]; j++)
      for (int i = 0; i < p->nodes[0]; i++)
        if (weight_at(p, i, j, k) != 0) /* other nodes may lie beyond the ghost cells */
          sum += weight_at(p, i, j, k) * field[node_at(job, p, i, j, k)];
  return sum;
}

/* alpha = factor (I + C(w))^-1 by Gaussian elimination: the matrix is [1 -wz wy; wz 1 -wx; ...]. */
static void find_alpha(const double w[3], double factor, double alpha[9]) {
  double a[3][6] = {
      {1, -w[2], w[1], 1, 0, 0}, {w[2], 1, -w[0], 0, 1, 0}, {-w[1], w[0], 1, 0, 0, 1}};
  for (int pivot = 0; pivot < 3; pivot++) {
    /* the symmetric part is I: pivots are at least 1 */
    double inverse = 1 / a[pivot][pivot];
    for (int c = 0; c < 6; c++)
      a[pivot][c] *= inverse;
    for (int r = 0; r < 3; r++) {
      double multiple = a[r][pivot];
      for (int c = 0; r != pivot && c < 6; c++)
        a[r][c] -= multiple * a[pivot][c];
    }
  }
  for (int c = 0; c < 9; c++)
    alpha[c] = factor * a[c / 3][3 + c % 3];
}

static void find_columns(const cw_mm_job *job, int64_t slot, reference_particle *p) {
  const cw_particles_view *view = &job->particles;
  double weight = view->weight ? cw_real_get(view->weight, view->precision, slot) : 1;
  if (job->columns == 1) {
    double c = job->coefficient ? cw_real_get(job->coefficient, view->precision, slot) : weight;
    p->column[0] = job->scale * c;
    return;
  }
  double u[3], w[3], alpha[9], gamma = 1, u2 = 0;
  for (int a = 0; a < 3; a++) {
    u[a] = cw_real_get(view->u[a], view->precision, slot);
    u2 += u[a] * u[a];
  }
  if (job->relativistic)
    gamma = job->gamma ? cw_real_get(job->gamma, view->precision, slot)
                       : sqrt(1 + u2 * job->inverse_c2);
  for (int a = 0; a < 3; a++)
    w[a] = job->B[a] ? job->omega / gamma * gather(job, p, job->B[a]) : 0;
  find_alpha(w, 1 / gamma, alpha);
  double q = job->scale * weight;
  for (int c = 0; c < 9; c++)
    p->column[c] = job->beta * q * alpha[c];
  for (int a = 0; a < 3; a++)
    p->column[9 + a] =
        q * (alpha[3 * a] * u[0] + alpha[3 * a + 1] * u[1] + alpha[3 * a + 2] * u[2]);
  p->column[12] = q;
}

/* Adds to an entry and keeps what rounding lost: a long plain sum would be less exact than the
 * forms that are compared with it, whose sums are short ones of sums. */
static void add_value(const cw_mm_job *job, double *lost, int component, int entry, int64_t node,
                      double value) {
  int64_t at = ((int64_t)entry * job->components + component) * job->points + node;
  double *sum = (double *)job->values + at, old = *sum;
  *sum = old + value;
  lost[at] += fabs(old) >= fabs(value) ? (old - *sum) + value : (value - *sum) + old;
}

/* Pairs of node (i, j, k) with those that are not below it along any axis: each entry once. */
static void add_pairs(const cw_mm_job *job, double *lost, const reference_particle *p, int i, int j,
                      int k) {
  double w = weight_at(p, i, j, k);
  int n = job->order + 1;
  int64_t node = node_at(job, p, i, j, k);
  for (int c = k; c < p->nodes[2]; c++)
    for (int b = j; b < p->nodes[1]; b++)
      for (int a = i; a < p->nodes[0]; a++) {
        double product = w * weight_at(p, a, b, c);
        for (int q = 0; q < job->components && product != 0; q++)
          add_value(job, lost, q, a - i + n * (b - j + n * (c - k)), node, product * p->column[q]);
      }
}

static void add_linear(const cw_mm_job *job, const reference_particle *p, int i, int j, int k) {
  double w = weight_at(p, i, j, k);
  int64_t node = node_at(job, p, i, j, k);
  for (int a = 0; a < 3; a++)
    if (job->J[a])
      job->J[a][node] += w * p->column[9 + a];
  if (job->rho)
    job->rho[node] += w * p->column[12];
}

static void add_particles(const cw_mm_job *job, double *lost) {
  for (int64_t slot = 0; slot < job->particles.count; slot++) {
    if (job->particles.tag && job->particles.tag[slot] == CW_TAG_DEAD)
      continue;
    reference_particle p;
    find_weights(job, slot, &p);
    find_columns(job, slot, &p);
    for (int k = 0; k < p.nodes[2]; k++)
      for (int j = 0; j < p.nodes[1]; j++)
        for (int i = 0; i < p.nodes[0]; i++) {
          if (weight_at(&p, i, j, k) == 0)
            continue;
          add_pairs(job, lost, &p, i, j, k);
          add_linear(job, &p, i, j, k);
        }
  }
}

cw_status cw_mm_reference(cw_context *context, const cw_mm_job *job, const cw_massmatrix *matrix) {
  int64_t values = (int64_t)matrix->entries * matrix->components * matrix->grid.points;
  double *lost;
  CW_TRY(CW_NEW(context, values, "round-off of the reference mass matrix", &lost));
  add_particles(job, lost + matrix->grid.offset);
  for (int64_t k = 0; k < values; k++)
    ((double *)matrix->values)[k] += lost[k];
  CW_DELETE(context, lost);
  return CW_OK;
}
