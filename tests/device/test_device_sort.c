/* The sort on the device gives the bits of the sort on the host: a stable sort has one result. */
#include "device_particles.h"

#include "sort/sort_oracle.h"

enum { MANY_ROUND = 3 };

typedef struct twins {
  cw_context *context;
  oracle_case c;
  cw_particles *host, *device;
  cw_cells *host_cells, *device_cells;
} twins;

static twins make_twins(cw_context *context, const oracle_case *c, int low_memory) {
  twins t = {.context = context, .c = *c};
  cw_particles_options options = {
      .dim = c->dim, .precision = c->precision, .with_weights = 1, .payloads = c->dim + 1};
  cw_cells_options cells = {
      .dim = c->dim, .tile = c->tile, .key = c->key, .depth = c->depth, .low_memory = low_memory};
  memcpy(cells.cells, c->cells, sizeof cells.cells);
  plain_ok(context, cw_particles_create(context, &options, c->count, &t.host));
  plain_ok(context, cw_cells_create(context, &cells, &t.host_cells));
  options.space = cells.space = CW_SPACE_DEVICE;
  plain_ok(context, cw_particles_create(context, &options, c->count, &t.device));
  plain_ok(context, cw_cells_create(context, &cells, &t.device_cells));
  plain_ok(context, cw_particles_resize(t.host, c->count));
  plain_ok(context, cw_particles_resize(t.device, c->count));
  cw_particles_view from = cw_particles_get_view(t.host), to = cw_particles_get_view(t.device);
  for (int64_t p = 0; p < c->count; p++)
    oracle_particle(c, &from, p, (uint64_t)p);
  upload(context, &from, &to, c->count);
  return t;
}

static void drop_twins(twins *t) {
  cw_cells_destroy(t->host_cells);
  cw_cells_destroy(t->device_cells);
  cw_particles_destroy(t->host);
  cw_particles_destroy(t->device);
  plain_check(cw_memory_used(t->context, CW_SPACE_DEVICE) == 0, "device memory is still held");
}

static void compare(twins *t, const char *what) {
  const oracle_case *c = &t->c;
  const int64_t alive = cw_particles_count(t->host);
  cw_particles_view host = cw_particles_get_view(t->host),
                    device = cw_particles_get_view(t->device);
  cw_cells_view expected = cw_cells_get_view(t->host_cells),
                found = cw_cells_get_view(t->device_cells);
  plain_check(cw_particles_count(t->device) == alive && found.npart_partitioned == alive &&
                  found.total_tiles == expected.total_tiles && found.total_tiles > 0,
              "%s: %lld particles of %lld, %lld tiles", what,
              (long long)cw_particles_count(t->device), (long long)alive,
              (long long)found.total_tiles);
  const size_t bytes = ((size_t)expected.total_tiles + 1) * sizeof(int64_t);
  int64_t *offsets = malloc(bytes);
  memset(offsets, 0xa5, bytes);
  plain_ok(t->context, cw_device_read(t->context, offsets, found.tile_offsets, bytes));
  plain_check(memcmp(offsets, expected.tile_offsets, bytes) == 0, "%s: offsets", what);
  free(offsets);
  int64_t different = different_slots(t->context, &host, &device, alive, 0);
  plain_check(different == 0,
              "%s: %lld values differ: dim %d, %s, tile %d, key %d, depth %d, %lld particles", what,
              (long long)different, c->dim, cw_precision_name(c->precision), (int)c->tile,
              (int)c->key, (int)c->depth, (long long)c->count);
  plain_ok(t->context, cw_cells_check(t->device_cells, t->device));
}

/* Moves some particles, kills some, appends some, the same on both sides: a few in the first rounds,
 * so that they are nearly sorted. */
static void disturb(twins *t, uint32_t round) {
  const double moved = round < MANY_ROUND ? 0.01 : 0.1;
  const int64_t count = cw_particles_count(t->host);
  const int64_t more = count + count / (round < MANY_ROUND ? 60 : 7) + 1;
  plain_ok(t->context, cw_particles_resize(t->host, more));
  plain_ok(t->context, cw_particles_resize(t->device, more));
  cw_particles_view host = cw_particles_get_view(t->host),
                    device = cw_particles_get_view(t->device);
  for (int64_t p = 0; p < more; p++) {
    if (p >= count)
      oracle_particle(&t->c, &host, p, (uint64_t)(1000000 * round + p));
    for (int a = 0; a < t->c.dim; a++) {
      double r[2];
      cw_random_uniform(3, (uint32_t)a, host.id[p], round, r);
      host.i_prev[a][p] = host.i[a][p];
      host.i[a][p] += (r[0] < moved) - (r[0] > 1 - moved);
      if (r[1] < 0.02)
        host.tag[p] = CW_TAG_DEAD;
    }
  }
  upload(t->context, &host, &device, more);
}

static void check_owner(cw_context *context, const oracle_case *c, int low_memory) {
  twins t = make_twins(context, c, low_memory);
  for (uint32_t round = 0; round <= MANY_ROUND && !plain_failures; round++) {
    if (round > 0)
      disturb(&t, round);
    plain_ok(context, cw_cells_sort(t.host_cells, t.host));
    plain_ok(context, cw_cells_sort(t.device_cells, t.device));
    compare(&t, low_memory ? "owner, low memory" : "owner");
  }
  drop_twins(&t);
}

/* A caller's own arrays keep their addresses. */
static void check_view(cw_context *context, const oracle_case *c, int low_memory) {
  twins t = make_twins(context, c, low_memory);
  cw_particles_view host = cw_particles_get_view(t.host), device = cw_particles_get_view(t.device);
  int64_t expected = -1, found = -2;
  plain_ok(context, cw_cells_sort_view(t.host_cells, host, &expected));
  plain_ok(context, cw_cells_sort_view(t.device_cells, device, &found));
  plain_check(expected == found, "%lld particles of %lld", (long long)found, (long long)expected);
  plain_check(different_slots(context, &host, &device, expected, 0) == 0,
              "view: dim %d, %s, low memory %d", c->dim, cw_precision_name(c->precision),
              low_memory);
  drop_twins(&t);
}

static void test_device_sort_equals_the_hosts(cw_context *context) {
  static const int32_t tiles[] = {4, 6, 8, 10, 12, 14, 16};
  int number = 0;
  for (int dim = 1; dim <= 3; dim++)
    for (int precision = 0; precision < 2; precision++)
      for (int key = 0; key < 2; key++)
        for (int depth = 0; depth < 3; depth++, number++) {
          if (plain_short() && number % 5)
            continue;
          oracle_case c = {.dim = dim,
                           .precision = (cw_precision)precision,
                           .cells = {dim == 1 ? 2003 : 37, 29, 23},
                           .tile = tiles[number % 7],
                           .key = (cw_cells_key)key,
                           .depth = (cw_cells_depth)depth,
                           .dead = 0.1 * (number % 3),
                           .outside = 0.1 * (number % 4),
                           .count = 5000};
          for (int low_memory = 0; low_memory < 2; low_memory++) {
            check_owner(context, &c, low_memory);
            check_view(context, &c, low_memory);
          }
        }
}

static void test_few_particles_many_particles_and_none(cw_context *context) {
  static const int64_t counts[] = {0, 1, 2, 31, 4096, 4097, 300000};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    for (int low_memory = 0; low_memory < 2; low_memory++)
      for (int dead = plain_short(); dead < (plain_short() && k != 5 ? 2 : 3); dead++) {
        oracle_case c = {.dim = 3,
                         .cells = {64, 61, 70},
                         .tile = 4,
                         .key = CW_KEY_CURRENT,
                         .depth = CW_DEPTH_NODE,
                         .dead = 0.5 * dead,
                         .count = counts[k]};
        check_owner(context, &c, low_memory);
      }
}

static void test_all_in_one_tile_leave_the_others_empty(cw_context *context) {
  oracle_case c = {.dim = 2, .cells = {9, 9}, .tile = 8, .depth = CW_DEPTH_CELL, .count = 10000};
  twins t = make_twins(context, &c, 0);
  cw_particles_view host = cw_particles_get_view(t.host), device = cw_particles_get_view(t.device);
  for (int64_t p = 0; p < c.count; p++)
    host.i[0][p] = host.i_prev[0][p] = host.i[1][p] = host.i_prev[1][p] = 8;
  upload(context, &host, &device, c.count);
  plain_ok(context, cw_cells_sort(t.host_cells, t.host));
  plain_ok(context, cw_cells_sort(t.device_cells, t.device));
  compare(&t, "one tile");
  drop_twins(&t);
}

static uint32_t make_key(int kind, int64_t count, int64_t p, uint32_t bins) {
  double r[2];
  cw_random_uniform(9, 0, (uint64_t)p, 0, r);
  switch (kind) {
  case 0:
    return (uint32_t)(r[0] * (bins + 1.0)); /* with the sentinel */
  case 1:
    return bins / 2;
  default:
    return (uint32_t)((double)(count - 1 - p) / (double)count * bins);
  }
}

static void check_keys(cw_context *context, int64_t count, uint32_t bins, int kind) {
  const size_t n = (size_t)count;
  uint32_t *keys = malloc(4 * n + 4), *expected = malloc(4 * n + 4), *found = malloc(4 * n + 4);
  int64_t *first = malloc(8 * ((size_t)bins + 1)), *first_found = malloc(8 * ((size_t)bins + 1));
  void *device[3];
  for (int64_t p = 0; p < count; p++)
    keys[p] = make_key(kind, count, p, bins);
  plain_ok(context, cw_cells_sort_keys(context, count, keys, bins, expected, first));
  for (int k = 0; k < 3; k++)
    plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, k < 2 ? n : (size_t)bins + 1,
                                      k < 2 ? 4 : 8, "keys", &device[k]));
  plain_ok(context, cw_device_write(context, device[0], keys, 4 * n));
  for (int low_memory = 0; low_memory < 2; low_memory++) {
    plain_ok(context, cw_cells_sort_keys_device(context, count, device[0], bins, low_memory,
                                                device[1], device[2]));
    memset(found, 0xa5, 4 * n + 4);
    plain_ok(context, cw_device_read(context, found, device[1], 4 * n));
    plain_ok(context, cw_device_read(context, first_found, device[2], 8 * ((size_t)bins + 1)));
    plain_check(memcmp(found, expected, 4 * n) == 0, "%lld keys, %lu bins, kind %d, low memory %d",
                (long long)count, (unsigned long)bins, kind, low_memory);
    plain_check(memcmp(first, first_found, 8 * ((size_t)bins + 1)) == 0,
                "offsets: %lld keys, %lu bins, kind %d, low memory %d", (long long)count,
                (unsigned long)bins, kind, low_memory);
  }
  for (int k = 0; k < 3; k++)
    cw_memory_free(context, CW_SPACE_DEVICE, device[k]);
  free(keys), free(expected), free(found), free(first), free(first_found);
}

static void test_arbitrary_keys_sort_as_on_the_host(cw_context *context) {
  static const int64_t counts[] = {0, 1, 4095, 4096, 70001};
  static const uint32_t bins[] = {1, 2, 255, 256, 1000, 65535, 3000000};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (size_t b = plain_short() ? c : 0; b < sizeof bins / sizeof *bins;
         b += plain_short() ? 3 : 1)
      for (int kind = 0; kind < 3; kind++)
        check_keys(context, counts[c], bins[b], kind);
}

static void test_a_key_above_the_bins_is_named(cw_context *context) {
  uint32_t keys[100] = {0};
  int64_t offsets[8];
  void *device[3];
  keys[41] = 8, keys[77] = UINT32_MAX;
  for (int k = 0; k < 3; k++)
    plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, 100, 8, "keys", &device[k]));
  plain_ok(context, cw_device_write(context, device[0], keys, sizeof keys));
  for (int low_memory = 0; low_memory < 2; low_memory++) {
    plain_refused(
        context,
        cw_cells_sort_keys_device(context, 100, device[0], 7, low_memory, device[1], device[2]),
        CW_ERROR_NUMERIC, "slot 41 is the first of 2");
    plain_ok(context, cw_device_read(context, offsets, device[2], sizeof offsets));
    plain_check(offsets[7] == 98, "%lld keys below", (long long)offsets[7]);
  }
  for (int k = 0; k < 3; k++)
    cw_memory_free(context, CW_SPACE_DEVICE, device[k]);
}

static void test_items_of_every_size_are_gathered(cw_context *context) {
  enum { COUNT = 5000 };
  static uint32_t permutation[COUNT];
  static unsigned char source[8 * COUNT], found[8 * COUNT];
  void *device[3];
  for (int k = 0; k < COUNT; k++)
    permutation[k] = (uint32_t)((int64_t)k * 2437 % COUNT);
  for (int k = 0; k < 8 * COUNT; k++)
    source[k] = (unsigned char)(k * 97 + k / 256);
  for (int k = 0; k < 3; k++)
    plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, COUNT, 8, "items", &device[k]));
  plain_ok(context, cw_device_write(context, device[0], permutation, sizeof permutation));
  plain_ok(context, cw_device_write(context, device[1], source, sizeof source));
  for (size_t size = 1; size <= 8; size *= 2) {
    int64_t wrong = 0;
    plain_ok(context,
             cw_cells_gather_device(context, COUNT, device[0], size, device[1], device[2]));
    plain_ok(context, cw_device_read(context, found, device[2], COUNT * size));
    for (size_t k = 0; k < COUNT; k++)
      wrong += memcmp(found + k * size, source + permutation[k] * size, size) != 0;
    plain_check(wrong == 0, "%lld items of %zu bytes", (long long)wrong, size);
  }
  plain_refused(context, cw_cells_gather_device(context, 1, device[0], 3, device[1], device[2]),
                CW_ERROR_ARGUMENT, "3 bytes");
  for (int k = 0; k < 3; k++)
    cw_memory_free(context, CW_SPACE_DEVICE, device[k]);
}

/* ---- time: CELLWISE_TIME=1 ---- */

enum { TIME_EDGE = 160, TIME_PPC = 16, TIME_REPEATS = 2 };

/* A cheap hash in place of a generator: 10^8 values are wanted in a second. */
static uint32_t hash(uint64_t n) {
  n = (n + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  n = (n ^ n >> 29) * 0x94d049bb133111ebu;
  return (uint32_t)(n >> 32);
}

/* Particles cell by cell along axis 0, to be sorted once. */
static void fill_block(cw_context *context, const cw_particles_view *device) {
  const int64_t count = device->count;
  char *values = calloc((size_t)count, 8);
  for (int a = 0; a < 3; a++) {
    const int64_t below = a == 0 ? 1 : a == 1 ? TIME_EDGE : TIME_EDGE * TIME_EDGE;
    for (int64_t p = 0; p < count; p++)
      ((int32_t *)values)[p] = (int32_t)(p / TIME_PPC / below % TIME_EDGE);
    plain_ok(context, cw_device_write(context, device->i[a], values, (size_t)count * 4));
    for (int64_t p = 0; p < count; p++)
      ((float *)values)[p] = (float)(hash((uint64_t)(3 * p + a)) >> 8) * 0x1p-24f;
    plain_ok(context, cw_device_write(context, device->dx[a], values, (size_t)count * 4));
    plain_ok(context, cw_device_write(context, device->u[a], values, (size_t)count * 4));
  }
  memset(values, CW_TAG_ALIVE, (size_t)count);
  plain_ok(context, cw_device_write(context, device->tag, values, (size_t)count));
  for (int64_t p = 0; p < count; p++)
    ((uint64_t *)values)[p] = (uint64_t)p;
  plain_ok(context, cw_device_write(context, device->id, values, (size_t)count * 8));
  free(values);
}

/* A tenth of the particles crosses to a neighbouring cell, an axis: 27 % change their cell. */
static void drift_block(cw_context *context, const cw_particles_view *device, uint64_t round) {
  const int64_t count = device->count;
  int32_t *cell = malloc((size_t)count * 4);
  for (int a = 0; a < 3; a++) {
    plain_ok(context, cw_device_read(context, cell, device->i[a], (size_t)count * 4));
    for (int64_t p = 0; p < count; p++) {
      const uint32_t r = hash(((round * 3 + (uint64_t)a) << 40) + (uint64_t)p) % 20;
      cell[p] = (cell[p] + (r == 0) + (r == 1 ? TIME_EDGE - 1 : 0)) % TIME_EDGE;
    }
    plain_ok(context, cw_device_write(context, device->i[a], cell, (size_t)count * 4));
  }
  free(cell);
}

static double time_sort(cw_context *context, cw_cells *cells, cw_particles *particles) {
  cw_device_event *begin = NULL, *end = NULL;
  double best = 1e9;
  plain_ok(context, cw_device_event_create(context, &begin));
  plain_ok(context, cw_device_event_create(context, &end));
  for (int k = 0; k <= TIME_REPEATS; k++) { /* the first makes room and the first order */
    double seconds = 0;
    cw_particles_view view = cw_particles_get_view(particles);
    drift_block(context, &view, (uint64_t)k);
    plain_ok(context, cw_device_event_record(context, begin));
    plain_ok(context, cw_cells_sort(cells, particles));
    plain_ok(context, cw_device_event_record(context, end));
    plain_ok(context, cw_device_event_seconds(context, begin, end, &seconds));
    if (k > 0 && seconds < best)
      best = seconds;
  }
  cw_device_event_destroy(context, begin);
  cw_device_event_destroy(context, end);
  return best;
}

static void time_of_a_nearly_sorted_block(cw_context *context) {
  static const char *const depths[] = {"tile", "cell", "node"};
  const char *wanted = getenv("CELLWISE_TIME");
  if (!wanted || strcmp(wanted, "1") != 0)
    return;
  const int64_t count = (int64_t)TIME_EDGE * TIME_EDGE * TIME_EDGE * TIME_PPC;
  cw_particles_options options = {.dim = 3, .space = CW_SPACE_DEVICE};
  cw_particles *particles = NULL;
  plain_ok(context, cw_particles_create(context, &options, count, &particles));
  plain_ok(context, cw_particles_resize(particles, count));
  cw_particles_view view = cw_particles_get_view(particles);
  fill_block(context, &view);
  for (int depth = 0; depth < 3; depth++)
    for (int low_memory = 0; low_memory < 2; low_memory++) {
      cw_cells_options cell_options = {.dim = 3,
                                       .cells = {TIME_EDGE, TIME_EDGE, TIME_EDGE},
                                       .tile = 4,
                                       .key = CW_KEY_CURRENT,
                                       .depth = (cw_cells_depth)depth,
                                       .low_memory = low_memory,
                                       .space = CW_SPACE_DEVICE};
      cw_cells *cells = NULL;
      plain_ok(context, cw_cells_create(context, &cell_options, &cells));
      const double seconds = time_sort(context, cells, particles);
      printf("     %lld particles, by %s, %s: %.1f ps a particle\n", (long long)count,
             depths[depth], low_memory ? "histogram" : "radix", 1e12 * seconds / (double)count);
      cw_cells_destroy(cells);
    }
  cw_particles_destroy(particles);
}

int main(void) {
  static const plain_case cases[] = {
      PLAIN_CASE(test_device_sort_equals_the_hosts),
      PLAIN_CASE(test_few_particles_many_particles_and_none),
      PLAIN_CASE(test_all_in_one_tile_leave_the_others_empty),
      PLAIN_CASE(test_arbitrary_keys_sort_as_on_the_host),
      PLAIN_CASE(test_a_key_above_the_bins_is_named),
      PLAIN_CASE(test_items_of_every_size_are_gathered),
      PLAIN_CASE(time_of_a_nearly_sorted_block),
  };
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
