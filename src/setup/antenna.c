#include "setup/antenna.h"

#include <math.h>

#include "base/context_private.h"
#include "setup/checks.h"

static const cw_deck_parameter *find(const cw_deck *deck, const char *name) {
  return cw_deck_setup_entry(deck, "antenna", "", name);
}

static double number(const cw_deck *deck, const char *name, double otherwise) {
  const cw_deck_parameter *parameter = find(deck, name);
  return parameter ? parameter->number[0] : otherwise;
}

static cw_deck_where place(const cw_deck *deck, const char *name) {
  const cw_deck_parameter *parameter = find(deck, name);
  return parameter ? parameter->where : deck->setup.where;
}

static cw_status check(cw_context *context, const cw_deck *deck) {
  static const char *const needed[] = {"amplitude", "frequency", "damping"};
  if (deck->simulation.engine != CW_ENGINE_SRPIC)
    return cw_deck_fail(context, deck, deck->setup.where,
                        "setup.antenna: found an antenna; expected engine = \"srpic\" with it");
  for (int k = 0; k < 3; k++) {
    const cw_deck_parameter *parameter = find(deck, needed[k]);
    if (!parameter)
      return cw_deck_fail(context, deck, deck->setup.where,
                          "found no %s in [setup.antenna]; expected a number of at least 0",
                          needed[k]);
    if (!(parameter->number[0] >= 0))
      return cw_deck_fail(context, deck, parameter->where,
                          "setup.antenna.%s: found %g; expected at least 0", needed[k],
                          parameter->number[0]);
  }
  for (int a = 0; a < deck->grid.dim; a++)
    CW_TRY(cw_check_periodic(context, deck, a, "the antenna's waves fit the box along each axis"));
  if (!deck->algorithms.fieldsolver_enable)
    return cw_deck_fail(context, deck, place(deck, "amplitude"),
                        "setup.antenna: found an antenna and algorithms.fieldsolver.enable = "
                        "false; expected fields that its current can drive");
  return CW_OK;
}

static cw_status read_direction(cw_context *context, const cw_deck *deck, cw_antenna *made) {
  const cw_deck_parameter *direction = find(deck, "direction");
  double square = 0;
  for (int a = 0; a < 3; a++) {
    made->direction[a] = direction ? direction->number[a] : a == 2;
    square += made->direction[a] * made->direction[a];
  }
  if (!(square > 0))
    return cw_deck_fail(context, deck, place(deck, "direction"),
                        "setup.antenna.direction: found [0, 0, 0]; expected a direction");
  for (int a = 0; a < 3; a++)
    made->direction[a] /= sqrt(square);
  return CW_OK;
}

/* A mode's current is that part of its direction which is across it. */
static double across(const cw_antenna *made, const double K[3]) {
  double square = 0, along = 0;
  for (int a = 0; a < 3; a++) {
    square += K[a] * K[a];
    along += K[a] * made->direction[a];
  }
  return sqrt(fmax(0, square - along * along));
}

static cw_status add_mode(cw_context *context, const cw_deck *deck, const int wave[3],
                          cw_antenna *made) {
  static const double two_pi = 6.283185307179586;
  cw_antenna_mode mode = {.rms = 0};
  double largest = 0;
  for (int a = 0; a < deck->grid.dim; a++) {
    const double dx = deck->grid.dx[a];
    mode.wave[a] = wave[a];
    mode.k[a] = two_pi * wave[a] / (deck->grid.extent[a][1] - deck->grid.extent[a][0]);
    mode.K[a] = 2 / dx * sin(0.5 * mode.k[a] * dx);
    largest = fmax(largest, fabs(mode.K[a]));
  }
  if (!(across(made, mode.K) > 1e-9 * largest))
    return CW_OK;
  if (made->count == CW_ANTENNA_MODES)
    return cw_deck_fail(context, deck, place(deck, "mode_max"),
                        "setup.antenna.mode_max: found more than %d waves up to it; expected a "
                        "smaller number",
                        (int)CW_ANTENNA_MODES);
  made->mode[made->count++] = mode;
  return CW_OK;
}

static cw_status add_modes(cw_context *context, const cw_deck *deck, cw_antenna *made) {
  const double least = number(deck, "mode_min", 1), most = number(deck, "mode_max", 1);
  if (!(most >= least && least > 0 && most <= 16))
    return cw_deck_fail(context, deck, place(deck, "mode_max"),
                        "setup.antenna: found modes from %g to %g; expected 0 < mode_min <= "
                        "mode_max <= 16",
                        least, most);
  int reach[3] = {0, 0, 0};
  for (int a = 0; a < deck->grid.dim; a++)
    reach[a] = (int)fmin(floor(most), (deck->grid.resolution[a] - 1) / 2);
  for (int z = -reach[2]; z <= reach[2]; z++)
    for (int y = -reach[1]; y <= reach[1]; y++)
      for (int x = -reach[0]; x <= reach[0]; x++) {
        const double length = sqrt((double)x * x + (double)y * y + (double)z * z);
        if (length >= least * (1 - 1e-9) && length <= most * (1 + 1e-9))
          CW_TRY(add_mode(context, deck, (const int[3]){x, y, z}, made));
      }
  if (made->count == 0)
    return cw_deck_fail(context, deck, place(deck, "mode_max"),
                        "setup.antenna: found no wave with a current, from mode %g to %g; expected "
                        "one that is not along the direction",
                        least, most);
  return CW_OK;
}

cw_status cw_antenna_read(cw_context *context, const cw_deck *deck, cw_antenna *antenna) {
  *antenna = (cw_antenna){.count = 0};
  if (!cw_deck_setup_has_table(deck, "antenna"))
    return CW_OK;
  CW_TRY(check(context, deck));
  antenna->amplitude = number(deck, "amplitude", 0);
  antenna->frequency = number(deck, "frequency", 0);
  antenna->damping = number(deck, "damping", 0);
  CW_TRY(read_direction(context, deck, antenna));
  CW_TRY(add_modes(context, deck, antenna));
  for (int m = 0; m < antenna->count; m++)
    antenna->mode[m].rms =
        antenna->amplitude * sqrt(2.0 / antenna->count) / across(antenna, antenna->mode[m].K);
  return CW_OK;
}
