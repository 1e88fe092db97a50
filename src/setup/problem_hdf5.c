/* The user's own initial state as arrays: fields and particles from an HDF5 file (arrays_file.h),
 * all else from the deck. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "setup/arrays_file.h"
#include "setup/checks.h"
#include "setup/problems.h"

const cw_problem_key cw_hdf5_keys[] = {
    {"file", "string", NULL, "",
     "HDF5 file with Ex ... Bz and LABEL/x ... LABEL/uz, from the deck's folder or the current "
     "one"},
    {.name = NULL},
};

static cw_status open_file(cw_context *context, const cw_deck *deck, cw_arrays_file *file) {
  char path[CW_SETUP_PATH], message[512];
  cw_setup_file(deck, "file", path);
  if (cw_arrays_open(context, deck, path, file) == CW_OK)
    return CW_OK;
  snprintf(message, sizeof message, "%s", cw_context_message(context));
  return cw_deck_fail(context, deck, cw_setup_where(deck, "file"), "setup.file: %s", message);
}

cw_status cw_hdf5_check(cw_context *context, const cw_deck *deck) {
  cw_arrays_file file;
  cw_status status = CW_OK;
  CW_TRY(open_file(context, deck, &file));
  for (int a = 0; a < deck->grid.dim && deck->simulation.engine == CW_ENGINE_ECSIM; a++) {
    const char name[] = {'E', "xyz"[a], 0};
    if (deck->grid.fields[a][0] != CW_FIELD_PERIODIC && cw_arrays_has(&file, name))
      CW_TRY_CLEANUP(status,
                     cw_deck_fail(context, deck, cw_setup_where(deck, "file"),
                                  "setup.file: found '%s' and conductors across axis %d; expected "
                                  "no normal E there: one value a cell leaves out the last wall's",
                                  name, a + 1));
  }
cleanup:
  cw_arrays_close(&file);
  return status;
}

int64_t cw_hdf5_expected(const cw_deck *deck, int species) {
  cw_arrays_file file;
  if (open_file(deck->context, deck, &file) != CW_OK)
    return 0;
  cw_arrays_close(&file);
  return file.count[species];
}

void cw_hdf5_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  (void)deck, (void)species;
  *scales = (cw_species_scales){0};
}

static cw_status fill_field(const cw_setup_target *target, const cw_arrays_file *file, int f,
                            double *values) {
  static const char *const names[] = {"Ex", "Ey", "Ez", "Bx", "By", "Bz"};
  const cw_grid *grid = target->grid;
  const cw_vector_view *view = f < 3 ? &target->E : &target->B;
  const int64_t ny = grid->cells[1], nz = grid->cells[2], count = grid->cells[0] * ny * nz;
  if (cw_arrays_has(file, names[f]))
    CW_TRY(cw_arrays_read(file, names[f], count, values));
  else
    memset(values, 0, (size_t)count * sizeof *values);
  for (int64_t i = 0; i < grid->cells[0]; i++)
    for (int64_t j = 0; j < ny; j++)
      for (int64_t k = 0; k < nz; k++)
        cw_real_set(view->component[f % 3], view->precision, cw_grid_index(grid, i, j, k),
                    values[(i * ny + j) * nz + k]);
  return CW_OK;
}

/* Cells and offsets along one axis; an offset that rounds to 1 is the next number below. */
static cw_status fill_axis(const cw_setup_target *target, const cw_particles_view *view, int a,
                           const char *name, const double *values) {
  const cw_grid *grid = target->grid;
  const double lower = grid->origin[a], upper = lower + grid->cells[a] * grid->dx[a];
  for (int64_t p = 0; p < view->count; p++) {
    const double cells = (values[p] - lower) / grid->dx[a];
    const int32_t cell = (int32_t)fmin(fmax(floor(cells), 0), grid->cells[a] - 1);
    const double offset = cells - cell, last = view->precision == CW_DOUBLE
                                                   ? nextafter(1.0, 0.0)
                                                   : (double)nextafterf(1.0F, 0.0F);
    if (!(cells >= 0 && cells <= grid->cells[a]))
      return cw_deck_fail(target->context, target->deck, cw_setup_where(target->deck, "file"),
                          "setup.file: found %.9g as value %" PRId64 " of '%s'; expected a place "
                          "from %.9g to %.9g, inside the box",
                          values[p], p, name, lower, upper);
    view->i[a][p] = view->i_prev[a][p] = cell;
    cw_real_set(view->dx[a], view->precision, p, fmin(offset, last));
    cw_real_set(view->dx_prev[a], view->precision, p, fmin(offset, last));
  }
  return CW_OK;
}

static cw_status fill_values(const cw_setup_target *target, const cw_particles_view *view,
                             const char *name, void *member, const double *values) {
  const int is_weight = member == view->weight;
  for (int64_t p = 0; p < view->count; p++) {
    if (is_weight && !(values[p] >= 0))
      return cw_deck_fail(target->context, target->deck, cw_setup_where(target->deck, "file"),
                          "setup.file: found %.9g as value %" PRId64
                          " of '%s'; expected weights of "
                          "at least 0",
                          values[p], p, name);
    cw_real_set(member, view->precision, p, values[p]);
  }
  return CW_OK;
}

static cw_status fill_species(const cw_setup_target *target, const cw_arrays_file *file, int s,
                              double *values) {
  static const char axes[] = "xyz";
  const char *label = target->deck->particles.species[s].label;
  const int64_t count = file->count[s];
  char name[CW_DECK_NAME + 16];
  CW_TRY(cw_particles_resize(target->particles[s], count));
  const cw_particles_view view = cw_particles_get_view(target->particles[s]);
  for (int a = 0; a < 3 && count; a++) {
    snprintf(name, sizeof name, "%s/u%c", label, axes[a]);
    CW_TRY(cw_arrays_read(file, name, count, values));
    CW_TRY(fill_values(target, &view, name, view.u[a], values));
    if (a >= target->grid->dim)
      continue;
    snprintf(name, sizeof name, "%s/%c", label, axes[a]);
    CW_TRY(cw_arrays_read(file, name, count, values));
    CW_TRY(fill_axis(target, &view, a, name, values));
  }
  if (view.weight && count) {
    snprintf(name, sizeof name, "%s/weight", label);
    CW_TRY(cw_arrays_read(file, name, count, values));
    CW_TRY(fill_values(target, &view, name, view.weight, values));
  }
  for (int64_t p = 0; p < count; p++) {
    view.tag[p] = CW_TAG_ALIVE;
    view.id[p] = (uint64_t)p + 1;
  }
  return CW_OK;
}

cw_status cw_hdf5_fill(const cw_setup_target *target) {
  const cw_grid *grid = target->grid;
  cw_arrays_file file;
  double *values = NULL;
  int64_t most = (int64_t)grid->cells[0] * grid->cells[1] * grid->cells[2];
  cw_status status = CW_OK;
  CW_TRY(open_file(target->context, target->deck, &file));
  for (int s = 0; s < target->species_count; s++)
    most = cw_max_i64(most, file.count[s]);
  CW_TRY_CLEANUP(status, CW_NEW(target->context, most, "values of the file", &values));
  for (int f = 0; f < 6; f++)
    CW_TRY_CLEANUP(status, fill_field(target, &file, f, values));
  for (int s = 0; s < target->species_count; s++)
    CW_TRY_CLEANUP(status, fill_species(target, &file, s, values));
cleanup:
  CW_DELETE(target->context, values);
  cw_arrays_close(&file);
  return status;
}
