/* Inside fields/: the members of cw_fields and the steps that its files offer each other. */
#ifndef CW_FIELDS_FIELDS_PRIVATE_H
#define CW_FIELDS_FIELDS_PRIVATE_H

#include "base/context_private.h"
#include "base/isa.h"
#include "fields/fields.h"
#include "fields/image_body.h"
#include "fields/layer_body.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CW_FIELDS_PARALLEL_POINTS = 32768 }; /* smaller arrays are not worth waking threads for */

/* Which values an array has: where they stand along each axis, and their sign in a mirror. */
typedef struct cw_fields_kind {
  int dual[3];        /* 1: at i + 1/2, 0: at i */
  int is_source;      /* J or rho, folded by the particles' boundary; else E or B */
  int mirror_sign[3]; /* of the image behind a wall across each axis */
} cw_fields_kind;

cw_fields_kind cw_fields_kind_E(int component);
cw_fields_kind cw_fields_kind_B(int component);
cw_fields_kind cw_fields_kind_J(int component);
cw_fields_kind cw_fields_kind_rho(void);

/* What is done to the values of a line along an axis, in order: indices `to` and `from`. */
typedef enum cw_line_action {
  CW_LINE_SET = 0, /* to = factor from */
  CW_LINE_MOVE,    /* to += factor from, from = 0 */
  CW_LINE_SCALE,   /* to *= factor */
  CW_LINE_ZERO     /* to = 0 */
} cw_line_action;

typedef struct cw_line_op {
  cw_line_action action;
  int32_t to, from;
  int factor;
} cw_line_op;

enum { CW_MAX_LINE_OPS = 2 * 64 + 4 }; /* both sides' ghost cells (cw_grid_init) and wall nodes */
typedef struct cw_line_ops {
  int count;
  cw_line_op op[CW_MAX_LINE_OPS];
} cw_line_ops;

/* out += curl with coefficients, over the interior. B -= dt curl E takes differences to the next
 * value (step = +1), E += dt curl B to the one before (step = -1); written as "neighbour minus
 * here" both are the same expression. */
typedef struct cw_yee_job {
  const cw_grid *grid;
  int threads;
  int step;              /* +1 or -1 */
  double coefficient[3]; /* correction dt / dx; 0 along axes that are not simulated */
  void *out[3];
  void *in[3];
  void *current[3];     /* NULL: none */
  double current_scale; /* out -= current_scale * current */
} cw_yee_job;

/* Nodes first[a] to end[a] - 1 along each axis. */
typedef struct cw_node_range {
  int32_t first[3], end[3];
} cw_node_range;

/* What fills the ghost cells of an axis behind mirrors (an odd value on the wall itself becomes
 * zero), and what adds them to what they are images of and doubles a wall's node (an odd value there
 * becomes zero). Neither side is periodic. */
void cw_axis_fill_ops(const cw_axis_rule *rule, cw_line_ops *ops);
void cw_axis_fold_ops(const cw_axis_rule *rule, cw_line_ops *ops);
/* Runs `ops` on every line along `axis` of an array on the host. */
void cw_lines_apply(const cw_grid *grid, int threads, cw_precision precision, void *array, int axis,
                    const cw_line_ops *ops);

/* The same on a device. Queued. Errors: CW_ERROR_UNSUPPORTED (a build without device code). */
cw_status cw_lines_device(cw_context *context, const cw_grid *grid, cw_precision precision,
                          void *array, int axis, const cw_line_ops *ops);

/* Where fields live decides who does the work: one table a backend. */
typedef struct cw_fields_ops {
  cw_status (*zero)(cw_fields *fields, void *array, size_t bytes);
  cw_status (*curl)(cw_fields *fields, const cw_yee_job *job);
  /* Every line along `axis`, ghost lines too. */
  cw_status (*lines)(cw_fields *fields, cw_precision precision, void *array, int axis,
                     const cw_line_ops *ops);
  /* Multiplies what stands in a layer by its factors, all interior lines. */
  cw_status (*damp)(cw_fields *fields, const cw_layer *layer, void *array);
  /* Takes what stands in the range to the target (NULL: 0) by the layer's factors, or at once where
   * there is no layer. */
  cw_status (*match)(cw_fields *fields, const cw_node_range *range, const cw_layer *layer,
                     const double *target, void *array);
  /* May exchange *array for another of the same size that the fields own, if it is one of J. */
  cw_status (*filter)(cw_fields *fields, const cw_fields_kind *kind, cw_precision precision,
                      void **array, int passes);
  /* Sums over the interior of |E|^2 and |B|^2. */
  cw_status (*squares)(cw_fields *fields, double sums[2]);
  cw_status (*divergence)(cw_fields *fields, int of_B, double *divergence);
  /* Over a range of nodes: max |div E - scale rho|, max |scale rho|, and 1 if a
   * value is not finite, else 0. */
  cw_status (*charge)(cw_fields *fields, const double *rho, double scale,
                      const cw_node_range *range, double result[3]);
} cw_fields_ops;

extern const cw_fields_ops cw_fields_host_ops;
const cw_fields_ops *cw_fields_device_ops(void); /* NULL: a build without device code */

struct cw_fields {
  cw_context *context;
  cw_grid grid;
  cw_fields_options options; /* with defaults resolved */
  const cw_fields_ops *ops;
  void *E[3], *B[3], *J[3];
  const double *target[6]; /* of matching sides, in the fields' space; NULL: 0 */
  int passes;              /* of the last sync_J: how far a charge near a wall has been spread */
  void *work;              /* scratch of the filter, grown as needed; in the fields' space */
  size_t work_size;
  void *spare;  /* device: takes a filtered component of J, which then changes places with it */
  double *sums; /* device: partial results of a reduction */
};

/* Makes fields->work at least `bytes` long. */
cw_status cw_fields_grow_work(cw_fields *fields, size_t bytes);

cw_side cw_fields_side(const cw_fields *fields, const cw_fields_kind *kind, int axis, int upper);
cw_axis_rule cw_fields_axis_rule(const cw_fields *fields, const cw_fields_kind *kind, int axis);
/* cw_axis_image for one axis of the fields. */
int32_t cw_fields_image(const cw_fields *fields, const cw_fields_kind *kind, int axis, int32_t i,
                        int *sign);
/* First and last index of an axis that hold values of their own: cells 0 to n - 1, also node n
 * at a mirror wall, and the ghost cells of an open side. */
void cw_fields_own_range(const cw_fields *fields, const cw_fields_kind *kind, int axis,
                         int32_t *first, int32_t *last);

/* Ghost cells and wall values of one array, from what stands inside. */
cw_status cw_fields_fill_array(cw_fields *fields, const cw_fields_kind *kind,
                               cw_precision precision, void *array);
/* Ghost cells of J or rho added to what they are images of. Open sides keep theirs. */
cw_status cw_fields_fold_array(cw_fields *fields, const cw_fields_kind *kind,
                               cw_precision precision, void *array);
/* Zeroes what stands beyond open sides. */
cw_status cw_fields_drop_outside(cw_fields *fields, const cw_fields_kind *kind,
                                 cw_precision precision, void *array);
/* Thickness of the layer at a side: 0 without one, NAN where the options give none. */
double cw_fields_layer_width(const cw_fields_options *options, int axis, int upper);
/* Damping over `dt` of one component (0 to 5: Ex ... Bz) of E or B in the layers: to 0 in those that
 * absorb, to the target in those that match. */
cw_status cw_fields_absorb(cw_fields *fields, const cw_fields_kind *kind, int component,
                           void *array, double dt);
/* In one layer that matches. */
cw_status cw_fields_approach(cw_fields *fields, const cw_layer *layer, int component, void *array);
/* Behind sides that match, and on them, the target. */
cw_status cw_fields_set_outside(cw_fields *fields, const cw_fields_kind *kind, int component,
                                void *array);

/* The host's entries of the table, by file. */
cw_status cw_fields_host_curl(cw_fields *fields, const cw_yee_job *job);
cw_status cw_fields_host_lines(cw_fields *fields, cw_precision precision, void *array, int axis,
                               const cw_line_ops *ops);
cw_status cw_fields_host_damp(cw_fields *fields, const cw_layer *layer, void *array);
cw_status cw_fields_host_match(cw_fields *fields, const cw_node_range *range, const cw_layer *layer,
                               const double *target, void *array);
cw_status cw_fields_host_filter(cw_fields *fields, const cw_fields_kind *kind,
                                cw_precision precision, void **array, int passes);
cw_status cw_fields_host_squares(cw_fields *fields, double sums[2]);
cw_status cw_fields_host_divergence(cw_fields *fields, int of_B, double *divergence);
cw_status cw_fields_host_charge(cw_fields *fields, const double *rho, double scale,
                                const cw_node_range *range, double result[3]);

#ifdef __cplusplus
}
#endif

#endif
