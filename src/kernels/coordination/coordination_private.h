/* Inside the coordination kernel: the plan, link cells, and what one team's work is. */
#ifndef CW_KERNELS_COORDINATION_PRIVATE_H
#define CW_KERNELS_COORDINATION_PRIVATE_H

#include "base/context_private.h"
#include "base/isa.h"
#include "kernels/coordination/lattice.h"
#include "kernels/coordination/switching.h"

enum { CW_BUNDLE = 64 }; /* most centres that share one staging of their neighbours */

/* One group. "Places" count the entries sorted by link cell; arrays marked so are by place. */
typedef struct cw_entries {
  int64_t count;
  uint32_t *atom;        /* [count] by entry */
  int distinct;          /* no atom occurs twice */
  uint32_t *key;         /* [count] by entry: link cell */
  uint32_t *permutation; /* [count] entry at a place */
  uint32_t *id;          /* [count] atom, by place */
  double *position[3];   /* [count] by place; wrapped into the box, unless images are chosen pair by
                            pair */
  double *derivative[3]; /* [count] by place: out */
  double *value;         /* [count] by place: out, sum of s over the entry's pairs */
  int64_t *offsets;      /* [cells + 1] places of a cell */
  size_t offsets_capacity;
} cw_entries;

/* Cells are numbered c0 + n0 (c1 + n1 c2) along the reduced lattice vectors, or along the axes of a
 * bounding box where there is no periodic box. */
typedef struct cw_link_cells {
  int64_t n[3];
  int64_t reach[3]; /* neighbours up to so many cells away along an axis */
  int images;       /* the range exceeds half the box: each cell is visited once, and the shortest
                       image chosen pair by pair */
  double origin[3], width[3]; /* bounding box, without a periodic one */
} cw_link_cells;

/* Up to CW_BUNDLE centres of one cell: places [first, first + count). */
typedef struct cw_bundle {
  int64_t cell, first;
  int32_t count;
} cw_bundle;

/* Neighbours of each place, kept over frames; places are entries then. */
typedef struct cw_pair_list {
  int64_t *offsets; /* [count + 1] */
  uint32_t *other;  /* [offsets[count]] places of the other group */
  size_t capacity;
} cw_pair_list;

/* Sums of one bundle: s, six of B (xx, yy, zz, xy, xz, yz), pairs. */
enum { CW_SUM_VALUE = 0, CW_SUM_BOX = 1, CW_SUM_PAIRS = 7, CW_SUMS = 8 };
typedef struct cw_partial {
  double sum[CW_SUMS];
} cw_partial;

/* One sweep: every centre with all its neighbours in `other`. */
typedef struct cw_sweep {
  const cw_switching *switching;
  const cw_lattice *lattice;
  const cw_link_cells *cells;
  const cw_entries *centre, *other;
  const cw_pair_list *list; /* NULL: from the cells */
  double range2;
  int same;        /* other is the centres' own group */
  int forward;     /* not same: 1 when d points from centre to other by definition, else 0 */
  int with_values; /* fill centre->value */
  int with_box;
  int once;      /* each pair is met once: the sums of `other` are filled in, too */
  int dense;     /* once: out-of-range entries are masked, see once_body.h */
  int check_ids; /* an entry can be its centre's own atom (SELF: another entry of it) */
} cw_sweep;

/* The compiled loops of one instruction set. scratch: scratch_bytes, one a thread. */
typedef struct cw_coordination_ops {
  size_t scratch_bytes[2]; /* by precision */
  void (*bundle[2])(const cw_sweep *sweep, const cw_bundle *bundle, void *scratch,
                    cw_partial *partial);
} cw_coordination_ops;
CW_ISA_DECLARE(cw_coordination_ops, cw_coordination_cpu_ops);

typedef struct cw_coordination_cuda cw_coordination_cuda; /* coordination_cuda.cu */

struct cw_coordination {
  cw_context *context;
  cw_switching switching;
  cw_coordination_pairs pairs;
  cw_coordination_method method;
  cw_precision precision;
  int64_t atoms;
  double skin, list_cutoff;
  cw_entries a, b; /* b empty for SELF */
  cw_lattice lattice;
  cw_link_cells cells;
  cw_bundle *bundles;
  cw_partial *partials;
  int64_t bundle_count;
  size_t bundle_capacity;
  int64_t *rows; /* [n1 n2 + 1] first bundle of each row of cells along axis 0 */
  size_t row_capacity;
  int both_ends; /* 1: pairs are met from both ends even where they could be met once */
  cw_pair_list list_a, list_b; /* neighbours of a, and (PRODUCT) of b */
  double *list_position;       /* [atoms][3] when the list was built; NULL before */
  double list_box[3][3];
  int list_valid;
  void *scratch;
  int scratch_threads;
  cw_coordination_form form;
  int fast_border;
  cw_coordination_cuda *cuda; /* NULL until a frame runs on a device */
};

/* Ensures that *pointer holds `count` items of `size` bytes (contents are lost when it grows). */
cw_status cw_coordination_reserve(cw_context *context, size_t count, size_t size, const char *what,
                                  size_t *capacity, void **pointer);

/* cells.c: chooses cells for interactions up to `cutoff` and sorts both groups into them. */
cw_status cw_link_cells_build(cw_coordination *plan, cw_coordinates_view positions, double cutoff,
                              int one_cell);
/* The bundles of a group; *count of them in plan->bundles. */
cw_status cw_link_cells_bundles(cw_coordination *plan, const cw_entries *entries);
/* list.c: rebuilds the list where it must be; fills in result->list_*. Places are entries after. */
cw_status cw_pair_list_update(cw_coordination *plan, cw_coordinates_view positions,
                              int rebuild_asked, cw_coordination_result *result);
void cw_pair_list_clear(cw_context *context, cw_pair_list *list);

static inline double cw_coordinate(const cw_coordinates_view *view, int c, int64_t atom) {
  int64_t at = atom * view->stride;
  return view->precision == CW_DOUBLE ? ((const double *)view->component[c])[at]
                                      : (double)((const float *)view->component[c])[at];
}

/* Atoms stand in the caller's order, which need not be that of their places: a list of entries asks for
 * an atom's values this many entries before it uses them. */
enum { CW_ATOMS_AHEAD = 16 };
static inline void cw_coordinate_ask(const cw_coordinates_view *view, int64_t atom) {
  const int64_t at = atom * view->stride * cw_precision_size(view->precision);
  for (int c = 0; c < 3 && view->component[0]; c++)
    __builtin_prefetch((const char *)view->component[c] + at);
}

#endif
