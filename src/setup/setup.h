/* From a deck to a state: particles loaded and fields set. */
#ifndef CW_SETUP_SETUP_H
#define CW_SETUP_SETUP_H

#include "deck/deck.h"

/* A parameter that a problem reads from [setup]; "species.LABEL.name" is the parameter `name` of
 * each table [setup.species.LABEL], "injectors.NAME.name" likewise. */
typedef struct cw_problem_key {
  const char *name;
  const char *type; /* "float", "int", "bool", "string", "float[3]", "expression", "expression[3]",
                "float[D]" (one an axis), "string[]" (1 to 3) */
  const char *default_value; /* as TOML text; NULL: required; "none": optional, without a value */
  const char *unit;
  const char *text;
} cw_problem_key;

/* What a problem may write to. Arrays are the engine's. */
typedef struct cw_setup_target {
  cw_context *context;
  const cw_deck *deck;
  const cw_grid *grid;
  int species_count;
  /* [species_count], empty on entry; NULL: the fields alone are wanted, of problems that may fill a
   * moving window. */
  cw_particles **particles;
  cw_vector_view E, B; /* interior to be set; ghost cells are filled afterwards */
  uint64_t first_id;   /* of the particles, for problems that may fill a moving window; 0: 1 */
} cw_setup_target;

/* What a problem's start has of one species, for advice: largest density in units of n0, lowest
 * temperature in units of the species' m c^2 and highest mean speed in units of c where the density
 * is not 0, largest magnetic field in units of B0. Density 0: nothing is known. */
typedef struct cw_species_scales {
  double density, temperature, speed, B;
} cw_species_scales;

typedef struct cw_problem {
  const char *name;
  const char *text;
  const cw_problem_key *keys; /* ends with a NULL name */
  /* NULL, or completes the deck from the problem's own file; before check(). */
  cw_status (*resolve)(cw_context *context, cw_deck *deck);
  /* Checks the deck's species and parameters; part of `cellwise check`; no arrays yet. */
  cw_status (*check)(cw_context *context, const cw_deck *deck);
  /* Expected particles of species s, for memory estimates. */
  int64_t (*expected)(const cw_deck *deck, int species);
  cw_status (*fill)(const cw_setup_target *target);
  /* NULL, or what a checked deck's plasma is like. */
  void (*scales)(const cw_deck *deck, int species, cw_species_scales *scales);
} cw_problem;

/* All problems, ending with a NULL name. */
extern const cw_problem cw_problems[];
/* Parameters that [setup] may have beside any problem's: external fields and constants. */
extern const cw_problem_key cw_setup_common_keys[];
/* NULL if there is none of that name. */
const cw_problem *cw_problem_find(const char *name);
/* Checks [setup]: the problem exists, no unknown parameter, types, required ones; completes a deck
 * whose problem is a state file; then the problem's check(). To be called before anything else. */
cw_status cw_setup_check(cw_context *context, cw_deck *deck);
/* The same for a deck that goes on from the checkpoint `path`: a state file that it began from need
 * not be there any more, `stored`, the deck of the checkpoint, gives what it gave. */
cw_status cw_setup_check_resumed(cw_context *context, cw_deck *deck, const cw_deck *stored,
                                 const char *path);
/* Typed access with the key table's default; the key must be in the problem's table. A bool is 0 or
 * 1 as a number; optional keys without a value (default "none") give zeros. */
double cw_setup_number(const cw_deck *deck, const char *name);
void cw_setup_vector(const cw_deck *deck, const char *name, double value[3]);
void cw_setup_text(const cw_deck *deck, const char *name, char value[256]);
/* 1 when the deck itself gives the parameter. */
int cw_setup_given(const cw_deck *deck, const char *name);
/* The initial state: particles of every species, E and B. */
cw_status cw_setup_fill(const cw_setup_target *target);
/* What is known of a species of a checked deck, external fields included. */
void cw_setup_scales(const cw_deck *deck, int species, cw_species_scales *scales);
/* Grid of the deck: cells, ghost cells by shape order (enough for every CFL), origin, dx. */
cw_status cw_setup_grid(cw_context *context, const cw_deck *deck, cw_grid *grid);
#endif
