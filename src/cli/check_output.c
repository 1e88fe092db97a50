#include "cli/check_output.h"

static int species_count(uint32_t chosen) {
  int count = 0;
  for (; chosen; chosen &= chosen - 1)
    count++;
  return count;
}

static double fields_bytes(const cw_deck *deck) {
  double values = 0, points = 1;
  cw_deck_record record;
  for (int n = 0; cw_deck_output_record(deck, n, &record); n++)
    values += record.components;
  for (int a = 0; a < deck->grid.dim; a++)
    points *= deck->grid.resolution[a] / deck->output.fields.downsampling[a];
  return values * points * (deck->simulation.precision == CW_DOUBLE ? 8 : 4);
}

/* Places in double precision, momenta and a weight in the deck's, an id. */
static double particles_bytes(const cw_deck *deck, int64_t particles) {
  const double real = deck->simulation.precision == CW_DOUBLE ? 8 : 4;
  const double share = (double)species_count(deck->output.particles.chosen) /
                       (deck->particles.species_count ? deck->particles.species_count : 1);
  return (double)particles * share / (double)deck->output.particles.stride *
         (8 * deck->grid.dim + 4 * real + 8);
}

static double spectra_bytes(const cw_deck *deck) {
  double bins = deck->output.spectra.n_bins;
  for (int a = 0; a < deck->grid.dim; a++)
    bins *= deck->output.spectra.spatial_bins[a];
  return 8 * bins * species_count(deck->output.spectra.chosen);
}

static double phase_space_bytes(const cw_deck *deck) {
  double bins = 0;
  for (int m = 0; m < deck->output.phase_space.maps.count; m++)
    bins +=
        (double)deck->output.phase_space.map[m][0].bins * deck->output.phase_space.map[m][1].bins;
  return 8 * bins * species_count(deck->output.phase_space.chosen);
}

void cw_check_output_fill(cw_check_output *output, const cw_deck *deck, int64_t particles) {
  *output = (cw_check_output){.bytes = {[CW_SERIES_FIELDS] = fields_bytes(deck),
                                        [CW_SERIES_PARTICLES] = particles_bytes(deck, particles),
                                        [CW_SERIES_SPECTRA] = spectra_bytes(deck),
                                        [CW_SERIES_PHASE_SPACE] = phase_space_bytes(deck)}};
  for (int k = 0; k < CW_SERIES_COUNT; k++) {
    const int64_t interval = cw_deck_interval(deck, (cw_series)k);
    if (interval > 0) /* the first state, every so many steps, and the last */
      output->files[k] = deck->steps / interval + 1 + (deck->steps % interval != 0);
  }
}
