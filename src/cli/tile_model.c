#include "cli/tile_model.h"

#include <math.h>
#include <stdio.h>

#include "kernels/deposit/deposit_scratch.h"

const int cw_tile_sizes[CW_TILE_SIZES] = {4, 6, 8, 10, 12, 14, 16};

enum { LANES = 32, BANKS = 32 };

/* Cycles of a warp, fitted to sweeps on an H200 (docs/tile-size.md). */
typedef struct cost {
  double saturating_warps; /* W_half: as many warps as one's latency hides */
  double particle;         /* load, factors, window */
  double product;          /* of each of a lane's sums a particle */
  double addition;         /* latency of an addition to the scratch */
  double flush;            /* to clear 32 values and to flush them, and the runs that a tile cuts */
  double team;             /* of each of a team's warps: to start, meet and end */
} cost;
static const cost runs_cost = {56, 186, 0.88, 120, 1.4, 6000};
static const cost lanes_cost = {28, 320, 5, 40, 60, 2000};
/* A pass of a warp's addition in shared memory: reals, and integers of 64 bits where a lane is a
 * particle, by compare-and-swap; integers of 32 bits, and those of 64 in two halves, natively. */
static const double pass_cycles[] = {15, 18, 4, 7.5};
static const double swap_cycles = 4.8;

/* What one particle asks of a warp. */
typedef struct kernel_shape {
  int runs;            /* the form that sums runs of particles in registers */
  int rows, ways;      /* runs: lanes with a row of planes, and how often the warp has them */
  int rounds;          /* runs: of lanes over the rows */
  double products;     /* values that a lane forms, a particle */
  double additions;    /* of a warp to the scratch, a particle */
  size_t value, stage; /* bytes of a sum, of a warp's stage */
  int registers;       /* a thread */
  int largest_team;    /* threads */
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
  /* as compiled for compute capability 9.0 */
  k.registers = c->is_double ? 128 : k.runs ? 96 : 80;
  k.largest_team = k.runs ? cw_deposit_largest_staged_team(c->is_double) : CW_DEPOSIT_LARGEST_TEAM;
  if (k.runs) {
    k.rows = cw_deposit_rows(c->dim, c->order + 1);
    k.ways = 2 * k.rows <= LANES ? LANES / k.rows : 1;
    k.rounds = (k.rows + LANES - 1) / LANES;
    k.products = (double)k.rounds * c->order / k.ways;
    k.additions = (double)k.rounds * c->order / fmax(c->ppc, 1);
    k.stage = cw_deposit_stage_bytes(c->dim, c->order, c->is_double ? 8 : 4);
  } else {
    const int window = cw_deposit_reach(c->order) + (c->order ? 2 : 1);
    k.products = 3 * pow(window, c->dim) / LANES;
    k.additions = k.products;
  }
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

/* As the launcher does it: of the sizes that keep the most threads resident the smallest. Where
 * each warp brings its stage, 4 warps or more if they fit. */
static void choose_team(const cw_tile_device *device, const kernel_shape *k,
                        cw_deposit_arena *arena, cw_tile_plan *plan) {
  const int most = k->largest_team / LANES;
  int best = -1;
  arena->warps = k->runs ? CW_DEPOSIT_STAGED_TEAM / LANES : 1;
  if (cw_deposit_arena_bytes(arena, plan->tile) > device->shared_a_team)
    arena->warps = 1;
  for (; arena->warps <= most; arena->warps++) {
    const size_t bytes = cw_deposit_arena_bytes(arena, plan->tile);
    const int teams = resident_teams(device, bytes, arena->warps * LANES, k->registers);
    const int worth = k->runs ? cw_deposit_worth(teams, arena->warps) : teams * arena->warps;
    if (worth <= best)
      continue;
    best = worth;
    plan->threads = arena->warps * LANES;
    plan->arena = bytes;
    plan->teams = teams;
  }
}

/* Where the scratch has the value that the lane's row adds with flow n; -1: it adds none. */
static int place_of(const cw_tile_case *c, int row, int n, int edge) {
  const int nodes = c->order + 1;
  const int volume = (int)cw_deposit_volume(c->dim, edge) + cw_deposit_pad(c->dim, c->order, edge);
  const int stride[3] = {1, edge, edge * edge};
  if (c->dim == 3) {
    const int component = row / (nodes * nodes), a = row % nodes, b = row / nodes % nodes;
    return component * volume + a * stride[component == 0] + b * stride[component == 2 ? 1 : 2] +
           n * stride[component];
  }
  if (row < 2 * nodes) {
    const int component = row / nodes;
    return component * volume + row % nodes * stride[!component] + n * stride[component];
  }
  row -= 2 * nodes;
  return n ? -1 : 2 * volume + row % nodes + row / nodes * edge;
}

/* Passes of one addition of lanes first .. last - 1: the most that meet in a bank of the value's
 * width. Lanes that meet in one word count each, but for 32-bit integers. */
static int passes_of(const int *place, int first, int last, int banks, int summed) {
  int most = 0;
  for (int lane = first; lane < last; lane++) {
    int here = 0;
    for (int other = first; other < last; other++) {
      int seen = 0;
      for (int before = first; summed && before < other; before++)
        seen |= place[before] == place[other];
      here += place[other] >= 0 && place[lane] >= 0 && !seen &&
              place[other] % banks == place[lane] % banks;
    }
    most = here > most ? here : most;
  }
  return most;
}

/* Of a warp's addition. Reals of 8 bytes go a half-warp at a time; integers of 8 bytes as their low
 * words, which answer with a carry and stand together, and their high words. */
static int warp_passes(const cw_tile_case *c, size_t value, const int place[LANES]) {
  if (value == 4)
    return passes_of(place, 0, LANES, BANKS, c->sums == CW_TILE_FIXED32);
  if (is_fixed(c))
    return passes_of(place, 0, LANES, BANKS, 0) + passes_of(place, 0, LANES, BANKS, 1);
  return passes_of(place, 0, LANES / 2, BANKS / 2, 0) +
         passes_of(place, LANES / 2, LANES, BANKS / 2, 0);
}

/* On average over a run's additions. The window's place shifts all lanes alike. */
static double bank_passes(const cw_tile_case *c, const kernel_shape *k, int edge) {
  double passes = 0;
  for (int round = 0; round < k->rounds; round++)
    for (int n = 0; n < c->order; n++) {
      int place[LANES];
      for (int lane = 0; lane < LANES; lane++) {
        const int row = k->ways > 1 ? lane % k->rows : lane + LANES * round;
        const int has = k->ways > 1 ? lane < k->ways * k->rows : row < k->rows;
        place[lane] = has ? place_of(c, row, n, edge) : -1;
      }
      passes += warp_passes(c, k->value, place);
    }
  return passes / (k->rounds * c->order);
}

static double contention_of(const cw_tile_case *c, const kernel_shape *k, int edge) {
  if (k->runs)
    return bank_passes(c, k, edge);
  /* a lane a particle, in the order of cells: those of one cell meet in one word */
  return fmax(1, fmin(LANES, c->ppc));
}

cw_tile_plan cw_tile_model(const cw_tile_device *device, const cw_tile_case *c, int tile) {
  const kernel_shape k = shape_of(c);
  const int margin = cw_deposit_margin(c->order, c->drift, k.runs);
  cw_deposit_arena arena = {.dim = c->dim,
                            .order = c->order,
                            .margin = margin,
                            .value = k.value,
                            .stage = k.stage,
                            .components = CW_DEPOSIT_COMPONENTS};
  if (k.runs)
    arena.pad = cw_deposit_pad(c->dim, c->order, tile + margin);
  if (!k.runs && cw_deposit_scratch_bytes(&arena, tile) > device->shared_a_team)
    arena.components = 1;
  cw_tile_plan plan = {.tile = tile, .edge = tile + margin, .components = arena.components};
  plan.scratch = cw_deposit_scratch_bytes(&arena, tile);
  const double inside = pow(tile, c->dim), values = pow(plan.edge, c->dim);
  plan.halo_waste = 1 - inside / values;
  plan.contention = contention_of(c, &k, plan.edge);
  choose_team(device, &k, &arena, &plan);
  if (plan.teams == 0)
    return plan;
  const double tiles = pow(ceil(c->cells / tile), c->dim);
  const double warps = (double)plan.teams * plan.threads / LANES;
  const cost *cycles = k.runs ? &runs_cost : &lanes_cost;
  const double overlap = 1 / warps + 1 / cycles->saturating_warps;
  plan.rounds = tiles / ((double)device->units * plan.teams);
  const int passes = CW_DEPOSIT_COMPONENTS / plan.components;
  plan.work =
      overlap * (cycles->particle * passes + cycles->product * k.products * (c->is_double ? 2 : 1) +
                 cycles->addition * k.additions);
  plan.halo = overlap / (c->ppc * inside) *
              (cycles->flush * CW_DEPOSIT_COMPONENTS * values / LANES +
               cycles->team * passes * plan.threads / LANES);
  plan.contended = k.additions * plan.contention * (k.runs ? pass_cycles[c->sums] : swap_cycles);
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
