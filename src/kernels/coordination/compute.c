/* One frame: lattice, cells or list, sweeps, and the results brought back to the caller's order. */
#include <math.h>
#include <string.h>

#include <omp.h>

#include "kernels/coordination/coordination_cuda.h"

static cw_status check_positions(cw_coordination *plan, const cw_coordinates_view *positions) {
  const cw_entries *groups[2] = {&plan->a, &plan->b};
  int64_t bad = INT64_MAX;
  for (int g = 0; g < 2; g++)
    for (int64_t k = 0; k < groups[g]->count; k++) {
      int64_t atom = groups[g]->atom[k];
      for (int c = 0; c < 3; c++)
        if (!isfinite(cw_coordinate(positions, c, atom)) && atom < bad)
          bad = atom;
    }
  if (bad == INT64_MAX)
    return CW_OK;
  return cw_fail(plan->context, CW_ERROR_NUMERIC, "atom %lld has the coordinates %g %g %g",
                 (long long)bad, cw_coordinate(positions, 0, bad), cw_coordinate(positions, 1, bad),
                 cw_coordinate(positions, 2, bad));
}

static void clear_sums(const cw_entries *e, int with_values) {
  size_t bytes = (size_t)e->count * sizeof(double);
  for (int c = 0; c < 3 && bytes; c++)
    memset(e->derivative[c], 0, bytes);
  if (with_values && bytes)
    memset(e->value, 0, bytes);
}

static void run_bundles(cw_coordination *plan, const cw_sweep *sweep) {
  const cw_coordination_ops *ops =
      CW_ISA_SELECT(cw_coordination_cpu_ops, cw_context_isa(plan->context));
  size_t bytes = ops->scratch_bytes[plan->precision];
  clear_sums(sweep->centre, sweep->with_values);
#pragma omp parallel num_threads(plan->scratch_threads)
  {
    char *scratch = (char *)plan->scratch + bytes * (size_t)omp_get_thread_num();
#pragma omp for schedule(dynamic, 8)
    for (int64_t k = 0; k < plan->bundle_count; k++)
      ops->bundle[plan->precision](sweep, &plan->bundles[k], scratch, &plan->partials[k]);
  }
}

/* Layers of cells along an axis in blocks, and these in two colours (an odd one out has a third):
 * blocks of one colour have a block between them, wide enough that what they write does not
 * overlap. Blocks as wide as leaves some eight of them: their neighbours stay in the cache. */
typedef struct colours {
  int64_t layers, blocks, count;
} colours;

static colours colours_of(const cw_link_cells *cells, int axis, int forward_only) {
  enum { BLOCKS = 8, WIDEST = 8 };
  colours c = {.layers = cells->n[axis]};
  const int64_t apart = cw_max_i64((forward_only ? 1 : 2) * cells->reach[axis], 1);
  const int64_t width = cw_max_i64(apart, cw_min_i64(c.layers / BLOCKS, WIDEST));
  c.blocks = cw_max_i64(c.layers / width, 1);
  c.count = c.blocks == 1 ? 1 : 2 + c.blocks % 2;
  return c;
}

static int64_t blocks_of_colour(const colours *c, int64_t colour) {
  return colour == 2 || c->blocks == 1 ? 1 : c->blocks / 2;
}

/* The layers [first, end) of the k-th block of a colour. */
static void layers_of(const colours *c, int64_t colour, int64_t k, int64_t *first, int64_t *end) {
  const int64_t block = colour == 2 ? c->blocks - 1 : colour + 2 * k;
  *first = block * c->layers / c->blocks;
  *end = (block + 1) * c->layers / c->blocks;
}

static void run_block(cw_coordination *plan, const cw_sweep *sweep, const int64_t y[2],
                      const int64_t z[2], void *scratch) {
  const cw_coordination_ops *ops =
      CW_ISA_SELECT(cw_coordination_cpu_ops, cw_context_isa(plan->context));
  for (int64_t j = z[0]; j < z[1]; j++)
    for (int64_t i = y[0]; i < y[1]; i++) {
      const int64_t row = i + plan->cells.n[1] * j;
      for (int64_t k = plan->rows[row]; k < plan->rows[row + 1]; k++)
        ops->bundle[plan->precision](sweep, &plan->bundles[k], scratch, &plan->partials[k]);
    }
}

/* A thread a block of rows of cells, colour after colour: sums of an entry come in an order that
 * does not depend on threads. */
static void run_blocks(cw_coordination *plan, const cw_sweep *sweep) {
  const cw_coordination_ops *ops =
      CW_ISA_SELECT(cw_coordination_cpu_ops, cw_context_isa(plan->context));
  const size_t bytes = ops->scratch_bytes[plan->precision];
  const colours y = colours_of(&plan->cells, 1, 0), z = colours_of(&plan->cells, 2, sweep->same);
  clear_sums(sweep->centre, sweep->with_values);
  clear_sums(sweep->other, sweep->with_values && sweep->same);
#pragma omp parallel num_threads(plan->scratch_threads)
  {
    char *scratch = (char *)plan->scratch + bytes * (size_t)omp_get_thread_num();
    for (int64_t colour = 0; colour < y.count * z.count; colour++) {
      const int64_t cy = colour % y.count, cz = colour / y.count, ny = blocks_of_colour(&y, cy);
      const int64_t blocks = ny * blocks_of_colour(&z, cz);
#pragma omp for schedule(dynamic, 1)
      for (int64_t q = 0; q < blocks; q++) {
        int64_t rows_y[2], rows_z[2];
        layers_of(&y, cy, q % ny, &rows_y[0], &rows_y[1]);
        layers_of(&z, cz, q / ny, &rows_z[0], &rows_z[1]);
        run_block(plan, sweep, rows_y, rows_z, scratch);
      }
    }
  }
}

/* Sums over bundles in their order, whoever computed them. */
static void add_partials(const cw_coordination *plan, double weight, double sum[CW_SUMS]) {
  for (int64_t k = 0; k < plan->bundle_count; k++)
    for (int q = 0; q < CW_SUMS; q++)
      sum[q] += weight * plan->partials[k].sum[q];
}

/* Whether pairs are met once: where images need not be chosen, and a colour has blocks for some
 * threads. Not by the number of threads, on which no result may depend. */
static int meets_once(const cw_coordination *plan, const cw_link_cells *cells, int use_list) {
  const colours y = colours_of(cells, 1, 0);
  const colours z = colours_of(cells, 2, plan->pairs == CW_PAIRS_SELF);
  const int64_t at_once = blocks_of_colour(&y, 0) * blocks_of_colour(&z, 0);
  return !plan->both_ends && !use_list && !cells->images && at_once >= 2;
}

/* Whether 1/(1 + u^n) has a loop of its own, without powers that overflow in range. */
static int is_dense(const cw_coordination *plan, const cw_sweep *sweep) {
  const cw_switching *p = &plan->switching;
  const int n = p->nn, known = n == 2 || n == 3 || n == 4 || n == 6;
  const double limit = plan->precision == CW_DOUBLE ? p->limit_double : p->limit_single;
  return sweep->once && !sweep->with_values && p->form == CW_FORM_HALF_EVEN && known &&
         p->range2 * p->inverse_r_0 * p->inverse_r_0 < limit;
}

static cw_status sweep_groups(cw_coordination *plan, const cw_coordination_result *result,
                              const cw_link_cells *cells, int use_list, double sum[CW_SUMS]) {
  int self = plan->pairs == CW_PAIRS_SELF;
  cw_sweep sweep = {.switching = &plan->switching,
                    .lattice = &plan->lattice,
                    .cells = cells,
                    .centre = &plan->a,
                    .other = self ? &plan->a : &plan->b,
                    .list = use_list ? &plan->list_a : NULL,
                    .range2 = plan->switching.range2,
                    .same = self,
                    .forward = 1,
                    .with_values = result->entry_values != NULL,
                    .with_box = !result->without_box_derivatives,
                    .once = meets_once(plan, cells, use_list),
                    .check_ids = !self || !plan->a.distinct};
  sweep.dense = is_dense(plan, &sweep);
  CW_TRY(cw_link_cells_bundles(plan, sweep.centre));
  if (sweep.once)
    run_blocks(plan, &sweep);
  else
    run_bundles(plan, &sweep);
  add_partials(plan, self && !sweep.once ? 0.5 : 1, sum);
  int derivatives = result->derivatives.component[0] || result->entry_derivatives;
  if (self || sweep.once || !derivatives)
    return CW_OK;
  sweep.centre = &plan->b;
  sweep.other = &plan->a;
  sweep.list = use_list ? &plan->list_b : NULL;
  sweep.forward = sweep.with_box = sweep.with_values = 0;
  CW_TRY(cw_link_cells_bundles(plan, sweep.centre));
  run_bundles(plan, &sweep);
  return CW_OK;
}

/* k-th with k-th: too few pairs to need cells. Results go to the entries' own places. */
static void zip_groups(cw_coordination *plan, const cw_coordinates_view *positions,
                       double sum[CW_SUMS]) {
  cw_entries *a = &plan->a, *b = &plan->b;
  for (int64_t k = 0; k < a->count; k++) {
    a->permutation[k] = b->permutation[k] = (uint32_t)k;
    double d[3], r2 = 0, slope = 0, s = 0;
    for (int c = 0; c < 3; c++)
      d[c] = cw_coordinate(positions, c, b->atom[k]) - cw_coordinate(positions, c, a->atom[k]);
    cw_lattice_minimum_image(&plan->lattice, d);
    for (int c = 0; c < 3; c++)
      r2 += d[c] * d[c];
    double r = sqrt(r2);
    int counts = a->atom[k] != b->atom[k] && r <= plan->switching.range;
    if (counts)
      s = cw_switching_value(&plan->switching, r, &slope);
    double g = r > 0 ? slope / r : 0;
    for (int c = 0; c < 3; c++) {
      a->derivative[c][k] = -g * d[c];
      b->derivative[c][k] = g * d[c];
    }
    a->value[k] = s;
    static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    for (int q = 0; q < 6; q++)
      sum[CW_SUM_BOX + q] -= g * d[first[q]] * d[second[q]];
    sum[CW_SUM_VALUE] += s;
    sum[CW_SUM_PAIRS] += counts;
  }
}

static void store_sums(const double sum[CW_SUMS], cw_coordination_result *result) {
  const double *b = sum + CW_SUM_BOX;
  const double box[3][3] = {{b[0], b[3], b[4]}, {b[3], b[1], b[5]}, {b[4], b[5], b[2]}};
  result->value = sum[CW_SUM_VALUE];
  result->pairs_in_range = (int64_t)sum[CW_SUM_PAIRS];
  for (int k = 0; k < 9; k++)
    result->box_derivatives[k / 3][k % 3] = result->without_box_derivatives ? 0 : box[k / 3][k % 3];
}

static void add_to_atoms(const cw_entries *e, double *entry_derivatives,
                         const cw_coordinates_view *out, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads) if (e->distinct)
  for (int64_t s = 0; s < e->count; s++) {
    int64_t entry = e->permutation[s], at = (int64_t)e->atom[entry] * out->stride;
    if (s + CW_ATOMS_AHEAD < e->count)
      cw_coordinate_ask(out, e->atom[e->permutation[s + CW_ATOMS_AHEAD]]);
    for (int c = 0; c < 3; c++) {
      double d = e->derivative[c][s];
      if (entry_derivatives)
        entry_derivatives[3 * entry + c] = d;
      if (!out->component[0])
        continue;
      if (out->precision == CW_DOUBLE)
        ((double *)out->component[c])[at] += d;
      else
        ((float *)out->component[c])[at] += (float)d;
    }
  }
}

static void zero(const cw_coordinates_view *out, int64_t atoms) {
  for (int64_t k = 0; out->component[0] && k < atoms; k++)
    for (int c = 0; c < 3; c++)
      if (out->precision == CW_DOUBLE)
        ((double *)out->component[c])[k * out->stride] = 0;
      else
        ((float *)out->component[c])[k * out->stride] = 0;
}

static void store_entries(cw_coordination *plan, cw_coordination_result *result) {
  double *entries = result->entry_derivatives;
  int threads = plan->scratch_threads;
  zero(&result->derivatives, plan->atoms);
  add_to_atoms(&plan->a, entries, &result->derivatives, threads);
  add_to_atoms(&plan->b, entries ? entries + 3 * plan->a.count : NULL, &result->derivatives,
               threads);
  for (int64_t s = 0; result->entry_values && s < plan->a.count; s++)
    result->entry_values[plan->a.permutation[s]] = plan->a.value[s];
}

static cw_status compute(cw_coordination *plan, const cw_coordinates_view *positions,
                         int rebuild_list, cw_coordination_result *result, double sum[CW_SUMS]) {
  int use_list = plan->method == CW_COORDINATION_LIST || plan->method == CW_COORDINATION_FROZEN;
  if (plan->pairs == CW_PAIRS_ZIP) {
    zip_groups(plan, positions, sum);
    return CW_OK;
  }
  if (use_list) {
    CW_TRY(cw_pair_list_update(plan, *positions, rebuild_list, result));
  } else {
    int one_cell = plan->method == CW_COORDINATION_ALL;
    CW_TRY(cw_link_cells_build(plan, *positions, plan->switching.range, one_cell));
  }
  memcpy(result->cells, plan->cells.n, sizeof result->cells);
  result->images = plan->cells.images;
  return sweep_groups(plan, result, &plan->cells, use_list, sum);
}

static int on_device(const cw_coordination *plan, const cw_coordinates_view *positions,
                     const cw_coordination_result *result) {
  return positions->space != CW_SPACE_HOST ||
         (result->derivatives.component[0] && result->derivatives.space != CW_SPACE_HOST) ||
         (cw_context_backend(plan->context) == CW_BACKEND_CUDA &&
          plan->method != CW_COORDINATION_FROZEN);
}

cw_status cw_coordination_compute(cw_coordination *plan, cw_coordinates_view positions,
                                  const cw_box *box, int rebuild_list,
                                  cw_coordination_result *result) {
  double sum[CW_SUMS] = {0};
  result->images = result->list_rebuilt = result->list_may_miss = 0;
  for (int a = 0; a < 3; a++)
    result->cells[a] = 1;
  CW_TRY(cw_lattice_init(plan->context, box, &plan->lattice));
  if (on_device(plan, &positions, result)) {
    if (cw_context_backend(plan->context) != CW_BACKEND_CUDA)
      return cw_fail(plan->context, CW_ERROR_UNSUPPORTED,
                     "arrays are in device memory, but the backend is cpu");
    return cw_coordination_cuda_compute(plan, &positions, result);
  }
  CW_TRY(check_positions(plan, &positions));
  CW_TRY(compute(plan, &positions, rebuild_list, result, sum));
  store_sums(sum, result);
  store_entries(plan, result);
  return CW_OK;
}
