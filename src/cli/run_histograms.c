#include "cli/run_histograms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "cli/run_units.h"
#include "engine/histograms.h"

enum { MOST = CW_DECK_MAX_SPECIES * CW_DECK_MAX_WORDS, NAME = 2 * CW_DECK_NAME + 32 };

typedef struct histogram_list {
  cw_context *context;
  const cw_deck *deck;
  cw_engine *engine;
  int count;
  char name[MOST][NAME];
  cw_histogram histogram[MOST];
  cw_output_histogram out[MOST];
} histogram_list;

/* Counts a species by the axes of `like`. */
static cw_status add(histogram_list *list, int species, const char *stem,
                     const cw_histogram *like) {
  const int n = list->count++;
  cw_histogram *histogram = &list->histogram[n];
  cw_output_histogram *out = &list->out[n];
  char label[2 * CW_DECK_NAME];
  *histogram = *like;
  CW_TRY(cw_histogram_count(list->engine, species, histogram));
  cw_deck_record_label(list->deck->particles.species[species].label, label);
  snprintf(list->name[n], NAME, "%.30s_%.120s", stem, label);
  *out = (cw_output_histogram){.name = list->name[n],
                               .rank = histogram->rank,
                               .values = histogram->weight,
                               .total = histogram->total};
  for (int a = 0; a < histogram->rank; a++) {
    const cw_deck_axis *axis = &histogram->axis[a];
    out->axis[a] = (cw_output_axis){.label = cw_deck_coordinates[axis->coordinate],
                                    .low = axis->low,
                                    .step = (axis->high - axis->low) / axis->bins,
                                    .count = axis->bins};
    out->below[a] = histogram->below[a];
    out->above[a] = histogram->above[a];
  }
  return CW_OK;
}

static cw_status begin(cw_context *context, const cw_deck *deck, cw_engine *engine,
                       histogram_list **list) {
  CW_TRY(CW_NEW(context, 1, "histograms", list));
  (*list)->context = context;
  (*list)->deck = deck;
  (*list)->engine = engine;
  return CW_OK;
}

static cw_status finish(histogram_list *list, cw_status status, const char *folder,
                        cw_series series) {
  const cw_output_time when = cw_run_time(list->deck, list->engine);
  if (status == CW_OK)
    status = cw_output_write_histograms(list->context, folder, series, list->deck, &when, list->out,
                                        list->count);
  for (int n = 0; n < list->count; n++)
    cw_histogram_clear(list->context, &list->histogram[n]);
  CW_DELETE(list->context, list);
  return status;
}

/* Energy, then every axis of the box that is cut in parts. */
static cw_histogram spectrum_axes(const cw_deck *deck) {
  cw_histogram axes = {.rank = 1};
  const double low = deck->output.spectra.e_min, high = deck->output.spectra.e_max;
  axes.axis[0] = (cw_deck_axis){CW_DECK_ENERGY, low, high, deck->output.spectra.n_bins};
  if (deck->output.spectra.log_bins)
    axes.axis[0] =
        (cw_deck_axis){CW_DECK_LOG_ENERGY, log10(low), log10(high), deck->output.spectra.n_bins};
  for (int a = 0; a < deck->grid.dim; a++)
    if (deck->output.spectra.spatial_bins[a] > 1)
      axes.axis[axes.rank++] =
          (cw_deck_axis){(cw_deck_coordinate)a, deck->grid.extent[a][0], deck->grid.extent[a][1],
                         deck->output.spectra.spatial_bins[a]};
  return axes;
}

cw_status cw_run_spectra_write(cw_context *context, const cw_deck *deck, const char *folder,
                               cw_engine *engine) {
  const cw_histogram axes = spectrum_axes(deck);
  histogram_list *list;
  CW_TRY(begin(context, deck, engine, &list));
  cw_status status = CW_OK;
  for (int s = 0; s < deck->particles.species_count && status == CW_OK; s++)
    if (deck->output.spectra.chosen & 1u << s)
      status = add(list, s, "spectrum", &axes);
  return finish(list, status, folder, CW_SERIES_SPECTRA);
}

cw_status cw_run_phase_space_write(cw_context *context, const cw_deck *deck, const char *folder,
                                   cw_engine *engine) {
  histogram_list *list;
  CW_TRY(begin(context, deck, engine, &list));
  cw_status status = CW_OK;
  for (int m = 0; m < deck->output.phase_space.maps.count; m++) {
    const cw_deck_axis *map = deck->output.phase_space.map[m];
    const cw_histogram axes = {.rank = 2, .axis = {map[0], map[1]}};
    char stem[32];
    snprintf(stem, sizeof stem, "phase_%s_%s", cw_deck_coordinates[map[0].coordinate],
             cw_deck_coordinates[map[1].coordinate]);
    for (int s = 0; s < deck->particles.species_count && status == CW_OK; s++)
      if (deck->output.phase_space.chosen & 1u << s)
        status = add(list, s, stem, &axes);
  }
  return finish(list, status, folder, CW_SERIES_PHASE_SPACE);
}
