/* Mass matrices of particles on a grid's nodes.
 *
 *   scalar    M_gg' = scale * sum_p c_p S_pg S_pg'
 *   tensor    M_gg'^ij = scale * sum_p beta_p q_p alpha_p^ij S_pg S_pg'     (ECSIM)
 *
 * S is the centred B-spline of order n (1: CIC, 2: TSC) on the primal nodes, a product over the
 * axes. alpha_p = [I - C(w) + w w^T] / (1 + |w|^2) with C(w) u = w x u and w = beta B(x_p) / c:
 * G. Lapenta, J. Comput. Phys. 334 (2017) 349; L. Pennati, S. Markidis, arXiv 2604.19286.
 *
 * Storage. Per axis an entry depends only on the unordered pair of nodes, so (n + 1)^dim arrays
 * over the grid hold each component, 8 instead of 14 for CIC and 27 instead of 63 for TSC in 3D:
 * array (e0, e1, e2) holds at node m the entry of any two nodes that along every axis a are m_a and
 * m_a + e_a in either order, so M_{g, g + d} = array(|d|)[g + min(d, 0)], min axis by axis.
 *
 * Use: create; clear; add, once a species; finish; then product, row sums, ... as often as wanted.
 */
#ifndef CELLWISE_MASSMATRIX_H
#define CELLWISE_MASSMATRIX_H

#include <cellwise/particles.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The highest shape order of a mass matrix. */
enum { CW_MASSMATRIX_MAX_ORDER = 11 };

/* A mass matrix over the nodes of one grid, and the working memory of its sums. */
typedef struct cw_massmatrix cw_massmatrix;

/* Which of the two. */
typedef enum cw_massmatrix_kind {
  CW_MASSMATRIX_SCALAR = 0, /* one component */
  CW_MASSMATRIX_TENSOR      /* nine: component 3 i + j is M^ij */
} cw_massmatrix_kind;

/* How the sums are formed. All give the same matrix to round-off. On a device MOMENT and PAIRS use
 * its matrix unit, in FP64, TF32 or TF32X3 (MOMENT in FP32: the ordinary units), and NAIVE adds by
 * atomics: it alone has other last bits on every run. On a CPU with Intel's AMX, whose matrix unit
 * takes BF16, MOMENT has BF16X6, by which AUTO forms FP32 for order 2 in three dimensions. */
typedef enum cw_massmatrix_method {
  CW_MASSMATRIX_AUTO = 0,  /* MOMENT for orders 1 and 2, NAIVE for the others */
  CW_MASSMATRIX_NAIVE,     /* particle by particle into the storage, in any order of particles */
  CW_MASSMATRIX_SORTED,    /* cell by cell, sums of pair products; orders 1 and 2 */
  CW_MASSMATRIX_MOMENT,    /* cell by cell, a product over 3^dim (5^dim) moments; orders 1 and 2 */
  CW_MASSMATRIX_PAIRS,     /* cell by cell, the paper's products [nodes x P][P x nodes]; the same */
  CW_MASSMATRIX_REFERENCE, /* compensated double sum over node pairs, one thread: the oracle */
  CW_MASSMATRIX_MOMENT_FMA /* MOMENT without a matrix unit */
} cw_massmatrix_method;

/* Of inputs and sums in the product, and of the storage (double only for FP64). */
typedef enum cw_massmatrix_format {
  CW_MASSMATRIX_FP64 = 0,
  CW_MASSMATRIX_FP32,
  CW_MASSMATRIX_TF32,   /* TF32 inputs, FP32 sums; devices only */
  CW_MASSMATRIX_TF32X3, /* three TF32 products for one; devices only */
  CW_MASSMATRIX_BF16X6  /* six BF16 products for one, FP32 sums; MOMENT on CPUs with AMX only */
} cw_massmatrix_format;

/* Zero-initialised means defaults, but for order. */
typedef struct cw_massmatrix_options {
  int order;                   /* shape order, 1 to 11 */
  cw_massmatrix_kind kind;     /* scalar or tensor */
  cw_massmatrix_method method; /* how the sums are formed */
  cw_massmatrix_format format; /* in which numbers */
  int periodic[3];             /* 1: node `cells` of that axis is node 0 */
  cw_space space;              /* where particles, fields and the matrix live */
  int32_t tile; /* device: edge of the tiles of the cell table (depth cell; TSC: node) that has
                      sorted the particles, 0: they stand in rows of cells (nodes). Particles in
                      another order are found out and their slots sorted, which takes time */
} cw_massmatrix_options;

/* One species of an ECSIM step. */
typedef struct cw_massmatrix_species {
  double charge;      /* q_p = charge * weight */
  double beta;        /* q dt / (2 m) of one particle */
  double scale;       /* of M, J and rho, as 1 / cell volume; 0 means 1 */
  double light_speed; /* c; 0 means 1 */
  int relativistic;   /* 1: w = beta B / (c gamma_p), alpha has another factor 1 / gamma_p */
  const void *gamma;  /* gamma_p in the particles' precision; NULL: sqrt(1 + |u|^2 / c^2) */
} cw_massmatrix_species;

/* Creates a matrix, zero, over the nodes of a periodic axis 0 .. cells - 1, and of any other axis
 * -r .. cells + r with r = order / 2 (CIC 0 .. cells; TSC reaches one node beyond each wall).
 * The grid is copied. Errors: CW_ERROR_ARGUMENT (order, kind, ghost cells: `order` are needed),
 * CW_ERROR_UNSUPPORTED (a method or format that the order, backend or processor has not),
 * CW_ERROR_MEMORY. */
CW_API cw_status cw_massmatrix_create(cw_context *context, const cw_grid *grid,
                                      const cw_massmatrix_options *options, cw_massmatrix **matrix);
/* Frees the matrix. NULL is allowed. */
CW_API void cw_massmatrix_destroy(cw_massmatrix *matrix);
/* Sets the matrix to zero and opens it for particles again. */
CW_API void cw_massmatrix_clear(cw_massmatrix *matrix);

/* Adds a scalar matrix's particles, with c_p = coefficient[p] (in the particles' precision), or
 * their weights if NULL. Particles may have any order; in order of cells (TSC: nearest nodes), or
 * in tiles so ordered, they are read in place. Result: the same bits for any number of threads.
 * Errors: CW_ERROR_ARGUMENT (kind; a matrix already finished; missing arrays; a particle outside
 * the interior cells), CW_ERROR_MEMORY, CW_ERROR_NUMERIC (an offset that is not in [0, 1]). On an
 * error the matrix is unchanged. A coefficient, momentum or field that is not finite goes into M.
 */
CW_API cw_status cw_massmatrix_add_scalar(cw_massmatrix *matrix, cw_particles_view particles,
                                          const void *coefficient, double scale);

/* Adds a species to a tensor matrix and, in the same pass, to
 *   Jhat_g += scale * sum_p q_p S_pg alpha_p v_p   (v_p = u; relativistic: u with alpha's factor)
 *   rho_g  += scale * sum_p q_p S_pg
 * over the grid, in double, ghost cells included: fold them along periodic axes afterwards
 * (cw_massmatrix_fold_ghosts). B is on nodes, in double, ghost cells filled; no components means
 * B = 0. Jhat without components and rho = NULL are not summed.
 * Errors: as cw_massmatrix_add_scalar, which leave Jhat and rho unchanged too. */
CW_API cw_status cw_massmatrix_add_species(cw_massmatrix *matrix, cw_particles_view particles,
                                           const cw_massmatrix_species *species, cw_vector_view B,
                                           cw_vector_view Jhat, double *rho);

/* Folds the ghost cells of periodic axes and fills them. Collective. Nothing can be added then
 * until the next clear. The functions below need a finished matrix (else CW_ERROR_ARGUMENT). */
CW_API cw_status cw_massmatrix_finish(cw_massmatrix *matrix);

/* y = M x at every node; arrays over the grid in double. A scalar matrix takes component 0 only.
 * x's ghost cells must be filled along periodic axes; y's other values are left. x is only read. */
CW_API cw_status cw_massmatrix_product(const cw_massmatrix *matrix, cw_vector_view x,
                                       cw_vector_view y);
/* sums_g = sum over g' of M_gg' of one component, at every node: the lumped mass. */
CW_API cw_status cw_massmatrix_row_sums(const cw_massmatrix *matrix, int component, double *sums);

/* The dense matrix, row-major, always in host memory, of order nodes (scalar) or 3 * nodes (tensor:
 * row 3 g + i, column 3 g' + j), nodes counted axis 0 fastest. Errors: CW_ERROR_ARGUMENT (order
 * above 32768). */
CW_API int64_t cw_massmatrix_nodes(const cw_massmatrix *matrix);
CW_API cw_status cw_massmatrix_dense(const cw_massmatrix *matrix, double *dense);

/* The canonical half stencil: displacements d in [-n, n]^dim that are zero or whose last component
 * that is not zero is positive: ((2n + 1)^dim + 1) / 2 of them (CIC 14, TSC 63 in 3D), 0 first.
 * offset: the displacement of number k; canonical: array_g = M_{g, g + d} of one component at
 * every node of the grid, in double. On axes of at most 2 n cells several g + d are one node: the
 * dense matrix and the product add them up. */
CW_API int cw_massmatrix_canonical_count(const cw_massmatrix *matrix);
CW_API cw_status cw_massmatrix_canonical_offset(const cw_massmatrix *matrix, int k, int d[3]);
CW_API cw_status cw_massmatrix_canonical(const cw_massmatrix *matrix, int k, int component,
                                         double *array);

/* The storage, borrowed: array e = e0 + (n + 1) (e1 + (n + 1) e2) of component c starts at value
 * (e * components + c) * points and is laid out as the grid. */
typedef struct cw_massmatrix_view {
  int dim, order, entries, components; /* entries: (order + 1)^dim; components: 1 or 9 */
  cw_precision precision;              /* of the values */
  cw_space space;                      /* where they are */
  int64_t points;                      /* values an array: those of the grid */
  void *values;                        /* [entries][components][points] */
} cw_massmatrix_view;
/* The storage as it stands; good until the matrix is destroyed. */
CW_API cw_massmatrix_view cw_massmatrix_get_view(const cw_massmatrix *matrix);

/* Along the periodic axes, of a double array over the grid: adds the ghost cells to the cells that
 * they are images of and zeroes them; fills them. Collective. */
CW_API cw_status cw_massmatrix_fold_ghosts(const cw_massmatrix *matrix, double *array);
CW_API cw_status cw_massmatrix_fill_ghosts(const cw_massmatrix *matrix, double *array);

/* The name in benchmarks: "moment", "pairs". Static. */
CW_API const char *cw_massmatrix_method_name(cw_massmatrix_method method);

#ifdef __cplusplus
}
#endif
#endif
