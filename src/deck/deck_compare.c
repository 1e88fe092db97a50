/* Two decks side by side: may a state of the one go on under the other? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context_private.h"
#include "deck/deck_reader.h"

/* A key; without a name: all keys of the section and of the sections in it. */
typedef struct key_name {
  const char *section, *name;
} key_name;

/* What a run may change when it is resumed: nothing of it acts on the state. */
static const key_name free_keys[] = {
    {"simulation", "name"},
    {"simulation", "runtime"},
    {"particles.species", "maxnpart"},
    {"algorithms.deposit", "vendor_sort"},
    {"output", NULL},
    {"checkpoint", NULL},
    {"diagnostics", NULL},
};

/* What the state of a checkpoint was made with, and a run that starts from it keeps. */
static const key_name taken_keys[] = {
    {"simulation", "precision"},
    {"grid", NULL},
    {"scales", NULL},
    {"algorithms", "current_filters"},
    {"algorithms.timestep", NULL},
    {"algorithms.deposit", "shape_order"},
    {"algorithms.ecsim", "theta"},
    {"algorithms.ecsim", "smoothing_passes"},
    {"particles", "ppc0"},
    {"particles", "use_weights"},
};

static int is_among(const cw_deck_key *key, const key_name *names, size_t count) {
  for (size_t k = 0; k < count; k++) {
    const size_t length = strlen(names[k].section);
    if (strncmp(key->section, names[k].section, length) != 0)
      continue;
    if (names[k].name ? !key->section[length] && strcmp(key->name, names[k].name) == 0
                      : !key->section[length] || key->section[length] == '.')
      return 1;
  }
  return 0;
}

/* Texts of a value in both decks. */
typedef struct pair {
  cw_context *context;
  char *text[2];
  FILE *stream[2];
  size_t size[2];
} pair;

static cw_status pair_open(pair *both) {
  for (int k = 0; k < 2; k++)
    if (!(both->stream[k] = open_memstream(&both->text[k], &both->size[k])))
      return cw_fail(both->context, CW_ERROR_MEMORY, "no memory to compare decks");
  return CW_OK;
}

/* Ends the texts; 1 when they are the same. */
static int pair_same(pair *both) {
  for (int k = 0; k < 2; k++) {
    fclose(both->stream[k]);
    both->stream[k] = NULL;
  }
  for (int k = 0; k < 2; k++)
    both->text[k][strcspn(both->text[k], "\n")] = '\0';
  return strcmp(both->text[0], both->text[1]) == 0;
}

static void pair_close(pair *both) {
  for (int k = 0; k < 2; k++) {
    if (both->stream[k])
      fclose(both->stream[k]);
    free(both->text[k]);
  }
}

static cw_status compare_key(cw_context *context, const cw_deck *deck, const cw_deck *stored,
                             const char *path, const cw_deck_key *key, int species) {
  pair both = {.context = context};
  const cw_deck *const decks[2] = {deck, stored};
  cw_deck_where where = cw_deck_written(deck, key->section, key->name);
  cw_status status = pair_open(&both);
  for (int k = 0; k < 2 && status == CW_OK; k++)
    cw_deck_put_value(both.stream[k], key, decks[k],
                      species < 0 ? (const void *)decks[k]
                                  : (const void *)&decks[k]->particles.species[species]);
  if (species >= 0)
    where = deck->particles.species[species].where;
  if (status == CW_OK && !pair_same(&both))
    status = cw_deck_fail(context, deck, where,
                          "%s.%s: found %.100s; the checkpoint %.200s has %.100s: expected the "
                          "same to go on from it",
                          key->section, key->name, both.text[0], path, both.text[1]);
  pair_close(&both);
  return status;
}

/* The parameter of the same name in another deck, or NULL. */
static const cw_deck_parameter *counterpart(const cw_deck *deck,
                                            const cw_deck_parameter *parameter) {
  return cw_deck_setup_entry(deck, parameter->table, parameter->entry, parameter->name);
}

static cw_status compare_parameter(cw_context *context, const cw_deck *deck, const cw_deck *stored,
                                   const char *path, const cw_deck_parameter *parameter) {
  const cw_deck_parameter *other = counterpart(stored, parameter);
  char name[3 * CW_DECK_NAME];
  pair both = {.context = context};
  cw_deck_parameter_path(parameter, name);
  if (!other)
    return cw_deck_fail(context, deck, parameter->where,
                        "setup.%s: found it where the deck of the checkpoint %.200s has nothing; "
                        "expected the same to resume it",
                        name, path);
  cw_status status = pair_open(&both);
  if (status == CW_OK) {
    cw_deck_put_parameter(both.stream[0], parameter);
    cw_deck_put_parameter(both.stream[1], other);
    if (!pair_same(&both))
      status = cw_deck_fail(context, deck, parameter->where,
                            "found setup.%.100s; the checkpoint %.200s has %.100s: expected the "
                            "same to resume it",
                            both.text[0], path, both.text[1]);
  }
  pair_close(&both);
  return status;
}

static cw_status compare_setup(cw_context *context, const cw_deck *deck, const cw_deck *stored,
                               const char *path) {
  char name[3 * CW_DECK_NAME];
  for (int k = 0; k < deck->setup.parameter_count; k++)
    CW_TRY(compare_parameter(context, deck, stored, path, &deck->setup.parameters[k]));
  for (int k = 0; k < stored->setup.parameter_count; k++) {
    if (counterpart(deck, &stored->setup.parameters[k]))
      continue;
    cw_deck_parameter_path(&stored->setup.parameters[k], name);
    return cw_deck_fail(context, deck, deck->setup.where,
                        "setup.%s: found nothing where the deck of the checkpoint %.200s gives "
                        "it; expected the same to resume it",
                        name, path);
  }
  return CW_OK;
}

cw_status cw_deck_check_same(cw_context *context, const cw_deck *deck, const cw_deck *stored,
                             const char *path) {
  if (deck->particles.species_count != stored->particles.species_count)
    return cw_deck_fail(context, deck, (cw_deck_where){1, 1},
                        "particles.species: found %d species; the checkpoint %.200s has %d: "
                        "expected the same to resume it",
                        deck->particles.species_count, path, stored->particles.species_count);
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++) {
    const int species = cw_deck_key_is_species(key);
    if (is_among(key, free_keys, sizeof free_keys / sizeof *free_keys) ||
        !cw_deck_key_applies(deck, key))
      continue;
    for (int s = 0; s < (species ? deck->particles.species_count : 1); s++)
      CW_TRY(compare_key(context, deck, stored, path, key, species ? s : -1));
  }
  return compare_setup(context, deck, stored, path);
}

static size_t size_of(const cw_deck_key *key) {
  switch (key->type) {
  case CW_DECK_BOOL:
  case CW_DECK_INT32:
  case CW_DECK_CHOICE:
    return sizeof(int);
  case CW_DECK_INT64:
  case CW_DECK_COUNT:
    return sizeof(int64_t);
  case CW_DECK_FLOAT:
  case CW_DECK_DURATION:
    return sizeof(double);
  case CW_DECK_TEXT:
  case CW_DECK_LABEL:
    return CW_DECK_NAME;
  case CW_DECK_PATH:
  case CW_DECK_FORMULA:
    return CW_DECK_PATH_SIZE;
  case CW_DECK_RESOLUTION:
    return sizeof((cw_deck *)0)->grid.resolution;
  case CW_DECK_EXTENT:
    return sizeof((cw_deck *)0)->grid.extent;
  case CW_DECK_FIELD_SIDES:
    return sizeof((cw_deck *)0)->grid.fields;
  case CW_DECK_PARTICLE_SIDES:
    return sizeof((cw_deck *)0)->grid.particles;
  case CW_DECK_WORDS:
  case CW_DECK_FACTORS:
    return 0; /* no key of a state */
  }
  return 0;
}

static cw_status take_species(cw_context *context, cw_deck *deck, const cw_deck *stored,
                              const char *path) {
  static const char *const kept[] = {"mass", "charge"};
  if (deck->particles.species_count == 0) {
    memcpy(deck->particles.species, stored->particles.species, sizeof deck->particles.species);
    deck->particles.species_count = stored->particles.species_count;
    for (int s = 0; s < deck->particles.species_count; s++)
      deck->particles.species[s].where = deck->setup.where;
    return CW_OK;
  }
  if (deck->particles.species_count != stored->particles.species_count)
    return cw_deck_fail(context, deck, deck->particles.species[0].where,
                        "particles.species: found %d species; the checkpoint %.200s has %d",
                        deck->particles.species_count, path, stored->particles.species_count);
  for (int s = 0; s < deck->particles.species_count; s++)
    for (int k = 0; k < 2; k++)
      CW_TRY(compare_key(context, deck, stored, path,
                         cw_deck_key_find("particles.species", kept[k]), s));
  return CW_OK;
}

cw_status cw_deck_take(cw_context *context, cw_deck *deck, const cw_deck *stored,
                       const char *path) {
  if (deck->simulation.engine != stored->simulation.engine)
    return compare_key(context, deck, stored, path, cw_deck_key_find("simulation", "engine"), -1);
  if (deck->grid.dim == 0) /* no resolution written: lists an axis are as long as the file's */
    deck->grid.dim = stored->grid.dim;
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++) {
    const cw_deck_where where = cw_deck_written(deck, key->section, key->name);
    if (!is_among(key, taken_keys, sizeof taken_keys / sizeof *taken_keys))
      continue;
    if (where.line && !cw_deck_key_applies(stored, key))
      return cw_deck_fail(context, deck, where,
                          "%s.%s: found it where the checkpoint %.200s gives the time step; "
                          "expected nothing",
                          key->section, key->name, path);
    if (where.line)
      CW_TRY(compare_key(context, deck, stored, path, key, -1));
    memcpy((char *)deck + key->offset, (const char *)stored + key->offset, size_of(key));
  }
  deck->grid.dim = stored->grid.dim;
  CW_TRY(take_species(context, deck, stored, path));
  CW_TRY(cw_deck_complete(context, deck));
  deck->q0 = stored->q0; /* exactly, also where the stored deck has them from a state file */
  deck->B0 = stored->B0;
  return CW_OK;
}
