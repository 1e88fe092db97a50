/* Momenta of a relativistic gas in equilibrium, drawn exactly at any temperature. */
#ifndef CW_SETUP_MOMENTA_H
#define CW_SETUP_MOMENTA_H

#include <stdint.h>

/* A sequence of random numbers of its own for each particle: (seed, stream, index) name the
 * particle, `draw` counts what was used, so that rejection loops of any length are reproducible. */
typedef struct cw_random_source {
  uint32_t seed, stream;
  uint64_t index;
  uint32_t draw;
} cw_random_source;

/* Two uniform numbers in (0, 1). */
void cw_random_next(cw_random_source *source, double uniform[2]);

/* u = gamma v of an isotropic Maxwell-Juttner gas, f(u) ~ exp(-gamma / theta), with
 * theta = kT / (m c^2) >= 0; theta = 0 gives u = 0. Method of E. Canfield, W. M. Howard and
 * E. P. Liang, Astrophys. J. 323 (1987) 565; at least 1/sqrt(2) of the draws are accepted. */
void cw_momentum_isotropic(cw_random_source *source, double theta, double u[3]);

/* The same gas seen from a frame in which it drifts with the velocity drift[3] (|drift| < 1):
 * Lorentz boost with the density's factor gamma' (1 + drift . v') sampled by the flipping method of
 * S. Zenitani, Phys. Plasmas 22 (2015) 042116. */
void cw_momentum_drifting(cw_random_source *source, double theta, const double drift[3],
                          double u[3]);
#endif
