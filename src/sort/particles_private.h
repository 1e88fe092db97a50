/* Inside the library: the members of a particle by number, and what the sort may do to an owner. */
#ifndef CW_SORT_PARTICLES_PRIVATE_H
#define CW_SORT_PARTICLES_PRIVATE_H

#include <cellwise/particles.h>

/* Members in the order of cw_particles_view; those with three components count axis by axis. */
enum {
  CW_MEMBER_I = 0,
  CW_MEMBER_I_PREV = 3,
  CW_MEMBER_DX = 6,
  CW_MEMBER_DX_PREV = 9,
  CW_MEMBER_U = 12,
  CW_MEMBER_WEIGHT = 15,
  CW_MEMBER_TAG,
  CW_MEMBER_ID,
  CW_MEMBERS
};

/* Bytes of one value of that member. */
size_t cw_member_size(int member, cw_precision precision);
/* The view's arrays by member number; absent ones are NULL. */
void cw_member_arrays(const cw_particles_view *view, void *array[CW_MEMBERS]);

cw_context *cw_particles_context(const cw_particles *particles);
/* After a reorder: only the first `count` slots stay, and tables built before are stale. */
void cw_particles_reordered(cw_particles *particles, int64_t count);

#endif
