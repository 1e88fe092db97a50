/* The antenna of a deck, [setup.antenna]: currents of a few long waves that drive a plasma. */
#ifndef CW_SETUP_ANTENNA_H
#define CW_SETUP_ANTENNA_H

#include "setup/antenna_body.h"
#include "setup/setup.h"

/* A vector potential d Re sum over modes of a exp(i k x), whose curl's curl is the current. Of each
 * mode: waves a box length along each axis, wave number on the grid K_a = 2/dx sin(k_a dx/2), and
 * the rms |a| for which the field B = curl of all modes has the rms `amplitude`. */
typedef struct cw_antenna_mode {
  int wave[3];
  double k[3], K[3], rms;
} cw_antenna_mode;

typedef struct cw_antenna {
  double amplitude;          /* rms B of the current, in units of B0 */
  double frequency, damping; /* of an amplitude: exp(-(damping + i frequency) t) but for noise */
  double direction[3];       /* d, a unit vector */
  int count;
  cw_antenna_mode mode[CW_ANTENNA_MODES];
} cw_antenna;

/* Fills *antenna from the deck; count 0: it has none. Errors: CW_ERROR_INPUT (with the place). */
cw_status cw_antenna_read(cw_context *context, const cw_deck *deck, cw_antenna *antenna);
#endif
