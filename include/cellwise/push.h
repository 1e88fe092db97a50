/* Field gather and momentum and position push.
 *
 * Sources: J. P. Boris (1970), as in Birdsall & Langdon, ch. 4 and 15; J.-L. Vay, Phys. Plasmas 15,
 * 056701 (2008); A. V. Higuera & J. R. Cary, Phys. Plasmas 24, 052104 (2017). */
#ifndef CELLWISE_PUSH_H
#define CELLWISE_PUSH_H

#include <cellwise/cells.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How momenta are advanced. */
typedef enum cw_pusher {
  CW_PUSHER_NONE = 0, /* positions only: no force (test of ballistic motion) */
  CW_PUSHER_BORIS,
  CW_PUSHER_VAY,
  CW_PUSHER_HIGUERA_CARY,
  CW_PUSHER_MASSLESS, /* v = u/|u|; no force */
  /* guiding centres where cw_push_guide allows, these pushers elsewhere */
  CW_PUSHER_BORIS_GCA,
  CW_PUSHER_VAY_GCA,
  CW_PUSHER_HIGUERA_CARY_GCA
} cw_pusher;

/* Which code pushes; every choice gives the same result to round-off. */
typedef enum cw_push_path {
  CW_PUSH_PATH_AUTO = 0,
  CW_PUSH_PATH_SCALAR,
  CW_PUSH_PATH_VECTOR /* lanes of particles that share a cell */
} cw_push_path;

/* Radiation reaction, added to each pusher's force. With e, b the fields at the particle and
 * beta = u / gamma, in units in which c = 1:
 *   du/dt = synchrotron [(e + beta x b) x b + (beta.e) e - gamma^2 chi^2 beta] - compton gamma u,
 *   chi^2 = |e + beta x b|^2 - (beta.e)^2
 * (Landau and Lifshitz, The classical theory of fields, section 76, without the terms in the fields'
 * derivatives; Thomson regime). Each coefficient is a rate times dt: what it takes in one step. */
typedef struct cw_push_drag {
  double synchrotron; /* of radiation in the fields */
  double compton;     /* of scattering in isotropic light */
} cw_push_drag;

/* Where a particle of a pusher with GCA is a guiding centre: src/kernels/push/README.md. Its moment
 * mu = w^2 / (2 B sqrt(1 - v^2)), v = E x B / B^2, w the gyration's momentum in the frame of v, and its
 * momentum along B are then in the particles' guide arrays, which must be there. With a dt of 0 such
 * particles are left alone. They have no drag. */
typedef struct cw_push_guide {
  double e_ovr_b_max; /* |E| / |B| at most; from 0, not to be a guiding centre, to 1 */
  double larmor_max;  /* Larmor radius at most; 0: any */
} cw_push_guide;

/* One species in one step. Zero-initialised means defaults, but for order, dt and force_scale. */
typedef struct cw_push_options {
  int order;        /* shape order of the gather: as the deposit's; 0 gathers with linear weights */
  cw_pusher pusher; /* the rule */
  cw_push_path path;   /* the code */
  double dt;           /* in units in which c = 1 and lengths are those of grid->dx */
  double force_scale;  /* dt * charge / mass * B0: u gets force_scale * (E + v x B) in a step */
  cw_push_drag drag;   /* zeros: none */
  cw_push_guide guide; /* of pushers with GCA */
} cw_push_options;

/* Gathers E and B at each live particle with the shape of `order` (primal along an axis where the
 * component is, dual where it is shifted: E_a dual along a, B_a dual along the other axes), advances
 * u by dt, saves i, dx to i_prev, dx_prev and advances the position by dt u / gamma. Positions stay
 * in the block's index space: i may become -1 or cells[a] (boundaries are applied afterwards).
 * E and B include filled ghost cells and are taken at the same time.
 *   particles  in/out        E, B  in, over `grid`; either may have all components NULL: no field
 * `cells` (may be NULL) only speeds things up.
 * Errors: CW_ERROR_ARGUMENT (order, ghost cells, precision, dt that moves light over one cell),
 * CW_ERROR_NUMERIC (a particle's momentum is not finite, or it starts where its stencil leaves the
 * arrays: message names slot and id; the particles have been advanced), CW_ERROR_MEMORY (scratch),
 * CW_ERROR_UNSUPPORTED (particles in a space that this build has no code for). */
CW_API cw_status cw_push(cw_context *context, const cw_push_options *options, const cw_grid *grid,
                         cw_vector_view E, cw_vector_view B, const cw_cells_view *cells,
                         cw_particles_view *particles);

/* E and B alone at each live particle, as the push gathers them; nothing is moved. The particles need
 * i and dx, in host memory; those that are dead get zeros.
 *   field  Ex, Ey, Ez, Bx, By, Bz, each [particles->count]
 * Errors: CW_ERROR_ARGUMENT, CW_ERROR_NUMERIC (a particle whose stencil leaves the arrays, which gets
 * zeros), CW_ERROR_MEMORY. */
CW_API cw_status cw_push_gather(cw_context *context, int order, const cw_grid *grid,
                                cw_vector_view E, cw_vector_view B,
                                const cw_particles_view *particles, double *const field[6]);

/* Plain double-precision version, one thread, of the same step: the oracle. E and B CW_DOUBLE. */
CW_API cw_status cw_push_reference(cw_context *context, const cw_push_options *options,
                                   const cw_grid *grid, cw_vector_view E, cw_vector_view B,
                                   cw_particles_view *particles);

/* The name in decks: "Boris". Static. */
CW_API const char *cw_pusher_name(cw_pusher pusher);

#ifdef __cplusplus
}
#endif
#endif
