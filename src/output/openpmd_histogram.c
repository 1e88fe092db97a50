/* Histograms as meshes: an axis of bins each, whatever it counts by. */
#include <string.h>

#include "output/openpmd_write.h"

enum { AXIS_LABEL = 32 };

typedef struct histogram_list {
  const cw_output_histogram *histograms;
  int count;
} histogram_list;

/* What the standard asks of a mesh, with axes of bins: values stand in their middle. */
static cw_status put_axes(const cw_h5_out *out, hid_t set, const cw_output_histogram *histogram) {
  static const double no_dimension[7] = {0}, middle[CW_OUTPUT_AXES] = {0.5, 0.5, 0.5, 0.5};
  const int rank = histogram->rank;
  char labels[CW_OUTPUT_AXES][AXIS_LABEL];
  double step[CW_OUTPUT_AXES], low[CW_OUTPUT_AXES];
  memset(labels, 0, sizeof labels);
  for (int a = 0; a < rank; a++) {
    const cw_output_axis *axis = &histogram->axis[rank - 1 - a]; /* the slowest first */
    strncpy(labels[a], axis->label, AXIS_LABEL - 1);
    step[a] = axis->step;
    low[a] = axis->low;
  }
  CW_TRY(cw_h5_put_text(out, set, "geometry", "cartesian"));
  CW_TRY(cw_h5_put_text(out, set, "dataOrder", "C"));
  CW_TRY(cw_h5_put_strings(out, set, "axisLabels", labels[0], AXIS_LABEL, (hsize_t)rank));
  CW_TRY(cw_h5_put_doubles(out, set, "gridSpacing", step, rank));
  CW_TRY(cw_h5_put_doubles(out, set, "gridGlobalOffset", low, rank));
  CW_TRY(cw_h5_put_double(out, set, "gridUnitSI", 1));
  CW_TRY(cw_h5_put_doubles(out, set, "unitDimension", no_dimension, 7));
  CW_TRY(cw_h5_put_double(out, set, "timeOffset", 0));
  CW_TRY(cw_h5_put_doubles(out, set, "position", middle, rank));
  return cw_h5_put_double(out, set, "unitSI", 1);
}

/* Weights that are in no bin, axis by axis as in axisLabels. */
static cw_status put_outside(const cw_h5_out *out, hid_t set,
                             const cw_output_histogram *histogram) {
  double below[CW_OUTPUT_AXES], above[CW_OUTPUT_AXES];
  for (int a = 0; a < histogram->rank; a++) {
    below[a] = histogram->below[histogram->rank - 1 - a];
    above[a] = histogram->above[histogram->rank - 1 - a];
  }
  CW_TRY(cw_h5_put_doubles(out, set, "weightBelow", below, histogram->rank));
  CW_TRY(cw_h5_put_doubles(out, set, "weightAbove", above, histogram->rank));
  return cw_h5_put_double(out, set, "weightTotal", histogram->total);
}

static cw_status put_histogram(const cw_h5_out *out, hid_t group,
                               const cw_output_histogram *histogram) {
  hsize_t count[CW_OUTPUT_AXES];
  for (int a = 0; a < histogram->rank; a++)
    count[histogram->rank - 1 - a] = (hsize_t)histogram->axis[a].count;
  hid_t space = H5Screate_simple(histogram->rank, count, NULL), set = -1;
  hid_t layout = cw_h5_compressed(histogram->rank, count);
  cw_status status = CW_OK;
  if (space >= 0)
    set = H5Dcreate2(group, histogram->name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout,
                     H5P_DEFAULT);
  if (set < 0 ||
      H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, histogram->values) < 0)
    CW_TRY_CLEANUP(status, cw_h5_out_fail(out, "writing", histogram->name));
  CW_TRY_CLEANUP(status, put_axes(out, set, histogram));
  status = put_outside(out, set, histogram);
cleanup:
  if (set >= 0 && H5Dclose(set) < 0 && status == CW_OK)
    status = cw_h5_out_fail(out, "closing", histogram->name);
  if (layout > 0)
    H5Pclose(layout);
  if (space >= 0)
    H5Sclose(space);
  return status;
}

static cw_status put_all(const cw_h5_out *out, hid_t file, hid_t iteration, const void *user) {
  const histogram_list *list = user;
  hid_t group;
  CW_TRY(cw_openpmd_group(out, file, iteration, "meshesPath", "fields", &group));
  cw_status status = CW_OK;
  for (int n = 0; n < list->count && status == CW_OK; n++)
    status = put_histogram(out, group, &list->histograms[n]);
  H5Gclose(group);
  return status;
}

cw_status cw_output_write_histograms(cw_context *context, const char *folder, cw_series series,
                                     const cw_deck *deck, const cw_output_time *when,
                                     const cw_output_histogram *histograms, int count) {
  const histogram_list list = {histograms, count};
  return cw_openpmd_write(context, folder, series, deck, when, put_all, &list);
}
