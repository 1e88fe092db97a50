/* Inside the deposit: what its launchers (deposit_flat.c, deposit_tiled.c, deposit_fixed.c) and its
 * loops (deposit_cpu.c, compiled once an instruction set) hand to each other. */
#ifndef CW_KERNELS_DEPOSIT_PRIVATE_H
#define CW_KERNELS_DEPOSIT_PRIVATE_H

#include <cellwise/deposit.h>

#include "base/context_private.h"
#include "base/isa.h"

enum {
  CW_DEPOSIT_MAX_WINDOW = CW_MAX_SHAPE_ORDER + 2,
  CW_DEPOSIT_ORDER_CLASSES = 5, /* orders 0 to 3 have their own loops, 4 to 11 share one */
  CW_DEPOSIT_MAX_DRIFT = 16
};

/* Nodes an axis that one particle may write: the union of the old and the new stencil. */
static inline int cw_deposit_window(int order) {
  return order ? order + 2 : 3;
}

/* One species' deposit: constant during the call. */
typedef struct cw_deposit_job {
  int dim, order, window;
  int fixed; /* sums are int64 counts of a quantum */
  cw_deposit_path path;
  cw_particles_view particles;
  double scale[3];  /* charge dx/dt along simulated axes, charge along the others */
  double quanta[3]; /* fixed: quanta a unit of each component, powers of two */
} cw_deposit_job;

/* Where values are summed: three arrays over the nodes [low, high) of each axis. */
typedef struct cw_deposit_target {
  void *component[3]; /* at node low; cw_real, or int64_t in fixed point */
  int64_t stride[3];  /* in values; stride[0] = 1 */
  int32_t low[3], high[3];
} cw_deposit_target;

typedef struct cw_deposit_tally {
  int64_t done;   /* particles summed into the target */
  int64_t dead;   /* slots skipped */
  int64_t missed; /* particles whose window does not fit in the target */
  int64_t fault;  /* lowest slot with a value that is not finite or a move too far; -1: none */
} cw_deposit_tally;

/* Sums the particles in slots[first .. last), or in slots first .. last - 1 if slots is NULL. */
typedef void cw_deposit_loop(const cw_deposit_job *job, const cw_deposit_target *target,
                             const int64_t *slots, int64_t first, int64_t last,
                             cw_deposit_tally *tally);
/* Lists the live slots of first .. last - 1 that such a loop misses; returns how many. */
typedef int64_t cw_deposit_list(const cw_deposit_job *job, const cw_deposit_target *target,
                                int64_t first, int64_t last, int64_t *missed);

typedef struct cw_deposit_cpu_ops {
  cw_deposit_loop *scalar[2][2][3][CW_DEPOSIT_ORDER_CLASSES]; /* [precision][fixed][dim - 1] */
  cw_deposit_list *list_missed[2];
} cw_deposit_cpu_ops;

/* Loops of the same kind that sum runs of particles in vector registers; NULL where there is none.
 * The target's arrays must hold less than 2^31 values. */
typedef struct cw_deposit_vector_ops {
  cw_deposit_loop *loop[2][2][3][CW_DEPOSIT_ORDER_CLASSES]; /* [precision][fixed][dim - 1] */
} cw_deposit_vector_ops;

CW_ISA_DECLARE(cw_deposit_cpu_ops, cw_deposit_cpu_ops_table);
CW_ISA_DECLARE(cw_deposit_vector_ops, cw_deposit_vector_table);

const cw_deposit_cpu_ops *cw_deposit_ops(const cw_context *context);
/* The loop that a job's path asks for; NULL if VECTOR was asked for and is not compiled. */
cw_deposit_loop *cw_deposit_choose_loop(const cw_context *context, const cw_deposit_job *job);

/* The whole of J, or of the integer accumulators, as a target. */
cw_deposit_target cw_deposit_grid_target(const cw_grid *grid, void *const component[3]);
void cw_deposit_tally_add(cw_deposit_tally *sum, const cw_deposit_tally *part);

/* Sums the slots (list[0 .. count), or first .. first + count - 1 if list is NULL) in slabs:
 * race-free and in an order that depends on the grid only. Errors: CW_ERROR_MEMORY. */
cw_status cw_deposit_flat(cw_context *context, const cw_deposit_job *job, const cw_grid *grid,
                          cw_deposit_loop *loop, const cw_deposit_target *target,
                          const int64_t *list, int64_t first, int64_t count,
                          cw_deposit_tally *tally);
/* Sums the sorted slots tile by tile, then the ones that escaped. Errors: CW_ERROR_MEMORY. */
cw_status cw_deposit_tiled(cw_context *context, const cw_deposit_job *job, const cw_grid *grid,
                           const cw_cells_view *cells, int drift, const cw_deposit_target *target,
                           cw_deposit_tally *tiled, cw_deposit_tally *escaped);
/* Fixed point: the quantum from a proven bound of every sum; the accumulators into J.
 * Errors: CW_ERROR_MEMORY, CW_ERROR_NUMERIC (a weight that is not finite). */
cw_status cw_deposit_fixed_scale(cw_context *context, cw_deposit_job *job, const cw_grid *grid);
void cw_deposit_fixed_add(cw_context *context, const cw_deposit_job *job, const cw_grid *grid,
                          int64_t *const sums[3], cw_vector_view J);

/* Charge instead of current: scale[0] is the charge, the positions are those in i and dx, and
 * component[0] of the target is of doubles. */
cw_deposit_loop cw_deposit_charge_loop;

#endif
