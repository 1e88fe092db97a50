/* What [output] asks for: quantities and the species they are of, checked against the deck's
 * species and grid, and the records that they make. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deck/deck_reader.h"

/* Quantities by name; T and its indices are read apart. */
static const struct {
  const char *name;
  cw_deck_quantity_kind kind;
} bases[] = {{"E", CW_DECK_E},
             {"B", CW_DECK_B},
             {"J", CW_DECK_J},
             {"rho", CW_DECK_RHO},
             {"divE", CW_DECK_DIV_E},
             {"divB", CW_DECK_DIV_B},
             {"divE_error", CW_DECK_DIV_E_ERROR},
             {"N", CW_DECK_N},
             {"Nppc", CW_DECK_NPPC},
             {"Rho", CW_DECK_MASS},
             {"Charge", CW_DECK_CHARGE},
             {"V", CW_DECK_V},
             {"Vi", CW_DECK_V},
             {"kinetic", CW_DECK_KINETIC},
             {"temperature", CW_DECK_TEMPERATURE},
             {"T00", CW_DECK_T},
             {"T0i", CW_DECK_T},
             {"Tij", CW_DECK_T}};
enum { BASES = sizeof bases / sizeof *bases };

/* The part of a record's name before the species. */
static const char *const stems[] = {
    [CW_DECK_E] = "E",
    [CW_DECK_B] = "B",
    [CW_DECK_J] = "J",
    [CW_DECK_RHO] = "rho",
    [CW_DECK_DIV_E] = "divE",
    [CW_DECK_DIV_B] = "divB",
    [CW_DECK_DIV_E_ERROR] = "divE_error",
    [CW_DECK_N] = "density",
    [CW_DECK_NPPC] = "Nppc",
    [CW_DECK_MASS] = "Rho",
    [CW_DECK_CHARGE] = "Charge",
    [CW_DECK_V] = "V",
    [CW_DECK_KINETIC] = "kinetic",
    [CW_DECK_TEMPERATURE] = "temperature",
};

const char *const cw_series_names[CW_SERIES_COUNT] = {"fields", "particles", "spectra",
                                                      "phase_space"};

int64_t cw_deck_interval(const cw_deck *deck, cw_series series) {
  int64_t own = 0;
  int wanted = 0;
  switch (series) {
  case CW_SERIES_FIELDS:
    own = deck->output.fields.interval;
    wanted = deck->output.fields.enable && deck->output.fields.quantities.count > 0;
    break;
  case CW_SERIES_PARTICLES:
    own = deck->output.particles.interval;
    wanted = deck->output.particles.enable && deck->output.particles.chosen != 0;
    break;
  case CW_SERIES_SPECTRA:
    own = deck->output.spectra.interval;
    wanted = deck->output.spectra.enable && deck->output.spectra.chosen != 0;
    break;
  case CW_SERIES_PHASE_SPACE:
    own = deck->output.phase_space.interval;
    wanted = deck->output.phase_space.maps.count > 0 && deck->output.phase_space.chosen != 0;
    break;
  case CW_SERIES_COUNT:
    break;
  }
  return !wanted ? 0 : own > 0 ? own : deck->output.interval;
}

/* 0 and t, 1 to 3 and x to z, i and j; -1: none of them. */
static int tensor_index(char c) {
  static const char *const letters[] = {"0t", "1x", "2y", "3z", "ij"};
  for (int k = 0; k <= CW_DECK_ANY; k++)
    if (c && strchr(letters[k], c))
      return k;
  return -1;
}

/* Characters of a component of T that `text` opens with, or 0. "Ti0" is "T0i". */
static size_t read_tensor(const char *text, cw_deck_quantity *quantity) {
  if (text[0] != 'T' || !text[1])
    return 0;
  const int a = tensor_index(text[1]), b = tensor_index(text[2]);
  if (a < 0 || b < 0 || (text[3] && text[3] != '_'))
    return 0;
  if ((a == CW_DECK_ANY) != (b == CW_DECK_ANY) && a != 0 && b != 0)
    return 0; /* "T1i": neither a vector nor a tensor that has a name */
  quantity->kind = CW_DECK_T;
  quantity->t[0] = a < b ? a : b;
  quantity->t[1] = a < b ? b : a;
  return 3;
}

/* Characters of the quantity's name that `text` opens with, or 0; the longest one counts. */
static size_t read_base(const char *text, cw_deck_quantity *quantity) {
  size_t longest = 0;
  for (int k = 0; k < BASES; k++) {
    const size_t length = strlen(bases[k].name);
    if (length > longest && bases[k].kind != CW_DECK_T &&
        strncmp(text, bases[k].name, length) == 0 && (!text[length] || text[length] == '_')) {
      longest = length;
      quantity->kind = bases[k].kind;
    }
  }
  return longest ? longest : read_tensor(text, quantity);
}

/* Bits of the species in "A_B", labels or numbers from 1, each once; 0: not such a list. Labels may
 * hold _ themselves: what does not fit one way is tried another. */
uint32_t cw_deck_species_bits(const cw_deck *deck, const char *text, uint32_t before) {
  for (int s = 0; s < deck->particles.species_count; s++) {
    char number[16];
    snprintf(number, sizeof number, "%d", s + 1);
    const char *const names[] = {deck->particles.species[s].label, number};
    for (int k = 0; k < 2; k++) {
      const size_t length = strlen(names[k]);
      const uint32_t now = before | 1u << s;
      if (strncmp(text, names[k], length) != 0 || before & 1u << s)
        continue;
      const uint32_t all = !text[length] ? now
                           : text[length] == '_'
                               ? cw_deck_species_bits(deck, text + length + 1, now)
                               : 0;
      if (all)
        return all;
    }
  }
  return 0;
}

const char *cw_deck_list_labels(const cw_deck *deck, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int s = 0; s < deck->particles.species_count && used < size; s++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", s ? ", " : "",
                             deck->particles.species[s].label);
  return text;
}

static void refuse_quantity(cw_deck_reader *reader, const char *word, cw_deck_where where) {
  const char *names[BASES], *nearest;
  char quoted[CW_DECK_QUOTE];
  for (int k = 0; k < BASES; k++)
    names[k] = bases[k].name;
  cw_deck_quote(word, strlen(word), quoted, sizeof quoted);
  nearest = cw_deck_nearest(word, names, BASES);
  cw_deck_fault(
      reader, CW_RANK_WRITTEN, where,
      "output.fields.quantities: found \"%s\"; expected E, B, J, rho, divE, divB, "
      "divE_error, or of species N, Nppc, Rho, Charge, V, kinetic, temperature, T00, T0i, "
      "Tij, Txx, ...%s%s%s",
      quoted, nearest ? " (did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?)" : "");
}

static void read_quantity(cw_deck_reader *reader, int k) {
  cw_deck *deck = reader->deck;
  const char *word = deck->output.fields.quantities.word[k];
  const cw_deck_where where = deck->output.fields.quantities.where[k];
  cw_deck_quantity *quantity = &deck->output.fields.quantity[k];
  char labels[300], quoted[CW_DECK_QUOTE];
  *quantity = (cw_deck_quantity){0};
  const size_t length = read_base(word, quantity);
  if (length == 0 || (word[length] && quantity->kind < CW_DECK_N)) {
    refuse_quantity(reader, word, where);
    return;
  }
  if (!word[length])
    return;
  const char *list = word + length + 1;
  quantity->species = cw_deck_species_bits(deck, list, 0);
  if (!quantity->species && strcmp(list, "all") == 0)
    quantity->species = (1u << deck->particles.species_count) - 1;
  memcpy(quantity->suffix, list, strlen(list) + 1); /* part of a word of the same size */
  cw_deck_quote(word, strlen(word), quoted, sizeof quoted);
  if (!quantity->species)
    cw_deck_fault(reader, CW_RANK_WRITTEN, where,
                  "output.fields.quantities: found \"%s\"; expected labels or numbers of species "
                  "behind the _, each once and joined by _, or all: there are %s",
                  quoted, cw_deck_list_labels(deck, labels, sizeof labels));
}

void cw_deck_record_label(const char *label, char name[2 * CW_DECK_NAME]) {
  size_t used = 0;
  name[0] = '\0';
  for (; *label && used + 8 < 2 * CW_DECK_NAME; label++)
    used += (size_t)snprintf(name + used, 2 * CW_DECK_NAME - used, "%s%.*s",
                             *label == '+'   ? "_plus"
                             : *label == '-' ? "_minus"
                             : *label == '.' ? "_"
                                             : "",
                             !strchr("+-.", *label), label);
}

/* The species that a quantity's record number n is of: a mask, or 0 when there is no such one. */
static uint32_t species_of(const cw_deck *deck, const cw_deck_quantity *quantity, int n) {
  if (quantity->species)
    return n == 0 ? quantity->species : 0;
  return n < deck->particles.species_count ? 1u << n : 0;
}

static const int upper_half[6][2] = {{1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 3}, {3, 3}};

static void name_record(const cw_deck *deck, const cw_deck_quantity *quantity,
                        cw_deck_record *record) {
  static const char letters[] = "0xyzi";
  char stem[16], label[2 * CW_DECK_NAME] = "";
  if (record->kind != CW_DECK_T)
    snprintf(stem, sizeof stem, "%s", stems[record->kind]);
  else
    snprintf(stem, sizeof stem, "T%c%c", letters[record->t[0]], letters[record->t[1]]);
  const uint32_t mask = record->species;
  const int single = mask && !(mask & (mask - 1));
  for (int s = 0; single && s < deck->particles.species_count; s++)
    if (mask == 1u << s)
      cw_deck_record_label(deck->particles.species[s].label, label);
  if (mask && !single)
    cw_deck_record_label(quantity->suffix, label);
  snprintf(record->name, sizeof record->name, "%s%s%.100s", stem, mask ? "_" : "", label);
}

int cw_deck_output_record(const cw_deck *deck, int n, cw_deck_record *record) {
  for (int q = 0; q < deck->output.fields.quantities.count; q++) {
    const cw_deck_quantity *quantity = &deck->output.fields.quantity[q];
    const int tensor = quantity->kind == CW_DECK_T && quantity->t[0] == CW_DECK_ANY;
    const int each = tensor ? 6 : 1, of_species = quantity->kind >= CW_DECK_N;
    const int sets = !of_species ? 1 : quantity->species ? 1 : deck->particles.species_count;
    if (n >= sets * each) {
      n -= sets * each;
      continue;
    }
    *record = (cw_deck_record){.kind = quantity->kind, .components = 1, .quantity = q};
    record->species = of_species ? species_of(deck, quantity, n / each) : 0;
    memcpy(record->t, tensor ? upper_half[n % each] : quantity->t, sizeof record->t);
    if (record->kind <= CW_DECK_J || record->kind == CW_DECK_V ||
        (record->kind == CW_DECK_T && record->t[1] == CW_DECK_ANY))
      record->components = 3;
    name_record(deck, quantity, record);
    return 1;
  }
  return 0;
}

static int compare_names(const void *a, const void *b) {
  const cw_deck_record *first = a, *second = b;
  const int order = strcmp(first->name, second->name);
  return order ? order : first->quantity - second->quantity;
}

/* No two records of a file may have one name. */
static void check_names(cw_deck_reader *reader) {
  const cw_deck *deck = reader->deck;
  int count = 0;
  cw_deck_record one, *all;
  while (cw_deck_output_record(deck, count, &one))
    count++;
  if (count < 2 || !(all = malloc((size_t)count * sizeof *all)))
    return;
  for (int n = 0; n < count; n++)
    cw_deck_output_record(deck, n, &all[n]);
  qsort(all, (size_t)count, sizeof *all, compare_names);
  for (int n = 1; n < count; n++)
    if (strcmp(all[n - 1].name, all[n].name) == 0)
      cw_deck_fault(reader, CW_RANK_WRITTEN, deck->output.fields.quantities.where[all[n].quantity],
                    "output.fields.quantities: found %s twice; expected each record once",
                    all[n].name);
  free(all);
}

static void check_downsampling(cw_deck_reader *reader) {
  const cw_deck *deck = reader->deck;
  for (int a = 0; a < deck->grid.dim; a++) {
    const int32_t factor = deck->output.fields.downsampling[a], cells = deck->grid.resolution[a];
    if (factor > 0 && cells % factor == 0)
      continue;
    cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "output.fields.downsampling"),
                  "output.fields.downsampling: found %d along axis %d of %d cells; expected a "
                  "divisor of their number",
                  (int)factor, a + 1, (int)cells);
  }
}

void cw_deck_check_output(cw_deck_reader *reader) {
  const cw_deck_rank before = reader->rank;
  for (int k = 0; k < reader->deck->output.fields.quantities.count; k++)
    read_quantity(reader, k);
  if (reader->rank == before)
    check_names(reader);
  check_downsampling(reader);
  cw_deck_check_particle_output(reader);
}
