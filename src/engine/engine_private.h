/* What the engines share, and the table that each one is. */
#ifndef CW_ENGINE_ENGINE_PRIVATE_H
#define CW_ENGINE_ENGINE_PRIVATE_H

#include "engine/engine.h"

typedef struct cw_forces cw_forces;

typedef struct cw_species_state {
  const cw_deck_species *deck;
  cw_particles *particles;
  cw_cells *cells;        /* NULL when this species is never sorted */
  int64_t sort_interval;  /* steps; 0: never */
  int64_t clear_interval; /* of a species that is never sorted; 0: never */
  cw_forces *force;       /* NULL: the fields alone act on it */
} cw_species_state;

typedef struct cw_ecsim_state cw_ecsim_state;
typedef struct cw_sources cw_sources;
typedef struct cw_match cw_match;
typedef struct cw_antenna_state cw_antenna_state;
typedef struct cw_engine_device cw_engine_device; /* space_device.c */

/* One engine. `create` makes fields and species and loads the initial state; `destroy` frees what
 * is the engine's own and is called after any failure. */
typedef struct cw_engine_ops {
  const char *name;
  /* What a deck asks for that the context's device can't do, at the key's place; NULL: nothing. */
  cw_status (*check_device)(cw_context *context, const cw_deck *deck);
  const char *const *stage_names;
  int stage_count;
  cw_status (*create)(cw_engine *engine);
  void (*destroy)(cw_engine *engine);
  cw_status (*step)(cw_engine *engine);
  cw_status (*diagnose)(cw_engine *engine, cw_engine_diagnostics *diagnostics);
  cw_status (*density)(cw_engine *engine, int species, double **density); /* in its space */
  /* Charge density that div E answers to, where div E stands; in its space. */
  cw_status (*gauss_charge)(cw_engine *engine, double **density);
  /* div E or div B into the interior of engine->density, and where its values stand. */
  cw_status (*divergence)(cw_engine *engine, int of_B, double position[3]);
  cw_vector_view (*vector)(const cw_engine *engine, cw_engine_quantity quantity,
                           double position[3][3]);
  /* Bytes of fields and work arrays in memory->space; particles are counted, `largest` of one
   * species. */
  void (*estimate)(const cw_deck *deck, const cw_grid *grid, double largest,
                   cw_engine_memory *memory);
} cw_engine_ops;

extern const cw_engine_ops cw_srpic_ops, cw_ecsim_ops;

enum { CW_STEP_MARKS = 8 }; /* of a step, its beginning too; no engine has more */

/* What the engines themselves do to arrays, by the space that they run in. */
typedef struct cw_engine_space_ops {
  int64_t chunk; /* particles whose momenta are centred, or places shifted, at a time */
  cw_status (*open)(cw_engine *engine);
  void (*close)(cw_engine *engine);
  /* The stage ends here; CW_STAGE_COUNT: a step begins here. */
  cw_status (*mark)(cw_engine *engine, int stage);
  /* Waits for what is queued; the times of all that was marked are then in stage_seconds. */
  cw_status (*wait)(cw_engine *engine);
  /* Adds the sum of weight (gamma - 1), massless: weight |u|, over live slots, and their number. */
  cw_status (*add_energy)(cw_engine *engine, const cw_particles_view *particles, int massless,
                          double *energy, int64_t *alive);
  /* Adds the compensated sum over live slots of what engine ecsim asks for (cw_ecsim_summand), and
   * their number; values in double. */
  cw_status (*add_sums)(cw_engine *engine, const cw_particles_view *particles, int what,
                        double *sum, int64_t *alive);
  cw_status (*add_density)(cw_engine *engine, double *total, const double *one);
  /* total = own + external over the grid, ghost cells too; own and total in that precision. */
  cw_status (*add_field)(cw_engine *engine, cw_precision precision, const void *own,
                         const double *external, void *total);
  /* Largest |density| over the interior. */
  cw_status (*largest)(cw_engine *engine, const double *density, double *largest);
} cw_engine_space_ops;

extern const cw_engine_space_ops cw_engine_on_host, cw_engine_on_device;

struct cw_engine {
  const cw_engine_ops *ops;
  cw_space space; /* of particles, cell tables, fields and densities */
  const cw_engine_space_ops *space_ops;
  cw_engine_device *device; /* of cw_engine_on_device */
  cw_context *context;
  const cw_deck *deck; /* borrowed: outlives the engine */
  cw_grid grid;
  cw_fields *fields;         /* of the explicit engine */
  cw_ecsim_state *ecsim;     /* of engine ecsim */
  cw_forces *forces;         /* NULL: no external fields */
  cw_antenna_state *antenna; /* NULL: no current but the plasma's */
  cw_match *match;           /* NULL: no side matches its fields to others */
  cw_sources *sources;       /* NULL: no particles come while it runs */
  int species_count;
  cw_species_state species[CW_DECK_MAX_SPECIES];
  double *density, *species_density; /* work arrays over the grid */
  void *copy[CW_QUANTITY_COUNT][3];  /* on the host, of a device's arrays, once asked for */
  double *density_copy;
  int64_t step;
  int64_t window_cells; /* that the moving window has moved */
  int blank;            /* while it is made: without the deck's initial state, which a file gives */
  int halfway;          /* a step has begun to change the state and has not ended */
  int settled; /* a device's step failed before it changed the state, and all before it were right */
  double stage_seconds[CW_STAGE_COUNT];
  double since; /* end of the last stage, on the host's clock */
};

/* The grid, fields and species of a deck; without particles where `blank`. */
cw_status cw_engine_make(cw_context *context, const cw_deck *deck, int blank, cw_engine **engine);
/* What the particles of species s are made of; on the host. */
cw_particles_options cw_engine_particles_options(const cw_deck *deck, int s);
/* An empty container for species s, and its sort when the interval is not 0. */
cw_status cw_engine_create_species(cw_engine *engine, int s, int64_t sort_interval, int32_t tile,
                                   int low_memory);
/* The deck's initial state into all species and the interior of E and B. It is made on the host, so
 * that it has the same bits everywhere, and copied to the engine's space once. */
cw_status cw_engine_load(cw_engine *engine, cw_vector_view E, cw_vector_view B);

/* Applies the deck's particle boundaries after a deposit: particles that left through a periodic
 * side come back on the other, reflected ones are mirrored at the wall with the normal momentum
 * reversed, absorbed ones are tagged dead. */
cw_status cw_engine_apply_boundaries(cw_engine *engine, cw_species_state *species);

/* External fields of the deck, evaluated once, or at each time asked for if they depend on it; without
 * any nothing is made and nothing done. */
cw_status cw_engine_create_forces(cw_engine *engine);
/* Forces of the deck on single species; to be called when these are there. */
cw_status cw_engine_create_species_forces(cw_engine *engine);
/* Both; after a failure, too. */
void cw_engine_destroy_forces(cw_engine *engine);
/* Replaces components that an external field adds to by arrays of the sum at time t, good until the
 * next call; components that are NULL stay so. E and B are over the grid with their ghost cells. */
cw_status cw_engine_add_forces(cw_engine *engine, double t, cw_vector_view *E, cw_vector_view *B);
/* The same of E with what stands for the force on species s, good until the next call for that
 * species. */
cw_status cw_engine_add_species_force(cw_engine *engine, int s, double t, cw_vector_view *E);
/* The box has moved: values of places are to be formed anew. */
void cw_engine_forget_forces(cw_engine *engine);
/* After a fault on a device: CW_ERROR_INPUT, with the key, the place and the time in the message, if
 * an external field or a force was not finite; else CW_OK, or what made it impossible to tell. */
cw_status cw_engine_explain_forces(cw_engine *engine);
/* The external fields alone, Ex ... Bz over the grid in the engine's space; NULL: zero. */
cw_status cw_engine_external(cw_engine *engine, double t, const double *value[6]);

/* What sides of kind MATCH take the fields to; nothing is made without one. To be called when the
 * fields are there, and to be destroyed after a failure, too. */
cw_status cw_engine_create_match(cw_engine *engine);
void cw_engine_destroy_match(cw_engine *engine);
/* Takes the interior of E and B for what the deck gives no expressions of. */
cw_status cw_engine_match_initial(cw_engine *engine);
/* The array of component f in the engine's space, if it is kept as it was at the start, else NULL (and
 * the expressions are to be formed anew): the box has moved. */
double *cw_engine_match_shift(cw_engine *engine, int f);
/* Brings the expressions to time t. */
cw_status cw_engine_match(cw_engine *engine, double t);
/* As cw_engine_explain_forces, of these expressions. */
cw_status cw_engine_explain_match(cw_engine *engine);
/* Values over the grid, ghost cells included, as an array without a name. */
cw_array cw_engine_grid_array(const cw_engine *engine, cw_array_type type, void *data);
/* Component f of six, in the engine's space, if a checkpoint has to keep it; 0: it does not. */
int cw_engine_match_array(cw_engine *engine, int f, cw_array *array);
double cw_engine_match_bytes(const cw_deck *deck, const cw_grid *grid);

/* The deck's antenna; nothing is made without one. To be destroyed after a failure, too. */
cw_status cw_engine_create_antenna(cw_engine *engine);
void cw_engine_destroy_antenna(cw_engine *engine);
/* Moves its amplitudes on by a step and adds its current to J, when that is folded and filtered. */
cw_status cw_engine_add_antenna(cw_engine *engine);
/* Its amplitudes, for a checkpoint; 0: there are none. */
int cw_engine_antenna_array(cw_engine *engine, cw_array *array);

/* The deck's moving window; without one nothing is done. Once, when the initial state stands: */
cw_status cw_engine_create_window(cw_engine *engine);
/* To where it stood when the step before engine->step began. */
void cw_engine_restore_window(cw_engine *engine);
/* To where it stands in this step; *moved: tables of sorts are stale. */
cw_status cw_engine_move_window(cw_engine *engine, int *moved);

/* What makes particles while a run goes on, after the initial state stands; nothing is made without
 * any. To be destroyed after a failure, too. */
cw_status cw_engine_create_sources(cw_engine *engine);
void cw_engine_destroy_sources(cw_engine *engine);
/* The first id that no particle has had; ids of new particles are to be counted. */
uint64_t cw_engine_next_id(const cw_engine *engine);
void cw_engine_count_ids(cw_engine *engine, const cw_particles *particles);
/* Payloads and marks of the particles from slot before[s] of each container on, which are on the
 * host; NULL: none of that species. */
cw_status cw_engine_name_newborn(cw_engine *engine, cw_particles *const *particles,
                                 const int64_t *before);
/* The particles that come in this step, between sort and push. */
cw_status cw_engine_inject(cw_engine *engine);
/* Their state for a checkpoint, the next id; 0: there are none. */
int cw_engine_sources_array(cw_engine *engine, cw_array *array);

/* Drops dead slots of a species that is never sorted; the others keep their order. */
cw_status cw_engine_compact(cw_engine *engine, cw_species_state *species);

/* Options of a whole push of species s by the explicit engine. */
cw_push_options cw_engine_push_options(const cw_engine *engine, int s);

/* Momenta of a few particles at the time of the fields, in the engine's space. */
typedef struct cw_centred_momenta {
  void *u[3];
} cw_centred_momenta;
/* The slots [from, to) of a species' view, with the momenta of the explicit engine at the time of
 * the fields in `work`, which has room for them. */
cw_status cw_engine_centre(cw_engine *engine, int s, const cw_particles_view *all, int64_t from,
                           int64_t to, cw_centred_momenta *work, cw_particles_view *part);

/* A particle's slot, ordered for output by its id. */
typedef struct cw_id_slot {
  uint64_t id;
  int64_t slot;
} cw_id_slot;
void cw_order_by_id(cw_id_slot *list, int64_t count);

/* The explicit engine's part of its table, in diagnostics.c. */
cw_status cw_srpic_diagnose(cw_engine *engine, cw_engine_diagnostics *diagnostics);
cw_status cw_srpic_density(cw_engine *engine, int species, double **density);
/* The view's values on the host: the view itself, or in its place the copy that cw_engine_vector of
 * that quantity gives, overwritten. */
cw_status cw_engine_host_vector(cw_engine *engine, cw_engine_quantity quantity,
                                cw_vector_view *view);
/* Frees the host's copies. */
void cw_engine_free_copies(cw_engine *engine);

#endif
