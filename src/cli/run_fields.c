/* Field files of a run: the deck's records, averaged over blocks of cells, with their units. */
#include "cli/run_fields.h"

#include <string.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "cli/run_units.h"
#include "engine/records.h"

/* The records of one file and the arrays that they are of. */
typedef struct record_list {
  cw_context *context;
  const cw_deck *deck;
  cw_grid grid; /* of what is written */
  int count;
  cw_deck_record *names;
  cw_output_record *records;
} record_list;

/* The grid with blocks of cells for cells, without ghost cells. */
static cw_status coarse_grid(cw_context *context, const cw_grid *grid, const int32_t factor[3],
                             cw_grid *coarse) {
  int32_t cells[3] = {1, 1, 1};
  double dx[3] = {1, 1, 1};
  for (int a = 0; a < grid->dim; a++) {
    cells[a] = grid->cells[a] / factor[a];
    dx[a] = grid->dx[a] * factor[a];
  }
  return cw_grid_init(context, coarse, grid->dim, cells, 0, grid->origin, dx);
}

/* Mean over the block of cell (i, j, k) of the coarse grid. */
static double block_mean(const cw_grid *fine, const int32_t n[3], const void *values,
                         cw_precision precision, int32_t i, int32_t j, int32_t k) {
  double sum = 0;
  for (int32_t c = 0; c < n[2]; c++)
    for (int32_t b = 0; b < n[1]; b++)
      for (int32_t a = 0; a < n[0]; a++)
        sum += cw_real_get(values, precision,
                           cw_grid_index(fine, i * n[0] + a, j * n[1] + b, k * n[2] + c));
  return sum / ((double)n[0] * n[1] * n[2]);
}

static void average(cw_context *context, const cw_grid *fine, const cw_grid *coarse,
                    const int32_t factor[3], const cw_record_values *from, int component,
                    cw_precision precision, void *to) {
  int32_t n[3] = {1, 1, 1};
  memcpy(n, factor, (size_t)fine->dim * sizeof *n);
#pragma omp parallel for collapse(2) schedule(static) if (fine->points > CW_BLOCK)                 \
    num_threads(cw_context_threads(context))
  for (int32_t k = 0; k < coarse->cells[2]; k++)
    for (int32_t j = 0; j < coarse->cells[1]; j++)
      for (int32_t i = 0; i < coarse->cells[0]; i++)
        cw_real_set(to, precision, cw_grid_index(coarse, i, j, k),
                    from->factor *
                        block_mean(fine, n, from->component[component], from->precision, i, j, k));
}

/* Values of a block stand where the mean of their places is. */
static void set_positions(const record_list *list, const cw_record_values *values,
                          cw_output_record *record) {
  for (int c = 0; c < record->components; c++)
    for (int a = 0; a < list->grid.dim; a++) {
      const int32_t n = list->deck->output.fields.downsampling[a];
      record->position[c][a] = (values->position[c][a] + 0.5 * (n - 1)) / n;
    }
}

static cw_status add_record(record_list *list, cw_engine *engine, cw_records *records, int n) {
  const cw_precision precision = list->deck->simulation.precision;
  cw_output_record *record = &list->records[n];
  cw_record_values values;
  CW_TRY(cw_records_get(records, &list->names[n], &values));
  *record = (cw_output_record){
      .name = list->names[n].name, .components = list->names[n].components, .precision = precision};
  cw_run_unit_of_record(list->deck, list->names[n].kind, &record->unit_SI, record->dimension);
  set_positions(list, &values, record);
  for (int c = 0; c < record->components; c++) {
    void *made = NULL;
    CW_TRY(cw_memory_alloc(list->context, CW_SPACE_HOST, (size_t)list->grid.points,
                           (size_t)cw_precision_size(precision), "output array", &made));
    record->data[c] = made;
    average(list->context, cw_engine_grid(engine), &list->grid,
            list->deck->output.fields.downsampling, &values, c, precision, made);
  }
  return CW_OK;
}

static cw_status make_list(record_list *list) {
  cw_deck_record one;
  while (cw_deck_output_record(list->deck, list->count, &one))
    list->count++;
  CW_TRY(CW_NEW(list->context, list->count, "names of records", &list->names));
  CW_TRY(CW_NEW(list->context, list->count, "records", &list->records));
  for (int n = 0; n < list->count; n++)
    cw_deck_output_record(list->deck, n, &list->names[n]);
  return CW_OK;
}

static void clear_list(record_list *list) {
  for (int n = 0; list->records && n < list->count; n++)
    for (int c = 0; c < 3; c++)
      CW_DELETE(list->context, (void *)(uintptr_t)list->records[n].data[c]);
  CW_DELETE(list->context, list->records);
  CW_DELETE(list->context, list->names);
}

cw_status cw_run_fields_write(cw_context *context, const cw_deck *deck, const char *folder,
                              cw_engine *engine) {
  record_list list = {.context = context, .deck = deck};
  cw_records *records = NULL;
  cw_status status = CW_OK;
  CW_TRY(
      coarse_grid(context, cw_engine_grid(engine), deck->output.fields.downsampling, &list.grid));
  CW_TRY_CLEANUP(status, make_list(&list));
  if (list.count == 0)
    goto cleanup;
  CW_TRY_CLEANUP(status, cw_records_create(engine, deck, &records));
  for (int n = 0; n < list.count; n++)
    CW_TRY_CLEANUP(status, add_record(&list, engine, records, n));
  const cw_output_time when = cw_run_time(deck, engine);
  status =
      cw_output_write_fields(context, folder, deck, &list.grid, &when, list.records, list.count);
cleanup:
  cw_records_destroy(records);
  clear_list(&list);
  return status;
}
