/* Inside the library: the members of a particle by number, and what the sort may do to an owner. */
#ifndef CW_SORT_PARTICLES_PRIVATE_H
#define CW_SORT_PARTICLES_PRIVATE_H

#include <cellwise/particles.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Members in the order of cw_particles_view; those with three components count axis by axis. */
enum {
  CW_MEMBER_I = 0,
  CW_MEMBER_I_PREV = 3,
  CW_MEMBER_DX = 6,
  CW_MEMBER_DX_PREV = 9,
  CW_MEMBER_U = 12,
  CW_MEMBER_WEIGHT = 15,
  CW_MEMBER_GUIDE,
  CW_MEMBER_PAYLOAD = CW_MEMBER_GUIDE + 2,
  CW_MEMBER_TAG = CW_MEMBER_PAYLOAD + CW_MAX_PAYLOADS,
  CW_MEMBER_ID,
  CW_MEMBERS
};

/* Bytes of one value of that member. */
size_t cw_member_size(int member, cw_precision precision);
/* The view's arrays by member number; absent ones are NULL. */
void cw_member_arrays(const cw_particles_view *view, void *array[CW_MEMBERS]);
/* And back. */
void cw_member_set_arrays(cw_particles_view *view, void *const array[CW_MEMBERS]);

/* The slots [from, to) of a view. */
cw_particles_view cw_particles_slots(const cw_particles_view *all, int64_t from, int64_t to);

/* After a reorder: only the first `count` slots stay, and tables built before are stale. */
void cw_particles_reordered(cw_particles *particles, int64_t count);

/* Device arrays that stand by, so that a member can be gathered into one and then trade places
 * with it: of 8 bytes a slot and of 1. The other sizes have the _prev arrays for it. NULL where
 * there was no room, or no need. */
enum { CW_SPARE_8 = 0, CW_SPARE_1, CW_SPARES };
/* Borrows the spares (made at the first call, and again after a reserve). */
void cw_particles_get_spares(cw_particles *particles, void *spare[CW_SPARES]);
/* Takes over arrays that traded places among themselves and with the spares (NULL: without). */
void cw_particles_set_arrays(cw_particles *particles, const cw_particles_view *view,
                             void *const spare[CW_SPARES]);

#ifdef __cplusplus
}
#endif
#endif
