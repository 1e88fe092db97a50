/* The oracle: one particle at a time, in double precision, straight from the papers' formulas. */
#include <math.h>
#include <stdint.h>

#include "base/context_private.h"
#include "kernels/push/push_private.h"

/* The centred B-spline of an order at x, in cells from its centre (de Boor's recursion on |x|). */
static double bspline(int order, double x) {
  if (order == 0)
    return x >= -0.5 && x < 0.5 ? 1 : 0;
  double half = 0.5 * (order + 1);
  if (fabs(x) >= half)
    return 0;
  return ((half + x) * bspline(order - 1, x + 0.5) + (half - x) * bspline(order - 1, x - 0.5)) /
         order;
}

/* Shape weights along one axis at all nodes that the particle may reach. */
typedef struct cw_reference_axis {
  int64_t first;
  int nodes;
  double weight[16];
} cw_reference_axis;

static cw_reference_axis axis_weights(int order, int64_t cell, double dx, int dual) {
  cw_reference_axis axis = {.first = cell - order / 2 - 1, .nodes = order + 4};
  for (int n = 0; n < axis.nodes; n++) {
    double node = (double)(axis.first + n - cell) + (dual ? 0.5 : 0.0);
    axis.weight[n] = bspline(order, dx - node);
  }
  return axis;
}

/* One component at a particle; is_dual[a] says where its values stand along axis a. */
static double gather(const cw_grid *grid, int order, const double *field, const int *is_dual,
                     const int64_t *cell, const double *dx) {
  cw_reference_axis axis[3];
  for (int a = 0; a < 3; a++) {
    cw_reference_axis constant = {.first = 0, .nodes = 1, .weight = {1}};
    axis[a] = a < grid->dim ? axis_weights(order, cell[a], dx[a], is_dual[a]) : constant;
  }
  double sum = 0;
  for (int k = 0; k < axis[2].nodes; k++)
    for (int j = 0; j < axis[1].nodes; j++)
      for (int i = 0; i < axis[0].nodes; i++) {
        double w = axis[0].weight[i] * axis[1].weight[j] * axis[2].weight[k];
        if (w == 0)
          continue; /* such a node may lie beyond the ghost cells */
        sum +=
            w * field[cw_grid_index(grid, axis[0].first + i, axis[1].first + j, axis[2].first + k)];
      }
  return sum;
}

static void cross(const double *p, const double *q, double *r) {
  r[0] = p[1] * q[2] - p[2] * q[1];
  r[1] = p[2] * q[0] - p[0] * q[2];
  r[2] = p[0] * q[1] - p[1] * q[0];
}

static double dot(const double *p, const double *q) {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

static double gamma_of(const double *u) {
  return sqrt(1 + dot(u, u));
}

/* Solves w = from + w x t for w: (1 + t.t) w = from + (from.t) t + from x t. */
static void solve_rotation(const double *from, const double *t, double *w) {
  double turned[3], along = dot(from, t);
  cross(from, t, turned);
  for (int a = 0; a < 3; a++)
    w[a] = (from[a] + along * t[a] + turned[a]) / (1 + dot(t, t));
}

/* Birdsall & Langdon, equations 15-4 (3 to 5) with gamma after the first half kick, and Higuera &
 * Cary, equation 20, with gamma of the mean momentum. In both u+ - u- = (u+ + u-) x t, so that the
 * mean w of u+ and u- solves w = u- + w x t, and u+ = 2 w - u-. */
static void boris_like(int higuera_cary, const double *E, const double *B, double kick, double *u) {
  double minus[3], beta[3], t[3], mean[3];
  for (int a = 0; a < 3; a++) {
    minus[a] = u[a] + kick * E[a];
    beta[a] = kick * B[a];
  }
  double gamma = gamma_of(minus);
  if (higuera_cary) {
    double sigma = gamma * gamma - dot(beta, beta), along = dot(minus, beta);
    gamma = sqrt((sigma + sqrt(sigma * sigma + 4 * (dot(beta, beta) + along * along))) / 2);
  }
  for (int a = 0; a < 3; a++)
    t[a] = beta[a] / gamma;
  solve_rotation(minus, t, mean);
  for (int a = 0; a < 3; a++)
    u[a] = 2 * mean[a] - minus[a] + kick * E[a];
}

/* Vay (2008), equations 9 to 12. */
static void vay(const double *E, const double *B, double kick, double *u) {
  double v[3], force[3], prime[3], tau[3], t[3];
  for (int a = 0; a < 3; a++) {
    v[a] = u[a] / gamma_of(u);
    tau[a] = kick * B[a];
  }
  cross(v, tau, force);
  for (int a = 0; a < 3; a++)
    prime[a] = u[a] + 2 * kick * E[a] + force[a];
  double sigma = 1 + dot(prime, prime) - dot(tau, tau), along = dot(prime, tau);
  double gamma = sqrt((sigma + sqrt(sigma * sigma + 4 * (dot(tau, tau) + along * along))) / 2);
  for (int a = 0; a < 3; a++)
    t[a] = tau[a] / gamma;
  solve_rotation(prime, t, u);
}

/* d u / d t of radiation, times dt (<cellwise/push.h>). */
static void drag_force(const cw_push_drag *drag, const double *E, const double *B, const double *u,
                       double *force) {
  double beta[3], lorentz[3], kappa[3], gamma = gamma_of(u);
  for (int a = 0; a < 3; a++)
    beta[a] = u[a] / gamma;
  cross(beta, B, lorentz);
  for (int a = 0; a < 3; a++)
    lorentz[a] += E[a];
  const double power = dot(beta, E), chi = dot(lorentz, lorentz) - power * power;
  cross(lorentz, B, kappa);
  for (int a = 0; a < 3; a++)
    force[a] = drag->synchrotron * (kappa[a] + power * E[a] - gamma * chi * u[a]) -
               drag->compton * gamma * u[a];
}

/* Half a step of radiation alone, as many small steps of the classical Runge-Kutta rule. */
static void radiate(const cw_push_drag *drag, const double *E, const double *B, double *u) {
  enum { STEPS = 64 };
  const double h = 0.5 / STEPS;
  if (drag->synchrotron == 0 && drag->compton == 0)
    return;
  for (int n = 0; n < STEPS; n++) {
    static const double at[4] = {0, 0.5, 0.5, 1}, share[4] = {1, 2, 2, 1};
    double slope[3] = {0}, sum[3] = {0}, place[3];
    for (int k = 0; k < 4; k++) {
      for (int a = 0; a < 3; a++)
        place[a] = u[a] + at[k] * h * slope[a];
      drag_force(drag, E, B, place, slope);
      for (int a = 0; a < 3; a++)
        sum[a] += share[k] / 6 * slope[a];
    }
    for (int a = 0; a < 3; a++)
      u[a] += h * sum[a];
  }
}

static double get(cw_precision precision, const void *array, int64_t slot) {
  return precision == CW_SINGLE ? (double)((const float *)array)[slot]
                                : ((const double *)array)[slot];
}

static void set(cw_precision precision, void *array, int64_t slot, double value) {
  if (precision == CW_SINGLE)
    ((float *)array)[slot] = (float)value;
  else
    ((double *)array)[slot] = value;
}

/* Saves the old position and moves by dt u / |gamma|. */
static void move(const cw_push_options *options, const cw_grid *grid, const double *u,
                 const cw_particles_view *view, int64_t slot) {
  double speed_of = options->pusher == CW_PUSHER_MASSLESS ? sqrt(dot(u, u)) : gamma_of(u);
  for (int a = 0; a < grid->dim; a++) {
    double old = get(view->precision, view->dx[a], slot);
    double velocity = speed_of > 0 ? u[a] / speed_of : 0;
    double x = old + options->dt / grid->dx[a] * velocity, crossed = floor(x);
    view->i_prev[a][slot] = view->i[a][slot];
    set(view->precision, view->dx_prev[a], slot, old);
    set(view->precision, view->dx[a], slot, x - crossed);
    if (get(view->precision, view->dx[a], slot) >= 1) { /* rounded up to the next cell */
      set(view->precision, view->dx[a], slot, 0);
      crossed += 1;
    }
    view->i[a][slot] += (int32_t)crossed;
  }
}

static int push_one(const cw_push_options *options, const cw_grid *grid, const cw_vector_view *E,
                    const cw_vector_view *B, const cw_particles_view *view, int64_t slot) {
  int order = options->order > 0 ? options->order : 1;
  double dx[3] = {0}, u[3], e[3] = {0}, b[3] = {0};
  int64_t cell[3] = {0};
  for (int a = 0; a < 3; a++) {
    u[a] = get(view->precision, view->u[a], slot);
    if (a >= grid->dim)
      continue;
    cell[a] = view->i[a][slot];
    dx[a] = get(view->precision, view->dx[a], slot);
  }
  for (int c = 0; c < 3; c++) {
    int E_dual[3] = {c == 0, c == 1, c == 2}, B_dual[3] = {c != 0, c != 1, c != 2};
    if (E->component[c])
      e[c] = gather(grid, order, E->component[c], E_dual, cell, dx);
    if (B->component[c])
      b[c] = gather(grid, order, B->component[c], B_dual, cell, dx);
  }
  double kick = options->force_scale / 2;
  radiate(&options->drag, e, b, u);
  if (options->pusher == CW_PUSHER_BORIS)
    boris_like(0, e, b, kick, u);
  if (options->pusher == CW_PUSHER_HIGUERA_CARY)
    boris_like(1, e, b, kick, u);
  if (options->pusher == CW_PUSHER_VAY)
    vay(e, b, kick, u);
  radiate(&options->drag, e, b, u);
  if (!isfinite(u[0] + u[1] + u[2]))
    return 0;
  for (int a = 0; a < 3; a++)
    set(view->precision, view->u[a], slot, u[a]);
  move(options, grid, u, view, slot);
  return 1;
}

cw_status cw_push_reference(cw_context *context, const cw_push_options *options,
                            const cw_grid *grid, cw_vector_view E, cw_vector_view B,
                            cw_particles_view *particles) {
  int has_E, has_B;
  if (particles->space != CW_SPACE_HOST)
    return cw_fail(context, CW_ERROR_ARGUMENT, "push: the reference takes host particles only");
  if (options->pusher >= CW_PUSHER_BORIS_GCA)
    return cw_fail(context, CW_ERROR_UNSUPPORTED, "push: the reference has no guiding centres");
  CW_TRY(cw_push_check(context, options, grid, &E, &B, CW_DOUBLE, particles, &has_E, &has_B));
  for (int64_t slot = 0; slot < particles->count; slot++) {
    if (particles->tag && particles->tag[slot] == CW_TAG_DEAD)
      continue;
    if (!push_one(options, grid, &E, &B, particles, slot))
      return cw_fail(context, CW_ERROR_NUMERIC, "push: the particle in slot %lld is not finite",
                     (long long)slot);
  }
  return CW_OK;
}
