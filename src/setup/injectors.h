/* Sources of particles while a run goes on: the tables [setup.injectors.NAME] of a deck, for any
 * problem of the explicit engine. */
#ifndef CW_SETUP_INJECTORS_H
#define CW_SETUP_INJECTORS_H

#include "setup/expression.h"
#include "setup/setup.h"

enum { CW_MAX_INJECTORS = 16, CW_INJECTOR_SPECIES = 3 };

typedef enum cw_injector_kind {
  CW_INJECTOR_MOVING = 0, /* a plane that leaves plasma behind it */
  CW_INJECTOR_RESERVOIR,  /* a plasma behind a side, of which comes in what moves in */
  CW_INJECTOR_REPLENISH   /* a region that is filled up to a density */
} cw_injector_kind;

typedef struct cw_injector {
  char name[CW_DECK_NAME];
  cw_injector_kind kind;
  int axis, upper; /* the side, of the first two kinds */
  int species_count, species[CW_INJECTOR_SPECIES];
  double position, speed;       /* of "moving": speed is counted out of the plasma */
  double lower[3], upper_at[3]; /* corners of the region of "replenish" */
  int64_t interval;             /* steps */
  double start, end;            /* time; end INFINITY: never */
  cw_expression *density, *temperature, *velocity[3];
  const cw_deck_parameter *density_key, *temperature_key, *velocity_key; /* NULL: defaults */
} cw_injector;

typedef struct cw_injectors {
  cw_context *context;
  const cw_deck *deck;
  int count;
  cw_injector item[CW_MAX_INJECTORS];
} cw_injectors;

/* Reads, checks and compiles the deck's injectors, for so many threads at a time (0: the
 * context's); *injectors is NULL when it has none. Errors: CW_ERROR_INPUT (with the place in the
 * deck), CW_ERROR_MEMORY. */
cw_status cw_injectors_create(cw_context *context, const cw_deck *deck, int threads,
                              cw_injectors **injectors);
void cw_injectors_destroy(cw_injectors *injectors);
/* Place of a key of an injector in the deck, or of its first one. */
cw_deck_where cw_injector_where(const cw_deck *deck, const cw_injector *injector, const char *key);
/* The same, and samples what they inject at the start and the end of their time. */
cw_status cw_injectors_check(cw_context *context, const cw_deck *deck);

/* Density, mean velocity and temperature at a place and time. Errors: CW_ERROR_INPUT (not those of
 * a plasma: the message has the place and the time). */
typedef struct cw_injected_plasma {
  double density, velocity[3], temperature;
} cw_injected_plasma;
cw_status cw_injector_plasma(const cw_injectors *injectors, const cw_injector *injector,
                             const double x[3], double t, cw_injected_plasma *plasma);
/* Where the plane of a moving injector stands: not beyond its side of the box, whose edges are
 * `edge`. */
double cw_injector_plane(const cw_injector *injector, const double edge[2], double t);
/* Particles of each species that the deck's injectors make in a run, about; those of "replenish"
 * once, as it keeps a number. Errors: as cw_injectors_create. */
cw_status cw_injectors_expected(cw_context *context, const cw_deck *deck,
                                double expected[CW_DECK_MAX_SPECIES]);
#endif
