/* Fixed point: every value that a particle adds is rounded to a whole number of quanta and summed
 * in int64, so that the sum does not depend on any order. The quantum follows from a bound that no
 * sum can pass (README.md, "Fixed point"). */
#include "kernels/deposit/deposit_private.h"

#include <math.h>

/* Sums stay below 2^62: half of what int64 holds, for the rounding of the values themselves. */
enum { SUM_BITS = 62, MAX_SINGLE_BITS = 96, MAX_DOUBLE_BITS = 960 };

typedef struct cw_deposit_bound {
  double weight; /* largest |weight| of a live particle */
  int64_t fault; /* slot of a weight that is not finite, or -1 */
} cw_deposit_bound;

static cw_deposit_bound block_weight(const cw_particles_view *view, int64_t first, int64_t last) {
  cw_deposit_bound bound = {0, -1};
  for (int64_t slot = first; slot < last; slot++) {
    if (view->tag && view->tag[slot] == CW_TAG_DEAD)
      continue;
    const double weight = view->precision == CW_DOUBLE ? ((const double *)view->weight)[slot]
                                                       : ((const float *)view->weight)[slot];
    if (!isfinite(weight) && bound.fault < 0)
      bound.fault = slot;
    if (fabs(weight) > bound.weight)
      bound.weight = fabs(weight);
  }
  return bound;
}

static cw_status largest_weight(cw_context *context, const cw_particles_view *view,
                                double *weight) {
  *weight = 1;
  if (!view->weight)
    return CW_OK;
  double largest = 0;
  int64_t fault = INT64_MAX;
#pragma omp parallel for num_threads(cw_context_threads(context)) reduction(max                    \
                                                                            : largest)             \
    reduction(min                                                                                  \
              : fault)
  for (int64_t b = 0; b < cw_block_count(view->count); b++) {
    const cw_deposit_bound bound =
        block_weight(view, b * CW_BLOCK, cw_min_i64(view->count, (b + 1) * CW_BLOCK));
    if (bound.weight > largest)
      largest = bound.weight;
    if (bound.fault >= 0 && bound.fault < fault)
      fault = bound.fault;
  }
  *weight = largest;
  if (fault == INT64_MAX)
    return CW_OK;
  return cw_fail(context, CW_ERROR_NUMERIC,
                 "deposit: the weight of the particle in slot %lld (id %llu) is not finite",
                 (long long)fault, view->id ? (unsigned long long)view->id[fault] : 0ULL);
}

typedef struct cw_deposit_census {
  const cw_deposit_job *job;
  int32_t low, width, boxes[3];
} cw_deposit_census;

static inline int32_t lower_cell(const cw_particles_view *view, int axis, int64_t slot) {
  const int32_t now = view->i[axis][slot], before = view->i_prev[axis][slot];
  return now < before ? now : before;
}

/* Box of a particle's lower cell, and the first cell of that box; off the grid, the nearest box. */
static int64_t box_of(const cw_deposit_census *census, int64_t slot, int32_t first[3]) {
  int64_t box = 0, stride = 1;
  for (int a = 0; a < census->job->dim; a++) {
    const int64_t cell = (int64_t)lower_cell(&census->job->particles, a, slot) - census->low;
    const int64_t last = (int64_t)census->boxes[a] * census->width - 1;
    const int64_t at = cw_max_i64(0, cw_min_i64(cell, last)) / census->width;
    first[a] = census->low + (int32_t)at * census->width;
    box += at * stride;
    stride *= census->boxes[a];
  }
  return box;
}

/* 1 if the particle's lower cell is in the box of `width` cells from `first` on. */
static inline int stays(const cw_particles_view *view, int dim, int64_t slot, uint32_t width,
                        const int32_t first[3]) {
  int inside = 1;
  for (int a = 0; a < dim; a++)
    inside &= (uint32_t)lower_cell(view, a, slot) - (uint32_t)first[a] < width;
  return inside;
}

/* Counts the particles of each box; a run in one box costs one addition and no division. */
static void count_boxes(cw_context *context, const cw_deposit_census *census, int64_t *counts) {
  const cw_particles_view *view = &census->job->particles;
  const int dim = census->job->dim;
#pragma omp parallel for num_threads(cw_context_threads(context))
  for (int64_t b = 0; b < cw_block_count(view->count); b++) {
    const int64_t last = cw_min_i64(view->count, (b + 1) * CW_BLOCK);
    int32_t first[3];
    for (int64_t slot = b * CW_BLOCK; slot < last;) {
      const int64_t box = box_of(census, slot, first);
      int64_t end = slot + 1;
      while (end < last && stays(view, dim, end, (uint32_t)census->width, first))
        end++;
#pragma omp atomic
      counts[box] += end - slot;
      slot = end;
    }
  }
}

/* The largest sum over a box and its upper neighbours: a value's particles stand in at most two
 * boxes an axis, a box being as wide as the cells from which one value can be reached. */
static int64_t most_in_reach(const cw_deposit_census *census, const int64_t *counts) {
  const int32_t *boxes = census->boxes;
  int64_t most = 0;
  for (int32_t k = 0; k < boxes[2]; k++)
    for (int32_t j = 0; j < boxes[1]; j++)
      for (int32_t i = 0; i < boxes[0]; i++) {
        int64_t reach = 0;
        for (int corner = 0; corner < 8; corner++) {
          const int32_t x = i + (corner & 1), y = j + (corner >> 1 & 1), z = k + (corner >> 2);
          if (x < boxes[0] && y < boxes[1] && z < boxes[2])
            reach += counts[x + (int64_t)boxes[0] * (y + (int64_t)boxes[1] * z)];
        }
        most = cw_max_i64(most, reach);
      }
  return most;
}

cw_status cw_deposit_fixed_scale(cw_context *context, cw_deposit_job *job, const cw_grid *grid) {
  double weight;
  CW_TRY(largest_weight(context, &job->particles, &weight));
  cw_deposit_census census = {job, -grid->ghost, job->order + 3, {1, 1, 1}};
  int64_t *counts = NULL, boxes = 1;
  for (int a = 0; a < job->dim; a++) {
    census.boxes[a] = (grid->size[a] + census.width - 1) / census.width;
    boxes *= census.boxes[a];
  }
  CW_TRY(CW_NEW(context, boxes, "particle counts of the fixed-point bound", &counts));
  count_boxes(context, &census, counts);
  const int64_t most = most_in_reach(&census, counts);
  CW_DELETE(context, counts);
  const int limit = job->particles.precision == CW_DOUBLE ? MAX_DOUBLE_BITS : MAX_SINGLE_BITS;
  for (int c = 0; c < 3; c++) {
    /* zigzag adds to one value from each half of the path */
    const double each = fabs(job->scale[c]) * weight * (job->order ? 1 : 2);
    int exponent = 0;
    frexp((double)most * each, &exponent); /* the sum is below 2^exponent */
    const int bits = most && each > 0 ? SUM_BITS - exponent : 0;
    job->quanta[c] = ldexp(1, bits < limit ? bits : limit);
  }
  return CW_OK;
}

#define ADD_SUMS(type)                                                                             \
  do {                                                                                             \
    type *values = J.component[c];                                                                 \
    for (int64_t n = first; n < last; n++)                                                         \
      if (sums[c][n])                                                                              \
        values[n] += (type)((double)sums[c][n] * quantum);                                         \
  } while (0)

void cw_deposit_fixed_add(cw_context *context, const cw_deposit_job *job, const cw_grid *grid,
                          int64_t *const sums[3], cw_vector_view J) {
#pragma omp parallel for num_threads(cw_context_threads(context))
  for (int64_t b = 0; b < cw_block_count(grid->points); b++) {
    const int64_t first = b * CW_BLOCK, last = cw_min_i64(grid->points, first + CW_BLOCK);
    for (int c = 0; c < 3; c++) {
      const double quantum = 1 / job->quanta[c];
      if (J.precision == CW_DOUBLE)
        ADD_SUMS(double);
      else
        ADD_SUMS(float);
    }
  }
}
