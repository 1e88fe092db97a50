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
#include <string.h>

#include <cellwise/random.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "base/space.h"
#include "engine/engine_cuda.h"
#include "engine/engine_private.h"
#include "setup/antenna.h"
#include "setup/loaders.h"

enum { STREAM_ANTENNA = 7 << 16 };

struct cw_antenna_state {
  cw_antenna antenna;
  double *amplitude;      /* real and imaginary part of each mode, on the host */
  cw_antenna_waves waves; /* in the engine's space */
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

/* Takes `values` over into the engine's space. */
static cw_status place(const cw_engine *engine, int64_t count, double *values, double **placed) {
  cw_status status = cw_memory_alloc(engine->context, engine->space, (size_t)count, sizeof *values,
                                     "waves of the antenna", (void **)placed);
  if (status == CW_OK)
    status = cw_space_copy(engine->context, engine->space, *placed, CW_SPACE_HOST, values,
                           (size_t)count * sizeof *values);
  CW_DELETE(engine->context, values);
  return status;
}

static cw_status make_wave(const cw_engine *engine, cw_antenna_state *state, int axis, int half) {
  const cw_grid *grid = &engine->grid;
  const int64_t n = grid->cells[axis], count = n * state->antenna.count;
  double *wave = NULL;
  CW_TRY(CW_NEW(engine->context, 2 * count, "waves of the antenna", &wave));
  for (int64_t p = 0; p < count; p++) {
    const double k = state->antenna.mode[p / n].k[axis];
    const double phase = k * ((double)(p % n) + 0.5 * half) * grid->dx[axis];
    wave[2 * p] = cos(phase);
    wave[2 * p + 1] = sin(phase);
  }
  return place(engine, 2 * count, wave, &state->waves.wave[axis][half]);
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

/* J is a sum of charges times velocities: E -= dt q0 / (B0 V0) J. */
static cw_status make_weights(const cw_engine *engine, cw_antenna_state *state, int c) {
  const cw_deck *deck = engine->deck;
  const cw_antenna *antenna = &state->antenna;
  const double scale = deck->B0 * deck->V0 / deck->q0;
  double *weight = NULL;
  int any = 0;
  CW_TRY(CW_NEW(engine->context, antenna->count, "weights of the antenna", &weight));
  for (int m = 0; m < antenna->count; m++) {
    weight[m] = scale * current_of(antenna, &antenna->mode[m], c);
    any |= weight[m] != 0;
  }
  if (any)
    return place(engine, antenna->count, weight, &state->waves.weight[c]);
  CW_DELETE(engine->context, weight);
  return CW_OK;
}

static cw_status make_waves(const cw_engine *engine, cw_antenna_state *state) {
  state->waves.count = state->antenna.count;
  memcpy(state->waves.cells, engine->grid.cells, sizeof state->waves.cells);
  for (int a = 0; a < 3; a++) {
    CW_TRY(make_weights(engine, state, a));
    for (int half = 0; half < 2; half++)
      CW_TRY(make_wave(engine, state, a, half));
  }
  return cw_memory_alloc(engine->context, engine->space, 2 * (size_t)state->antenna.count,
                         sizeof(double), "amplitudes of the antenna",
                         (void **)&state->waves.amplitude);
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
  for (int a = 0; a < 3; a++) {
    cw_memory_free(engine->context, engine->space, state->waves.weight[a]);
    for (int half = 0; half < 2; half++)
      cw_memory_free(engine->context, engine->space, state->waves.wave[a][half]);
  }
  cw_memory_free(engine->context, engine->space, state->waves.amplitude);
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

/* A row of component c along axis 0, some places at a time so that their sums stand on the stack. */
static void add_row(const cw_antenna_waves *waves, const cw_grid *grid, int c, int64_t j, int64_t k,
                    cw_precision precision, void *array) {
  enum { CHUNK = 256 };
  const int64_t at = cw_grid_index(grid, 0, j, k), n = grid->cells[0];
  for (int64_t first = 0; first < n; first += CHUNK) {
    const int64_t end = cw_min_i64(n, first + CHUNK);
    double sum[CHUNK] = {0};
    for (int m = 0; m < waves->count; m++) {
      double factor[2];
      cw_antenna_row(waves, c, m, j, k, factor);
      for (int64_t i = first; i < end; i++)
        sum[i - first] += cw_antenna_at(waves, c, m, i, factor);
    }
    for (int64_t i = first; i < end; i++)
      cw_real_set(array, precision, at + i, cw_real_get(array, precision, at + i) + sum[i - first]);
  }
}

static void add_waves(const cw_engine *engine, const cw_antenna_waves *waves, cw_vector_view J) {
  const cw_grid *grid = &engine->grid;
  const int64_t rows = (int64_t)grid->cells[1] * grid->cells[2];
  for (int c = 0; c < 3; c++) {
    if (!waves->weight[c])
      continue;
#pragma omp parallel for schedule(static) num_threads(cw_context_threads(engine->context))
    for (int64_t row = 0; row < rows; row++)
      add_row(waves, grid, c, row % grid->cells[1], row / grid->cells[1], J.precision,
              J.component[c]);
  }
}

cw_status cw_engine_add_antenna(cw_engine *engine) {
  cw_antenna_state *state = engine->antenna;
  if (!state)
    return CW_OK;
  if (!engine->deck->algorithms.deposit.enable)
    CW_TRY(cw_fields_zero_J(engine->fields));
  advance(engine, state);
  /* all that crosses to a device in a step */
  CW_TRY(cw_space_send(engine->context, engine->space, state->waves.amplitude, state->amplitude,
                       2 * (size_t)state->antenna.count * sizeof *state->amplitude));
  if (engine->space == CW_SPACE_DEVICE)
    return cw_engine_add_antenna_cuda(engine->context, &state->waves, &engine->grid,
                                      cw_fields_J(engine->fields));
  add_waves(engine, &state->waves, cw_fields_J(engine->fields));
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
