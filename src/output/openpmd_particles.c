/* Particle files after openPMD and its extension ED-PIC
 * (https://github.com/openPMD/openPMD-standard/blob/1.1.0/EXT_ED-PIC.md):
 * /data/<step>/particles/<species>/<record>. */
#include <stdio.h>
#include <string.h>

#include "base/reals.h"
#include "output/openpmd_write.h"

static const char *const axes[3] = {"x", "y", "z"};

/* What a record says of itself. */
typedef struct record_kind {
  const char *name;
  double dimension[7];
  double unit_SI;
  double power;   /* of the weight that a macroparticle's value has, for the sum of its particles */
  uint32_t macro; /* 1: values are of macroparticles, 0: of one particle each */
} record_kind;

typedef struct species_list {
  const cw_output_species *species;
  int count;
} species_list;

static cw_status put_record_attributes(const cw_h5_out *out, hid_t record,
                                       const record_kind *kind) {
  CW_TRY(cw_h5_put_doubles(out, record, "unitDimension", kind->dimension, 7));
  CW_TRY(cw_h5_put_double(out, record, "timeOffset", 0));
  CW_TRY(cw_h5_put_double(out, record, "weightingPower", kind->power));
  return cw_h5_put_uint32(out, record, "macroWeighted", kind->macro);
}

/* A component that is the same for all: a group that says so. Closed by the caller. */
static cw_status put_constant(const cw_h5_out *out, hid_t parent, const char *name, double value,
                              double unit_SI, int64_t count, hid_t *group) {
  *group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (*group < 0)
    return cw_h5_out_fail(out, "creating", name);
  CW_TRY(cw_h5_put_double(out, *group, "value", value));
  CW_TRY(cw_h5_put_shape(out, *group, "shape", (uint64_t)count));
  return cw_h5_put_double(out, *group, "unitSI", unit_SI);
}

/* A component of values. Closed by the caller. */
static cw_status put_values(const cw_h5_out *out, hid_t parent, const char *name, hid_t file_type,
                            hid_t type, const void *values, int64_t count, double unit_SI,
                            hid_t *set) {
  const hsize_t extent = (hsize_t)count;
  hid_t space = H5Screate_simple(1, &extent, NULL), layout = cw_h5_compressed(1, &extent);
  cw_status status = CW_OK;
  *set =
      space < 0 ? -1 : H5Dcreate2(parent, name, file_type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  if (*set < 0 || (count > 0 && H5Dwrite(*set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0))
    status = cw_h5_out_fail(out, "writing", name);
  if (status == CW_OK)
    status = cw_h5_put_double(out, *set, "unitSI", unit_SI);
  if (layout > 0)
    H5Pclose(layout);
  if (space >= 0)
    H5Sclose(space);
  return status;
}

/* x, y, z of positions or momenta; NULL values: zero for all. */
static cw_status put_vector(const cw_h5_out *out, hid_t group, const cw_output_species *species,
                            const record_kind *kind, int components, hid_t file_type,
                            const double *const values[3]) {
  hid_t record = H5Gcreate2(group, kind->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (record < 0)
    return cw_h5_out_fail(out, "creating", kind->name);
  cw_status status = put_record_attributes(out, record, kind);
  for (int a = 0; a < components && status == CW_OK; a++) {
    hid_t component = -1;
    if (values)
      status = put_values(out, record, axes[a], file_type, H5T_NATIVE_DOUBLE, values[a],
                          species->count, kind->unit_SI, &component);
    else
      status = put_constant(out, record, axes[a], 0, kind->unit_SI, species->count, &component);
    if (component >= 0)
      H5Oclose(component);
  }
  H5Gclose(record);
  return status;
}

static cw_status put_scalar(const cw_h5_out *out, hid_t group, const cw_output_species *species,
                            const record_kind *kind, hid_t file_type, hid_t type,
                            const void *values) {
  hid_t set = -1;
  cw_status status = put_values(out, group, kind->name, file_type, type, values, species->count,
                                kind->unit_SI, &set);
  if (status == CW_OK)
    status = put_record_attributes(out, set, kind);
  if (set >= 0)
    H5Dclose(set);
  return status;
}

static cw_status put_scalar_constant(const cw_h5_out *out, hid_t group,
                                     const cw_output_species *species, const record_kind *kind,
                                     double value) {
  hid_t record = -1;
  cw_status status =
      put_constant(out, group, kind->name, value, kind->unit_SI, species->count, &record);
  if (status == CW_OK)
    status = put_record_attributes(out, record, kind);
  if (record >= 0)
    H5Gclose(record);
  return status;
}

static cw_status put_method(const cw_h5_out *out, hid_t group, const cw_output_species *species) {
  CW_TRY(cw_h5_put_double(out, group, "particleShape",
                          species->shape_order ? species->shape_order : 1));
  CW_TRY(cw_h5_put_text(out, group, "currentDeposition", species->deposition));
  CW_TRY(cw_h5_put_text(out, group, "particlePush", species->push));
  CW_TRY(cw_h5_put_text(out, group, "particleInterpolation", "uniform"));
  return cw_h5_put_text(out, group, "particleSmoothing", "none");
}

static cw_status put_momenta(const cw_h5_out *out, hid_t group, const cw_output_species *species,
                             hid_t real) {
  const record_kind kind = {"momentum", {1, 1, -1}, species->momentum_SI, 1, 0};
  const double mass = species->mass > 0 ? species->mass : 1; /* massless: u is p / (m0 c) */
  double *scaled[3] = {NULL};
  cw_status status = CW_OK;
  for (int a = 0; a < 3; a++) {
    CW_TRY_CLEANUP(status, CW_NEW(out->context, species->count, "momenta", &scaled[a]));
    for (int64_t n = 0; n < species->count; n++)
      scaled[a][n] = mass * species->u[a][n];
  }
  status = put_vector(out, group, species, &kind, 3, real, (const double *const *)scaled);
cleanup:
  for (int a = 0; a < 3; a++)
    CW_DELETE(out->context, scaled[a]);
  return status;
}

static cw_status put_records(const cw_h5_out *out, hid_t group, const cw_output_species *species) {
  const hid_t real = species->precision == CW_DOUBLE ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
  const record_kind position = {"position", {1}, species->length_SI, 0, 0};
  const record_kind offset = {"positionOffset", {1}, species->length_SI, 0, 0};
  const record_kind weighting = {"weighting", {0}, 1, 1, 1}, id = {"id", {0}, 1, 0, 0};
  const record_kind mass = {"mass", {0, 1}, species->mass_SI, 1, 0};
  const record_kind charge = {"charge", {0, 0, 1, 1}, species->charge_SI, 1, 0};
  CW_TRY(put_method(out, group, species));
  CW_TRY(put_vector(out, group, species, &position, species->dim, H5T_NATIVE_DOUBLE, species->x));
  CW_TRY(put_vector(out, group, species, &offset, species->dim, real, NULL));
  CW_TRY(put_momenta(out, group, species, real));
  CW_TRY(put_scalar(out, group, species, &weighting, real, H5T_NATIVE_DOUBLE, species->weight));
  for (int k = 0; k < species->n_payloads; k++) {
    char name[32];
    snprintf(name, sizeof name, "payload%d", k + 1);
    const record_kind payload = {name, {0}, 1, 0, 0};
    CW_TRY(put_scalar(out, group, species, &payload, real, H5T_NATIVE_DOUBLE, species->payload[k]));
  }
  CW_TRY(put_scalar(out, group, species, &id, H5T_NATIVE_UINT64, H5T_NATIVE_UINT64, species->id));
  CW_TRY(put_scalar_constant(out, group, species, &mass, species->mass));
  return put_scalar_constant(out, group, species, &charge, species->charge);
}

static cw_status put_all(const cw_h5_out *out, hid_t file, hid_t iteration, const void *user) {
  const species_list *list = user;
  hid_t particles;
  CW_TRY(cw_openpmd_group(out, file, iteration, "particlesPath", "particles", &particles));
  cw_status status = CW_OK;
  for (int s = 0; s < list->count && status == CW_OK; s++) {
    hid_t group =
        H5Gcreate2(particles, list->species[s].name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
      status = cw_h5_out_fail(out, "creating group", list->species[s].name);
    else
      status = put_records(out, group, &list->species[s]);
    if (group >= 0)
      H5Gclose(group);
  }
  H5Gclose(particles);
  return status;
}

cw_status cw_output_write_particles(cw_context *context, const char *folder, const cw_deck *deck,
                                    const cw_output_time *when, const cw_output_species *species,
                                    int count) {
  const species_list list = {species, count};
  return cw_openpmd_write(context, folder, CW_SERIES_PARTICLES, deck, when, put_all, &list);
}
