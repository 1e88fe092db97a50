/* Gauss's law by displacing particles, which leaves every energy as it is (Y. Chen and G. Toth,
 * J. Comput. Phys. 386 (2019) 632, arXiv 1808.05745).
 *
 * Velocities and fields stand at whole steps, places x half a step later; so does the charge, and
 * E_next belongs to a mean of the charges before and after the move:
 *   div E_next = scale S [g rho(x_next) + (1 - g) rho(x)],
 * g a little above 1/2, so that what is left of one step's error dies away and does not alternate.
 * Displacements d_p = (q_p / m_p) sum_c (S phi)_c grad W_pc change rho by A S phi,
 *   A_cc' = sum_p (q_p^2 / m_p) grad W_pc . grad W_pc',
 * a scalar matrix over cell centres, kept and multiplied as a mass matrix is: per axis it depends on
 * the unordered pair of centres alone. Rounds of g S A S phi = residual, by conjugate gradients, and
 * of displacements follow each other until the charge is right, with the same A as long as that
 * helps. */
#include "engine/ecsim_charge.h"

#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "engine/ecsim_charge_body.h"

static const double SHARE_AFTER = 0.51; /* g */
enum { ROUNDS = 20, ITERATIONS = 400, COLOURS = 3 };
/* Of one round's equation: displacements are not linear in phi, so more would be lost. */
static const double ROUND_TOLERANCE = 1e-3;

struct cw_ecsim_charge {
  cw_massmatrix *matrix;
  double *before;                                       /* rho(x), ghost cells folded */
  double *residual, *phi, *direction, *smooth, *result; /* over the grid */
  double *rows;                                         /* partial sums */
  int64_t *order, *begin;                               /* slots by slab along the last axis */
  int64_t room;
  int known;  /* `before` belongs to the state */
  int warned; /* that the law could not be met */
};

cw_status cw_ecsim_charge_create(cw_engine *engine) {
  cw_context *context = engine->context;
  const cw_deck *deck = engine->deck;
  const int64_t points = engine->grid.points, last = engine->grid.cells[engine->grid.dim - 1];
  cw_massmatrix_options options = {.order = deck->algorithms.deposit.shape_order,
                                   .kind = CW_MASSMATRIX_SCALAR,
                                   .method = CW_MASSMATRIX_NAIVE};
  for (int a = 0; a < 3; a++)
    options.periodic[a] = !cw_ecsim_conductor(deck, a);
  CW_TRY(CW_NEW(context, 1, "charge correction", &engine->ecsim->charge));
  cw_ecsim_charge *charge = engine->ecsim->charge;
  CW_TRY(cw_massmatrix_create(context, &engine->grid, &options, &charge->matrix));
  double **const arrays[] = {&charge->before,    &charge->residual, &charge->phi,
                             &charge->direction, &charge->smooth,   &charge->result};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    CW_TRY(CW_NEW(context, points, "charge correction", arrays[k]));
  CW_TRY(CW_NEW(context, (int64_t)engine->grid.cells[1] * engine->grid.cells[2],
                "charge correction", &charge->rows));
  return CW_NEW(context, last + 1, "charge correction", &charge->begin);
}

void cw_ecsim_charge_destroy(cw_engine *engine) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  if (!charge)
    return;
  cw_massmatrix_destroy(charge->matrix);
  void *const arrays[] = {charge->before,    charge->residual, charge->phi,
                          charge->direction, charge->smooth,   charge->result,
                          charge->rows,      charge->order,    charge->begin};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    CW_DELETE(engine->context, arrays[k]);
  CW_DELETE(engine->context, charge);
}

double *cw_ecsim_charge_before(const cw_engine *engine) {
  return engine->ecsim->charge ? engine->ecsim->charge->before : NULL;
}

void cw_ecsim_charge_set_known(cw_engine *engine) {
  engine->ecsim->charge->known = 1;
}

void cw_ecsim_charge_blend(const cw_engine *engine, double unit, double *density) {
  const cw_ecsim_charge *charge = engine->ecsim->charge;
  if (!charge || !charge->known)
    return;
  for (int64_t k = 0; k < engine->grid.points; k++)
    density[k] = SHARE_AFTER * density[k] + (1 - SHARE_AFTER) * unit * charge->before[k];
}

cw_status cw_ecsim_charge_keep(cw_engine *engine) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  double largest;
  CW_TRY(cw_ecsim_charge_at_centres(engine, 1, &largest));
  memcpy(charge->before, engine->density, (size_t)engine->grid.points * sizeof(double));
  charge->known = 1;
  return CW_OK;
}

/* Slots of one species in order of their slab along the last axis, dead ones left out. */
static cw_status order_slots(cw_engine *engine, const cw_particles_view *view) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  const int axis = engine->grid.dim - 1;
  const int32_t slabs = engine->grid.cells[axis], *slab = view->i[axis];
  if (charge->room < view->count) {
    CW_DELETE(engine->context, charge->order);
    charge->order = NULL;
    charge->room = 0;
    CW_TRY(CW_NEW(engine->context, view->count, "order of particles", &charge->order));
    charge->room = view->count;
  }
  int64_t *begin = charge->begin;
  memset(begin, 0, ((size_t)slabs + 1) * sizeof *begin);
  for (int64_t p = 0; p < view->count; p++)
    if (!view->tag || view->tag[p] != CW_TAG_DEAD)
      begin[slab[p] + 1]++;
  for (int32_t k = 0; k < slabs; k++)
    begin[k + 1] += begin[k];
  for (int64_t p = 0; p < view->count; p++)
    if (!view->tag || view->tag[p] != CW_TAG_DEAD)
      charge->order[begin[slab[p]]++] = p;
  memmove(begin + 1, begin, (size_t)slabs * sizeof *begin);
  begin[0] = 0;
  return CW_OK;
}

/* The lines of slot p along every axis, slopes per length. */
static inline void lines_of(const cw_engine *engine, const cw_particles_view *view, int order,
                            int dim, int64_t p, cw_ecsim_line line[3]) {
  for (int a = 0; a < 3; a++)
    line[a] = (cw_ecsim_line){0, {1, 0, 0}, {0, 0, 0}};
  for (int a = 0; a < dim; a++) {
    line[a] = cw_ecsim_centre_line(order, view->i[a][p], ((const double *)view->dx[a])[p],
                                   engine->grid.cells[a], cw_ecsim_conductor(engine->deck, a));
    for (int m = 0; m < 3; m++)
      line[a].slope[m] /= engine->grid.dx[a];
  }
}

/* Values of an unordered pair of centres along one axis. */
typedef struct pair {
  int64_t entry, at; /* array's part, index of the lower centre */
  double weights, slopes;
} pair;

static inline int pairs_of(const cw_engine *engine, const cw_ecsim_line *line, int order, int axis,
                           int simulated, int64_t step, pair pairs[6]) {
  int count = 0;
  const int last = simulated ? order : 0;
  for (int m = 0; m <= last; m++)
    for (int n = m; n <= last; n++)
      pairs[count++] = (pair){(n - m) * step, (line->first + m) * engine->grid.stride[axis],
                              line->weight[m] * line->weight[n], line->slope[m] * line->slope[n]};
  return count;
}

/* Adds slot p to A; `factor` is q^2 / m times its weight. */
static inline void add_particle(const cw_engine *engine, const cw_particles_view *view,
                                double *values, int order, int dim, int64_t p, double factor) {
  const int64_t points = engine->grid.points;
  cw_ecsim_line line[3];
  pair x[6], y[6], z[6];
  lines_of(engine, view, order, dim, p, line);
  const int nx = pairs_of(engine, &line[0], order, 0, 1, points, x);
  const int ny = pairs_of(engine, &line[1], order, 1, dim > 1, (order + 1) * points, y);
  const int nz =
      pairs_of(engine, &line[2], order, 2, dim > 2, (int64_t)(order + 1) * (order + 1) * points, z);
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < ny; j++) {
      const double both = factor * y[j].weights * z[k].weights;
      const double one = factor * (y[j].slopes * z[k].weights + y[j].weights * z[k].slopes);
      double *row = values + engine->grid.offset + y[j].entry + z[k].entry + y[j].at + z[k].at;
      for (int i = 0; i < nx; i++)
        row[x[i].entry + x[i].at] += x[i].slopes * both + x[i].weights * one;
    }
}

/* Particles of one slab write into three: slabs of one of three colours do not meet. */
static void add_species(cw_engine *engine, const cw_particles_view *view, double factor) {
  const cw_ecsim_charge *charge = engine->ecsim->charge;
  const int order = engine->deck->algorithms.deposit.shape_order, dim = engine->grid.dim;
  const int32_t slabs = engine->grid.cells[dim - 1];
  const double *weight = view->weight;
  double *values = cw_massmatrix_get_view(charge->matrix).values;
  for (int colour = 0; colour < COLOURS; colour++) {
#pragma omp parallel for schedule(dynamic) if (view->count > CW_BLOCK)                             \
    num_threads(cw_context_threads(engine->context))
    for (int32_t slab = colour; slab < slabs; slab += COLOURS)
      for (int64_t k = charge->begin[slab]; k < charge->begin[slab + 1]; k++) {
        const int64_t p = charge->order[k];
        add_particle(engine, view, values, order, dim, p, weight ? factor * weight[p] : factor);
      }
  }
}

static cw_status assemble(cw_engine *engine) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  cw_massmatrix_clear(charge->matrix);
  for (int s = 0; s < engine->species_count; s++) {
    const cw_deck_species *species = engine->species[s].deck;
    const cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
    if (species->charge == 0)
      continue;
    CW_TRY(order_slots(engine, &view));
    add_species(engine, &view, species->charge * species->charge / species->mass);
  }
  return cw_massmatrix_finish(charge->matrix);
}

/* Runs `body` with `at`, the index of the first cell of each row. */
#define OVER_ROWS(engine, row, at, body)                                                           \
  do {                                                                                             \
    const int32_t *over = (engine)->grid.cells;                                                    \
    const int64_t count = (int64_t)over[1] * over[2];                                              \
    _Pragma(                                                                                       \
        "omp parallel for schedule(static) if (count > 256)                                    \
                num_threads(cw_context_threads((engine)->context))") for (int64_t row = 0;         \
                                                                          row < count; row++) {    \
      const int64_t at = cw_grid_index(&(engine)->grid, 0, row % over[1], row / over[1]);          \
      body                                                                                         \
    }                                                                                              \
  } while (0)

/* x . y over the cells, summed row by row and then in order. */
static double dot(const cw_engine *engine, const double *x, const double *y) {
  double *rows = engine->ecsim->charge->rows, total = 0;
  OVER_ROWS(engine, row, at, {
    double sum = 0;
    for (int32_t i = 0; i < over[0]; i++)
      sum += x[at + i] * y[at + i];
    rows[row] = sum;
  });
  for (int64_t row = 0; row < (int64_t)engine->grid.cells[1] * engine->grid.cells[2]; row++)
    total += rows[row];
  return total;
}

/* z = x + b y over the cells. */
static void add_scaled(const cw_engine *engine, double *z, const double *x, double b,
                       const double *y) {
  OVER_ROWS(engine, row, at, {
    for (int32_t i = 0; i < over[0]; i++)
      z[at + i] = x[at + i] + b * y[at + i];
  });
}

/* smooth = S x, with the ghost cells that products and particles read. */
static cw_status smooth_of(cw_engine *engine, const double *x) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  memcpy(charge->smooth, x, (size_t)engine->grid.points * sizeof *x);
  CW_TRY(cw_ecsim_smooth(engine->ecsim->fields, -1, charge->smooth));
  return cw_massmatrix_fill_ghosts(charge->matrix, charge->smooth);
}

/* result = g S A S x. */
static cw_status apply(cw_engine *engine, const double *x) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  CW_TRY(smooth_of(engine, x));
  const cw_vector_view in = {.precision = CW_DOUBLE, .component = {charge->smooth}};
  const cw_vector_view out = {.precision = CW_DOUBLE, .component = {charge->result}};
  CW_TRY(cw_massmatrix_product(charge->matrix, in, out));
  CW_TRY(cw_ecsim_smooth(engine->ecsim->fields, -1, charge->result));
  add_scaled(engine, charge->result, charge->result, SHARE_AFTER - 1, charge->result);
  return CW_OK;
}

/* phi from the residual by conjugate gradients, which do not mind that A has no answer for what
 * particles can't change. */
static cw_status solve(cw_engine *engine) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  const size_t bytes = (size_t)engine->grid.points * sizeof(double);
  memset(charge->phi, 0, bytes);
  memcpy(charge->direction, charge->residual, bytes);
  double square = dot(engine, charge->residual, charge->residual);
  const double target = ROUND_TOLERANCE * ROUND_TOLERANCE * square;
  for (int k = 0; k < ITERATIONS && square > target; k++) {
    CW_TRY(apply(engine, charge->direction));
    const double curvature = dot(engine, charge->direction, charge->result);
    if (!(curvature > 0))
      break;
    const double step = square / curvature, before = square;
    add_scaled(engine, charge->phi, charge->phi, step, charge->direction);
    add_scaled(engine, charge->residual, charge->residual, -step, charge->result);
    square = dot(engine, charge->residual, charge->residual);
    add_scaled(engine, charge->direction, charge->residual, square / before, charge->direction);
  }
  return CW_OK;
}

/* Displaces slot p by `factor` sum_c (S phi)_c grad W_pc. */
static inline void displace(const cw_engine *engine, const cw_particles_view *view, int order,
                            int dim, int64_t p, double factor) {
  const double *phi = engine->ecsim->charge->smooth + engine->grid.offset;
  const int64_t *stride = engine->grid.stride;
  const int last[3] = {order, dim > 1 ? order : 0, dim > 2 ? order : 0};
  cw_ecsim_line line[3];
  double move[3] = {0, 0, 0};
  lines_of(engine, view, order, dim, p, line);
  const double *corner =
      phi + line[0].first * stride[0] + line[1].first * stride[1] + line[2].first * stride[2];
  for (int k = 0; k <= last[2]; k++)
    for (int j = 0; j <= last[1]; j++)
      for (int i = 0; i <= last[0]; i++) {
        const double value = corner[i * stride[0] + j * stride[1] + k * stride[2]];
        const double wx = line[0].weight[i], wy = line[1].weight[j], wz = line[2].weight[k];
        move[0] += value * line[0].slope[i] * wy * wz;
        move[1] += value * wx * line[1].slope[j] * wz;
        move[2] += value * wx * wy * line[2].slope[k];
      }
  for (int a = 0; a < dim; a++)
    cw_ecsim_displace(&view->i[a][p], (double *)view->dx[a] + p,
                      factor * move[a] / engine->grid.dx[a], engine->grid.cells[a],
                      cw_ecsim_conductor(engine->deck, a));
}

static cw_status displace_all(cw_engine *engine) {
  const int order = engine->deck->algorithms.deposit.shape_order, dim = engine->grid.dim;
  CW_TRY(smooth_of(engine, engine->ecsim->charge->phi));
  for (int s = 0; s < engine->species_count; s++) {
    const cw_deck_species *species = engine->species[s].deck;
    const cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
    const double factor = species->charge / species->mass;
    if (factor == 0)
      continue;
#pragma omp parallel for schedule(static) if (view.count > CW_BLOCK)                               \
    num_threads(cw_context_threads(engine->context))
    for (int64_t p = 0; p < view.count; p++)
      if (!view.tag || view.tag[p] != CW_TAG_DEAD)
        displace(engine, &view, order, dim, p, factor);
  }
  return CW_OK;
}

/* residual = div E / scale - S rho, at centres; its largest value and that of one species. */
static cw_status residual_of(cw_engine *engine, double *error, double *largest) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  double total = 0;
  int open = 0;
  CW_TRY(cw_ecsim_charge_at_centres(engine, 1, largest));
  cw_ecsim_charge_blend(engine, 1, engine->density);
  CW_TRY(cw_ecsim_smooth(engine->ecsim->fields, -1, engine->density));
  CW_TRY(cw_ecsim_divergence(engine->ecsim->fields, 0, charge->residual));
  const double scale = cw_ecsim_charge_scale(engine->deck);
  OVER_ROWS(engine, row, at, {
    double sum = 0;
    for (int32_t i = 0; i < over[0]; i++) {
      charge->residual[at + i] = charge->residual[at + i] / scale - engine->density[at + i];
      sum += charge->residual[at + i];
    }
    charge->rows[row] = sum;
  });
  /* Between periodic sides div E has no mean, and displacements do not change the charge's. */
  const int64_t rows = (int64_t)engine->grid.cells[1] * engine->grid.cells[2];
  for (int64_t row = 0; row < rows; row++)
    total += charge->rows[row];
  for (int a = 0; a < engine->grid.dim; a++)
    open |= cw_ecsim_conductor(engine->deck, a);
  const double mean = open ? 0 : total / (double)(rows * engine->grid.cells[0]);
  *error = 0;
  OVER_ROWS(engine, row, at, {
    double most = 0;
    for (int32_t i = 0; i < over[0]; i++) {
      charge->residual[at + i] -= mean;
      most = fmax(most, fabs(charge->residual[at + i]));
    }
    charge->rows[row] = most;
  });
  for (int64_t row = 0; row < rows; row++)
    *error = fmax(*error, charge->rows[row]);
  return CW_OK;
}

/* Once a run: where few particles stand, the law can be out of their reach. */
static void warn(cw_engine *engine, double error) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  if (!charge->warned)
    cw_log(
        engine->context, CW_LOG_WARNING,
        "algorithms.ecsim.charge_correction leaves an error of %.3g of the largest charge density "
        "of one species at step %lld (charge_error in history.csv): more particles a cell, or "
        "a shorter time step, bring it within reach",
        error, (long long)engine->step);
  charge->warned = 1;
}

cw_status cw_ecsim_charge_correct(cw_engine *engine) {
  const double target = fmax(engine->deck->algorithms.ecsim.solver_tolerance, 1e-14);
  double before = 0, error, largest;
  int slow = 0;
  for (int round = 0; round < ROUNDS; round++) {
    CW_TRY(residual_of(engine, &error, &largest));
    if (error <= target * largest)
      return CW_OK;
    slow = round && error > 0.9 * before ? slow + 1 : 0;
    if (slow == 3)
      break;
    if (error > 0.1 * before) /* the first round, or particles have come to other centres */
      CW_TRY(assemble(engine));
    before = error;
    CW_TRY(solve(engine));
    CW_TRY(displace_all(engine));
  }
  if (error > 1e3 * target * largest)
    warn(engine, error / largest);
  return CW_OK;
}
