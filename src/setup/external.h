/* External fields, which act on particles and not on the fields: external_E and external_B of
 * [setup], expressions of x, y, z and t in units of B0, for any problem. */
#ifndef CW_SETUP_EXTERNAL_H
#define CW_SETUP_EXTERNAL_H

#include "setup/expression_program.h"
#include "setup/setup.h"

typedef struct cw_external cw_external;

/* Compiles the deck's external fields, for so many threads at a time (0: the context's), or fields
 * of another name: `stem`_E and `stem`_B; *external is NULL when it has none. Errors: CW_ERROR_INPUT
 * (with the character's place), CW_ERROR_MEMORY. */
cw_status cw_external_create(cw_context *context, const cw_deck *deck, const char *stem,
                             int threads, cw_external **external);
/* The same for the acceleration [setup.species.LABEL] force of a species, which stands where E does
 * (fields 0 to 2). */
cw_status cw_external_create_force(cw_context *context, const cw_deck *deck,
                                   const cw_deck_species *species, int threads,
                                   cw_external **external);
void cw_external_destroy(cw_external *external);
/* 0 where a component is zero everywhere and always. `field` counts Ex, Ey, Ez, Bx, By, Bz. */
int cw_external_has(const cw_external *external, int field);
/* 1 if any component depends on time. */
int cw_external_moves(const cw_external *external);
/* One component at time t over all points of the grid, ghost cells included (there the formula
 * continues beyond the box): at Yee's places, or in engine ecsim on nodes, where both fields meet
 * the particles. `values` has the grid's layout. Errors: CW_ERROR_INPUT (a value is not finite; the
 * message has the place and the time). */
cw_status cw_external_fill(const cw_external *external, const cw_grid *grid, int field, double t,
                           double *values);
/* The same elsewhere: the program, the points that differ along each axis (all, or 1), and where in
 * a cell they stand. The program is the external fields'. */
typedef struct cw_external_plan {
  cw_expression_program program;
  int32_t size[3];
  double shift[3];
} cw_external_plan;
cw_external_plan cw_external_get_plan(const cw_external *external, const cw_grid *grid, int field);
/* Largest external magnetic field at the box's corners, middles and centre at the start and the end
 * of the run, of a checked deck. */
double cw_external_largest_B(const cw_deck *deck);
/* Compiles the fields of both stems, "external" and "match", and the forces, and samples there;
 * fields to match need a side of that kind, forces a species with mass and charge. */
cw_status cw_external_check(cw_context *context, const cw_deck *deck);
#endif
