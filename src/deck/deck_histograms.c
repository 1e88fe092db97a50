/* What [output.particles], [output.spectra] and [output.phase_space] ask for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deck/deck_reader.h"

const char *const cw_deck_coordinates[] = {"x",  "y",     "z",      "ux",          "uy",
                                           "uz", "gamma", "energy", "log10_energy"};

/* Bits of the species that a list names; an empty one: all. */
static uint32_t choose_species(cw_deck_reader *reader, const char *section,
                               const cw_deck_words *words) {
  const cw_deck *deck = reader->deck;
  uint32_t chosen = 0;
  char labels[300], quoted[CW_DECK_QUOTE];
  for (int k = 0; k < words->count; k++) {
    const uint32_t one = cw_deck_species_bits(deck, words->word[k], 0);
    if (one && !(one & (one - 1)) && !(one & chosen)) {
      chosen |= one;
      continue;
    }
    cw_deck_quote(words->word[k], strlen(words->word[k]), quoted, sizeof quoted);
    cw_deck_fault(reader, CW_RANK_WRITTEN, words->where[k],
                  "%s.species: found \"%s\"; expected labels or numbers of species, each once: "
                  "there are %s",
                  section, quoted, cw_deck_list_labels(deck, labels, sizeof labels));
  }
  return words->count ? chosen : (1u << deck->particles.species_count) - 1;
}

static void check_spectra(cw_deck_reader *reader) {
  cw_deck *deck = reader->deck;
  const double low = deck->output.spectra.e_min, high = deck->output.spectra.e_max;
  double bins = deck->output.spectra.n_bins;
  deck->output.spectra.chosen =
      choose_species(reader, "output.spectra", &deck->output.spectra.species);
  if (!(low < high))
    cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "output.spectra.e_max"),
                  "output.spectra.e_max: found %g with e_min = %g; expected more", high, low);
  if (deck->output.spectra.log_bins && !(low > 0))
    cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "output.spectra.e_min"),
                  "output.spectra.e_min: found %g with log_bins = true; expected number > 0", low);
  for (int a = 0; a < deck->grid.dim; a++)
    bins *= deck->output.spectra.spatial_bins[a];
  if (!(bins <= 1e8))
    cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "output.spectra.spatial_bins"),
                  "output.spectra.spatial_bins: found %g bins of place and energy in all; expected "
                  "at most 1e8",
                  bins);
}

/* What an axis covers where its entry does not say. */
static void set_range(const cw_deck *deck, cw_deck_axis *axis) {
  const double u_max = deck->output.phase_space.u_max;
  axis->bins = deck->output.phase_space.bins;
  axis->low = -u_max;
  axis->high = u_max;
  if (axis->coordinate == CW_DECK_GAMMA)
    axis->low = 1, axis->high = 1 + u_max;
  if (axis->coordinate <= CW_DECK_Z && (int)axis->coordinate < deck->grid.dim) {
    axis->low = deck->grid.extent[axis->coordinate][0];
    axis->high = deck->grid.extent[axis->coordinate][1];
  }
}

static const char *skip_blanks(const char *text) {
  return text + strspn(text, " ");
}

/* "[low, high]" or "[low, high, bins]"; NULL: not so. */
static const char *read_range(const char *text, cw_deck_axis *axis) {
  double number[3] = {0, 0, axis->bins};
  int count = 0;
  do {
    char *end;
    text = skip_blanks(text + 1);
    if (count == 3)
      return NULL;
    number[count++] = strtod(text, &end);
    if (end == text || !isfinite(number[count - 1]))
      return NULL;
    text = skip_blanks(end);
  } while (*text == ',');
  axis->low = number[0];
  axis->high = number[1];
  if (*text != ']' || count < 2 || !(number[0] < number[1]) || !(number[2] >= 1) ||
      !(number[2] <= 65536) || number[2] != floor(number[2]))
    return NULL;
  axis->bins = (int32_t)number[2];
  return skip_blanks(text + 1);
}

/* One axis from the head of `text`; the rest, or NULL. */
static const char *read_axis(const cw_deck *deck, const char *text, cw_deck_axis *axis) {
  text = skip_blanks(text);
  const size_t length = strcspn(text, " :[");
  int found = -1;
  for (int k = 0; k < CW_DECK_COORDINATE_NAMES; k++)
    if (strlen(cw_deck_coordinates[k]) == length &&
        strncmp(text, cw_deck_coordinates[k], length) == 0)
      found = k;
  if (found < 0 || (found <= CW_DECK_Z && found >= deck->grid.dim))
    return NULL;
  axis->coordinate = (cw_deck_coordinate)found;
  set_range(deck, axis);
  text = skip_blanks(text + length);
  return *text == '[' ? read_range(text, axis) : text;
}

static void check_map(cw_deck_reader *reader, int k) {
  cw_deck *deck = reader->deck;
  const cw_deck_words *maps = &deck->output.phase_space.maps;
  cw_deck_axis *map = deck->output.phase_space.map[k];
  char quoted[CW_DECK_QUOTE];
  const char *rest = read_axis(deck, maps->word[k], &map[0]);
  if (rest && *rest == ':')
    rest = read_axis(deck, rest + 1, &map[1]);
  else
    rest = NULL;
  cw_deck_quote(maps->word[k], strlen(maps->word[k]), quoted, sizeof quoted);
  if (!rest || *rest || map[0].coordinate == map[1].coordinate) {
    cw_deck_fault(reader, CW_RANK_WRITTEN, maps->where[k],
                  "output.phase_space.maps: found \"%s\"; expected two different ones of %sux, uy, "
                  "uz, gamma, as \"x:ux\" or \"x[low,high]:ux[low,high,bins]\"",
                  quoted,
                  deck->grid.dim == 1   ? "x, "
                  : deck->grid.dim == 2 ? "x, y, "
                                        : "x, y, z, ");
    return;
  }
  for (int before = 0; before < k; before++)
    if (deck->output.phase_space.map[before][0].coordinate == map[0].coordinate &&
        deck->output.phase_space.map[before][1].coordinate == map[1].coordinate)
      cw_deck_fault(reader, CW_RANK_WRITTEN, maps->where[k],
                    "output.phase_space.maps: found %s:%s twice; expected each pair once",
                    cw_deck_coordinates[map[0].coordinate], cw_deck_coordinates[map[1].coordinate]);
}

void cw_deck_check_particle_output(cw_deck_reader *reader) {
  cw_deck *deck = reader->deck;
  check_spectra(reader);
  deck->output.particles.chosen =
      choose_species(reader, "output.particles", &deck->output.particles.species);
  deck->output.phase_space.chosen =
      choose_species(reader, "output.phase_space", &deck->output.phase_space.species);
  for (int k = 0; k < deck->output.phase_space.maps.count; k++)
    check_map(reader, k);
}
