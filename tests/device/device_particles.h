/* Twins of particles on host and device, for tests. */
#ifndef TESTS_DEVICE_PARTICLES_H
#define TESTS_DEVICE_PARTICLES_H

#include <stdlib.h>

#include "base/context_private.h"
#include "base/device.h"
#include "plain_check.h"
#include "sort/particles_private.h"

/* Copies the first `count` slots of every member to the device. */
static inline void upload(cw_context *context, const cw_particles_view *from,
                          const cw_particles_view *to, int64_t count) {
  void *host[CW_MEMBERS], *device[CW_MEMBERS];
  cw_member_arrays(from, host);
  cw_member_arrays(to, device);
  for (int m = 0; m < CW_MEMBERS; m++)
    if (host[m])
      plain_ok(context, cw_device_write(context, device[m], host[m],
                                        (size_t)count * cw_member_size(m, from->precision)));
}

/* Slots of the first `count` whose members differ in any bit; with_prev: those of the _prev ones
 * too. */
static inline int64_t different_slots(cw_context *context, const cw_particles_view *host,
                                      const cw_particles_view *device, int64_t count,
                                      int with_prev) {
  void *expected[CW_MEMBERS], *found[CW_MEMBERS];
  char *copy = malloc((size_t)count * 8 + 1);
  int64_t different = 0;
  cw_member_arrays(host, expected);
  cw_member_arrays(device, found);
  for (int m = 0; m < CW_MEMBERS; m++) {
    const size_t size = cw_member_size(m, host->precision);
    const int prev =
        (m >= CW_MEMBER_I_PREV && m < CW_MEMBER_DX) || (m >= CW_MEMBER_DX_PREV && m < CW_MEMBER_U);
    plain_check(!expected[m] == !found[m], "member %d", m);
    if (!expected[m] || !found[m] || (prev && !with_prev))
      continue;
    memset(copy, 0xa5, (size_t)count * size);
    plain_ok(context, cw_device_read(context, copy, found[m], (size_t)count * size));
    for (int64_t p = 0; p < count; p++)
      different +=
          memcmp(copy + (size_t)p * size, (char *)expected[m] + (size_t)p * size, size) != 0;
  }
  free(copy);
  return different;
}

#endif
