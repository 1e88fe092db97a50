#include "cli/coordination_hdf5.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cellwise/version.h>

#include "output/output_private.h"

enum { CHUNK = 1 << 16, MAX_BINS = 1 << 24 };

typedef struct variable {
  hid_t group, coordination; /* -1 where they are not open */
  int64_t entries;
  int64_t *counts, bins, below, total;
  double sum;
} variable;

struct cw_atoms_file {
  cw_context *context;
  const cw_input *input;
  cw_aside aside;
  cw_h5_silence silence;
  hid_t file, step, time;
  int histogram;
  double bin_width;
  int64_t frames;
  variable *variables;
};

static cw_status fail(const cw_atoms_file *file, const char *operation) {
  return cw_h5_fail(file->context, file->aside.path, operation);
}

static cw_status put_attribute(const cw_atoms_file *file, hid_t object, const char *name,
                               hid_t type, const void *value) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  int bad = attribute < 0 || H5Awrite(attribute, type, value) < 0;
  cw_status status = bad ? fail(file, "writing an attribute") : CW_OK;
  if (attribute >= 0)
    H5Aclose(attribute);
  H5Sclose(space);
  return status;
}

static cw_status put_text(const cw_atoms_file *file, hid_t object, const char *name,
                          const char *text) {
  hid_t type = H5Tcopy(H5T_C_S1);
  cw_status status = CW_OK;
  if (type < 0 || H5Tset_size(type, H5T_VARIABLE) < 0)
    status = fail(file, "making a text attribute");
  else
    status = put_attribute(file, object, name, type, &text);
  if (type >= 0)
    H5Tclose(type);
  return status;
}

/* A dataset of fixed size. */
static cw_status put_array(const cw_atoms_file *file, hid_t group, const char *name, hid_t type,
                           int64_t count, const void *values) {
  const hsize_t size = (hsize_t)count;
  hid_t space = H5Screate_simple(1, &size, NULL);
  hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  int bad = set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
  cw_status status = bad ? fail(file, "writing a dataset") : CW_OK;
  if (set >= 0)
    H5Dclose(set);
  H5Sclose(space);
  return status;
}

/* A dataset that grows by rows of `columns`; columns 0: a list. */
static hid_t make_growing(hid_t group, const char *name, hid_t type, int64_t columns) {
  const int rank = columns > 0 ? 2 : 1;
  const int64_t row = cw_max_i64(columns, 1);
  const hsize_t size[2] = {0, (hsize_t)columns}, most[2] = {H5S_UNLIMITED, (hsize_t)columns};
  const hsize_t chunk[2] = {(hsize_t)cw_min_i64(cw_max_i64(CHUNK / row, 1), 1024),
                            (hsize_t)cw_min_i64(row, CHUNK)};
  hid_t space = H5Screate_simple(rank, size, most), layout = H5Pcreate(H5P_DATASET_CREATE);
  hid_t set = -1;
  if (space >= 0 && layout >= 0 && H5Pset_chunk(layout, rank, chunk) >= 0)
    set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  if (layout >= 0)
    H5Pclose(layout);
  if (space >= 0)
    H5Sclose(space);
  return set;
}

static cw_status add_row(const cw_atoms_file *file, hid_t set, hid_t type, int64_t columns,
                         const void *values) {
  const int rank = columns > 0 ? 2 : 1;
  const hsize_t size[2] = {(hsize_t)file->frames + 1, (hsize_t)columns};
  const hsize_t start[2] = {(hsize_t)file->frames, 0}, count[2] = {1, (hsize_t)columns};
  hid_t memory = H5Screate_simple(rank, count, NULL), space = -1;
  int bad = memory < 0 || H5Dset_extent(set, size) < 0 || (space = H5Dget_space(set)) < 0 ||
            H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
            H5Dwrite(set, type, memory, space, H5P_DEFAULT, values) < 0;
  cw_status status = bad ? fail(file, "writing a frame") : CW_OK;
  if (space >= 0)
    H5Sclose(space);
  if (memory >= 0)
    H5Sclose(memory);
  return status;
}

static cw_status put_atoms(const cw_atoms_file *file, int k) {
  const cw_atom_list *list = &file->input->variables[k].a;
  int64_t *number = NULL;
  CW_TRY(CW_NEW(file->context, list->count, "atom numbers", &number));
  for (int64_t j = 0; j < list->count; j++)
    number[j] = (int64_t)list->atom[j] + 1;
  cw_status status =
      put_array(file, file->variables[k].group, "atoms", H5T_NATIVE_INT64, list->count, number);
  CW_DELETE(file->context, number);
  return status;
}

/* Under a group of their own, so that no label is in the way of another name. */
static hid_t make_group(const cw_atoms_file *file, const char *label) {
  hid_t all = H5Gopen2(file->file, "variables", H5P_DEFAULT);
  if (all < 0)
    all = H5Gcreate2(file->file, "variables", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t group = all < 0 ? -1 : H5Gcreate2(all, label, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (all >= 0)
    H5Gclose(all);
  return group;
}

static cw_status open_variable(cw_atoms_file *file, int k) {
  variable *v = &file->variables[k];
  v->entries = file->input->variables[k].a.count;
  v->group = make_group(file, file->input->variables[k].words->label);
  if (v->group < 0)
    return fail(file, "making a group named by a variable's label");
  CW_TRY(put_atoms(file, k));
  if (file->histogram)
    return CW_OK;
  v->coordination = make_growing(v->group, "coordination", H5T_NATIVE_DOUBLE, v->entries);
  return v->coordination < 0 ? fail(file, "making a dataset") : CW_OK;
}

static cw_status put_input(const cw_atoms_file *file, const char *path) {
  cw_lines lines;
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  int more = 1;
  if (!stream)
    return cw_fail(file->context, CW_ERROR_MEMORY, "the text of %s", path);
  cw_status status = cw_lines_open(file->context, path, &lines);
  while (status == CW_OK && more) {
    status = cw_lines_next(&lines, &more);
    if (status == CW_OK && more)
      fprintf(stream, "%s\n", lines.text);
  }
  cw_lines_close(&lines);
  if (fclose(stream) != 0 && status == CW_OK)
    status = cw_fail(file->context, CW_ERROR_MEMORY, "the text of %s", path);
  if (status == CW_OK)
    status = put_text(file, file->file, "input", text);
  free(text);
  return status;
}

static cw_status open_file(cw_atoms_file *file, const cw_atoms_file_options *options) {
  const cw_input *input = file->input;
  CW_TRY(cw_aside_begin(file->context, options->path, &file->aside));
  file->file = H5Fcreate(file->aside.part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file->file < 0)
    return fail(file, "creating the file");
  CW_TRY(put_text(file, file->file, "software", "cellwise"));
  CW_TRY(put_text(file, file->file, "softwareVersion", cw_version()));
  CW_TRY(put_text(file, file->file, "commit", cw_commit()));
  CW_TRY(put_text(file, file->file, "backend", cw_backend_name(cw_context_backend(file->context))));
  CW_TRY(put_text(file, file->file, "trajectory", options->trajectory));
  CW_TRY(put_input(file, options->input_path));
  for (int k = 0; k < input->variable_count; k++)
    CW_TRY(open_variable(file, k));
  if (file->histogram)
    return CW_OK;
  file->step = make_growing(file->file, "step", H5T_NATIVE_INT64, 0);
  file->time = make_growing(file->file, "time", H5T_NATIVE_DOUBLE, 0);
  if (file->step < 0 || file->time < 0)
    return fail(file, "making a dataset");
  return put_attribute(file, file->time, "unit_ps", H5T_NATIVE_DOUBLE, &input->time);
}

cw_status cw_atoms_file_create(const cw_input *input, const cw_atoms_file_options *options,
                               cw_atoms_file **file) {
  cw_context *context = input->context;
  cw_atoms_file *made = NULL;
  *file = NULL;
  CW_TRY(CW_NEW(context, 1, "output file", &made));
  made->context = context;
  made->input = input;
  made->histogram = options->histogram;
  made->bin_width = options->bin_width;
  made->file = made->step = made->time = -1;
  made->silence = cw_h5_silence_begin();
  cw_status status = CW_NEW(context, input->variable_count, "variables", &made->variables);
  for (int k = 0; status == CW_OK && k < input->variable_count; k++)
    made->variables[k].group = made->variables[k].coordination = -1;
  if (status == CW_OK)
    status = open_file(made, options);
  if (status != CW_OK)
    (void)cw_atoms_file_close(made, 0);
  else
    *file = made;
  return status;
}

/* Bins are added as values need them. */
static cw_status grow(const cw_atoms_file *file, variable *v, int64_t bins) {
  int64_t *larger = NULL;
  if (bins > MAX_BINS)
    return cw_fail(file->context, CW_ERROR_INPUT,
                   "%s: a bin width of %g needs more than %d bins: choose a larger one",
                   file->aside.path, file->bin_width, MAX_BINS);
  CW_TRY(CW_NEW(file->context, bins, "bins", &larger));
  if (v->counts)
    memcpy(larger, v->counts, (size_t)v->bins * sizeof *larger);
  CW_DELETE(file->context, v->counts);
  v->counts = larger;
  v->bins = bins;
  return CW_OK;
}

static cw_status count(const cw_atoms_file *file, variable *v, const double *values) {
  for (int64_t j = 0; j < v->entries; j++) {
    if (!isfinite(values[j]))
      return cw_fail(file->context, CW_ERROR_NUMERIC, "%s: entry %lld has no finite coordination",
                     file->aside.path, (long long)j + 1);
    double bin = floor(values[j] / file->bin_width);
    v->sum += values[j];
    v->total++;
    if (bin < 0) {
      v->below++;
      continue;
    }
    if (bin >= (double)v->bins)
      CW_TRY(grow(file, v, (int64_t)fmin(bin, MAX_BINS) + 1));
    v->counts[(int64_t)bin]++;
  }
  return CW_OK;
}

cw_status cw_atoms_file_frame(cw_atoms_file *file, const cw_analysis *analysis, int64_t step) {
  double time = cw_analysis_time(analysis, step);
  for (int k = 0; k < file->input->variable_count; k++) {
    variable *v = &file->variables[k];
    const double *values = cw_analysis_get(analysis, k).entry_values;
    if (file->histogram)
      CW_TRY(count(file, v, values));
    else
      CW_TRY(add_row(file, v->coordination, H5T_NATIVE_DOUBLE, v->entries, values));
  }
  if (!file->histogram) {
    CW_TRY(add_row(file, file->step, H5T_NATIVE_INT64, 0, &step));
    CW_TRY(add_row(file, file->time, H5T_NATIVE_DOUBLE, 0, &time));
  }
  file->frames++;
  return CW_OK;
}

static cw_status put_histogram(const cw_atoms_file *file, const variable *v) {
  double *edges = NULL, mean = v->total ? v->sum / (double)v->total : 0;
  CW_TRY(CW_NEW(file->context, v->bins + 1, "edges of bins", &edges));
  for (int64_t k = 0; k <= v->bins; k++)
    edges[k] = (double)k * file->bin_width;
  cw_status status = put_array(file, v->group, "edges", H5T_NATIVE_DOUBLE, v->bins + 1, edges);
  CW_DELETE(file->context, edges);
  CW_TRY(status);
  CW_TRY(put_array(file, v->group, "counts", H5T_NATIVE_INT64, v->bins, v->counts));
  CW_TRY(put_attribute(file, v->group, "below", H5T_NATIVE_INT64, &v->below));
  CW_TRY(put_attribute(file, v->group, "mean", H5T_NATIVE_DOUBLE, &mean));
  return put_attribute(file, v->group, "frames", H5T_NATIVE_INT64, &file->frames);
}

static cw_status close_handles(cw_atoms_file *file) {
  int bad = 0;
  for (int k = 0; file->variables && k < file->input->variable_count; k++) {
    variable *v = &file->variables[k];
    bad |= v->coordination >= 0 && H5Dclose(v->coordination) < 0;
    bad |= v->group >= 0 && H5Gclose(v->group) < 0;
    CW_DELETE(file->context, v->counts);
  }
  bad |= file->step >= 0 && H5Dclose(file->step) < 0;
  bad |= file->time >= 0 && H5Dclose(file->time) < 0;
  bad |= file->file >= 0 && H5Fclose(file->file) < 0;
  return bad ? fail(file, "closing the file") : CW_OK;
}

cw_status cw_atoms_file_close(cw_atoms_file *file, int keep) {
  cw_status status = CW_OK;
  if (!file)
    return CW_OK;
  for (int k = 0; keep && file->histogram && status == CW_OK && k < file->input->variable_count;
       k++)
    status = put_histogram(file, &file->variables[k]);
  cw_status closed = close_handles(file);
  if (status == CW_OK && keep)
    status = closed;
  cw_h5_silence_end(file->silence);
  if (keep && status == CW_OK)
    status = cw_aside_commit(file->context, &file->aside);
  else if (file->aside.part[0])
    cw_aside_abandon(&file->aside);
  CW_DELETE(file->context, file->variables);
  CW_DELETE(file->context, file);
  return status;
}
