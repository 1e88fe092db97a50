/* What crosses between the engine's space and the host: the initial state, output, the hash. */
#include <string.h>

#include <nettle/sha2.h>

#include "base/context_private.h"
#include "base/space.h"
#include "engine/ecsim_private.h"
#include "engine/engine_private.h"
#include "setup/setup.h"

/* ---- the initial state ---- */

/* Where the loaders write: the engine's own arrays, or twins of them on the host. */
typedef struct staging {
  cw_particles *particles[CW_DECK_MAX_SPECIES];
  cw_vector_view E, B;
} staging;

static cw_status new_vector(cw_engine *engine, cw_precision precision, cw_vector_view *view) {
  view->precision = precision;
  for (int c = 0; c < 3; c++)
    CW_TRY(cw_memory_alloc(engine->context, CW_SPACE_HOST, (size_t)engine->grid.points,
                           (size_t)cw_precision_size(precision), "initial field",
                           &view->component[c]));
  return CW_OK;
}

static cw_status make_twins(cw_engine *engine, cw_precision precision, staging *made) {
  for (int s = 0; s < engine->species_count; s++) {
    const cw_particles_options options = cw_engine_particles_options(engine->deck, s);
    CW_TRY(cw_particles_create(engine->context, &options, 0, &made->particles[s]));
  }
  CW_TRY(new_vector(engine, precision, &made->E));
  return new_vector(engine, precision, &made->B);
}

static void free_twins(cw_engine *engine, staging *made) {
  for (int s = 0; s < engine->species_count; s++)
    cw_particles_destroy(made->particles[s]);
  for (int c = 0; c < 3; c++) {
    CW_DELETE(engine->context, made->E.component[c]);
    CW_DELETE(engine->context, made->B.component[c]);
  }
}

static cw_status copy_vector(cw_engine *engine, cw_space to_space, cw_vector_view to,
                             cw_space from_space, cw_vector_view from) {
  const size_t bytes = (size_t)engine->grid.points * (size_t)cw_precision_size(to.precision);
  for (int c = 0; c < 3; c++)
    CW_TRY(cw_space_copy(engine->context, to_space, to.component[c], from_space, from.component[c],
                         bytes));
  return CW_OK;
}

/* Species by species, each twin gone before the next is copied. */
static cw_status publish(cw_engine *engine, staging *made, cw_vector_view E, cw_vector_view B) {
  for (int s = 0; s < engine->species_count; s++) {
    CW_TRY(cw_particles_copy(engine->species[s].particles, made->particles[s]));
    cw_particles_destroy(made->particles[s]);
    made->particles[s] = NULL;
  }
  CW_TRY(copy_vector(engine, engine->space, E, CW_SPACE_HOST, made->E));
  return copy_vector(engine, engine->space, B, CW_SPACE_HOST, made->B);
}

static cw_status fill(cw_engine *engine, staging *into) {
  const cw_deck *deck = engine->deck;
  cw_setup_target target = {.context = engine->context,
                            .deck = deck,
                            .grid = &engine->grid,
                            .species_count = engine->species_count,
                            .particles = into->particles,
                            .E = into->E,
                            .B = into->B};
  CW_TRY(cw_setup_fill(&target));
  for (int s = 0; s < engine->species_count; s++) {
    const cw_deck_species *species = &deck->particles.species[s];
    int64_t count = cw_particles_count(into->particles[s]);
    if (species->maxnpart > 0 && count > species->maxnpart)
      return cw_deck_fail(engine->context, deck, species->where,
                          "species '%s' starts with %lld particles; maxnpart allows %lld",
                          species->label, (long long)count, (long long)species->maxnpart);
  }
  return CW_OK;
}

cw_status cw_engine_load(cw_engine *engine, cw_vector_view E, cw_vector_view B) {
  staging into = {.E = E, .B = B};
  cw_status status;
  if (engine->blank)
    return CW_OK;
  for (int s = 0; s < engine->species_count; s++)
    into.particles[s] = engine->species[s].particles;
  if (engine->space == CW_SPACE_HOST)
    return fill(engine, &into);
  memset(&into, 0, sizeof into);
  CW_TRY_CLEANUP(status, make_twins(engine, E.precision, &into));
  CW_TRY_CLEANUP(status, fill(engine, &into));
  CW_TRY_CLEANUP(status, publish(engine, &into, E, B));
cleanup:
  free_twins(engine, &into);
  return status;
}

/* ---- output ---- */

cw_status cw_engine_host_vector(cw_engine *engine, cw_engine_quantity quantity,
                                cw_vector_view *view) {
  cw_vector_view copy = {.precision = view->precision};
  if (engine->space == CW_SPACE_HOST)
    return CW_OK;
  for (int c = 0; c < 3; c++) {
    if (!engine->copy[quantity][c])
      CW_TRY(cw_memory_alloc(engine->context, CW_SPACE_HOST, (size_t)engine->grid.points,
                             (size_t)cw_precision_size(view->precision), "copy of a field",
                             &engine->copy[quantity][c]));
    copy.component[c] = engine->copy[quantity][c];
  }
  CW_TRY(copy_vector(engine, CW_SPACE_HOST, copy, engine->space, *view));
  *view = copy;
  return CW_OK;
}

cw_status cw_engine_vector(cw_engine *engine, cw_engine_quantity quantity, double position[3][3],
                           cw_vector_view *view) {
  *view = engine->ops->vector(engine, quantity, position);
  return cw_engine_host_vector(engine, quantity, view);
}

/* A density of the engine's space, or its copy. */
static cw_status density_on_host(cw_engine *engine, double *found, const double **density) {
  if (engine->space == CW_SPACE_DEVICE) {
    if (!engine->density_copy)
      CW_TRY(
          CW_NEW(engine->context, engine->grid.points, "copy of a density", &engine->density_copy));
    CW_TRY(cw_space_copy(engine->context, CW_SPACE_HOST, engine->density_copy, engine->space, found,
                         (size_t)engine->grid.points * sizeof *found));
    found = engine->density_copy;
  }
  *density = found;
  return CW_OK;
}

cw_status cw_engine_density(cw_engine *engine, int species, const double **density) {
  double *found;
  *density = NULL;
  CW_TRY(engine->ops->density(engine, species, &found));
  return density_on_host(engine, found, density);
}

/* values = factor values - charge, over the grid on the host; without a charge that alone. */
static void scale_and_subtract(int64_t points, double factor, const double *charge,
                               double *values) {
  for (int64_t k = 0; k < points; k++)
    values[k] = factor * values[k] - (charge ? charge[k] : 0);
}

/* Zero where Gauss's law is not asked for: on walls and what they disturb. */
static void blank_unchecked(const cw_engine *engine, double *values) {
  const cw_grid *grid = &engine->grid;
  int32_t first[3] = {0, 0, 0}, end[3] = {grid->cells[0], grid->cells[1], grid->cells[2]};
  for (int a = 0; a < grid->dim && engine->fields; a++)
    cw_fields_checked_range(engine->fields, a, &first[a], &end[a]);
  for (int32_t k = 0; k < grid->cells[2]; k++)
    for (int32_t j = 0; j < grid->cells[1]; j++)
      for (int32_t i = 0; i < grid->cells[0]; i++)
        if (i < first[0] || i >= end[0] || j < first[1] || j >= end[1] || k < first[2] ||
            k >= end[2])
          values[cw_grid_index(grid, i, j, k)] = 0;
}

static cw_status copy_of_charge(cw_engine *engine, double **charge) {
  const size_t bytes = (size_t)engine->grid.points * sizeof **charge;
  double *found;
  CW_TRY(CW_NEW(engine->context, engine->grid.points, "charge density", charge));
  CW_TRY(engine->ops->gauss_charge(engine, &found));
  return cw_space_copy(engine->context, CW_SPACE_HOST, *charge, engine->space, found, bytes);
}

cw_status cw_engine_divergence(cw_engine *engine, cw_engine_divergence_kind kind,
                               double position[3], const double **divergence) {
  const cw_deck *deck = engine->deck;
  const double four_pi = engine->ecsim ? cw_ecsim_four_pi(deck) : 1;
  double *charge = NULL;
  cw_status status = CW_OK;
  *divergence = NULL;
  if (kind == CW_DIVERGENCE_E_ERROR)
    CW_TRY_CLEANUP(status, copy_of_charge(engine, &charge));
  CW_TRY_CLEANUP(status, engine->ops->divergence(engine, kind == CW_DIVERGENCE_B, position));
  CW_TRY_CLEANUP(status, density_on_host(engine, engine->density, divergence));
  double *values = engine->space == CW_SPACE_DEVICE ? engine->density_copy : engine->density;
  if (kind != CW_DIVERGENCE_B)
    scale_and_subtract(engine->grid.points, deck->B0 / (four_pi * deck->q0 * deck->n0), charge,
                       values);
  if (kind == CW_DIVERGENCE_E_ERROR)
    blank_unchecked(engine, values);
cleanup:
  CW_DELETE(engine->context, charge);
  return status;
}

void cw_engine_free_copies(cw_engine *engine) {
  for (int q = 0; q < CW_QUANTITY_COUNT; q++)
    for (int c = 0; c < 3; c++)
      CW_DELETE(engine->context, engine->copy[q][c]);
  CW_DELETE(engine->context, engine->density_copy);
}

/* ---- the hash ---- */

enum { HASHED_AT_ONCE = 16 << 20 }; /* bytes of a device's arrays */

typedef struct hasher {
  const cw_engine *engine;
  struct sha256_ctx sha256;
  uint8_t *buffer; /* of HASHED_AT_ONCE bytes; NULL on the host */
} hasher;

static cw_status hash_array(hasher *hash, const void *array, size_t bytes) {
  const uint8_t *from = array;
  if (!array)
    return CW_OK;
  if (!hash->buffer) {
    sha256_update(&hash->sha256, bytes, from);
    return CW_OK;
  }
  for (size_t done = 0, part; done < bytes; done += part) {
    part = bytes - done < HASHED_AT_ONCE ? bytes - done : HASHED_AT_ONCE;
    CW_TRY(cw_space_copy(hash->engine->context, CW_SPACE_HOST, hash->buffer, hash->engine->space,
                         from + done, part));
    sha256_update(&hash->sha256, part, hash->buffer);
  }
  return CW_OK;
}

static cw_status hash_fields(hasher *hash) {
  const cw_engine *engine = hash->engine;
  static const cw_engine_quantity hashed[] = {CW_QUANTITY_E, CW_QUANTITY_B};
  double position[3][3];
  for (int q = 0; q < 2; q++) {
    const cw_vector_view view = engine->ops->vector(engine, hashed[q], position);
    for (int c = 0; c < 3; c++)
      CW_TRY(hash_array(hash, view.component[c],
                        (size_t)engine->grid.points * (size_t)cw_precision_size(view.precision)));
  }
  return CW_OK;
}

static cw_status hash_species(hasher *hash, int s) {
  const cw_particles_view view = cw_particles_get_view(hash->engine->species[s].particles);
  const size_t count = (size_t)view.count, real = (size_t)cw_precision_size(view.precision);
  for (int a = 0; a < 3; a++) {
    CW_TRY(hash_array(hash, view.i[a], count * sizeof(int32_t)));
    CW_TRY(hash_array(hash, view.dx[a], count * real));
    CW_TRY(hash_array(hash, view.u[a], count * real));
  }
  CW_TRY(hash_array(hash, view.weight, count * real));
  for (int k = 0; k < 2; k++)
    CW_TRY(hash_array(hash, view.guide[k], count * real));
  for (int k = 0; k < CW_MAX_PAYLOADS; k++)
    CW_TRY(hash_array(hash, view.payload[k], count * real));
  CW_TRY(hash_array(hash, view.tag, count));
  return hash_array(hash, view.id, count * sizeof(uint64_t));
}

cw_status cw_engine_sha256(cw_engine *engine, char hex[65]) {
  static const char digits[] = "0123456789abcdef";
  hasher hash = {.engine = engine};
  uint8_t digest[SHA256_DIGEST_SIZE];
  cw_status status = CW_OK;
  hex[0] = 0;
  if (engine->space == CW_SPACE_DEVICE)
    CW_TRY(CW_NEW(engine->context, HASHED_AT_ONCE, "bytes to be hashed", &hash.buffer));
  sha256_init(&hash.sha256);
  CW_TRY_CLEANUP(status, hash_fields(&hash));
  for (int s = 0; s < engine->species_count; s++)
    CW_TRY_CLEANUP(status, hash_species(&hash, s));
  sha256_digest(&hash.sha256, SHA256_DIGEST_SIZE, digest);
  for (int k = 0; k < SHA256_DIGEST_SIZE; k++) {
    hex[2 * k] = digits[digest[k] >> 4];
    hex[2 * k + 1] = digits[digest[k] & 15];
  }
  hex[64] = 0;
cleanup:
  CW_DELETE(engine->context, hash.buffer);
  return status;
}
