/* Every operation on fields: the device against the host, over dimensions, precisions, boundaries
 * and axes thinner than their ghost cells. Both start from the same random values, ghost cells too,
 * and must agree everywhere. */
#include <cellwise/random.h>

#include "base/context_private.h"
#include "base/device.h"
#include "base/reals.h"
#include "fields/fields.h"
#include "plain_check.h"

enum { GHOST = 3, SHAPES = 13, WALLS = 8, ARRAYS = 9 };

static const struct {
  int dim;
  int32_t cells[3];
} shapes[SHAPES] = {{1, {1, 1, 1}},   {1, {5, 1, 1}},   {1, {1000, 1, 1}}, {2, {1, 7, 1}},
                    {2, {33, 2, 1}},  {2, {70, 35, 1}}, {2, {3, 300, 1}},  {3, {1, 1, 1}},
                    {3, {2, 3, 1}},   {3, {37, 6, 35}}, {3, {33, 34, 40}}, {3, {5, 66, 9}},
                    {3, {64, 32, 33}}};

/* What stands at the lower and upper side of an axis, by case and axis. */
typedef struct side_pair {
  cw_field_boundary field[2];
  cw_particle_boundary particle[2];
} side_pair;

static const side_pair periodic = {{CW_FIELD_PERIODIC, CW_FIELD_PERIODIC},
                                   {CW_PARTICLE_PERIODIC, CW_PARTICLE_PERIODIC}};
static const side_pair mirrors = {{CW_FIELD_CONDUCTOR, CW_FIELD_CONDUCTOR},
                                  {CW_PARTICLE_REFLECT, CW_PARTICLE_REFLECT}};
static const side_pair open_sides = {{CW_FIELD_ABSORB, CW_FIELD_ABSORB},
                                     {CW_PARTICLE_ABSORB, CW_PARTICLE_ABSORB}};
static const side_pair mixed = {{CW_FIELD_CONDUCTOR, CW_FIELD_ABSORB},
                                {CW_PARTICLE_REFLECT, CW_PARTICLE_ABSORB}};
static const side_pair turned = {{CW_FIELD_ABSORB, CW_FIELD_CONDUCTOR},
                                 {CW_PARTICLE_ABSORB, CW_PARTICLE_REFLECT}};

static const side_pair matching = {{CW_FIELD_MATCH, CW_FIELD_MATCH},
                                   {CW_PARTICLE_ABSORB, CW_PARTICLE_ABSORB}};
static const side_pair streaming = {{CW_FIELD_ABSORB, CW_FIELD_MATCH},
                                    {CW_PARTICLE_ABSORB, CW_PARTICLE_REFLECT}};

static const side_pair *const walls[WALLS][3] = {
    {&periodic, &periodic, &periodic},       {&mirrors, &mirrors, &mirrors},
    {&open_sides, &open_sides, &open_sides}, {&mixed, &periodic, &turned},
    {&periodic, &turned, &mirrors},          {&turned, &mixed, &periodic},
    {&matching, &streaming, &mixed},         {&streaming, &periodic, &matching}};

/* The same fields in both spaces, and the largest absolute value that went in. */
typedef struct twins {
  cw_context *context;
  cw_grid grid;
  cw_precision precision;
  cw_fields *host, *device;
  double *rho, *rho_device;             /* rho_device in device memory */
  double *target[6], *target_device[6]; /* of sides that match; the last ones NULL */
} twins;

static cw_fields_options make_options(const cw_grid *grid, cw_precision precision, int wall) {
  cw_fields_options options = {.precision = precision};
  for (int a = 0; a < grid->dim; a++) {
    options.absorb_width[a] = options.match_width[a] = 0.4 * grid->cells[a] * grid->dx[a];
    for (int side = 0; side < 2; side++) {
      options.boundary[a][side] = walls[wall][a]->field[side];
      options.particle[a][side] = walls[wall][a]->particle[side];
    }
  }
  return options;
}

static cw_vector_view view_of(cw_fields *fields, int set) {
  return set == 0 ? cw_fields_E(fields) : set == 1 ? cw_fields_B(fields) : cw_fields_J(fields);
}

static void randomise(const cw_grid *grid, cw_precision precision, void *array, uint32_t stream) {
  for (int64_t k = 0; k < grid->points; k++) {
    double uniform[2];
    cw_random_uniform(11, stream, (uint64_t)k, 0, uniform);
    cw_real_set(array, precision, k, 2 * uniform[0] - 1);
  }
}

static size_t bytes_of(const twins *t) {
  return (size_t)t->grid.points * (size_t)cw_precision_size(t->precision);
}

static void make_targets(twins *t) {
  const size_t bytes = (size_t)t->grid.points * sizeof(double);
  for (int f = 0; f < 5; f++) {
    plain_ok(t->context, CW_NEW(t->context, t->grid.points, "target", &t->target[f]));
    plain_ok(t->context, cw_memory_alloc(t->context, CW_SPACE_DEVICE, bytes, 1, "target",
                                         (void **)&t->target_device[f]));
    randomise(&t->grid, CW_DOUBLE, t->target[f], (uint32_t)(ARRAYS + 1 + f));
    plain_ok(t->context, cw_device_write(t->context, t->target_device[f], t->target[f], bytes));
  }
  cw_fields_match(t->host, (const double *const *)t->target);
  cw_fields_match(t->device, (const double *const *)t->target_device);
}

static twins make_twins(cw_context *context, int shape, int wall, cw_precision precision) {
  static const double origin[3] = {0}, dx[3] = {0.5, 0.75, 1.25};
  twins t = {.context = context, .precision = precision};
  plain_ok(context, cw_grid_init(context, &t.grid, shapes[shape].dim, shapes[shape].cells, GHOST,
                                 origin, dx));
  cw_fields_options options = make_options(&t.grid, precision, wall);
  plain_ok(context, cw_fields_create(context, &t.grid, &options, &t.host));
  options.space = CW_SPACE_DEVICE;
  plain_ok(context, cw_fields_create(context, &t.grid, &options, &t.device));
  for (int k = 0; k < ARRAYS; k++) {
    void *array = view_of(t.host, k / 3).component[k % 3];
    randomise(&t.grid, precision, array, (uint32_t)k);
    plain_ok(context, cw_device_copy_to(context, view_of(t.device, k / 3).component[k % 3], array,
                                        bytes_of(&t)));
  }
  size_t size = (size_t)t.grid.points * sizeof *t.rho;
  plain_ok(context, CW_NEW(context, t.grid.points, "rho", &t.rho));
  plain_ok(context,
           cw_memory_alloc(context, CW_SPACE_DEVICE, size, 1, "rho", (void **)&t.rho_device));
  randomise(&t.grid, CW_DOUBLE, t.rho, ARRAYS);
  plain_ok(context, cw_device_write(context, t.rho_device, t.rho, size));
  make_targets(&t);
  return t;
}

static void drop_twins(twins *t) {
  cw_fields_destroy(t->host);
  cw_fields_destroy(t->device);
  cw_memory_free(t->context, CW_SPACE_DEVICE, t->rho_device);
  CW_DELETE(t->context, t->rho);
  for (int f = 0; f < 6; f++) {
    cw_memory_free(t->context, CW_SPACE_DEVICE, t->target_device[f]);
    CW_DELETE(t->context, t->target[f]);
  }
  plain_check(cw_memory_used(t->context, CW_SPACE_DEVICE) == 0, "device memory is still held");
  plain_check(cw_memory_used(t->context, CW_SPACE_HOST) == 0, "host memory is still held");
}

/* Values are sums of at most some hundred terms of order 1 (ghost folds, filter weights): both
 * sides round each term, differently. */
static double tolerance_of(cw_precision precision) {
  return precision == CW_DOUBLE ? 5e-14 : 3e-5;
}

static void compare(twins *t, cw_precision precision, const void *host, const void *device,
                    const char *what, int shape, int wall) {
  void *copy = NULL;
  size_t bytes = (size_t)t->grid.points * (size_t)cw_precision_size(precision);
  double worst = 0, largest = 1;
  int64_t where = -1;
  plain_ok(t->context, CW_NEW(t->context, (int64_t)bytes, "copy", (char **)&copy));
  plain_ok(t->context, cw_device_read(t->context, copy, device, bytes));
  for (int64_t k = 0; k < t->grid.points; k++) {
    double expected = cw_real_get(host, precision, k);
    double error = fabs(cw_real_get(copy, precision, k) - expected);
    largest = cw_larger(largest, fabs(expected));
    if (error > worst || isnan(error)) {
      worst = error;
      where = k;
    }
    if (error != error)
      break;
  }
  plain_check(worst <= tolerance_of(precision) * largest,
              "%s, %s, shape %d, walls %d: off by %g of %g at (%d, %d, %d)", what,
              cw_precision_name(precision), shape, wall, worst, largest,
              (int)(where % t->grid.size[0]) - GHOST,
              (int)(where / t->grid.size[0] % t->grid.size[1]) - GHOST * (t->grid.dim > 1),
              (int)(where / t->grid.size[0] / t->grid.size[1]) - GHOST * (t->grid.dim > 2));
  CW_DELETE(t->context, copy);
}

static void compare_set(twins *t, int set, const char *what, int shape, int wall) {
  for (int a = 0; a < 3; a++)
    compare(t, t->precision, view_of(t->host, set).component[a],
            view_of(t->device, set).component[a], what, shape, wall);
}

/* Runs a check for every shape, wall and precision. */
static void for_all(cw_context *context, void (*check)(twins *t, int shape, int wall)) {
  for (int shape = 0; shape < SHAPES; shape++)
    for (int wall = 0; wall < WALLS; wall++)
      for (int p = 0; p < 2; p++) {
        if (plain_short() && (shape + wall + p) % 4)
          continue;
        twins t = make_twins(context, shape, wall, (cw_precision)p);
        check(&t, shape, wall);
        drop_twins(&t);
      }
}

static void check_updates(twins *t, int shape, int wall) {
  plain_ok(t->context, cw_fields_fill_ghosts(t->host));
  plain_ok(t->context, cw_fields_fill_ghosts(t->device));
  compare_set(t, 0, "ghosts of E", shape, wall);
  compare_set(t, 1, "ghosts of B", shape, wall);
  for (int step = 0; step < 3; step++) {
    plain_ok(t->context, cw_fields_advance_B(t->host, 0.1));
    plain_ok(t->context, cw_fields_advance_B(t->device, 0.1));
    plain_ok(t->context, cw_fields_advance_E(t->host, 0.2, 0.3));
    plain_ok(t->context, cw_fields_advance_E(t->device, 0.2, 0.3));
  }
  compare_set(t, 0, "E", shape, wall);
  compare_set(t, 1, "B", shape, wall);
  plain_ok(t->context, cw_fields_advance_E(t->host, 0.2, 0));
  plain_ok(t->context, cw_fields_advance_E(t->device, 0.2, 0));
  compare_set(t, 0, "E without current", shape, wall);
}

static void test_updates_agree(cw_context *context) {
  for_all(context, check_updates);
}

/* Folding alone, filters of one sweep (up to 4 passes) and of one axis at a time. */
static void check_currents(twins *t, int shape, int wall) {
  static const int passes[] = {0, 1, 4, 3, 7};
  for (int k = 0; k < 5; k++) {
    plain_ok(t->context, cw_fields_sync_J(t->host, passes[k]));
    plain_ok(t->context, cw_fields_sync_J(t->device, passes[k]));
    compare_set(t, 2, "J", shape, wall);
    plain_ok(t->context, cw_fields_sync_rho(t->host, t->rho, passes[k]));
    plain_ok(t->context, cw_fields_sync_rho(t->device, t->rho_device, passes[k]));
    compare(t, CW_DOUBLE, t->rho, t->rho_device, "rho", shape, wall);
  }
  plain_ok(t->context, cw_fields_zero_J(t->host));
  plain_ok(t->context, cw_fields_zero_J(t->device));
  compare_set(t, 2, "zeroed J", shape, wall);
}

static void test_currents_and_charges_agree(cw_context *context) {
  for_all(context, check_currents);
}

static void check_diagnostics(twins *t, int shape, int wall) {
  double host[4], device[4], again[2];
  plain_ok(t->context, cw_fields_fill_ghosts(t->host));
  plain_ok(t->context, cw_fields_fill_ghosts(t->device));
  plain_ok(t->context, cw_fields_energy(t->host, &host[0], &host[1]));
  plain_ok(t->context, cw_fields_energy(t->device, &device[0], &device[1]));
  plain_ok(t->context, cw_fields_energy(t->device, &again[0], &again[1]));
  plain_check(memcmp(device, again, sizeof again) == 0, "energies differ between two sums");
  plain_ok(t->context, cw_fields_charge_error(t->host, t->rho, 0.7, &host[2], &host[3]));
  plain_ok(t->context,
           cw_fields_charge_error(t->device, t->rho_device, 0.7, &device[2], &device[3]));
  for (int k = 0; k < 4; k++) /* double sums of at most 1e5 squares, in another order */
    plain_check(fabs(device[k] - host[k]) <= 1e-13 * host[k],
                "quantity %d, shape %d, walls %d: %.17g, host %.17g", k, shape, wall, device[k],
                host[k]);
  for (int of_B = 0; of_B < 2; of_B++) {
    plain_ok(t->context, cw_fields_divergence(t->host, of_B, t->rho));
    plain_ok(t->context, cw_fields_divergence(t->device, of_B, t->rho_device));
    compare(t, CW_DOUBLE, t->rho, t->rho_device, of_B ? "div B" : "div E", shape, wall);
  }
}

static void test_energies_divergences_and_charge_errors_agree(cw_context *context) {
  for_all(context, check_diagnostics);
}

static void test_value_that_is_not_finite_is_found(cw_context *context) {
  twins t = make_twins(context, 9, 0, CW_SINGLE);
  double error = 0, largest = 0;
  float bad = NAN;
  int64_t at = cw_grid_index(&t.grid, 17, 3, 20);
  plain_ok(context, cw_device_write(context, (float *)cw_fields_E(t.device).component[1] + at, &bad,
                                    sizeof bad));
  plain_refused(context, cw_fields_charge_error(t.device, t.rho_device, 1, &error, &largest),
                CW_ERROR_NUMERIC, "not finite");
  plain_check(isnan(error) && isnan(largest), "%g, %g", error, largest);
  drop_twins(&t);
}

static void zero_ghosts(const cw_grid *grid, cw_precision precision, void *array) {
  for (int64_t k = 0; k < grid->points; k++)
    for (int a = 0; a < grid->dim; a++) {
      int32_t i = (int32_t)(k / grid->stride[a] % grid->size[a]) - grid->ghost;
      if (i < 0 || i >= grid->cells[a])
        cw_real_set(array, precision, k, 0);
    }
}

static void put_J_into_E(twins *t) {
  for (int a = 0; a < 3; a++)
    plain_ok(t->context, cw_device_copy_within(t->context, cw_fields_E(t->device).component[a],
                                               cw_fields_J(t->device).component[a], bytes_of(t)));
}

/* The filter commutes with the divergence: for rho = div J before, rho and J filtered alike obey
 * rho = div J again. With E in J's place, that is what the charge error measures. */
static void test_filter_commutes_with_the_divergence(cw_context *context) {
  static const int passes[] = {1, 4, 6};
  for (int k = 0; k < 3; k++) {
    twins t = make_twins(context, 10, 0, CW_DOUBLE);
    double error = NAN, largest = NAN;
    for (int a = 0; a < 3; a++) {
      void *J = cw_fields_J(t.host).component[a];
      zero_ghosts(&t.grid, CW_DOUBLE, J);
      plain_ok(context,
               cw_device_write(context, cw_fields_J(t.device).component[a], J, bytes_of(&t)));
    }
    put_J_into_E(&t);
    plain_ok(context, cw_fields_fill_ghosts(t.device));
    plain_ok(context,
             cw_device_zero(context, t.rho_device, (size_t)t.grid.points * sizeof *t.rho_device));
    plain_ok(context, cw_fields_divergence(t.device, 0, t.rho_device));
    plain_ok(context, cw_fields_sync_rho(t.device, t.rho_device, passes[k]));
    plain_ok(context, cw_fields_sync_J(t.device, passes[k]));
    put_J_into_E(&t);
    plain_ok(context, cw_fields_charge_error(t.device, t.rho_device, 1, &error, &largest));
    /* some 30 roundings of values of order 1 / dx */
    plain_check(error <= 3e-14 && largest > 0.01, "%d passes: error %g of %g", passes[k], error,
                largest);
    drop_twins(&t);
  }
}

int main(void) {
  static const plain_case cases[] = {
      PLAIN_CASE(test_updates_agree),
      PLAIN_CASE(test_currents_and_charges_agree),
      PLAIN_CASE(test_energies_divergences_and_charge_errors_agree),
      PLAIN_CASE(test_value_that_is_not_finite_is_found),
      PLAIN_CASE(test_filter_commutes_with_the_divergence),
  };
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
