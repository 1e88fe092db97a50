#include "cli/run_units.h"

#include <string.h>

/* CODATA 2018 (E. Tiesinga et al., Rev. Mod. Phys. 93 (2021) 025010). */
static const double light = 299792458.0, electron_mass = 9.1093837015e-31,
                    elementary_charge = 1.602176634e-19, vacuum_permittivity = 8.8541878128e-12;

cw_output_time cw_run_time(const cw_deck *deck, const cw_engine *engine) {
  return (cw_output_time){.step = cw_engine_step_number(engine),
                          .time = cw_engine_time(engine),
                          .dt = deck->dt,
                          .time_unit_SI = deck->output.length_SI / light,
                          .grid_unit_SI = deck->output.length_SI};
}
double cw_run_mass_SI(void) {
  return electron_mass;
}
double cw_run_charge_SI(void) {
  return elementary_charge;
}
double cw_run_momentum_SI(void) {
  return electron_mass * light;
}

/* skindepth0 = c / omega_p, omega_p^2 = n0 e^2 / (epsilon_0 m0). */
double cw_run_density_SI(const cw_deck *deck) {
  const double rate = light / (deck->scales.skindepth0 * deck->output.length_SI);
  return vacuum_permittivity * electron_mass * rate * rate /
         (elementary_charge * elementary_charge);
}

/* larmor0 = m0 c / (e B0). */
static double magnetic_SI(const cw_deck *deck) {
  return electron_mass * light /
         (elementary_charge * deck->scales.larmor0 * deck->output.length_SI);
}

void cw_run_unit_of_record(const cw_deck *deck, cw_deck_quantity_kind kind, double *unit_SI,
                           double dimension[7]) {
  static const struct {
    double length, mass, time, current;
  } powers[] = {
      [CW_DECK_E] = {1, 1, -3, -1},          [CW_DECK_B] = {0, 1, -2, -1},
      [CW_DECK_J] = {-2, 0, 0, 1},           [CW_DECK_RHO] = {-3, 0, 1, 1},
      [CW_DECK_DIV_E] = {-3, 0, 1, 1},       [CW_DECK_DIV_B] = {-1, 1, -2, -1},
      [CW_DECK_DIV_E_ERROR] = {-3, 0, 1, 1}, [CW_DECK_N] = {-3, 0, 0, 0},
      [CW_DECK_NPPC] = {0, 0, 0, 0},         [CW_DECK_MASS] = {-3, 1, 0, 0},
      [CW_DECK_CHARGE] = {-3, 0, 1, 1},      [CW_DECK_V] = {1, 0, -1, 0},
      [CW_DECK_KINETIC] = {-1, 1, -2, 0},    [CW_DECK_TEMPERATURE] = {2, 1, -2, 0},
      [CW_DECK_T] = {-1, 1, -2, 0},
  };
  const double n0 = cw_run_density_SI(deck), energy = electron_mass * light * light;
  const double units[] = {
      [CW_DECK_E] = magnetic_SI(deck) * light,
      [CW_DECK_B] = magnetic_SI(deck),
      [CW_DECK_J] = elementary_charge * n0 * light,
      [CW_DECK_RHO] = elementary_charge * n0,
      [CW_DECK_DIV_E] = elementary_charge * n0, /* epsilon_0 div E */
      [CW_DECK_DIV_B] = magnetic_SI(deck) / deck->output.length_SI,
      [CW_DECK_DIV_E_ERROR] = elementary_charge * n0,
      [CW_DECK_N] = n0,
      [CW_DECK_NPPC] = 1,
      [CW_DECK_MASS] = electron_mass * n0,
      [CW_DECK_CHARGE] = elementary_charge * n0,
      [CW_DECK_V] = light,
      [CW_DECK_KINETIC] = energy * n0,
      [CW_DECK_TEMPERATURE] = energy,
      [CW_DECK_T] = energy * n0,
  };
  memset(dimension, 0, 7 * sizeof *dimension);
  dimension[0] = powers[kind].length;
  dimension[1] = powers[kind].mass;
  dimension[2] = powers[kind].time;
  dimension[3] = powers[kind].current;
  *unit_SI = units[kind];
}
