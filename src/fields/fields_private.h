/* Inside fields/: the members of cw_fields and the steps that its files offer each other. */
#ifndef CW_FIELDS_FIELDS_PRIVATE_H
#define CW_FIELDS_FIELDS_PRIVATE_H

#include "base/context_private.h"
#include "base/isa.h"
#include "fields/fields.h"

enum { CW_FIELDS_PARALLEL_POINTS = 32768 }; /* smaller arrays are not worth waking threads for */

struct cw_fields {
  cw_context *context;
  cw_grid grid;
  cw_fields_options options; /* with defaults resolved */
  void *E[3], *B[3], *J[3];
  int passes; /* of the last sync_J: how far a charge near a wall has been spread */
  void *work; /* scratch of the filter, grown as needed */
  size_t work_size;
};

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

/* What continues an axis beyond a side: the image of the other end, a mirror, or nothing. */
typedef enum cw_side { CW_SIDE_PERIODIC = 0, CW_SIDE_MIRROR, CW_SIDE_OPEN } cw_side;
cw_side cw_fields_side(const cw_fields *fields, const cw_fields_kind *kind, int axis, int upper);

/* The index whose value, times *sign, continues the array at index i of an axis; *sign = 0 where
 * there is nothing (beyond the storage of an open side). Indices inside map to themselves. */
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
void cw_fields_drop_outside(cw_fields *fields, const cw_fields_kind *kind, cw_precision precision,
                            void *array);
/* `passes` of the binomial filter along every simulated axis of a folded array. */
cw_status cw_fields_filter_array(cw_fields *fields, const cw_fields_kind *kind,
                                 cw_precision precision, void *array, int passes);
/* Damping over `dt` of one component of E or B in the absorbing layers. */
void cw_fields_absorb(cw_fields *fields, const cw_fields_kind *kind, void *array, double dt);

#endif
