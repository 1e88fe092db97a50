#include <math.h>
#include <string.h>

#include "kernels/coordination/coordination_cuda.h"

static const cw_coordination_ops *ops_of(const cw_coordination *plan) {
  return CW_ISA_SELECT(cw_coordination_cpu_ops, cw_context_isa(plan->context));
}

static void clear_entries(cw_context *context, cw_entries *e) {
  CW_DELETE(context, e->atom);
  CW_DELETE(context, e->key);
  CW_DELETE(context, e->permutation);
  CW_DELETE(context, e->id);
  CW_DELETE(context, e->value);
  CW_DELETE(context, e->offsets);
  for (int c = 0; c < 3; c++) {
    CW_DELETE(context, e->position[c]);
    CW_DELETE(context, e->derivative[c]);
  }
}

static cw_status check_distinct(cw_coordination *plan, cw_entries *e) {
  uint8_t *seen = NULL;
  CW_TRY(CW_NEW(plan->context, plan->atoms, "atoms of a group", &seen));
  e->distinct = 1;
  for (int64_t k = 0; k < e->count; k++) {
    if (seen[e->atom[k]])
      e->distinct = 0;
    seen[e->atom[k]] = 1;
  }
  CW_DELETE(plan->context, seen);
  return CW_OK;
}

static cw_status init_entries(cw_coordination *plan, cw_entries *e, const uint32_t *atoms,
                              int64_t count, const char *name) {
  cw_context *context = plan->context;
  e->count = atoms ? count : plan->atoms;
  CW_TRY(CW_NEW(context, e->count, "group", &e->atom));
  CW_TRY(CW_NEW(context, e->count, "link cell keys", &e->key));
  CW_TRY(CW_NEW(context, e->count, "sorted group", &e->permutation));
  CW_TRY(CW_NEW(context, e->count, "sorted atoms", &e->id));
  CW_TRY(CW_NEW(context, e->count, "values of entries", &e->value));
  for (int c = 0; c < 3; c++) {
    CW_TRY(CW_NEW(context, e->count, "sorted positions", &e->position[c]));
    CW_TRY(CW_NEW(context, e->count, "sorted derivatives", &e->derivative[c]));
  }
  for (int64_t k = 0; k < e->count; k++) {
    e->atom[k] = atoms ? atoms[k] : (uint32_t)k;
    if (e->atom[k] >= plan->atoms)
      return cw_fail(context, CW_ERROR_ARGUMENT,
                     "entry %lld of group %s is atom %u, but the atoms count from 0 to %lld",
                     (long long)k, name, e->atom[k], (long long)plan->atoms - 1);
  }
  return check_distinct(plan, e);
}

static cw_status check_options(cw_context *context, const cw_coordination_options *o) {
  if (o->atoms < 0 || o->atoms >= (int64_t)UINT32_MAX)
    return cw_fail(context, CW_ERROR_ARGUMENT, "atoms is %lld; expected 0 to 2^32 - 2",
                   (long long)o->atoms);
  if (o->count_a < 0 || o->count_b < 0 || o->count_a >= (int64_t)UINT32_MAX ||
      o->count_b >= (int64_t)UINT32_MAX)
    return cw_fail(context, CW_ERROR_ARGUMENT, "a group has %lld and the other %lld entries",
                   (long long)o->count_a, (long long)o->count_b);
  if ((int)o->pairs < CW_PAIRS_SELF || o->pairs > CW_PAIRS_ZIP)
    return cw_fail(context, CW_ERROR_ARGUMENT, "pairs is %d", (int)o->pairs);
  if ((int)o->method < CW_COORDINATION_AUTO || o->method > CW_COORDINATION_FROZEN)
    return cw_fail(context, CW_ERROR_ARGUMENT, "method is %d", (int)o->method);
  if (o->precision != CW_SINGLE && o->precision != CW_DOUBLE)
    return cw_fail(context, CW_ERROR_ARGUMENT, "precision is %d", (int)o->precision);
  if ((int)o->form < CW_COORDINATION_FORM_AUTO || o->form > CW_COORDINATION_FORM_MATRIX)
    return cw_fail(context, CW_ERROR_ARGUMENT, "form is %d", (int)o->form);
  if (!(o->skin >= 0 && isfinite(o->skin)))
    return cw_fail(context, CW_ERROR_ARGUMENT, "skin is %g; expected a length >= 0", o->skin);
  if (o->method == CW_COORDINATION_FROZEN && !(o->list_cutoff > 0 && isfinite(o->list_cutoff)))
    return cw_fail(context, CW_ERROR_ARGUMENT, "list_cutoff is %g; expected a positive length",
                   o->list_cutoff);
  return CW_OK;
}

static cw_status init(cw_coordination *plan, const cw_coordination_options *o) {
  cw_context *context = plan->context;
  CW_TRY(check_options(context, o));
  CW_TRY(cw_switching_init(context, &o->switching, &plan->switching));
  plan->pairs = o->pairs;
  plan->method = o->method;
  plan->precision = o->precision;
  plan->atoms = o->atoms;
  plan->fast_border = o->fast_border;
  plan->form = o->form ? o->form : CW_COORDINATION_FORM_BUNDLE;
  double range = plan->switching.range;
  if (o->method == CW_COORDINATION_LIST && isinf(range))
    plan->method = CW_COORDINATION_ALL;
  plan->skin = o->skin > 0 ? o->skin : 0.1 * range;
  plan->list_cutoff = o->method == CW_COORDINATION_FROZEN ? o->list_cutoff : range + plan->skin;
  CW_TRY(init_entries(plan, &plan->a, o->a, o->count_a, "a"));
  if (o->pairs != CW_PAIRS_SELF)
    CW_TRY(init_entries(plan, &plan->b, o->b, o->count_b, "b"));
  if (o->pairs == CW_PAIRS_ZIP && plan->a.count != plan->b.count)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "pairs are taken one by one, but group a has %lld entries and group b %lld",
                   (long long)plan->a.count, (long long)plan->b.count);
  plan->scratch_threads = cw_context_threads(context);
  size_t bytes = ops_of(plan)->scratch_bytes[plan->precision];
  return cw_memory_alloc(context, CW_SPACE_HOST, (size_t)plan->scratch_threads, bytes,
                         "pair scratch", &plan->scratch);
}

cw_status cw_coordination_create(cw_context *context, const cw_coordination_options *options,
                                 cw_coordination **coordination) {
  cw_coordination *plan = NULL;
  *coordination = NULL;
  CW_TRY(CW_NEW(context, 1, "coordination plan", &plan));
  plan->context = context;
  cw_status status = init(plan, options);
  if (status != CW_OK)
    cw_coordination_destroy(plan);
  else
    *coordination = plan;
  return status;
}

void cw_coordination_destroy(cw_coordination *plan) {
  if (!plan)
    return;
  cw_context *context = plan->context;
  cw_coordination_cuda_destroy(plan);
  clear_entries(context, &plan->a);
  clear_entries(context, &plan->b);
  cw_pair_list_clear(context, &plan->list_a);
  cw_pair_list_clear(context, &plan->list_b);
  CW_DELETE(context, plan->list_position);
  CW_DELETE(context, plan->bundles);
  CW_DELETE(context, plan->partials);
  CW_DELETE(context, plan->rows);
  CW_DELETE(context, plan->scratch);
  CW_DELETE(context, plan);
}

double cw_coordination_range(const cw_coordination *plan) {
  return plan->switching.range;
}

double cw_coordination_switching(const cw_coordination *plan, double r, double *derivative) {
  return cw_switching_value(&plan->switching, r, derivative);
}

static size_t entries_memory(const cw_entries *e) {
  size_t each = 4 * sizeof(uint32_t) + 7 * sizeof(double);
  return (size_t)e->count * each + e->offsets_capacity * sizeof(int64_t);
}

size_t cw_coordination_memory(const cw_coordination *plan) {
  return sizeof *plan + entries_memory(&plan->a) + entries_memory(&plan->b) +
         plan->bundle_capacity * (sizeof *plan->bundles + sizeof *plan->partials) +
         plan->row_capacity * sizeof *plan->rows +
         (plan->list_a.capacity + plan->list_b.capacity) * sizeof(uint32_t) +
         (size_t)plan->scratch_threads * ops_of(plan)->scratch_bytes[plan->precision] +
         cw_coordination_cuda_memory(plan);
}
