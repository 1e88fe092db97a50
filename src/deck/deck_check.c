/* What no key can check alone, and what follows from the keys. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "deck/deck_reader.h"

static double edge_length(const cw_deck *deck, int axis) {
  return deck->grid.extent[axis][1] - deck->grid.extent[axis][0];
}

static double shortest_edge(const cw_deck *deck) {
  double shortest = edge_length(deck, 0);
  for (int a = 1; a < deck->grid.dim; a++)
    shortest = fmin(shortest, edge_length(deck, a));
  return shortest;
}

/* Cells of the explicit engine must be cubes: dt, V0 and the shapes have one dx. The message gives
 * extents that fit. */
static void check_cells(cw_deck_reader *reader) {
  cw_deck *deck = reader->deck;
  char fit[3 * 80] = "", lower[32], upper[32], dx[32], other[32];
  size_t used = 0;
  int odd = 0;
  for (int a = 0; a < deck->grid.dim; a++) {
    deck->grid.dx[a] = edge_length(deck, a) / deck->grid.resolution[a];
    if (!(fabs(deck->grid.dx[a] - deck->grid.dx[0]) <= 1e-9 * deck->grid.dx[0]))
      odd = a;
    cw_deck_format_number(deck->grid.extent[a][0], 1, lower);
    /* twelve digits: closer than the cells need, and free of round-off */
    snprintf(upper, sizeof upper, "%.12g",
             deck->grid.extent[a][0] + deck->grid.resolution[a] * deck->grid.dx[0]);
    used +=
        (size_t)snprintf(fit + used, sizeof fit - used, "%s[%s, %s]", a ? ", " : "", lower, upper);
  }
  if (!odd || deck->simulation.engine == CW_ENGINE_ECSIM)
    return;
  snprintf(dx, sizeof dx, "%.10g", deck->grid.dx[0]);
  snprintf(other, sizeof other, "%.10g", deck->grid.dx[odd]);
  cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "grid.extent"),
                "grid.extent: found cells of %s along axis 1 and of %s along axis %d; expected "
                "cubes, for this resolution extent = [%s]",
                dx, other, odd + 1, fit);
}

static void check_edges(cw_deck_reader *reader) {
  cw_deck *deck = reader->deck;
  double cells = 1;
  for (int a = 0; a < deck->grid.dim; a++) {
    double length = edge_length(deck, a);
    cells *= deck->grid.resolution[a];
    if (!isfinite(length) || !(length / deck->grid.resolution[a] > 0))
      cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "grid.extent"),
                    "grid.extent: found cells of length %g along axis %d; expected a positive, "
                    "finite length",
                    length / deck->grid.resolution[a], a + 1);
  }
  if (cells > 1099511627776.0)
    cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "grid.resolution"),
                  "grid.resolution: found %.4g cells in all; expected at most 2^40", cells);
}

static void check_periodic(cw_deck_reader *reader) {
  const cw_deck *deck = reader->deck;
  for (int a = 0; a < deck->grid.dim; a++) {
    int fields = (deck->grid.fields[a][0] == CW_FIELD_PERIODIC) +
                 (deck->grid.fields[a][1] == CW_FIELD_PERIODIC);
    int particles = (deck->grid.particles[a][0] == CW_PARTICLE_PERIODIC) +
                    (deck->grid.particles[a][1] == CW_PARTICLE_PERIODIC);
    if (fields == 1 || particles == 1) {
      const char *path = fields == 1 ? "grid.boundaries.fields" : "grid.boundaries.particles";
      cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, path),
                    "%s: found one periodic side along axis %d; expected both or neither", path,
                    a + 1);
    } else if (fields != particles)
      cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "grid.boundaries.particles"),
                    "grid.boundaries.particles: found %s along axis %d where fields are%s; "
                    "expected fields and particles to be periodic together",
                    particles ? "PERIODIC" : "walls", a + 1, fields ? " PERIODIC" : " not");
  }
}

/* Layers of a kind: thinner than half of each axis that has one (of any axis, where none has). */
static void check_layer(cw_deck_reader *reader, cw_field_boundary kind, const char *path,
                        double *ds) {
  const cw_deck *deck = reader->deck;
  double shortest = shortest_edge(deck), across = INFINITY;
  if (*ds == 0)
    *ds = 0.01 * shortest;
  for (int a = 0; a < deck->grid.dim; a++)
    if (deck->grid.fields[a][0] == kind || deck->grid.fields[a][1] == kind)
      across = fmin(across, edge_length(deck, a));
  if (isinf(across))
    across = shortest;
  if (!(*ds < 0.5 * across))
    cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, path),
                  "%s: found %g; expected less than half of the shortest box edge that it stands "
                  "across, %g",
                  path, *ds, 0.5 * across);
}

/* A window leaves what is behind it and meets what is in front of it: no side of its axis can be the
 * other's image, or a wall for particles. */
static void check_window(cw_deck_reader *reader) {
  const cw_deck *deck = reader->deck;
  const int axis = (int)deck->grid.window_axis - 1;
  if (axis < 0)
    return;
  if (axis >= deck->grid.dim)
    cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "grid.window.axis"),
                  "grid.window.axis: found axis %d of a grid of %d; expected one of its axes",
                  axis + 1, deck->grid.dim);
  else if (deck->simulation.engine != CW_ENGINE_SRPIC)
    cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "grid.window.axis"),
                  "grid.window.axis: found a moving window; expected engine = \"srpic\" with it");
  else if (deck->grid.particles[axis][0] != CW_PARTICLE_ABSORB ||
           deck->grid.particles[axis][1] != CW_PARTICLE_ABSORB)
    cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "grid.window.axis"),
                  "grid.window.axis: found sides of axis %d that are not ABSORB for particles; "
                  "expected both to be, with a moving window",
                  axis + 1);
}

void cw_deck_check_grid(cw_deck_reader *reader) {
  check_edges(reader);
  if (reader->rank == CW_RANK_NONE)
    check_cells(reader);
  check_periodic(reader);
  check_window(reader);
  check_layer(reader, CW_FIELD_ABSORB, "grid.boundaries.absorb.ds", &reader->deck->grid.absorb_ds);
  check_layer(reader, CW_FIELD_MATCH, "grid.boundaries.match.ds", &reader->deck->grid.match_ds);
  double speed = reader->deck->algorithms.CFL * reader->deck->algorithms.correction;
  if (!(speed <= 1))
    cw_deck_fault(reader, CW_RANK_WRITTEN,
                  cw_deck_place_of(reader, "algorithms.timestep.correction"),
                  "algorithms.timestep.correction: found CFL times correction of %g; expected at "
                  "most 1, where the field update is stable",
                  speed);
}

static void check_pusher(cw_deck_reader *reader, const cw_deck_species *species) {
  int massless = species->pusher == CW_PUSHER_MASSLESS;
  if (massless && (species->mass != 0 || species->charge != 0))
    cw_deck_fault(reader, CW_RANK_WRITTEN, species->where,
                  "particles.species '%s': found mass %g and charge %g with the massless pusher; "
                  "expected both to be 0",
                  species->label, species->mass, species->charge);
  else if (!massless && species->pusher != CW_PUSHER_NONE && species->mass == 0)
    cw_deck_fault(reader, CW_RANK_WRITTEN, species->where,
                  "particles.species '%s': found mass 0 with a pusher that divides by it; expected "
                  "pusher = \"massless\" or a positive mass",
                  species->label);
}

/* Radiation and guiding centres are of charged particles that fields move. */
static void check_motion(cw_deck_reader *reader, const cw_deck_species *species) {
  const int guide = species->pusher >= CW_PUSHER_BORIS_GCA;
  const int forceless = species->pusher == CW_PUSHER_NONE || species->pusher == CW_PUSHER_MASSLESS;
  if (guide && species->radiative_drag != CW_DRAG_NONE)
    cw_deck_fault(reader, CW_RANK_WRITTEN, species->where,
                  "particles.species '%s': found radiative_drag with a pusher of guiding centres; "
                  "expected one or the other",
                  species->label);
  if (species->radiative_drag != CW_DRAG_NONE && (forceless || species->charge == 0))
    cw_deck_fault(reader, CW_RANK_WRITTEN, species->where,
                  "particles.species '%s': found radiative_drag where no force acts; expected a "
                  "charge other than 0 and a pusher other than massless and none",
                  species->label);
  if (guide && species->charge == 0)
    cw_deck_fault(reader, CW_RANK_WRITTEN, species->where,
                  "particles.species '%s': found a pusher of guiding centres with charge 0; "
                  "expected a charge that gyrates",
                  species->label);
}

void cw_deck_check_species(cw_deck_reader *reader) {
  const cw_deck *deck = reader->deck;
  for (int s = 0; s < deck->particles.species_count; s++) {
    const cw_deck_species *species = &deck->particles.species[s];
    check_pusher(reader, species);
    check_motion(reader, species);
    for (int before = 0; before < s; before++)
      if (strcmp(species->label, deck->particles.species[before].label) == 0)
        cw_deck_fault(reader, CW_RANK_WRITTEN, species->where,
                      "particles.species: found label '%s' a second time; expected a label of its "
                      "own for each species",
                      species->label);
  }
}

/* dt, V0, n0, q0, B0 and the steps; see pic conventions in deck.h. */
void cw_deck_derive(cw_deck_reader *reader) {
  cw_deck *deck = reader->deck;
  double dx = deck->grid.dx[0];
  for (int a = 1; a < deck->grid.dim; a++)
    dx = fmin(dx, deck->grid.dx[a]);
  deck->dt = deck->algorithms.CFL * dx / sqrt(deck->grid.dim);
  deck->V0 = pow(dx, deck->grid.dim);
  if (deck->simulation.engine == CW_ENGINE_ECSIM) {
    if (deck->algorithms.dt > 0)
      deck->dt = deck->algorithms.dt;
    deck->V0 = 1;
    for (int a = 0; a < deck->grid.dim; a++)
      deck->V0 *= deck->grid.dx[a];
  }
  deck->n0 = deck->particles.ppc0 / deck->V0;
  deck->q0 = deck->V0 / (deck->particles.ppc0 * deck->scales.skindepth0 * deck->scales.skindepth0);
  if (deck->scales.units == CW_UNITS_GAUSSIAN)
    deck->q0 /= 4 * acos(-1.0);
  deck->B0 = 1 / deck->scales.larmor0;
  double steps = ceil(deck->simulation.runtime / deck->dt * (1 - 1e-12));
  if (!(steps <= 1e15)) {
    cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "simulation.runtime"),
                  "simulation.runtime: found a runtime of %.4g steps of dt = %g; expected at most "
                  "1e15 steps",
                  steps, deck->dt);
    return;
  }
  deck->steps = (int64_t)steps;
  double derived[] = {deck->dt, deck->V0, deck->n0, deck->q0, deck->B0};
  for (int k = 0; k < 5; k++)
    if (!isfinite(derived[k]) || !(derived[k] > 0))
      cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "scales"),
                    "scales: found dt = %g, V0 = %g, n0 = %g, q0 = %g, B0 = %g; expected positive, "
                    "finite numbers: choose other units of length",
                    deck->dt, deck->V0, deck->n0, deck->q0, deck->B0);
}
