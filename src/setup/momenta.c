#include "setup/momenta.h"

#include <math.h>

#include <cellwise/random.h>

static const double PI = 3.14159265358979323846;

void cw_random_next(cw_random_source *source, double uniform[2]) {
  cw_random_uniform(source->seed, source->stream, source->index, source->draw++, uniform);
}

/* A draw of t with density ~ t^(shape - 1) exp(-t), shape = halves / 2, from exponentials and, for
 * odd halves, half the square of a normal number. */
static double gamma_deviate(cw_random_source *source, int halves) {
  double a[2], b[2];
  cw_random_next(source, a);
  cw_random_next(source, b);
  switch (halves) {
  case 3:
    return -log(a[0]) - log(b[0]) * pow(cos(2 * PI * b[1]), 2);
  case 4:
    return -log(a[0] * a[1]);
  case 5:
    return -log(a[0] * a[1]) - log(b[0]) * pow(cos(2 * PI * b[1]), 2);
  default:
    return -log(a[0] * a[1]) - log(b[0]);
  }
}

/* (gamma - 1) / theta = y^2, where with s = y sqrt(theta / 2)
 *   f(y) ~ (1 + 2 s^2) sqrt(1 + s^2) y^2 exp(-y^2) <= (1 + 2 s^2) (1 + s) y^2 exp(-y^2).
 * The bound is a sum of four terms y^n exp(-y^2), n = 2 to 5, with integrals gamma((n + 1)/2) / 2;
 * one is chosen by its share and y^2 is a gamma deviate. */
static double reduced_energy(cw_random_source *source, double theta) {
  double a = sqrt(theta / 2);
  double share[4] = {sqrt(PI) / 4, a / 2, theta * 3 * sqrt(PI) / 8, theta * a};
  double total = share[0] + share[1] + share[2] + share[3];
  for (;;) {
    double choice[2];
    cw_random_next(source, choice);
    double rest = choice[0] * total;
    int term = 0;
    while (term < 3 && rest >= share[term])
      rest -= share[term++];
    double energy = gamma_deviate(source, term + 3);
    double s = a * sqrt(energy);
    if (choice[1] * (1 + s) < sqrt(1 + s * s))
      return energy;
  }
}

void cw_momentum_isotropic(cw_random_source *source, double theta, double u[3]) {
  u[0] = u[1] = u[2] = 0;
  if (!(theta > 0))
    return;
  double kinetic = theta * reduced_energy(source, theta);
  double magnitude = sqrt(kinetic * (kinetic + 2));
  double direction[2];
  cw_random_next(source, direction);
  double cosine = 2 * direction[0] - 1, sine = sqrt(1 - cosine * cosine);
  u[0] = magnitude * sine * cos(2 * PI * direction[1]);
  u[1] = magnitude * sine * sin(2 * PI * direction[1]);
  u[2] = magnitude * cosine;
}

void cw_momentum_drifting(cw_random_source *source, double theta, const double drift[3],
                          double u[3]) {
  cw_momentum_isotropic(source, theta, u);
  double speed2 = drift[0] * drift[0] + drift[1] * drift[1] + drift[2] * drift[2];
  if (!(speed2 > 0))
    return;
  double speed = sqrt(speed2), boost = 1 / sqrt(1 - speed2);
  double unit[3], along = 0, energy = 1;
  for (int a = 0; a < 3; a++) {
    unit[a] = drift[a] / speed;
    along += u[a] * unit[a];
    energy += u[a] * u[a];
  }
  energy = sqrt(energy);
  double flip[2];
  cw_random_next(source, flip);
  double flipped = -speed * along / energy > flip[0] ? -along : along;
  double boosted = boost * (flipped + speed * energy);
  for (int a = 0; a < 3; a++)
    u[a] += (boosted - along) * unit[a];
}
