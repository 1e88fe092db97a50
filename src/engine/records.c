#include "engine/records.h"

#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "engine/engine_private.h"

struct cw_records {
  cw_engine *engine;
  const cw_deck *deck;
  double *moment[CW_DECK_MAX_SPECIES][CW_MOMENTS]; /* NULL: not needed */
  double *value[3];                                /* of the record asked for last */
};

/* T's component (a, b) as a moment; b > 0 counts through xx, xy, xz, yy, yz, zz. */
static int tensor_moment(int a, int b) {
  static const int first[4] = {0, 0, 3, 5};
  return a == 0 ? (b == 0 ? CW_MOMENT_T00 : CW_MOMENT_T0I + b - 1)
                : CW_MOMENT_TIJ + first[a] + b - a;
}

static uint32_t bits(int first, int count) {
  return ((1u << count) - 1) << first;
}

/* Bits of the moments that a record is made of. */
static uint32_t needs(const cw_deck_record *record) {
  switch (record->kind) {
  case CW_DECK_N:
  case CW_DECK_MASS:
  case CW_DECK_CHARGE:
    return bits(CW_MOMENT_N, 1);
  case CW_DECK_NPPC:
    return bits(CW_MOMENT_COUNT_ALIVE, 1);
  case CW_DECK_V:
    return bits(CW_MOMENT_N, 1) | bits(CW_MOMENT_FLUX, 3);
  case CW_DECK_KINETIC:
    return bits(CW_MOMENT_KINETIC, 1);
  case CW_DECK_TEMPERATURE:
    return bits(CW_MOMENT_N, CW_MOMENT_REST + 1);
  case CW_DECK_T:
    return record->t[1] == CW_DECK_ANY ? bits(CW_MOMENT_T0I, 3)
                                       : bits(tensor_moment(record->t[0], record->t[1]), 1);
  default:
    return 0;
  }
}

static cw_status sum_species(cw_records *records, int s, uint32_t wanted) {
  cw_context *context = records->engine->context;
  if (!wanted)
    return CW_OK;
  for (int m = 0; m < CW_MOMENTS; m++)
    if (wanted & 1u << m)
      CW_TRY(CW_NEW(context, records->engine->grid.points, "moment", &records->moment[s][m]));
  return cw_engine_add_moments(records->engine, s, records->moment[s]);
}

cw_status cw_records_create(cw_engine *engine, const cw_deck *deck, cw_records **records) {
  uint32_t wanted[CW_DECK_MAX_SPECIES] = {0};
  cw_deck_record record;
  cw_records *made = NULL;
  cw_status status = CW_OK;
  *records = NULL;
  for (int n = 0; cw_deck_output_record(deck, n, &record); n++)
    for (int s = 0; s < engine->species_count; s++)
      wanted[s] |= record.species & 1u << s ? needs(&record) : 0;
  CW_TRY(CW_NEW(engine->context, 1, "records", &made));
  made->engine = engine;
  made->deck = deck;
  for (int c = 0; c < 3; c++)
    CW_TRY_CLEANUP(status, CW_NEW(engine->context, engine->grid.points, "record", &made->value[c]));
  for (int s = 0; s < engine->species_count; s++)
    CW_TRY_CLEANUP(status, sum_species(made, s, wanted[s]));
  *records = made;
  made = NULL;
cleanup:
  cw_records_destroy(made);
  return status;
}

void cw_records_destroy(cw_records *records) {
  if (!records)
    return;
  cw_context *context = records->engine->context;
  for (int s = 0; s < CW_DECK_MAX_SPECIES; s++)
    for (int m = 0; m < CW_MOMENTS; m++)
      CW_DELETE(context, records->moment[s][m]);
  for (int c = 0; c < 3; c++)
    CW_DELETE(context, records->value[c]);
  CW_DELETE(context, records);
}

static double mass_of(const cw_deck_species *species) {
  return species->mass;
}
static double charge_of(const cw_deck_species *species) {
  return species->charge;
}
static double one_of(const cw_deck_species *species) {
  (void)species;
  return 1;
}

/* One moment summed over the record's species, each times a factor. */
static void sum_moment(cw_records *records, uint32_t species, int moment,
                       double (*factor)(const cw_deck_species *), double *sum) {
  const int64_t points = records->engine->grid.points;
  memset(sum, 0, (size_t)points * sizeof *sum);
  for (int s = 0; s < records->engine->species_count; s++) {
    const double each = species & 1u << s ? factor(records->engine->species[s].deck) : 0;
    const double *values = records->moment[s][moment];
    for (int64_t k = 0; each != 0 && k < points; k++)
      sum[k] += each * values[k];
  }
}

/* All of a node's moments, summed over the species. */
static void at_node(const cw_records *records, uint32_t species, int64_t k,
                    double sum[CW_MOMENTS]) {
  memset(sum, 0, CW_MOMENTS * sizeof *sum);
  for (int s = 0; s < records->engine->species_count; s++)
    for (int m = 0; species & 1u << s && m < CW_MOMENTS; m++)
      sum[m] += records->moment[s][m] ? records->moment[s][m][k] : 0;
}

static double temperature_of(const double sum[CW_MOMENTS], int slow, int c) {
  (void)c;
  const double *flux = sum + CW_MOMENT_FLUX, *T0 = sum + CW_MOMENT_T0I, *T = sum + CW_MOMENT_TIJ;
  const double N = sum[CW_MOMENT_N], rest = sum[CW_MOMENT_REST];
  const double flux2 = flux[0] * flux[0] + flux[1] * flux[1] + flux[2] * flux[2];
  if (!(N > 0))
    return 0;
  if (slow) {
    const double T02 = T0[0] * T0[0] + T0[1] * T0[1] + T0[2] * T0[2];
    return fmax(0, (T[0] + T[3] + T[5] - T02 / rest) / (3 * N));
  }
  const double n2 = N * N - flux2;
  if (!(n2 > 0))
    return 0;
  const double along =
      flux[0] * flux[0] * T[0] + flux[1] * flux[1] * T[3] + flux[2] * flux[2] * T[5] +
      2 * (flux[0] * flux[1] * T[1] + flux[0] * flux[2] * T[2] + flux[1] * flux[2] * T[4]);
  const double energy = (N * N * sum[CW_MOMENT_T00] -
                         2 * N * (flux[0] * T0[0] + flux[1] * T0[1] + flux[2] * T0[2]) + along) /
                        n2;
  return fmax(0, (energy - rest) / (3 * sqrt(n2)));
}

/* What of a node's moments is wanted there: component c. */
typedef double node_value(const double sum[CW_MOMENTS], int slow, int c);

static double velocity_of(const double sum[CW_MOMENTS], int slow, int c) {
  (void)slow;
  return sum[CW_MOMENT_N] > 0 ? sum[CW_MOMENT_FLUX + c] / sum[CW_MOMENT_N] : 0;
}

static void at_each_node(cw_records *records, const cw_deck_record *record, node_value *value) {
  const int64_t points = records->engine->grid.points;
  const int slow = cw_engine_is_slow(records->engine);
#pragma omp parallel for schedule(static) if (points > CW_BLOCK)                                   \
    num_threads(cw_context_threads(records->engine->context))
  for (int64_t k = 0; k < points; k++) {
    double sum[CW_MOMENTS];
    at_node(records, record->species, k, sum);
    for (int c = 0; c < record->components; c++)
      records->value[c][k] = value(sum, slow, c);
  }
}

static void make_moments(cw_records *records, const cw_deck_record *record,
                         cw_record_values *values) {
  switch (record->kind) {
  case CW_DECK_V:
    at_each_node(records, record, velocity_of);
    break;
  case CW_DECK_TEMPERATURE:
    at_each_node(records, record, temperature_of);
    break;
  case CW_DECK_T:
    for (int c = 0; c < record->components; c++)
      sum_moment(records, record->species,
                 record->components == 3 ? CW_MOMENT_T0I + c
                                         : tensor_moment(record->t[0], record->t[1]),
                 one_of, records->value[c]);
    break;
  default:
    sum_moment(records, record->species,
               record->kind == CW_DECK_NPPC      ? CW_MOMENT_COUNT_ALIVE
               : record->kind == CW_DECK_KINETIC ? CW_MOMENT_KINETIC
                                                 : CW_MOMENT_N,
               record->kind == CW_DECK_MASS     ? mass_of
               : record->kind == CW_DECK_CHARGE ? charge_of
                                                : one_of,
               records->value[0]);
  }
  values->precision = CW_DOUBLE;
  for (int c = 0; c < record->components; c++)
    values->component[c] = records->value[c];
}

static cw_status get_vector(cw_records *records, cw_engine_quantity quantity,
                            cw_record_values *values) {
  cw_vector_view view;
  CW_TRY(cw_engine_vector(records->engine, quantity, values->position, &view));
  values->precision = view.precision;
  for (int c = 0; c < 3; c++)
    values->component[c] = view.component[c];
  /* J is a sum of charge times velocity a cell */
  values->factor = quantity == CW_QUANTITY_J ? 1 / records->deck->particles.ppc0 : 1;
  return CW_OK;
}

static cw_status get_divergence(cw_records *records, cw_engine_divergence_kind kind,
                                cw_record_values *values) {
  const double *found;
  CW_TRY(cw_engine_divergence(records->engine, kind, values->position[0], &found));
  values->component[0] = found;
  return CW_OK;
}

static cw_status get_charge(cw_records *records, cw_record_values *values) {
  const double *found;
  CW_TRY(cw_engine_density(records->engine, -1, &found));
  values->component[0] = found;
  return CW_OK;
}

cw_status cw_records_get(cw_records *records, const cw_deck_record *record,
                         cw_record_values *values) {
  *values = (cw_record_values){.precision = CW_DOUBLE, .factor = 1};
  switch (record->kind) {
  case CW_DECK_E:
    return get_vector(records, CW_QUANTITY_E, values);
  case CW_DECK_B:
    return get_vector(records, CW_QUANTITY_B, values);
  case CW_DECK_J:
    return get_vector(records, CW_QUANTITY_J, values);
  case CW_DECK_RHO:
    return get_charge(records, values);
  case CW_DECK_DIV_E:
    return get_divergence(records, CW_DIVERGENCE_E, values);
  case CW_DECK_DIV_B:
    return get_divergence(records, CW_DIVERGENCE_B, values);
  case CW_DECK_DIV_E_ERROR:
    return get_divergence(records, CW_DIVERGENCE_E_ERROR, values);
  default:
    make_moments(records, record, values);
    return CW_OK;
  }
}
