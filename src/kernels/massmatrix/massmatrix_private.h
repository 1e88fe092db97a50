/* Inside the mass matrix: what the launchers hand to the loops (massmatrix_cpu.c, compiled once an
 * instruction set). */
#ifndef CW_KERNELS_MASSMATRIX_PRIVATE_H
#define CW_KERNELS_MASSMATRIX_PRIVATE_H

#include <cellwise/massmatrix.h>

#include "base/context_private.h"
#include "base/isa.h"

enum {
  CW_MM_FAST_ORDERS = 2,  /* orders 1 and 2 have cell-by-cell forms */
  CW_MM_COLUMNS = 13,     /* beta q alpha (9), q alpha u (3), q */
  CW_MM_KEY_BLOCK = 4096, /* slots whose keys are formed at once */
  CW_MM_FAULT_PLACE = 1,  /* a particle outside the interior cells */
  CW_MM_FAULT_OFFSET = 2  /* an offset that is not in [0, 1] */
};

struct cw_mm_device_work; /* massmatrix_cuda.h */

struct cw_massmatrix {
  cw_context *context;
  cw_grid grid;
  cw_massmatrix_options options;
  int components, entries;
  int32_t low[3], high[3]; /* first and last node of each axis */
  int finished;
  cw_precision precision;
  int amx;                        /* sums on the CPU's matrix unit */
  void *values;                   /* in options.space */
  struct cw_mm_device_work *work; /* of a matrix on a device, else NULL */
};

/* How particles become keys of bins: base >> shift along each axis, axis 0 fastest; base is the
 * cell of odd orders and the nearest node of even ones. */
typedef struct cw_mm_key_rule {
  int dim, by_node;
  int32_t cells[3];
  int shift[3];
  uint32_t stride[3];
  uint32_t dead; /* key of slots to skip: the number of bins */
} cw_mm_key_rule;

/* Particles in order of bins: bin b owns runs [offsets[b], offsets[b + 1]), each of `length` slots
 * from `begin` on. Particles that are sorted already make long runs, which are read in place. */
typedef struct cw_mm_runs {
  uint32_t *begin, *length;
  int64_t *offsets;
} cw_mm_runs;

/* One call of add, arguments checked. */
typedef struct cw_mm_job {
  int dim, order;
  int columns; /* of the product: 1 (scalar) or CW_MM_COLUMNS */
  int components;
  int unordered; /* pairs: 1 conventional, one sum an unordered pair; 0 products of matrices */
  cw_particles_view particles;
  const void *coefficient; /* scalar: NULL takes the weights, and these may be NULL */
  const void *gamma;
  int relativistic;
  double scale; /* scalar: scale; tensor: charge * scale */
  double beta;  /* of M's columns */
  double omega; /* w = omega * B / gamma */
  double inverse_c2;
  const double *B[3]; /* at node (0, 0, 0); NULL: no field */
  int64_t stride[3];
  int64_t points;
  void *values;       /* at node (0, 0, 0) of array 0 */
  double *J[3], *rho; /* at node (0, 0, 0); NULL: not summed */
  int32_t bins[3];
  cw_mm_runs runs;
} cw_mm_job;

/* Keys of slots [begin, begin + n); returns the faults met. */
typedef int cw_mm_key_function(const cw_mm_key_rule *rule, const cw_particles_view *particles,
                               int64_t begin, int64_t n, uint32_t *keys);
/* Sums bins first .. last - 1 of the last axis into the job's arrays. */
typedef void cw_mm_slab_function(const cw_mm_job *job, int32_t first, int32_t last, void *scratch);
/* y = M x at the nodes of one row (n1, n2 along axes 1 and 2). */
typedef void cw_mm_row_function(const cw_massmatrix *matrix, const double *const x[3],
                                double *const y[3], int32_t n1, int32_t n2);

typedef struct cw_mm_ops {
  cw_mm_key_function *keys[2]; /* by the particles' precision */
  size_t scratch_size[2];      /* by the precision of the sums, as what follows */
  cw_mm_slab_function *naive[2];
  cw_mm_slab_function *moment[2][CW_MM_FAST_ORDERS][3][2]; /* [order - 1][dim - 1][tensor] */
  cw_mm_row_function *product[2];
} cw_mm_ops;

typedef struct cw_mm_pair_ops {
  cw_mm_slab_function *pairs[2][CW_MM_FAST_ORDERS][3];
} cw_mm_pair_ops;

/* Sums in FP32 on tiles of AMX; for matrices with `amx`. */
typedef struct cw_mm_amx_ops {
  size_t scratch_size;
  cw_mm_slab_function *moment[CW_MM_FAST_ORDERS][3][2]; /* as those of cw_mm_ops */
} cw_mm_amx_ops;

CW_ISA_DECLARE(cw_mm_ops, cw_mm_ops_table);
CW_ISA_DECLARE(cw_mm_pair_ops, cw_mm_pair_ops_table);
extern const cw_mm_amx_ops cw_mm_amx_ops_table;

/* Groups the live particles by bin. Errors: CW_ERROR_MEMORY, CW_ERROR_ARGUMENT, CW_ERROR_NUMERIC
 * (a particle out of place: the message names it), CW_ERROR_UNSUPPORTED (too many slots or bins);
 * `runs` is then empty. */
cw_status cw_mm_runs_create(cw_context *context, const cw_mm_key_rule *rule,
                            const cw_particles_view *particles, cw_mm_runs *runs);
void cw_mm_runs_destroy(cw_context *context, cw_mm_runs *runs);

/* The oracle; particles checked before. Errors: CW_ERROR_MEMORY. */
cw_status cw_mm_reference(cw_context *context, const cw_mm_job *job, const cw_massmatrix *matrix);

#endif
