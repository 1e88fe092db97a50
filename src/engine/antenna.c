/* The deck's antenna: amplitudes of its waves, and their current added to that of the plasma.
 *
 * J. M. TenBarge, G. G. Howes, W. Dorland and G. W. Hammett, Comput. Phys. Commun. 185 (2014) 578:
 * an oscillating Langevin antenna, da/dt = -(damping + i frequency) a + noise, here stepped without
 * error, a -> a exp(-(damping + i frequency) dt) + rms sqrt(1 - exp(-2 damping dt)) n, n a complex
 * normal number of mean square 1, so that <a(t) a*(t + s)> = rms^2 exp(-(damping - i frequency) s)
 * at any step. The current of a wave, curl curl A = (K^2 d - K (K d)) a exp(i k x) at the places of
 * E, has no divergence on the grid: Gauss's law does not see it. */
#include <math.h>
#include <stdio.h>

#include <cellwise/random.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "engine/engine_private.h"
#include "setup/antenna.h"
#include "setup/loaders.h"

enum { STREAM_ANTENNA = 7 << 16 };

struct cw_antenna_state {
  cw_antenna antenna;
  double *amplitude; /* real and imaginary part of each mode */
  /* exp(i k_a x) at the places along an axis, of each mode: [mode][place][re, im], for values on
   * nodes and half a cell further */
  double *wave[3][2];
};

/* The values at the start: of the rms magnitude, with random phases. */
static void start(const cw_engine *engine, cw_antenna_state *state) {
  const uint32_t seed = cw_loader_seed(engine->deck);
  for (int m = 0; m < state->antenna.count; m++) {
    double uniform[2];
    cw_random_uniform(seed, STREAM_ANTENNA + (uint32_t)m, 0, 1, uniform);
    state->amplitude[2 * m] = state->antenna.mode[m].rms * cos(2 * acos(-1.0) * uniform[0]);
    state->amplitude[2 * m + 1] = state->antenna.mode[m].rms * sin(2 * acos(-1.0) * uniform[0]);
  }
}

static cw_status make_waves(const cw_engine *engine, cw_antenna_state *state) {
  const cw_grid *grid = &engine->grid;
  for (int a = 0; a < 3; a++)
    for (int half = 0; half < 2; half++) {
      const int64_t n = grid->cells[a];
      double *wave = NULL;
      CW_TRY(CW_NEW(engine->context, 2 * n * state->antenna.count, "waves of the antenna", &wave));
      state->wave[a][half] = wave;
      for (int64_t p = 0; p < n * state->antenna.count; p++) {
        const double k = state->antenna.mode[p / n].k[a];
        const double phase = k * ((double)(p % n) + 0.5 * half) * grid->dx[a];
        wave[2 * p] = cos(phase);
        wave[2 * p + 1] = sin(phase);
      }
    }
  return CW_OK;
}

cw_status cw_engine_create_antenna(cw_engine *engine) {
  cw_context *context = engine->context;
  cw_antenna_state *made = NULL;
  if (!cw_deck_setup_has_table(engine->deck, "antenna"))
    return CW_OK;
  CW_TRY(CW_NEW(context, 1, "antenna", &made));
  engine->antenna = made;
  CW_TRY(cw_antenna_read(context, engine->deck, &made->antenna));
  CW_TRY(CW_NEW(context, 2 * made->antenna.count, "amplitudes of the antenna", &made->amplitude));
  start(engine, made);
  return make_waves(engine, made);
}

void cw_engine_destroy_antenna(cw_engine *engine) {
  cw_antenna_state *state = engine->antenna;
  if (!state)
    return;
  for (int a = 0; a < 3; a++)
    for (int half = 0; half < 2; half++)
      CW_DELETE(engine->context, state->wave[a][half]);
  CW_DELETE(engine->context, state->amplitude);
  CW_DELETE(engine->context, engine->antenna);
  engine->antenna = NULL;
}

/* To the next step. */
static void advance(const cw_engine *engine, cw_antenna_state *state) {
  const cw_antenna *antenna = &state->antenna;
  const double dt = engine->deck->dt, decay = exp(-antenna->damping * dt);
  const double re = decay * cos(antenna->frequency * dt),
               im = -decay * sin(antenna->frequency * dt);
  const double noise = sqrt(fmax(0, 1 - decay * decay) / 2);
  for (int m = 0; m < antenna->count; m++) {
    double normal[2], *a = &state->amplitude[2 * m];
    cw_random_normal(cw_loader_seed(engine->deck), STREAM_ANTENNA + (uint32_t)m,
                     (uint64_t)engine->step, 0, normal);
    const double before[2] = {a[0], a[1]}, kick = antenna->mode[m].rms * noise;
    a[0] = re * before[0] - im * before[1] + kick * normal[0];
    a[1] = re * before[1] + im * before[0] + kick * normal[1];
  }
}

/* (K^2 d - K (K d)) of component c. */
static double current_of(const cw_antenna *antenna, const cw_antenna_mode *mode, int c) {
  double square = 0, along = 0;
  for (int a = 0; a < 3; a++) {
    square += mode->K[a] * mode->K[a];
    along += mode->K[a] * antenna->direction[a];
  }
  return square * antenna->direction[c] - mode->K[c] * along;
}

/* A row of component c along axis 0, the mode's factor and its values over the row. */
static void add_row(const cw_antenna_state *state, const cw_grid *grid, int c, int64_t j, int64_t k,
                    double scale, cw_precision precision, void *array) {
  const int64_t at = cw_grid_index(grid, 0, j, k), n = grid->cells[0];
  for (int m = 0; m < state->antenna.count; m++) {
    const double weight = scale * current_of(&state->antenna, &state->antenna.mode[m], c);
    if (weight == 0)
      continue;
    const double *y = state->wave[1][c == 1] + 2 * (m * (int64_t)grid->cells[1] + j);
    const double *z = state->wave[2][c == 2] + 2 * (m * (int64_t)grid->cells[2] + k);
    const double *x = state->wave[0][c == 0] + 2 * m * n, *a = &state->amplitude[2 * m];
    const double yz[2] = {y[0] * z[0] - y[1] * z[1], y[0] * z[1] + y[1] * z[0]};
    const double re = weight * (a[0] * yz[0] - a[1] * yz[1]);
    const double im = weight * (a[0] * yz[1] + a[1] * yz[0]);
    for (int64_t i = 0; i < n; i++)
      cw_real_set(array, precision, at + i,
                  cw_real_get(array, precision, at + i) + re * x[2 * i] - im * x[2 * i + 1]);
  }
}

cw_status cw_engine_add_antenna(cw_engine *engine) {
  cw_antenna_state *state = engine->antenna;
  const cw_deck *deck = engine->deck;
  const cw_grid *grid = &engine->grid;
  if (!state)
    return CW_OK;
  if (!deck->algorithms.deposit.enable)
    CW_TRY(cw_fields_zero_J(engine->fields));
  advance(engine, state);
  const cw_vector_view J = cw_fields_J(engine->fields);
  /* J is a sum of charges times velocities: E -= dt q0 / (B0 V0) J */
  const double scale = deck->B0 * deck->V0 / deck->q0;
  const int64_t rows = (int64_t)grid->cells[1] * grid->cells[2];
  for (int c = 0; c < 3; c++) {
#pragma omp parallel for schedule(static) num_threads(cw_context_threads(engine->context))
    for (int64_t row = 0; row < rows; row++)
      add_row(state, grid, c, row % grid->cells[1], row / grid->cells[1], scale, J.precision,
              J.component[c]);
  }
  return CW_OK;
}

int cw_engine_antenna_array(cw_engine *engine, cw_array *array) {
  if (!engine->antenna)
    return 0;
  *array = (cw_array){.type = CW_ARRAY_F64, .rank = 1};
  array->extent[0] = 2 * engine->antenna->antenna.count;
  snprintf(array->name, CW_ARRAY_NAME, "antenna/amplitude");
  array->data = engine->antenna->amplitude;
  return 1;
}
