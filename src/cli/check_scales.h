/* Lengths and times of a deck's plasma in cells and steps, and what they warn of.
 *
 * Of a species s with density n (in n0, where it is largest), charge q, mass m, temperature theta =
 * kT / (m c^2) (where it is lowest), in the largest field B (in B0); c = 1:
 *   skin depth     skindepth0 sqrt(m / (n q^2))       Debye length   skin depth sqrt(theta)
 *   plasma period  2 pi skin depth                    gyration       2 pi larmor0 m / (|q| B)
 *   Larmor radius  larmor0 (m / |q|) u / B, u = sqrt(theta (theta + 2)), or that of the mean speed
 * where the species is cold */
#ifndef CW_CLI_CHECK_SCALES_H
#define CW_CLI_CHECK_SCALES_H

#include "setup/setup.h"

/* 0 where a number has no meaning: no charge, no temperature, no field, nothing known. */
typedef struct cw_check_species {
  cw_species_scales plasma;
  double most_per_cell;                   /* particles a cell where the density is largest */
  double mean_per_cell, sampled_per_cell; /* the latter: most_per_cell of a plasma, else 0 */
  double debye_cells, skindepth_cells, larmor_cells;
  double period_steps, gyration_steps;
  double cells_a_step; /* that a particle of thermal or mean speed, whichever is more, moves */
} cw_check_species;

typedef struct cw_check_scales {
  double cells;
  double skindepth_cells, larmor_cells, period_steps; /* of skindepth0, larmor0 */
  double debye_cells;                                 /* shortest of any species that is not cold */
  double densest_period_steps; /* of all species together where each is densest; 0: unknown */
  cw_check_species species[CW_DECK_MAX_SPECIES];
} cw_check_scales;

void cw_check_scales_fill(cw_check_scales *scales, const cw_deck *deck);

enum { CW_CHECK_WARNINGS = 16, CW_CHECK_WARNING = 300 };
typedef struct cw_check_warnings {
  int count;
  char text[CW_CHECK_WARNINGS][CW_CHECK_WARNING];
} cw_check_warnings;

void cw_check_add_warning(cw_check_warnings *warnings, const char *format, ...) CW_PRINTF(2, 3);
/* Decks that run but mislead, or take longer than they need to. */
void cw_check_warn(cw_check_warnings *warnings, const cw_check_scales *scales, const cw_deck *deck);
#endif
