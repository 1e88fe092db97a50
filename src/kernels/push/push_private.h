/* Inside the push: what push.c shares with the loops of push_cpu.c and with the reference. */
#ifndef CW_KERNELS_PUSH_PRIVATE_H
#define CW_KERNELS_PUSH_PRIVATE_H

#include <cellwise/push.h>

#include "base/isa.h"

/* Particles a block: what a thread gathers for before it moves them. Large enough for particles
 * that have drifted apart since the last sort to find others in their window. */
enum { CW_PUSH_BLOCK = 1024, CW_PUSH_BINS = 4096, CW_PUSH_MAX_ORDER = 11 };

/* Least magnetic moment of a guiding centre: 0 marks a particle on its full orbit. */
#define CW_GUIDE_LEAST ((cw_real)1e-36)

/* Faults of a block. */
enum { CW_PUSH_NOT_FINITE = 1, CW_PUSH_OUTSIDE = 2 };

/* One push, arguments checked. */
typedef struct cw_push_job {
  int dim, order; /* order >= 1 */
  cw_pusher pusher;
  int vector;              /* lanes of particles */
  int gathers;             /* fields act on the momentum */
  int32_t low[3], high[3]; /* bases (push_body.h) whose nodes all lie in the fields' arrays */
  int64_t stride[3], offset;
  const void *E[3], *B[3]; /* NULL: no field */
  double half_kick;        /* force_scale / 2 */
  int drags;               /* radiation acts */
  double drag[2];          /* synchrotron and Compton, of half a step, in the unit of the kicks */
  int guides;              /* particles may be guiding centres; `pusher` moves the others */
  cw_push_guide guide;
  double dt, spacing[3];
  double step[3]; /* dt / dx */
  cw_particles_view particles;
} cw_push_job;

/* A thread's storage for one block, in the particles' precision where untyped. */
typedef struct cw_push_scratch {
  double field[6][CW_PUSH_BLOCK]; /* E and B at the particles: floats fill a half of each row */
  int32_t base[3][CW_PUSH_BLOCK];
  uint32_t list[CW_PUSH_BLOCK], sorted[CW_PUSH_BLOCK]; /* places in the block */
  uint16_t bin[CW_PUSH_BLOCK], bin_end[CW_PUSH_BINS];
} cw_push_scratch;

/* Pushes slots [begin, begin + count), count <= CW_PUSH_BLOCK; returns the faults met. */
typedef int cw_push_block_function(const cw_push_job *job, int64_t begin, int count,
                                   cw_push_scratch *scratch);

/* E and B at slots [begin, begin + count) into field[component][slot]; returns the faults met. */
typedef int cw_push_gather_function(const cw_push_job *job, int64_t begin, int count,
                                    cw_push_scratch *scratch, double *const field[6]);

typedef struct cw_push_ops {
  cw_push_block_function *push_block[2]; /* by cw_precision */
  cw_push_gather_function *gather_block[2];
} cw_push_ops;

/* Fails with CW_ERROR_ARGUMENT as <cellwise/push.h> says; `precision` is that wanted of E and B.
 * *has_E and *has_B receive whether the fields are given. */
cw_status cw_push_check(cw_context *context, const cw_push_options *options, const cw_grid *grid,
                        const cw_vector_view *E, const cw_vector_view *B, cw_precision precision,
                        const cw_particles_view *particles, int *has_E, int *has_B);

/* The job of checked arguments. */
cw_push_job cw_push_make_job(const cw_push_options *options, const cw_grid *grid,
                             const cw_vector_view *E, const cw_vector_view *B,
                             const cw_particles_view *particles);

CW_ISA_DECLARE(cw_push_ops, cw_push_ops_table);

#endif
