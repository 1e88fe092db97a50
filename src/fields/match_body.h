/* How a value goes over to another, on host and device. */
#ifndef CW_FIELDS_MATCH_BODY_H
#define CW_FIELDS_MATCH_BODY_H

#include "base/host_device.h"

/* A share `left` of the difference stays; without one the result is the aim to the bit. */
static inline CW_HOST_DEVICE double cw_match_value(double value, double aim, double left) {
  return left == 0 ? aim : aim + left * (value - aim);
}

#endif
