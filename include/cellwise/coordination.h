/* Coordination numbers: sums of a switching function over pairs, with exact derivatives.
 *
 *   c = sum over pairs s(|d|),  d = r_j - r_i (minimum image)
 *   dc/dr_i = -s'(r) d/r,  dc/dr_j = +s'(r) d/r,  B_ab = - sum over pairs (s'(r)/r) d_a d_b
 *
 * Source: the collective variable COORDINATION of PLUMED, whose definitions are kept: M. Iannuzzi,
 * A. Laio, M. Parrinello, Phys. Rev. Lett. 90 (2003) 238302 (rational switching); G. A. Tribello et
 * al., Comput. Phys. Commun. 185 (2014) 604. */
#ifndef CELLWISE_COORDINATION_H
#define CELLWISE_COORDINATION_H

#include <stdint.h>

#include <cellwise/context.h>
#include <cellwise/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Switching functions of x = (r - d_0) / r_0; s = 1 for x <= 0 and s = 0 for r > d_max. */
typedef enum cw_switching_type {
  CW_SWITCHING_RATIONAL = 0, /* (1 - x^nn) / (1 - x^mm) */
  CW_SWITCHING_EXP,          /* exp(-x) */
  CW_SWITCHING_GAUSSIAN,     /* exp(-x^2 / 2) */
  CW_SWITCHING_SMAP,         /* [1 + (2^(a/b) - 1) x^a]^(-b/a) */
  CW_SWITCHING_Q,            /* 1 / (1 + exp(beta (r - lambda ref))) */
  CW_SWITCHING_CUBIC,        /* (y - 1)^2 (1 + 2 y), y = (r - d_0) / (d_max - d_0); r_0 unused */
  CW_SWITCHING_TANH,         /* 1 - tanh(x) */
  CW_SWITCHING_COSINUS,      /* (cos(pi x) + 1) / 2, 0 for x > 1 */
  CW_SWITCHING_CUSTOM        /* expression in x, or in x2 = x^2; derivative by forward-mode
                                automatic differentiation, exact to round-off */
} cw_switching_type;

/* Zero-initialised means defaults, but for r_0. Lengths in the unit of the positions. */
typedef struct cw_switching_options {
  cw_switching_type type; /* which of them */
  double r_0;             /* > 0 */
  double d_0;             /* where s starts to fall */
  double d_max;           /* 0: infinite range (RATIONAL with implicit_d_max: see there) */
  int implicit_d_max;     /* RATIONAL: 1: d_max = d_0 + r_0 (1e-5)^(1 / (nn - mm)) if d_max is 0 */
  int no_stretch;      /* with a d_max, s becomes (s - s(d_max)) / (s(0) - s(d_max)); 1: it stays */
  int nn, mm;          /* RATIONAL: 0: nn = 6, mm = 2 nn; 0 < nn < mm */
  int a, b;            /* SMAP: both > 0 */
  double beta, lambda; /* Q: 0: 50 and 1.8 */
  double ref;          /* Q: > 0 */
  const char *function; /* CUSTOM: copied */
} cw_switching_options;

/* Which pairs are summed over. */
typedef enum cw_coordination_pairs {
  CW_PAIRS_SELF = 0, /* i < j over the entries of group a */
  CW_PAIRS_PRODUCT,  /* every entry of a with every entry of b */
  CW_PAIRS_ZIP       /* k-th of a with k-th of b: groups of equal size */
} cw_coordination_pairs;

/* How pairs are found; every choice but FROZEN gives the same sum to round-off. */
typedef enum cw_coordination_method {
  CW_COORDINATION_AUTO = 0, /* cells if the range is finite */
  CW_COORDINATION_CELLS,    /* link cells, built for each frame */
  CW_COORDINATION_ALL,      /* every pair is tested */
  CW_COORDINATION_LIST,     /* list of pairs within range + skin, rebuilt whenever two atoms may
                               have come closer by the skin since: no pair is ever missed */
  CW_COORDINATION_FROZEN    /* only pairs that were within list_cutoff at the last rebuild, which
                               the caller asks for: pairs that came near since are missed */
} cw_coordination_method;

/* On a device only: who shares one staging of neighbours. All give the same sum to round-off. */
typedef enum cw_coordination_form {
  CW_COORDINATION_FORM_AUTO = 0, /* BUNDLE */
  CW_COORDINATION_FORM_CELL,     /* a team a cell as wide as the range, a thread a centre */
  CW_COORDINATION_FORM_BUNDLE,   /* a warp a bundle of 16 centres, neighbours pruned by its box */
  CW_COORDINATION_FORM_MATRIX    /* the same; squared distances from the matrix units, which in
                                    single precision costs a digit */
} cw_coordination_form;

/* Entries of a group are atom numbers from 0; a pair of equal numbers is skipped, an entry that is
 * repeated counts each time, a pair that stands in overlapping groups twice counts twice. */
typedef struct cw_coordination_options {
  cw_switching_options switching; /* s */
  cw_coordination_pairs pairs;    /* of which entries */
  cw_coordination_method method;  /* how they are found */
  cw_precision precision;    /* of the pair arithmetic; sums over atoms are double, and so is the
                             decision which pairs are in range (but see fast_border, MATRIX) */
  int64_t atoms;             /* atoms in the positions */
  const uint32_t *a, *b;     /* host arrays, copied; a NULL: all atoms */
  int64_t count_a, count_b;  /* their lengths; with a or b NULL not looked at */
  double skin;               /* LIST: 0: a tenth of the range */
  double list_cutoff;        /* FROZEN */
  cw_coordination_form form; /* device only */
  int fast_border; /* device, single precision: 1: pairs within rounding of the range, one in 10^5, may
                      fall on either side, which saves a second pass (0.1 ms); 0: decided in double */
} cw_coordination_options;

/* Borrowed coordinates: component c of atom k stands at component[c][k * stride], in values. Packed
 * (atoms, 3) arrays: component[c] = base + c, stride 3. Structure of arrays: stride 1. */
typedef struct cw_coordinates_view {
  cw_precision precision; /* float or double */
  cw_space space;         /* where the arrays are */
  void *component[3];     /* only read where an argument is an input */
  int64_t stride;         /* values from one atom to the next */
} cw_coordinates_view;

/* Box vectors as rows, any handedness and skew; all zeros: no box, distances as they stand. */
typedef struct cw_box {
  double vectors[3][3]; /* [vector][component] */
} cw_box;

/* What one frame gives. Members marked optional may be NULL; arrays are overwritten. */
typedef struct cw_coordination_result {
  double value;                    /* c */
  double box_derivatives[3][3];    /* B, row major */
  cw_coordinates_view derivatives; /* optional (component[0] NULL): dc/dr of every atom; in either
                                      space where the context has a device */
  double *entry_derivatives;   /* optional, host: [count_a + count_b][3], entries of a then of b */
  double *entry_values;        /* optional, host: [count_a] sum of s over the pairs of each entry of
                              * a (SELF: their sum is 2 c) */
  int without_box_derivatives; /* in: 1 leaves them 0, and saves their cost */
  int64_t pairs_in_range;      /* pairs that counted */
  int64_t cells[3];            /* link cells an axis; 1 1 1 where there are none */
  int images;        /* 1: the range exceeds half the box, images were chosen pair by pair */
  int list_rebuilt;  /* 1: this call rebuilt the list */
  int list_may_miss; /* FROZEN: 1: atoms moved so far that pairs in range may be missing */
} cw_coordination_result;

/* A plan: switching function, groups, lists and working memory of one sum. */
typedef struct cw_coordination cw_coordination;

/* Plans a sum. Errors: CW_ERROR_ARGUMENT (a parameter of the switching function, an entry that is
 * no atom, group sizes, skin; the message names it), CW_ERROR_INPUT (CUSTOM expression, with the
 * column), CW_ERROR_MEMORY. On failure *coordination is NULL. */
CW_API cw_status cw_coordination_create(cw_context *context, const cw_coordination_options *options,
                                        cw_coordination **coordination);
/* Frees the plan. NULL is allowed. */
CW_API void cw_coordination_destroy(cw_coordination *coordination);

/* Computes one frame. box may be NULL (none); rebuild_list is looked at by FROZEN only (the first
 * call builds in any case). The result does not depend on the number of threads.
 * A context with a device computes there, whichever space the positions are in, and returns when
 * the result has arrived; the same frame gives the same bits. There LIST finds its pairs anew in
 * each frame, and FROZEN runs on the host. Frames in flight at once: a context and a plan each, from
 * as many host threads; their copies and kernels overlap.
 * Errors: CW_ERROR_NUMERIC (a coordinate that is not finite: the message names the atom),
 * CW_ERROR_ARGUMENT (a box that is flat or not finite), CW_ERROR_MEMORY, CW_ERROR_UNSUPPORTED
 * (space). After a failure the result is undefined and the plan can be used again. */
CW_API cw_status cw_coordination_compute(cw_coordination *coordination,
                                         cw_coordinates_view positions, const cw_box *box,
                                         int rebuild_list, cw_coordination_result *result);

/* The same by a plain double sum over all pairs on one thread, whatever the plan's method and
 * precision (FROZEN lists are ignored): the oracle of every other form. */
CW_API cw_status cw_coordination_reference(cw_coordination *coordination,
                                           cw_coordinates_view positions, const cw_box *box,
                                           cw_coordination_result *result);

/* s(r) and, if not NULL, ds/dr of the plan's switching function. */
CW_API double cw_coordination_switching(const cw_coordination *coordination, double r,
                                        double *derivative);
/* Beyond this distance s is 0; HUGE_VAL where the range is infinite. */
CW_API double cw_coordination_range(const cw_coordination *coordination);
/* Bytes that the plan holds now. */
CW_API size_t cw_coordination_memory(const cw_coordination *coordination);

/* The minimum image of d in a box: d is replaced by its shortest image (of two equally short ones
 * along a box vector the negative one). Errors: CW_ERROR_ARGUMENT (flat box). */
CW_API cw_status cw_coordination_minimum_image(cw_context *context, const cw_box *box, double d[3]);

#ifdef __cplusplus
}
#endif
#endif
