/* Picoseconds a particle of the device's push, by design, for particles as a sort leaves them. */
#ifndef TESTS_DEVICE_PUSH_RATES_H
#define TESTS_DEVICE_PUSH_RATES_H

#include "push_case.h"

typedef struct rate_case {
  int dim, edge, each; /* each: particles a cell */
  cw_precision precision;
} rate_case;

static double next_random(uint64_t *state) { /* xorshift64, G. Marsaglia (2003) */
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) * 0x1p-53;
}

/* One particle around node `node` of the tile at `corner`, inside the tile. */
static void fill_slot(const fixture *f, int64_t p, const int *corner, const int *node, int tile,
                      uint64_t *state) {
  int still = 0;
  for (int a = 0; a < f->grid.dim; a++) {
    const double low = fmax(node[a] - 0.5, 0), high = fmin(node[a] + 0.5, tile - 1e-6);
    const double x = low + (high - low) * next_random(state);
    f->start.i[a][p] = corner[a] + (int32_t)x;
    cw_real_set(f->start.dx[a], f->precision, p, x - floor(x));
    still |= f->start.i[a][p] < 4 || f->start.i[a][p] >= f->grid.cells[a] - 4;
  }
  for (int a = 0; a < 3; a++) { /* thermal, T = 0.1; at rest near the edge of the box */
    const double sum = next_random(state) + next_random(state) + next_random(state) - 1.5;
    cw_real_set(f->start.u[a], f->precision, p, still ? 0 : 0.316 * 2 * sum);
  }
  f->start.tag[p] = CW_TAG_ALIVE;
}

/* Particles by tile, then by nearest node, as the sort leaves them. */
static void fill_sorted(fixture *f, const rate_case *rate, int tile, int64_t *offsets) {
  const int dim = rate->dim, across = rate->edge / tile;
  uint64_t state = 88172645463325252u;
  int64_t p = 0, tiles = 1;
  for (int a = 0; a < dim; a++)
    tiles *= across;
  for (int64_t t = 0; t < tiles; t++) {
    const int corner[3] = {(int)(t % across) * tile, (int)(t / across % across) * tile,
                           (int)(t / across / across) * tile};
    const int ny = dim > 1 ? tile : 0, nz = dim > 2 ? tile : 0;
    offsets[t] = p;
    for (int k = 0; k <= nz; k++)
      for (int j = 0; j <= ny; j++)
        for (int i = 0; i <= tile; i++) {
          const int node[3] = {i, j, k};
          int here = rate->each;
          for (int a = 0; a < dim; a++)
            here >>= node[a] == 0 || node[a] == tile;
          for (int n = 0; n < here; n++)
            fill_slot(f, p++, corner, node, tile, &state);
        }
  }
  offsets[tiles] = p;
  plain_check(p == f->start.count, "%lld of %lld", (long long)p, (long long)f->start.count);
}

static fixture make_rate(cw_context *context, const rate_case *rate, int tile) {
  fixture f = {.context = context, .precision = rate->precision};
  const int32_t cells[3] = {rate->edge, rate->edge, rate->edge};
  const double origin[3] = {0}, dx[3] = {1, 1, 1};
  int64_t count = rate->each, tiles = 1;
  plain_ok(context, cw_grid_init(context, &f.grid, rate->dim, cells, 4, origin, dx));
  for (int a = 0; a < rate->dim; a++) {
    count *= rate->edge;
    tiles *= rate->edge / tile;
  }
  f.start = make_view(context, rate->dim, rate->precision, CW_SPACE_HOST, count);
  f.device = make_view(context, rate->dim, rate->precision, CW_SPACE_DEVICE, count);
  void *offsets = NULL, *on_device = NULL;
  const size_t bytes = ((size_t)tiles + 1) * sizeof(int64_t);
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_HOST, bytes, 1, "offsets", &offsets));
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, bytes, 1, "offsets", &on_device));
  fill_sorted(&f, rate, tile, offsets);
  plain_ok(context, cw_device_write(context, on_device, offsets, bytes));
  cw_memory_free(context, CW_SPACE_HOST, offsets);
  f.device_cells = (cw_cells_view){.dim = rate->dim,
                                   .tile = tile,
                                   .tiles = {1, 1, 1},
                                   .cells = {rate->edge, 1, 1},
                                   .total_tiles = tiles,
                                   .tile_offsets = on_device,
                                   .npart_partitioned = count};
  for (int a = 0; a < rate->dim; a++) {
    f.device_cells.tiles[a] = rate->edge / tile;
    f.device_cells.cells[a] = rate->edge;
  }
  make_fields(&f);
  return f;
}

/* Picoseconds a particle and push, over `pushes` of them. */
static double measure(fixture *f, const cw_push_options *options, const cw_push_tuning *tuning,
                      int pushes) {
  cw_device_event *begin, *end;
  double seconds = 0;
  cw_push_job job = cw_push_make_job(options, &f->grid, &f->device_E, &f->device_B, &f->device);
  plain_ok(f->context, cw_device_event_create(f->context, &begin));
  plain_ok(f->context, cw_device_event_create(f->context, &end));
  plain_ok(f->context, cw_device_event_record(f->context, begin));
  for (int k = 0; k < pushes; k++)
    plain_ok(f->context, cw_push_cuda(f->context, &job, &f->device_cells, tuning));
  plain_ok(f->context, cw_device_event_record(f->context, end));
  plain_ok(f->context, cw_device_event_seconds(f->context, begin, end, &seconds));
  plain_ok(f->context, cw_device_synchronize(f->context));
  cw_device_event_destroy(f->context, begin);
  cw_device_event_destroy(f->context, end);
  return seconds / pushes / (double)f->start.count * 1e12;
}

static void rates_of(cw_context *context, const rate_case *rate) {
  static const cw_push_tuning designs[] = {{CW_PUSH_STAGING_NEVER, 0, 0},
                                           {CW_PUSH_STAGING_ALWAYS, 0, 0},
                                           {CW_PUSH_STAGING_ALWAYS, 1, 0},
                                           {CW_PUSH_STAGING_ALWAYS, 1, 128},
                                           {CW_PUSH_STAGING_AUTO, 0, 0}};
  static const char *const names[] = {"caches", "staged, drift 0", "staged, drift 1",
                                      "staged, drift 1, team 128", "automatic"};
  fixture f = make_rate(context, rate, 8);
  printf("%dD %d cells an axis, %d a cell, %s, tile 8; ps a particle\n", rate->dim, rate->edge,
         rate->each, cw_precision_name(rate->precision));
  transfer(context, f.start, &f.device);
  for (int order = 1; order <= 4; order++) {
    /* a step so short that the order of the particles stays */
    cw_push_options options = {
        .order = order, .pusher = CW_PUSHER_BORIS, .dt = 1e-6, .force_scale = 1e-6};
    for (int d = 0; d < 5; d++) {
      if (order > 3 && designs[d].staging == CW_PUSH_STAGING_ALWAYS)
        continue;
      measure(&f, &options, &designs[d], 1);
      printf("  order %d  %-26s %7.1f\n", order, names[d],
             measure(&f, &options, &designs[d], order > 3 ? 2 : 5));
    }
  }
  for (int d = 0; d < 3; d++) {
    cw_push_options options = {
        .order = 2, .pusher = CW_PUSHER_BORIS, .dt = 0.5 / sqrt(rate->dim), .force_scale = 1e-6};
    transfer(context, f.start, &f.device);
    printf("  order 2  %-26s %7.1f  mean of the 10 steps after a sort\n", names[d],
           measure(&f, &options, &designs[d], 10));
  }
  clear(&f);
}

static void rates(cw_context *context) {
  static const rate_case cases[] = {{3, 128, 16, CW_SINGLE},
                                    {2, 1024, 64, CW_SINGLE},
                                    {3, 128, 8, CW_SINGLE},
                                    {3, 64, 16, CW_DOUBLE},
                                    {2, 512, 64, CW_DOUBLE}};
  const char *wanted = getenv("CELLWISE_TIME");
  if (!wanted || strcmp(wanted, "1") != 0) {
    printf("rates: only with CELLWISE_TIME=1\n");
    return;
  }
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    rates_of(context, &cases[k]);
}

#endif
