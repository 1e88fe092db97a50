#include "output/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/seal.h"
#include "output/hdf5_write.h"

/* One checkpoint being written. */
typedef struct writer {
  cw_h5_out h5;
  const cw_deck *deck;
  const cw_grid *grid;
  const cw_checkpoint_info *info;
  cw_checkpoint_walk *walk;
  void *owner;
  hid_t iteration, links; /* `links`: makes the groups of a path on the way */
} writer;

static cw_status put_root(const writer *out, hid_t file) {
  const cw_deck *deck = out->deck;
  char origin[160];
  cw_checkpoint_describe(out->h5.context, origin);
  CW_TRY(cw_h5_put_file_attributes(&out->h5, file, "checkpoint_%08T.h5", 0, deck));
  CW_TRY(cw_h5_put_text(&out->h5, file, "meshesPath", "fields/"));
  CW_TRY(cw_h5_put_text(&out->h5, file, "particlesPath", "particles/"));
  CW_TRY(cw_h5_put_long_text(&out->h5, file, "deckSource", deck->source));
  CW_TRY(cw_h5_put_long_text(&out->h5, file, "origin", origin));
  CW_TRY(cw_h5_put_text(&out->h5, file, "engine",
                        deck->simulation.engine == CW_ENGINE_ECSIM ? "ecsim" : "srpic"));
  CW_TRY(cw_h5_put_text(&out->h5, file, "precision",
                        deck->simulation.precision == CW_DOUBLE ? "double" : "single"));
  CW_TRY(cw_h5_put_text(&out->h5, file, "instructionSet",
                        cw_isa_name(cw_context_isa(out->h5.context))));
  CW_TRY(cw_h5_put_double(&out->h5, file, "q0", deck->q0));
  return cw_h5_put_double(&out->h5, file, "B0", deck->B0);
}

static cw_status put_iteration(const writer *out) {
  const cw_checkpoint_info *info = out->info;
  const cw_h5_out *h5 = &out->h5;
  const hid_t group = out->iteration;
  CW_TRY(cw_h5_put_double(h5, group, "time", (double)info->step * out->deck->dt));
  CW_TRY(cw_h5_put_double(h5, group, "dt", out->deck->dt));
  CW_TRY(cw_h5_put_double(h5, group, "timeUnitSI", 1));
  CW_TRY(cw_h5_put_double(h5, group, "firstEnergy", info->first_energy));
  CW_TRY(cw_h5_put_double(h5, group, "maxChargeError", info->max_charge_error));
  CW_TRY(cw_h5_put_integer(h5, group, "historyBytes", info->history_bytes));
  for (int k = 0; k < CW_SERIES_COUNT; k++) {
    char name[32];
    snprintf(name, sizeof name, "%sStep", cw_series_names[k]);
    CW_TRY(cw_h5_put_integer(h5, group, name, info->series_step[k]));
  }
  return cw_h5_put_integer(h5, group, "ghostCells", out->grid->ghost);
}

/* One array as a data set, with the groups that its name asks for. */
static cw_status put_array(void *user, const cw_array *array) {
  const writer *out = user;
  const hid_t type = cw_checkpoint_type(array->type);
  hsize_t extent[3] = {0, 0, 0};
  hid_t set = -1;
  cw_status status = CW_OK;
  for (int a = 0; a < array->rank; a++)
    extent[a] = (hsize_t)array->extent[a];
  hid_t space = H5Screate_simple(array->rank, extent, NULL);
  if (space >= 0)
    set =
        H5Dcreate2(out->iteration, array->name, type, space, out->links, H5P_DEFAULT, H5P_DEFAULT);
  if (set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array->data) < 0)
    status = cw_h5_out_fail(&out->h5, "writing", array->name);
  if (set >= 0 && H5Dclose(set) < 0 && status == CW_OK)
    status = cw_h5_out_fail(&out->h5, "closing", array->name);
  if (space >= 0)
    H5Sclose(space);
  return status;
}

/* Where the arrays of E, B and J, ghost cells included, begin, and what lies between values. */
static cw_status put_mesh(const writer *out) {
  const cw_grid *grid = out->grid;
  double spacing[3], offset[3];
  hid_t group = H5Gopen2(out->iteration, "fields", H5P_DEFAULT);
  if (group < 0)
    return cw_h5_out_fail(&out->h5, "opening group", "fields");
  for (int a = 0; a < grid->dim; a++) {
    const int slot = grid->dim - 1 - a; /* the file's order: the slowest axis first */
    spacing[slot] = grid->dx[a];
    offset[slot] = grid->origin[a] - grid->ghost * grid->dx[a];
  }
  cw_status status = cw_h5_put_doubles(&out->h5, group, "gridSpacing", spacing, grid->dim);
  if (status == CW_OK)
    status = cw_h5_put_doubles(&out->h5, group, "gridGlobalOffset", offset, grid->dim);
  H5Gclose(group);
  return status;
}

static cw_status put_all(const cw_h5_out *h5, hid_t file, const void *user) {
  writer out = *(const writer *)user;
  char name[64];
  snprintf(name, sizeof name, "data/%" PRId64, out.info->step);
  CW_TRY(put_root(&out, file));
  out.links = H5Pcreate(H5P_LINK_CREATE);
  if (out.links >= 0 && H5Pset_create_intermediate_group(out.links, 1) >= 0)
    out.iteration = H5Gcreate2(file, name, out.links, H5P_DEFAULT, H5P_DEFAULT);
  cw_status status =
      out.iteration < 0 ? cw_h5_out_fail(h5, "creating group", name) : put_iteration(&out);
  if (status == CW_OK)
    status = out.walk(out.owner, put_array, &out);
  if (status == CW_OK)
    status = put_mesh(&out);
  if (out.iteration >= 0)
    H5Gclose(out.iteration);
  if (out.links >= 0)
    H5Pclose(out.links);
  return status;
}

cw_status cw_checkpoint_path(cw_context *context, const char *folder, int64_t step,
                             char path[CW_CHECKPOINT_PATH]) {
  char name[64];
  snprintf(name, sizeof name, "checkpoint_%08" PRId64 ".h5", step);
  return cw_path_join(context, folder, name, path);
}

cw_status cw_checkpoint_write(cw_context *context, const char *folder, const cw_deck *deck,
                              const cw_grid *grid, const cw_checkpoint_info *info,
                              cw_checkpoint_walk *walk, void *owner) {
  char path[CW_CHECKPOINT_PATH];
  cw_aside aside;
  CW_TRY(cw_checkpoint_path(context, folder, info->step, path));
  CW_TRY(cw_aside_begin(context, path, &aside));
  const writer out = {.h5 = {context, path},
                      .deck = deck,
                      .grid = grid,
                      .info = info,
                      .walk = walk,
                      .owner = owner,
                      .iteration = -1,
                      .links = -1};
  cw_h5_silence silence = cw_h5_silence_begin();
  cw_status status = cw_h5_write_part(&out.h5, aside.part, CW_SEAL_SIZE, put_all, &out);
  cw_h5_silence_end(silence);
  if (status == CW_OK)
    status = cw_seal_write(context, aside.part, path, "checkpoint");
  if (status == CW_OK)
    return cw_aside_commit(context, &aside);
  cw_aside_abandon(&aside);
  return status;
}

static int newest_first(const void *a, const void *b) {
  const int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
  return (first < second) - (first > second);
}

static cw_status add_step(cw_context *context, int64_t step, int64_t **steps, int64_t count,
                          int64_t *room) {
  if (count == *room) {
    int64_t *larger = NULL;
    CW_TRY(CW_NEW(context, 2 * count + 16, "list of checkpoints", &larger));
    if (count)
      memcpy(larger, *steps, (size_t)count * sizeof **steps);
    CW_DELETE(context, *steps);
    *steps = larger;
    *room = 2 * count + 16;
  }
  (*steps)[count] = step;
  return CW_OK;
}

cw_status cw_checkpoint_list(cw_context *context, const char *folder, int64_t **steps,
                             int64_t *count) {
  DIR *directory = opendir(folder);
  int64_t room = 0;
  cw_status status = CW_OK;
  *steps = NULL;
  *count = 0;
  if (!directory && (errno == ENOENT || errno == ENOTDIR))
    return CW_OK;
  if (!directory)
    return cw_fail(context, CW_ERROR_IO, "%.300s: cannot read the folder: %s", folder,
                   strerror(errno));
  for (struct dirent *entry; status == CW_OK && (entry = readdir(directory));) {
    const int64_t step = cw_step_of_name(entry->d_name, "checkpoint");
    if (step >= 0 && (status = add_step(context, step, steps, *count, &room)) == CW_OK)
      ++*count;
  }
  closedir(directory);
  if (status != CW_OK) {
    CW_DELETE(context, *steps);
    *steps = NULL;
    *count = 0;
    return status;
  }
  if (*count)
    qsort(*steps, (size_t)*count, sizeof **steps, newest_first);
  return CW_OK;
}

cw_status cw_checkpoint_prune(cw_context *context, const char *folder, int64_t newest,
                              int64_t keep) {
  char path[CW_CHECKPOINT_PATH];
  int64_t *steps, count, kept = 0;
  CW_TRY(cw_checkpoint_list(context, folder, &steps, &count));
  cw_status status = CW_OK;
  for (int64_t k = 0; k < count && status == CW_OK; k++) {
    if (steps[k] > newest || kept++ < keep)
      continue;
    status = cw_checkpoint_path(context, folder, steps[k], path);
    if (status == CW_OK && unlink(path) != 0 && errno != ENOENT)
      status = cw_fail(context, CW_ERROR_IO, "%.300s: cannot remove the older checkpoint: %s", path,
                       strerror(errno));
  }
  CW_DELETE(context, steps);
  return status;
}
