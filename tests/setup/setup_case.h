/* A deck built by hand and the state that setup makes of it. */
#ifndef CW_TESTS_SETUP_CASE_H
#define CW_TESTS_SETUP_CASE_H

#include "setup/setup.h"

typedef struct setup_case {
  cw_context *context;
  cw_grid grid;
  cw_particles *particles[CW_DECK_MAX_SPECIES];
  double *field[6];
  cw_setup_target target;
} setup_case;

/* A periodic box of cells[] and of length[] from -1 on, skindepth0 = larmor0 = 1, ppc0 = 8. */
void deck_init(cw_deck *deck, const char *problem, int dim, const int32_t cells[3],
               const double length[3]);
void deck_species(cw_deck *deck, const char *label, double mass, double charge);
/* `pairs` times electrons, positrons. */
void deck_pairs(cw_deck *deck, int pairs);
void deck_number(cw_deck *deck, const char *name, double value);
void deck_bool(cw_deck *deck, const char *name, int value);
/* `value` is borrowed: it must outlive the deck. */
void deck_text(cw_deck *deck, const char *name, const char *value);
void deck_vector(cw_deck *deck, const char *name, double x, double y, double z);

/* The state of a deck (fails the test if there is none); fields in double. */
setup_case case_fill(cw_deck *deck, int threads, cw_precision precision);
/* The same up to the fill itself, whose status is then the caller's. */
setup_case case_prepare(const cw_deck *deck, int threads, cw_precision precision);
void case_clear(setup_case *state);

double real_at(const void *array, cw_precision precision, int64_t k);
#endif
