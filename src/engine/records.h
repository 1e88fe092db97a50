/* The values of the records that a deck's field files have (deck/deck.h, cw_deck_record). */
#ifndef CW_ENGINE_RECORDS_H
#define CW_ENGINE_RECORDS_H

#include "engine/engine.h"

typedef struct cw_records cw_records;

/* Values of one record over the grid, on the host. */
typedef struct cw_record_values {
  cw_precision precision;
  const void *component[3];
  double position[3][3]; /* [component][axis]: 0 or 0.5 cells from the node */
  double factor;         /* what the arrays are to be multiplied by */
} cw_record_values;

/* Sums the moments that the deck's records need: one pass over each species. Errors: as
 * cw_engine_add_moments. */
cw_status cw_records_create(cw_engine *engine, const cw_deck *deck, cw_records **records);
void cw_records_destroy(cw_records *records);
/* The record's values, good until the next call: E and B in units of B0; J, rho and divE per
 * reference charge, n0 and c; divB in B0 / L; N in n0; Nppc particles a cell; Rho in m0 n0; V in c;
 * kinetic and T in m0 c^2 n0; temperature in m0 c^2.
 * Of the species summed, V is the flux of particles over their density, and temperature is P / n in
 * the frame in which that flux is none (C. Eckart, Phys. Rev. 58 (1940) 919):
 * n^2 = N^2 - |N V|^2, U = (N, N V) / n, e = U_a U_b T^ab, 3 P = e - sum of w m / gamma.
 * Errors: as cw_engine_vector and cw_engine_density. */
cw_status cw_records_get(cw_records *records, const cw_deck_record *record,
                         cw_record_values *values);

#endif
