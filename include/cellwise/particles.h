/* One species' particles as a structure of arrays: views for callers, an owner that grows. */
#ifndef CELLWISE_PARTICLES_H
#define CELLWISE_PARTICLES_H

#include <cellwise/grid.h>
#include <cellwise/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a slot holds. A tracked particle is a live one whose history is kept: code tests for
 * CW_TAG_DEAD alone. */
enum { CW_TAG_DEAD = 0, CW_TAG_ALIVE = 1, CW_TAG_TRACKED = 2 };
/* Most further numbers that a particle carries. */
enum { CW_MAX_PAYLOADS = 8 };

/* Borrowed arrays of `count` slots. Position along axis a: i[a] + dx[a] in cells, counted from the
 * block's first interior cell, dx in [0, 1). Real arrays are float or double by `precision`.
 * Arrays of axes that are not simulated are NULL in i, i_prev, dx, dx_prev; u has all three. */
typedef struct cw_particles_view {
  int64_t count;             /* slots */
  cw_precision precision;    /* of dx, u and weight */
  cw_space space;            /* where the arrays are */
  int32_t *i[3], *i_prev[3]; /* cell now, and before the last push */
  void *dx[3], *dx_prev[3];  /* offset in the cell, same times */
  void *u[3];                /* gamma v / c (Cartesian); for massless particles p / (m0 c) */
  void *weight;              /* NULL: every weight is 1 */
  void *guide[2]; /* guiding centre: magnetic moment (0: none, the particle is on its full
                              * orbit), momentum along B; NULL where no pusher asks for them */
  void *payload[CW_MAX_PAYLOADS]; /* further numbers of the user's; the first ones, then NULL */
  uint8_t *tag;                   /* CW_TAG_DEAD slots are skipped; NULL: all are alive */
  uint64_t *id;                   /* unique in the species and for its life; may be NULL */
} cw_particles_view;

/* One species' particles: owns the arrays. */
typedef struct cw_particles cw_particles;

/* What a particle is made of. */
typedef struct cw_particles_options {
  int dim;                /* simulated axes: 1, 2 or 3 */
  cw_precision precision; /* of dx, u and weight */
  cw_space space;         /* where the arrays are */
  int with_weights;       /* 0: every weight is 1 and no array is kept */
  int payloads;           /* 0 to CW_MAX_PAYLOADS */
  int with_guide;         /* 1: arrays of guiding centres */
} cw_particles_options;

/* Creates an empty container with room for `capacity` particles (it grows when asked for more). */
CW_API cw_status cw_particles_create(cw_context *context, const cw_particles_options *options,
                                     int64_t capacity, cw_particles **particles);
/* Frees the container. NULL is allowed. */
CW_API void cw_particles_destroy(cw_particles *particles);
/* Makes room for `capacity` slots; contents keep their order, addresses may change.
 * Errors: CW_ERROR_MEMORY, after which the container is unchanged. */
CW_API cw_status cw_particles_reserve(cw_particles *particles, int64_t capacity);
/* Sets the count (<= capacity after an implied reserve); new slots are zero and dead.
 * Growing bumps nothing: what is appended after a sort is that sort's tail. */
CW_API cw_status cw_particles_resize(cw_particles *particles, int64_t count);
/* Makes `to` hold the slots of `from`, which may live in another space, in their order.
 * Errors: CW_ERROR_ARGUMENT (dim, precision or members differ), CW_ERROR_MEMORY, CW_ERROR_DEVICE;
 * after the last two `to` is empty. */
CW_API cw_status cw_particles_copy(cw_particles *to, const cw_particles *from);
/* Appends the slots of `from`, which may live in another space, behind those of `to`: a tail of its
 * last sort. Errors: as cw_particles_copy; after the last two, slots of `to` that were there before
 * are as they were. */
CW_API cw_status cw_particles_append(cw_particles *to, const cw_particles *from);
/* The current arrays; valid until the next reserve, resize or destroy. */
CW_API cw_particles_view cw_particles_get_view(const cw_particles *particles);
/* Slots in use; slots that there is room for; simulated axes. */
CW_API int64_t cw_particles_count(const cw_particles *particles);
CW_API int64_t cw_particles_capacity(const cw_particles *particles);
CW_API int cw_particles_dim(const cw_particles *particles);
/* Counts up whenever slots are reordered or dropped; a table built before is then stale. */
CW_API uint64_t cw_particles_epoch(const cw_particles *particles);
/* Bytes one particle takes with these options. */
CW_API size_t cw_particles_bytes_each(const cw_particles_options *options);

#ifdef __cplusplus
}
#endif
#endif
