/* Particles on the device: storage, sides of the block, removal of the dead, energies. */
#include "device_particles.h"

#include "base/reals.h"
#include "engine/engine_cuda.h"
#include "engine/engine_private.h"
#include "sort/sort_oracle.h"

static const int32_t cells[3] = {23, 17, 11};

static cw_particles *make(cw_context *context, int dim, cw_precision precision, cw_space space,
                          int64_t count) {
  cw_particles_options options = {
      .dim = dim, .precision = precision, .space = space, .with_weights = 1, .payloads = 2};
  cw_particles *made = NULL;
  plain_ok(context, cw_particles_create(context, &options, 1, &made));
  plain_ok(context, cw_particles_resize(made, count));
  return made;
}

typedef struct twins {
  cw_particles *host, *device;
} twins;

/* Some dead, some up to three cells outside, with offsets 0 and next to 0 and 1 among them. */
static twins make_twins(cw_context *context, int dim, cw_precision precision, int64_t count,
                        double dead) {
  const oracle_case c = {.dim = dim,
                         .precision = precision,
                         .cells = {cells[0], cells[1], cells[2]},
                         .dead = dead,
                         .outside = 0.4};
  static const double offsets[] = {0, 1e-30, 0x1p-26, 0x1p-25, 0x1p-54, 0.5, 1 - 0x1p-24};
  twins t = {make(context, dim, precision, CW_SPACE_HOST, count),
             make(context, dim, precision, CW_SPACE_DEVICE, count)};
  cw_particles_view host = cw_particles_get_view(t.host), device = cw_particles_get_view(t.device);
  for (int64_t p = 0; p < count; p++) {
    oracle_particle(&c, &host, p, (uint64_t)p);
    for (int a = 0; a < 3; a++) {
      double r[2];
      cw_random_normal(4, (uint32_t)a, (uint64_t)p, 0, r);
      cw_real_set(host.u[a], precision, p, r[0] * pow(10, (double)(p % 5) - 3));
      if (a < dim && p % 3 == 0)
        cw_real_set(host.dx[a], precision, p, offsets[(p / 3 + a) % 7]);
    }
  }
  upload(context, &host, &device, count);
  return t;
}

static void drop_twins(cw_context *context, twins *t) {
  cw_particles_destroy(t->host);
  cw_particles_destroy(t->device);
  plain_check(cw_memory_used(context, CW_SPACE_DEVICE) == 0, "device memory is still held");
}

static void test_storage_grows_with_its_contents_and_new_slots_are_dead(cw_context *context) {
  static const int64_t counts[] = {0, 1, 10, 1000, 5000, 100000, 200, 300000};
  for (int dim = 1; dim <= 3; dim++)
    for (int precision = 0; precision < 2; precision++) {
      cw_particles_options options = {.dim = dim,
                                      .precision = (cw_precision)precision,
                                      .space = CW_SPACE_DEVICE,
                                      .with_weights = 1,
                                      .payloads = 2};
      twins t = make_twins(context, dim, (cw_precision)precision, 100, 0.3);
      for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        plain_ok(context, cw_particles_resize(t.host, counts[k]));
        plain_ok(context, cw_particles_resize(t.device, counts[k]));
        cw_particles_view host = cw_particles_get_view(t.host),
                          device = cw_particles_get_view(t.device);
        plain_check(device.space == CW_SPACE_DEVICE && device.count == counts[k], "view");
        plain_check(different_slots(context, &host, &device, counts[k], 1) == 0,
                    "%lld slots, dim %d", (long long)counts[k], dim);
      }
      size_t used = cw_memory_used(context, CW_SPACE_DEVICE),
             least = cw_particles_bytes_each(&options) * (size_t)cw_particles_capacity(t.device);
      plain_check(used >= least && used < least + 18 * 64, "%zu bytes for %zu", used, least);
      drop_twins(context, &t);
    }
}

static void test_refused_growth_loses_nothing(cw_context *context) {
  twins t = make_twins(context, 3, CW_SINGLE, 1000, 0.3);
  cw_particles_view host = cw_particles_get_view(t.host);
  const size_t used = cw_memory_used(context, CW_SPACE_DEVICE);
  /* some arrays fit, not all */
  const int64_t absurd = (int64_t)(cw_device_opened(context)->memory_total / 20);
  plain_refused(context, cw_particles_reserve(t.device, absurd), CW_ERROR_MEMORY, "particles ");
  cw_particles_view device = cw_particles_get_view(t.device);
  plain_check(cw_memory_used(context, CW_SPACE_DEVICE) == used, "memory is still held");
  plain_check(different_slots(context, &host, &device, 1000, 1) == 0, "contents");
  drop_twins(context, &t);
}

static cw_deck deck; /* too large for a stack; only its sides are read */

static cw_engine make_engine(cw_context *context, int dim, int walls) {
  static const double origin[3] = {0}, dx[3] = {1, 1, 1};
  cw_engine engine = {.context = context, .deck = &deck};
  plain_ok(context, cw_grid_init(context, &engine.grid, dim, cells, 3, origin, dx));
  for (int a = 0; a < 3; a++)
    for (int side = 0; side < 2; side++)
      deck.grid.particles[a][side] = (cw_particle_boundary)((walls / (a ? 3 * a : 1) + side) % 3);
  return engine;
}

static void test_sides_leave_the_hosts_bits(cw_context *context) {
  for (int dim = 1; dim <= 3; dim++)
    for (int precision = 0; precision < 2; precision++)
      for (int walls = 0; walls < 9; walls++) {
        const int64_t count = 20000;
        if (plain_short() && (dim + precision + walls) % 5)
          continue;
        cw_engine engine = make_engine(context, dim, walls);
        twins t = make_twins(context, dim, (cw_precision)precision, count, 0.1);
        cw_species_state host = {.particles = t.host}, device = {.particles = t.device};
        plain_ok(context, cw_engine_apply_boundaries(&engine, &host));
        plain_ok(context, cw_engine_apply_boundaries(&engine, &device));
        cw_particles_view expected = cw_particles_get_view(t.host),
                          found = cw_particles_get_view(t.device);
        plain_check(different_slots(context, &expected, &found, count, 1) == 0,
                    "dim %d, %s, walls %d", dim, cw_precision_name(found.precision), walls);
        drop_twins(context, &t);
      }
}

static void test_removal_of_the_dead_keeps_the_order_of_the_others(cw_context *context) {
  static const double dead[] = {0, 0.001, 0.5, 1};
  static const int64_t counts[] = {0, 1, 4097, 50000};
  for (int k = 0; k < 48; k += plain_short() ? 7 : 1) {
    const int dim = 1 + k % 3;
    const cw_precision precision = (cw_precision)(k / 3 % 2);
    cw_engine engine = make_engine(context, dim, 0);
    twins t = make_twins(context, dim, precision, counts[k % 4], dead[k / 4 % 4]);
    cw_species_state host = {.particles = t.host}, device = {.particles = t.device};
    const uint64_t epoch = cw_particles_epoch(t.device);
    plain_ok(context, cw_engine_compact(&engine, &host));
    plain_ok(context, cw_engine_compact(&engine, &device));
    const int64_t left = cw_particles_count(t.host);
    cw_particles_view expected = cw_particles_get_view(t.host),
                      found = cw_particles_get_view(t.device);
    plain_check(found.count == left, "%lld left of %lld", (long long)found.count, (long long)left);
    plain_check((cw_particles_epoch(t.device) != epoch) == (left != counts[k % 4]), "epoch");
    if (found.count == left)
      plain_check(different_slots(context, &expected, &found, left, 1) == 0, "dim %d, %lld slots",
                  dim, (long long)left);
    drop_twins(context, &t);
  }
}

/* In long double, particle by particle. */
static double plain_energy(const cw_particles_view *view, int massless, int64_t *alive) {
  long double sum = 0;
  *alive = 0;
  for (int64_t p = 0; p < view->count; p++) {
    if (view->tag[p] == CW_TAG_DEAD)
      continue;
    long double u2 = 0;
    for (int a = 0; a < 3; a++) {
      long double u = cw_real_get(view->u[a], view->precision, p);
      u2 += u * u;
    }
    sum += (massless ? sqrtl(u2) : u2 / (sqrtl(1 + u2) + 1)) *
           cw_real_get(view->weight, view->precision, p);
    ++*alive;
  }
  return (double)sum;
}

static void test_energy_is_the_plain_sum_and_has_the_same_bits_again(cw_context *context) {
  static const int64_t counts[] = {0, 1, 300, 100000, 600000};
  void *work = NULL;
  for (int k = 0; k < 20; k += plain_short() ? 3 : 1) {
    const cw_precision precision = (cw_precision)(k % 2);
    const int massless = k / 2 % 2;
    twins t = make_twins(context, 1 + k % 3, precision, counts[k / 4], 0.2);
    cw_particles_view host = cw_particles_get_view(t.host),
                      device = cw_particles_get_view(t.device);
    int64_t alive, expected_alive;
    double found = -1, again = -2;
    const double expected = plain_energy(&host, massless, &expected_alive);
    plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, CW_ENERGY_WORK, sizeof(double),
                                      "sums", &work));
    plain_ok(context,
             cw_engine_block_energy_cuda(context, &device, massless, work, &found, &alive));
    /* a term is right to a few units of 1e-16, and the tree adds 20 roundings of positive sums */
    plain_near(found, expected, 1e-14 * expected);
    plain_check(alive == expected_alive, "%lld alive of %lld", (long long)alive,
                (long long)expected_alive);
    plain_ok(context,
             cw_engine_block_energy_cuda(context, &device, massless, work, &again, &alive));
    plain_check(memcmp(&found, &again, sizeof found) == 0, "%.17g and %.17g", found, again);
    cw_memory_free(context, CW_SPACE_DEVICE, work);
    drop_twins(context, &t);
  }
}

int main(void) {
  static const plain_case cases[] = {
      PLAIN_CASE(test_storage_grows_with_its_contents_and_new_slots_are_dead),
      PLAIN_CASE(test_refused_growth_loses_nothing),
      PLAIN_CASE(test_sides_leave_the_hosts_bits),
      PLAIN_CASE(test_removal_of_the_dead_keeps_the_order_of_the_others),
      PLAIN_CASE(test_energy_is_the_plain_sum_and_has_the_same_bits_again),
  };
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
