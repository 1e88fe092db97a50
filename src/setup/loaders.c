#include "setup/loaders.h"

#include <inttypes.h>
#include <math.h>

#include <cellwise/random.h>

#include "base/context_private.h"
#include "base/reals.h"

/* Random numbers of different purposes come from different streams; species add to them. */
enum { STREAM_COUNT = 1 << 16, STREAM_POSITION = 2 << 16, STREAM_MOMENTUM = 3 << 16 };

uint32_t cw_loader_seed(const cw_deck *deck) {
  const uint64_t seed = (uint64_t)deck->simulation.seed;
  return (uint32_t)(seed ^ seed >> 32);
}

void cw_loader_init(cw_loader *loader, const cw_setup_target *target) {
  *loader = (cw_loader){.target = target,
                        .seed = cw_loader_seed(target->deck),
                        .next_id = target->first_id ? target->first_id : 1};
}

/* Cell number, axis 0 fastest, and back to coordinates. */
static int64_t cell_count(const cw_grid *grid) {
  return (int64_t)grid->cells[0] * grid->cells[1] * grid->cells[2];
}

static void cell_index(const cw_grid *grid, int64_t cell, int32_t index[3]) {
  index[0] = (int32_t)(cell % grid->cells[0]);
  index[1] = (int32_t)(cell / grid->cells[0] % grid->cells[1]);
  index[2] = (int32_t)(cell / grid->cells[0] / grid->cells[1]);
}

static double profile_mean(const cw_injection *injection, const cw_grid *grid, int64_t cell) {
  if (!injection->profile)
    return 1;
  int32_t index[3];
  cell_index(grid, cell, index);
  double lower[3], upper[3];
  for (int a = 0; a < 3; a++) {
    lower[a] = grid->origin[a] + index[a] * grid->dx[a];
    upper[a] = grid->origin[a] + (index[a] + 1) * grid->dx[a];
  }
  return injection->profile(injection->profile_user, lower, upper);
}

int64_t cw_loader_round(double expected, uint32_t seed, uint32_t stream, uint64_t index) {
  double whole = floor(expected), uniform[2];
  cw_random_uniform(seed, stream, index, 0, uniform);
  return (int64_t)whole + (uniform[0] < expected - whole);
}

/* counts[cell]; returns 0 when a profile value is unusable. The cell's random number is keyed by
 * the injection's first id too, so that a second injection rounds independently of the first. */
static int count_cells(const cw_loader *loader, const cw_injection *injection, int64_t *counts) {
  const cw_grid *grid = loader->target->grid;
  const int weighted = loader->target->deck->particles.use_weights;
  const int64_t cells = cell_count(grid);
  const uint32_t stream = (uint32_t)(STREAM_COUNT + injection->species[0]);
  const uint64_t key = loader->next_id;
  int bad = 0;
#pragma omp parallel for schedule(static) reduction(+ : bad)                                       \
    num_threads(cw_context_threads(loader->target->context))
  for (int64_t cell = 0; cell < cells; cell++) {
    double mean = profile_mean(injection, grid, cell);
    double expected = injection->per_cell * mean;
    if (weighted)
      expected = mean < CW_LOADER_MIN_WEIGHT ? 0 : injection->per_cell;
    if (!(mean >= 0) || !(expected <= 1e9)) {
      bad++;
      continue;
    }
    counts[cell] = cw_loader_round(expected, loader->seed, stream, key + (uint64_t)cell);
  }
  return !bad;
}

/* Counts become the first slot of each cell; returns the largest count. */
static int64_t counts_to_slots(int64_t *slots, int64_t cells) {
  int64_t next = 0, most = 0;
  for (int64_t cell = 0; cell < cells; cell++) {
    int64_t count = slots[cell];
    slots[cell] = next;
    next += count;
    most = cw_max_i64(most, count);
  }
  slots[cells] = next;
  return most;
}

/* k's digits mirrored at the point: van der Corput's sequence. */
static double radical_inverse(uint64_t k, uint64_t base) {
  double value = 0, scale = 1;
  for (; k > 0; k /= base) {
    scale /= (double)base;
    value += scale * (double)(k % base);
  }
  return value;
}

/* Offsets in the cell: random, or point `slot` of a Hammersley set of `count` points. */
static void choose_offset(const cw_loader *loader, const cw_injection *injection, uint64_t id,
                          int64_t slot, int64_t count, double offset[3]) {
  if (injection->quiet) {
    double shift = 0.5 / (double)count;
    offset[0] = (double)slot / (double)count + shift;
    offset[1] = fmod(radical_inverse((uint64_t)slot, 2) + shift, 1.0);
    offset[2] = fmod(radical_inverse((uint64_t)slot, 3) + shift, 1.0);
    return;
  }
  double first[2], second[2] = {0, 0};
  const uint32_t stream = (uint32_t)(STREAM_POSITION + injection->species[0]);
  cw_random_uniform(loader->seed, stream, id, 0, first);
  if (loader->target->grid->dim > 2)
    cw_random_uniform(loader->seed, stream, id, 1, second);
  offset[0] = first[0];
  offset[1] = first[1];
  offset[2] = second[0];
}

/* The offset as it is stored: rounding must not carry it to 1. */
static double below_one(double offset, cw_precision precision) {
  if (precision == CW_DOUBLE)
    return fmin(offset, nextafter(1.0, 0.0));
  return (double)fminf((float)offset, nextafterf(1.0F, 0.0F));
}

void cw_loader_write(const cw_particles_view *view, int dim, int64_t slot, const int32_t index[3],
                     const double offset[3], const double u[3], double weight, uint64_t id) {
  for (int a = 0; a < dim; a++) {
    view->i[a][slot] = view->i_prev[a][slot] = index[a];
    double inside = below_one(offset[a], view->precision);
    cw_real_set(view->dx[a], view->precision, slot, inside);
    cw_real_set(view->dx_prev[a], view->precision, slot, inside);
  }
  for (int a = 0; a < 3; a++)
    cw_real_set(view->u[a], view->precision, slot, u[a]);
  if (view->weight)
    cw_real_set(view->weight, view->precision, slot, weight);
  if (view->tag)
    view->tag[slot] = CW_TAG_ALIVE;
  if (view->id)
    view->id[slot] = id;
}

/* The coordinates of an offset as it is stored. */
static void locate(const cw_grid *grid, cw_precision precision, const int32_t index[3],
                   const double offset[3], double x[3]) {
  for (int a = 0; a < 3; a++)
    x[a] = a < grid->dim
               ? grid->origin[a] + (index[a] + below_one(offset[a], precision)) * grid->dx[a]
               : 0;
}

/* Slots [base + slots[cell], base + slots[cell + 1]) of one species, for all cells. */
static void fill_species(const cw_loader *loader, const cw_injection *injection, int species,
                         const int64_t *slots, int64_t most, int64_t base) {
  const cw_grid *grid = loader->target->grid;
  const cw_particles_view view = cw_particles_get_view(loader->target->particles[species]);
  const int weighted = loader->target->deck->particles.use_weights;
  const int64_t cells = cell_count(grid);
#pragma omp parallel for schedule(static) num_threads(cw_context_threads(loader->target->context))
  for (int64_t cell = 0; cell < cells; cell++) {
    int32_t index[3];
    cell_index(grid, cell, index);
    const int64_t count = slots[cell + 1] - slots[cell];
    const double weight = weighted && count ? profile_mean(injection, grid, cell) : 1;
    for (int64_t k = 0; k < count; k++) {
      cw_loaded particle = {.species = species,
                            .id = loader->next_id + (uint64_t)(cell * most + k)};
      double offset[3], u[3] = {0, 0, 0};
      choose_offset(loader, injection, particle.id, k, count, offset);
      locate(grid, view.precision, index, offset, particle.x);
      cw_random_source source = {loader->seed, (uint32_t)(STREAM_MOMENTUM + species), particle.id,
                                 0};
      if (injection->momentum)
        injection->momentum(injection->momentum_user, &particle, &source, u);
      cw_loader_write(&view, grid->dim, base + slots[cell] + k, index, offset, u, weight,
                      particle.id);
    }
  }
}

/* Makes room for `more` particles of a species; *base is the first new slot. */
static cw_status grow(const cw_loader *loader, int species, int64_t more, int64_t *base) {
  const cw_setup_target *target = loader->target;
  const cw_deck_species *entry = &target->deck->particles.species[species];
  *base = cw_particles_count(target->particles[species]);
  if (entry->maxnpart > 0 && *base + more > entry->maxnpart)
    return cw_deck_fail(target->context, target->deck, entry->where,
                        "the initial state has %" PRId64 " particles of species %d (%s); its "
                        "maxnpart allows %" PRId64,
                        *base + more, species + 1, entry->label, entry->maxnpart);
  return cw_particles_resize(target->particles[species], *base + more);
}

cw_status cw_loader_inject(cw_loader *loader, const cw_injection *injection) {
  cw_context *context = loader->target->context;
  const int64_t cells = cell_count(loader->target->grid);
  int64_t *slots = NULL;
  cw_status status = CW_OK;
  if (!loader->target->particles)
    return CW_OK;
  CW_TRY_CLEANUP(status, CW_NEW(context, cells + 1, "particles a cell", &slots));
  if (!count_cells(loader, injection, slots)) {
    status = cw_fail(context, CW_ERROR_NUMERIC,
                     "setup: the density of species %d is negative, not finite or above 1e9 "
                     "particles in some cell",
                     injection->species[0] + 1);
    goto cleanup;
  }
  const int64_t most = counts_to_slots(slots, cells);
  for (int s = 0; s < injection->species_count; s++) {
    int64_t base = 0;
    CW_TRY_CLEANUP(status, grow(loader, injection->species[s], slots[cells], &base));
    fill_species(loader, injection, injection->species[s], slots, most, base);
  }
  loader->next_id += (uint64_t)(cells * most);

cleanup:
  CW_DELETE(context, slots);
  return status;
}

cw_status cw_loader_place(cw_loader *loader, int species_count, const int *species,
                          const double x[3], const double u[3]) {
  const cw_grid *grid = loader->target->grid;
  int32_t index[3] = {0, 0, 0};
  double offset[3] = {0, 0, 0};
  for (int a = 0; a < grid->dim; a++) {
    double cells = (x[a] - grid->origin[a]) / grid->dx[a];
    if (!(cells >= 0 && cells <= grid->cells[a]))
      return cw_fail(loader->target->context, CW_ERROR_ARGUMENT,
                     "setup: a particle at %g along axis %d is outside the box", x[a], a);
    index[a] = (int32_t)fmin(floor(cells), grid->cells[a] - 1);
    offset[a] = cells - index[a];
  }
  for (int s = 0; s < species_count; s++) {
    int64_t base = 0;
    CW_TRY(grow(loader, species[s], 1, &base));
    cw_particles_view view = cw_particles_get_view(loader->target->particles[species[s]]);
    cw_loader_write(&view, grid->dim, base, index, offset, u, 1, loader->next_id);
  }
  loader->next_id++;
  return CW_OK;
}
