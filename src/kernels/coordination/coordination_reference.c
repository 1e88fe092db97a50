/* The plain sum over all pairs in double: one thread, no cells, no vectors. */
#include <math.h>
#include <string.h>

#include "kernels/coordination/coordination_private.h"

/* Where the sums of one frame go. */
typedef struct totals {
  const cw_coordination *plan;
  const cw_coordinates_view *positions;
  cw_coordination_result *result;
} totals;

static void add(const cw_coordinates_view *out, int64_t atom, int c, double d) {
  if (!out->component[0])
    return;
  int64_t at = atom * out->stride;
  if (out->precision == CW_DOUBLE)
    ((double *)out->component[c])[at] += d;
  else
    ((float *)out->component[c])[at] += (float)d;
}

/* Entries i of a and j of group b (or of a), numbered on after a in the output of derivatives. */
static void add_pair(const totals *t, const cw_entries *group, int64_t i, int64_t j, int64_t row) {
  const cw_coordination *plan = t->plan;
  cw_coordination_result *result = t->result;
  int64_t p = plan->a.atom[i], q = group->atom[j];
  double d[3], r2 = 0, slope;
  if (p == q)
    return;
  for (int c = 0; c < 3; c++)
    d[c] = cw_coordinate(t->positions, c, q) - cw_coordinate(t->positions, c, p);
  cw_lattice_minimum_image(&plan->lattice, d);
  for (int c = 0; c < 3; c++)
    r2 += d[c] * d[c];
  double r = sqrt(r2);
  if (r > plan->switching.range)
    return;
  double s = cw_switching_value(&plan->switching, r, &slope), g = r > 0 ? slope / r : 0;
  result->value += s;
  result->pairs_in_range++;
  for (int c = 0; c < 3; c++) {
    add(&result->derivatives, p, c, -g * d[c]);
    add(&result->derivatives, q, c, g * d[c]);
    if (result->entry_derivatives) {
      result->entry_derivatives[3 * i + c] -= g * d[c];
      result->entry_derivatives[3 * row + c] += g * d[c];
    }
    for (int e = 0; e < 3 && !result->without_box_derivatives; e++)
      result->box_derivatives[c][e] -= g * d[c] * d[e];
  }
  if (result->entry_values) {
    result->entry_values[i] += s;
    if (group == &plan->a)
      result->entry_values[j] += s;
  }
}

static void clear(const cw_coordination *plan, cw_coordination_result *result) {
  result->value = 0;
  result->pairs_in_range = 0;
  result->images = result->list_rebuilt = result->list_may_miss = 0;
  memset(result->box_derivatives, 0, sizeof result->box_derivatives);
  for (int c = 0; c < 3; c++)
    result->cells[c] = 1;
  for (int64_t k = 0; result->derivatives.component[0] && k < plan->atoms; k++)
    for (int c = 0; c < 3; c++) {
      int64_t at = k * result->derivatives.stride;
      if (result->derivatives.precision == CW_DOUBLE)
        ((double *)result->derivatives.component[c])[at] = 0;
      else
        ((float *)result->derivatives.component[c])[at] = 0;
    }
  int64_t rows = plan->a.count + plan->b.count;
  if (result->entry_derivatives)
    memset(result->entry_derivatives, 0, (size_t)rows * 3 * sizeof(double));
  if (result->entry_values)
    memset(result->entry_values, 0, (size_t)plan->a.count * sizeof(double));
}

cw_status cw_coordination_reference(cw_coordination *plan, cw_coordinates_view positions,
                                    const cw_box *box, cw_coordination_result *result) {
  if (positions.space != CW_SPACE_HOST)
    return cw_fail(plan->context, CW_ERROR_UNSUPPORTED, "positions are in device memory");
  CW_TRY(cw_lattice_init(plan->context, box, &plan->lattice));
  clear(plan, result);
  const totals t = {plan, &positions, result};
  const cw_entries *a = &plan->a, *b = &plan->b;
  if (plan->pairs == CW_PAIRS_SELF)
    for (int64_t i = 0; i < a->count; i++)
      for (int64_t j = i + 1; j < a->count; j++)
        add_pair(&t, a, i, j, j);
  else if (plan->pairs == CW_PAIRS_ZIP)
    for (int64_t k = 0; k < a->count; k++)
      add_pair(&t, b, k, k, a->count + k);
  else
    for (int64_t i = 0; i < a->count; i++)
      for (int64_t j = 0; j < b->count; j++)
        add_pair(&t, b, i, j, a->count + j);
  return CW_OK;
}
