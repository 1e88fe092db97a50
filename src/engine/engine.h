/* An engine advances a state by steps: sort -> kernels -> fields. */
#ifndef CW_ENGINE_ENGINE_H
#define CW_ENGINE_ENGINE_H

#include "base/array.h"
#include "deck/deck.h"
#include "fields/fields.h"

/* Stages of the explicit engine; no engine has more. */
enum {
  CW_STAGE_SORT = 0,
  CW_STAGE_PUSH,
  CW_STAGE_DEPOSIT,
  CW_STAGE_FIELDS,
  CW_STAGE_BOUNDARIES,
  CW_STAGE_COUNT
};
extern const char *const cw_stage_names[CW_STAGE_COUNT];
/* Names of the stages of the deck's engine. */
const char *const *cw_engine_stages(const cw_deck *deck, int *count);

typedef struct cw_engine cw_engine;

/* What an engine has on its grid. */
typedef enum cw_engine_quantity {
  CW_QUANTITY_E = 0,
  CW_QUANTITY_B,
  CW_QUANTITY_J,
  CW_QUANTITY_COUNT
} cw_engine_quantity;

/* Diagnostics of the state as it stands. */
typedef struct cw_engine_diagnostics {
  double electric_energy, magnetic_energy, kinetic_energy, total_energy;
  double charge_error; /* max |div E - rho| over the largest |rho| of any one species */
  int64_t particles;
  double species_energy[CW_DECK_MAX_SPECIES];
  int64_t species_count[CW_DECK_MAX_SPECIES];
} cw_engine_diagnostics;

/* Bytes that the deck's state will take, by part, before anything is allocated. */
typedef struct cw_engine_memory {
  cw_space space; /* where the engine of this context's backend runs */
  double fields, particles, work, total;
  double host; /* on a device: what the host needs to make the initial state and the output */
  int64_t particle_count;
  double saved; /* bytes that a checkpoint's arrays take on disk */
} cw_engine_memory;
cw_status cw_engine_estimate(cw_context *context, const cw_deck *deck, cw_engine_memory *memory);
/* CW_ERROR_UNSUPPORTED, with the reason, if the deck's engine can't run on the context's backend.
 */
cw_status cw_engine_check_backend(cw_context *context, const cw_deck *deck);

/* The initial state of a deck, in the memory of the context's backend. On a device, steps are
 * queued and return at once (but for sorts, which wait), what goes wrong with a particle is told by
 * a later call, and all that is asked of the state waits for it. Errors: CW_ERROR_INPUT,
 * CW_ERROR_MEMORY, CW_ERROR_UNSUPPORTED, CW_ERROR_DEVICE. */
cw_status cw_engine_create(cw_context *context, const cw_deck *deck, cw_engine **engine);
/* The same with given particles in place of those of the deck's problem, copied from wherever they
 * are, one container a species, and without fields. CW_ERROR_ARGUMENT: they have another dimension,
 * precision or other weights than the deck says. */
cw_status cw_engine_create_from(cw_context *context, const cw_deck *deck,
                                cw_particles *const particles[], cw_engine **engine);
void cw_engine_destroy(cw_engine *engine);

/* The whole state as named arrays, whatever memory it is in: "fields/E/x" (ghost cells included)
 * for E, B and J; for each species, below "particles/LABEL/": positionOffset/x (cell),
 * position/x (offset in it), momentum/x, weighting, guidingMoment, guidingMomentum, payload1 ..., tag,
 * id, and tile_offsets where a sort's table stands; "sources/next_id" where particles come while it
 * runs, "antenna/amplitude" (real and imaginary parts, wave by wave) with an antenna, "match/E/x" where
 * sides match the fields at the start. `visit` gets each one on the host, in a fixed order, for the
 * time of its call. Errors:
 * those of visit, CW_ERROR_NUMERIC (an array holds a value that is not finite: its name is told),
 * CW_ERROR_MEMORY, CW_ERROR_DEVICE. */
cw_status cw_engine_save(cw_engine *engine, cw_array_visit *visit, void *user);
/* Bytes of those arrays of `count` particles of species s (s < 0: of the fields). */
double cw_engine_save_bytes(const cw_deck *deck, const cw_grid *grid, int s, double count);
/* The state that such arrays describe, `step` steps after the deck's initial state: from there the
 * engine goes on to the same bits as the one that was saved. Errors: CW_ERROR_FORMAT (a particle
 * outside the box, a value that is not finite, offsets of tiles that do not fit), those of the
 * source, CW_ERROR_MEMORY. */
cw_status cw_engine_restore(cw_context *context, const cw_deck *deck, int64_t step,
                            const cw_array_source *source, cw_engine **engine);
/* 0 when a step failed so late that the state is between two steps and cannot be saved. */
int cw_engine_is_whole(const cw_engine *engine);

cw_status cw_engine_step(cw_engine *engine);
/* Waits for all steps: tells what went wrong in them, and brings the stages' seconds up to date.
 * Diagnosing does so too. */
cw_status cw_engine_wait(cw_engine *engine);
cw_status cw_engine_diagnose(cw_engine *engine, cw_engine_diagnostics *diagnostics);
int64_t cw_engine_step_number(const cw_engine *engine);
double cw_engine_time(const cw_engine *engine);
const cw_grid *cw_engine_grid(const cw_engine *engine);
/* The explicit engine's fields; NULL for others. */
cw_fields *cw_engine_fields(cw_engine *engine);
/* E and B in units of B0, J as a sum of charge times velocity a cell; position[component][axis]
 * receives where values stand, in cells from the node. On the host: the engine's arrays, or copies
 * of a device's that are good until the same quantity is asked for again. */
cw_status cw_engine_vector(cw_engine *engine, cw_engine_quantity quantity, double position[3][3],
                           cw_vector_view *view);
/* In the engine's space, as cw_engine_fields. */
cw_particles *cw_engine_particles(cw_engine *engine, int species);
/* Seconds spent in each stage since creation, up to the last wait; [stages]. On a device by events
 * on its stream, which nothing waits for. */
const double *cw_engine_stage_seconds(const cw_engine *engine);
/* Charge density of all species (folded and filtered as the fields see it; units of the reference
 * charge times n0) or the number density of one (species >= 0; units of n0): double over the grid,
 * on the host, the engine's own until the next call. */
cw_status cw_engine_density(cw_engine *engine, int species, const double **density);
/* Divergences: of E in the unit of that charge density (so that it is rho where Gauss's law holds),
 * of E less that density (0 where a charge error is not asked for: on walls, and what cw_fields
 * leaves out), and of B in units of B0 / L. */
typedef enum cw_engine_divergence_kind {
  CW_DIVERGENCE_E = 0,
  CW_DIVERGENCE_E_ERROR,
  CW_DIVERGENCE_B
} cw_engine_divergence_kind;
/* As cw_engine_density, interior only; `position` receives where the values stand, in cells from
 * the node. */
cw_status cw_engine_divergence(cw_engine *engine, cw_engine_divergence_kind kind,
                               double position[3], const double **divergence);

/* Particles of one species, some at a time, on the host: views of consecutive slots with the momenta
 * at the time of the fields (the explicit engine keeps them half a step behind); i_prev and dx_prev
 * are not there. The views and their sizes do not
 * depend on the number of threads. Errors: those of visit, CW_ERROR_MEMORY, CW_ERROR_DEVICE,
 * CW_ERROR_NUMERIC (a momentum is not finite). */
typedef cw_status cw_particles_visit(void *user, const cw_particles_view *part);
cw_status cw_engine_each_part(cw_engine *engine, int species, cw_particles_visit *visit,
                              void *user);
/* 1: u is a velocity and energies are those of slow particles, as in engine ecsim. */
int cw_engine_is_slow(const cw_engine *engine);

/* What is summed over the particles of a species, at nodes, with their shapes. */
typedef enum cw_moment {
  CW_MOMENT_N = 0,                    /* w */
  CW_MOMENT_FLUX,                     /* w v_i, three */
  CW_MOMENT_T00 = CW_MOMENT_FLUX + 3, /* w m gamma */
  CW_MOMENT_T0I,                      /* w m u_i, three */
  CW_MOMENT_TIJ = CW_MOMENT_T0I + 3,  /* w m u_i u_j / gamma: xx, xy, xz, yy, yz, zz */
  CW_MOMENT_REST = CW_MOMENT_TIJ + 6, /* w m / gamma: minus the trace of T */
  CW_MOMENT_KINETIC,                  /* w m (gamma - 1) */
  CW_MOMENT_COUNT_ALIVE,              /* 1 */
  CW_MOMENTS
} cw_moment;
/* Adds the moments whose arrays are not NULL, per n0 (COUNT_ALIVE: per cell), to arrays of doubles
 * over the grid, on the host: folded at the box's sides as their symmetry asks. Massless particles
 * have energy |u| and m = 0 in REST. In engine ecsim gamma = 1 + v^2 / 2, and u_i u_j / gamma is
 * v_i v_j. The same bits for any number of threads. Errors: as cw_engine_each_part. */
cw_status cw_engine_add_moments(cw_engine *engine, int species, double *const moments[CW_MOMENTS]);

/* SHA-256 of fields and particles as 64 hex digits: equal for runs that agree bit by bit. */
cw_status cw_engine_sha256(cw_engine *engine, char hex[65]);
#endif
