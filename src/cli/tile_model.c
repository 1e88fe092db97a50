#include "cli/tile_model.h"

#include <math.h>
#include <stdio.h>

#include "kernels/deposit/deposit_scratch.h"

const int cw_tile_sizes[CW_TILE_SIZES] = {4, 6, 8, 10, 12, 14, 16};

enum { LANES = 32, BANKS = 32 };

/* Cycles, fitted to the sweep of docs/tile-size.md. */
static const double saturating_warps = 28; /* W_half: as many warps as one's latency hides */
static const double particle_cycles = 320; /* of a warp: load, factors, window */
static const double product_cycles = 5;    /* of a warp, for each of a lane's sums a particle */
static const double addition_cycles = 40;  /* latency of an addition to the scratch */
static const double flush_cycles = 60;     /* of a warp: to clear 32 values and to flush them */
static const double team_cycles = 2000;    /* of each of a team's warps: to start, meet and end */
/* A pass of a warp's addition in shared memory: floats by compare-and-swap, 64 bits likewise,
 * 32-bit integers by one instruction that also sums lanes that meet in one word. */
static const double pass_cycles[] = {3.7, 4.8, 1.9, 4.8};

/* What one particle asks of a warp. */
typedef struct kernel_shape {
  int runs;         /* the form that sums runs of particles in registers */
  int window;       /* nodes an axis that a particle, or a run, writes */
  double products;  /* values that a lane forms, a particle */
  double additions; /* of a warp to the scratch, a particle */
  size_t value, stage;
  int registers; /* a thread */
} kernel_shape;

static int is_fixed(const cw_tile_case *c) {
  return c->sums == CW_TILE_FIXED32 || c->sums == CW_TILE_FIXED64;
}

int cw_tile_exists(const cw_tile_case *c) {
  switch (c->sums) {
  case CW_TILE_F32:
    return !c->is_double;
  case CW_TILE_F64:
    return c->is_double;
  case CW_TILE_FIXED32:
    return cw_deposit_value_bytes(c->dim, c->order, c->is_double, 1, 32) == 4;
  default:
    return 1;
  }
}

static kernel_shape shape_of(const cw_tile_case *c) {
  kernel_shape k = {.runs = cw_deposit_has_runs(c->dim, c->order)};
  const int bits = c->sums == CW_TILE_FIXED32 ? 32 : 64;
  k.value = cw_deposit_value_bytes(c->dim, c->order, c->is_double, is_fixed(c), bits);
  k.window = k.runs ? c->order + 3 : cw_deposit_reach(c->order) + (c->order ? 2 : 1);
  const int pairs = c->dim > 1 ? k.window * k.window : k.window;
  if (k.runs) {
    /* one window for all particles of a run, as in the kernel that the cycles were fitted to */
    const int rounds = (pairs + LANES - 1) / LANES;
    k.products = 3.0 * rounds * (c->dim > 2 ? k.window - 1 : 1);
    k.additions = k.products / fmax(c->ppc, 1);
    k.stage = cw_deposit_stage_bytes(c->dim, c->order, c->is_double ? 8 : 4);
  } else {
    k.products = 3.0 * pairs * (c->dim > 2 ? k.window : 1) / LANES;
    k.additions = k.products;
  }
  const int small = c->dim == 1 || (c->dim == 2 && !(k.runs && is_fixed(c)));
  /* as compiled for compute capability 9.0 */
  k.registers = k.runs && !c->is_double ? 96 : small && !c->is_double ? 80 : 128;
  return k;
}

/* Teams of `threads` that a multiprocessor holds at once. */
static int resident_teams(const cw_tile_device *device, size_t arena, int threads, int registers) {
  if (arena > device->shared_a_team)
    return 0;
  int teams = (int)(device->shared_a_unit / (arena + device->reserved));
  const int by_threads = device->threads_a_unit / threads;
  const int by_registers = device->registers_a_unit / (registers * threads);
  teams = teams < by_threads ? teams : by_threads;
  teams = teams < by_registers ? teams : by_registers;
  return teams < device->teams_a_unit ? teams : device->teams_a_unit;
}

/* As the launcher does it: the smallest size that keeps the most threads resident. */
static void choose_team(const cw_tile_device *device, const kernel_shape *k, cw_tile_plan *plan) {
  if (k->runs) {
    for (int threads = CW_DEPOSIT_STAGED_TEAM; threads <= CW_DEPOSIT_LARGEST_STAGED_TEAM;
         threads += LANES) {
      const size_t arena = plan->scratch + k->stage * (size_t)(threads / LANES);
      const int teams = resident_teams(device, arena, threads, k->registers);
      if (threads > CW_DEPOSIT_STAGED_TEAM && teams * threads <= plan->teams * plan->threads)
        continue;
      plan->threads = threads;
      plan->arena = arena;
      plan->teams = teams;
    }
    return;
  }
  plan->arena = plan->scratch;
  for (int threads = LANES; threads <= CW_DEPOSIT_LARGEST_TEAM; threads += LANES) {
    const int teams = resident_teams(device, plan->arena, threads, k->registers);
    if (threads == LANES || teams * threads > plan->teams * plan->threads) {
      plan->threads = threads;
      plan->teams = teams;
    }
  }
}

/* Passes that a warp's additions take in a scratch of that edge, on average over the components. A
 * lane holds the pair (a, b) of two axes' nodes; the third axis and the window's place shift all
 * lanes alike. Values of 8 bytes go a half-warp at a time. */
static double bank_passes(int dim, int window, int edge, size_t value) {
  const int pairs = dim > 1 ? window * window : window, lanes = value == 8 ? LANES / 2 : LANES;
  const int banks = value == 8 ? BANKS / 2 : BANKS;
  double passes = 0, additions = 0;
  for (int c = 0; c < (dim > 2 ? 3 : 1); c++) {
    const int along_a = c == 0 && dim > 2 ? edge : 1;
    const int along_b = c == 2 || dim < 3 ? edge : edge * edge;
    for (int first = 0; first < pairs; first += lanes) {
      int hits[BANKS] = {0}, most = 0;
      for (int pair = first; pair < pairs && pair < first + lanes; pair++) {
        const int at = pair % window * along_a + pair / window * along_b;
        const int here = ++hits[at % banks];
        most = here > most ? here : most;
      }
      passes += most;
    }
    additions += (pairs + LANES - 1) / LANES;
  }
  return passes / additions;
}

static double contention_of(const cw_tile_case *c, const kernel_shape *k, int edge) {
  if (k->runs)
    return bank_passes(c->dim, k->window, edge, k->value);
  /* a lane a particle, in the order of cells: those of one cell meet in one word */
  return fmax(1, fmin(LANES, c->ppc));
}

cw_tile_plan cw_tile_model(const cw_tile_device *device, const cw_tile_case *c, int tile) {
  const kernel_shape k = shape_of(c);
  const int halo = cw_deposit_halo(c->order, c->drift);
  const cw_deposit_arena scratch = {
      .dim = c->dim, .halo = halo, .value = k.value, .components = CW_DEPOSIT_COMPONENTS};
  cw_tile_plan plan = {.tile = tile, .edge = tile + 2 * halo};
  plan.scratch = cw_deposit_scratch_bytes(&scratch, tile);
  const double inside = pow(tile, c->dim), values = pow(plan.edge, c->dim);
  plan.halo_waste = 1 - inside / values;
  plan.contention = contention_of(c, &k, plan.edge);
  choose_team(device, &k, &plan);
  if (plan.teams == 0)
    return plan;
  const double tiles = pow(ceil(c->cells / tile), c->dim);
  const double warps = (double)plan.teams * plan.threads / LANES;
  const double overlap = 1 / warps + 1 / saturating_warps;
  plan.rounds = tiles / ((double)device->units * plan.teams);
  plan.work = overlap * (particle_cycles + product_cycles * k.products * (c->is_double ? 2 : 1) +
                         addition_cycles * k.additions);
  plan.halo =
      overlap / (c->ppc * inside) *
      (flush_cycles * CW_DEPOSIT_COMPONENTS * values / LANES + team_cycles * plan.threads / LANES);
  plan.contended = k.additions * plan.contention * pass_cycles[c->sums];
  plan.idle = plan.rounds > 1 ? 0.5 / plan.rounds : 1 / plan.rounds - 0.5;
  plan.total = (plan.work + plan.halo + plan.contended) * (1 + plan.idle);
  return plan;
}

int cw_tile_recommend(const cw_tile_device *device, const cw_tile_case *c,
                      cw_tile_plan plans[CW_TILE_SIZES]) {
  int best = -1;
  for (int n = 0; n < CW_TILE_SIZES; n++) {
    plans[n] = cw_tile_model(device, c, cw_tile_sizes[n]);
    if (plans[n].teams > 0 && (best < 0 || plans[n].total < plans[best].total))
      best = n;
  }
  return best;
}

/* What makes `other` dearer than `best` most. */
static const char *pressure(const cw_tile_plan *best, const cw_tile_plan *other) {
  const double gains[] = {other->work - best->work, other->halo - best->halo,
                          other->contended - best->contended,
                          (other->idle - best->idle) * best->total / (1 + best->idle)};
  static const char *const names[] = {"fewer teams hide latency", "more of it is halo",
                                      "more contention", "too few rounds of teams"};
  int most = 0;
  for (int n = 1; n < 4; n++)
    most = gains[n] > gains[most] ? n : most;
  return names[most];
}

static size_t compare(const cw_tile_plan *best, const cw_tile_plan *other, char *text,
                      size_t size) {
  int length;
  if (other->teams == 0)
    length = snprintf(text, size, "; tiles of %d need %zu bytes of shared memory: too many",
                      other->tile, other->arena);
  else
    length = snprintf(text, size, "; tiles of %d cost %.0f %% more (%s)", other->tile,
                      100 * (other->total / best->total - 1), pressure(best, other));
  return (size_t)length < size ? (size_t)length : size;
}

void cw_tile_reason(const cw_tile_plan plans[CW_TILE_SIZES], int best, char *text, size_t size) {
  if (best < 0) {
    snprintf(text, size, "no tile fits: tiles of %d need %zu bytes of shared memory a team",
             plans[0].tile, plans[0].arena);
    return;
  }
  const cw_tile_plan *plan = &plans[best];
  size_t used =
      (size_t)snprintf(text, size, "tiles of %d: %d team%s of %d threads resident", plan->tile,
                       plan->teams, plan->teams > 1 ? "s" : "", plan->threads);
  used = used < size ? used : size;
  if (best > 0)
    used += compare(plan, &plans[best - 1], text + used, size - used);
  if (best + 1 < CW_TILE_SIZES)
    compare(plan, &plans[best + 1], text + used, size - used);
}
