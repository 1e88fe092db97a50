/* The binomial filter (1/4, 1/2, 1/4) on J and rho.
 *
 * Lines are continued beyond the box by their images, by their mirror images with the walls'
 * signs, or, at a side that absorbs particles, by the ghost cells as deposited and then by zero.
 * All three are what an unbounded line would hold, so that the filter commutes with div. */
#include "fields/filters_cpu.h"

#include "fields/fields_private.h"

/* sources: 2 passes indices, then 2 passes signs. */
static void make_maps(const cw_fields *fields, const cw_fields_kind *kind, cw_filter_job *job,
                      int32_t *sources, int *signs) {
  int passes = job->passes;
  for (int e = 0; e < passes; e++) {
    int32_t below = job->first[job->axis] - passes + e, above = job->last[job->axis] + 1 + e;
    sources[e] = cw_fields_image(fields, kind, job->axis, below, &signs[e]);
    sources[passes + e] = cw_fields_image(fields, kind, job->axis, above, &signs[passes + e]);
    if (!signs[e])
      sources[e] = 0;
    if (!signs[passes + e])
      sources[passes + e] = 0;
  }
  for (int side = 0; side < 2; side++) {
    job->source[side] = sources + side * passes;
    job->sign[side] = signs + side * passes;
  }
}

cw_status cw_fields_host_filter(cw_fields *fields, const cw_fields_kind *kind,
                                cw_precision precision, void **array, int passes) {
  const cw_filter_cpu_table *table =
      CW_ISA_SELECT(cw_filter_cpu_ops, cw_context_isa(fields->context));
  int threads = cw_context_threads(fields->context);
  cw_filter_job job = {
      .grid = &fields->grid, .threads = threads, .passes = passes, .array = *array};
  cw_status status = CW_OK;
  int32_t *sources = NULL;
  int *signs = NULL;
  CW_TRY_CLEANUP(status, CW_NEW(fields->context, 2 * passes, "filter maps", &sources));
  CW_TRY_CLEANUP(status, CW_NEW(fields->context, 2 * passes, "filter maps", &signs));
  for (int a = 0; a < 3; a++)
    cw_fields_own_range(fields, kind, a, &job.first[a], &job.last[a]);
  for (job.axis = 0; job.axis < fields->grid.dim; job.axis++) {
    size_t values = (size_t)cw_filter_buffer(&job) * (size_t)threads;
    CW_TRY_CLEANUP(status,
                   cw_fields_grow_work(fields, values * (size_t)cw_precision_size(precision)));
    job.work = fields->work;
    make_maps(fields, kind, &job, sources, signs);
    table->sweep[precision](&job);
  }
cleanup:
  CW_DELETE(fields->context, sources);
  CW_DELETE(fields->context, signs);
  return status;
}
