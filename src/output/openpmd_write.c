#include "output/openpmd_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

double cw_openpmd_unit(double unit) {
  return unit != 0 ? unit : 1;
}

/* One file being written. */
typedef struct writer {
  cw_series series;
  const cw_deck *deck;
  const cw_output_time *when;
  cw_openpmd_body *body;
  const void *user;
} writer;

cw_status cw_openpmd_group(const cw_h5_out *out, hid_t file, hid_t iteration, const char *path,
                           const char *name, hid_t *group) {
  char text[64];
  snprintf(text, sizeof text, "%s/", name);
  CW_TRY(cw_h5_put_text(out, file, path, text));
  *group = H5Gcreate2(iteration, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  return *group < 0 ? cw_h5_out_fail(out, "creating group", name) : CW_OK;
}

static cw_status put_all(const cw_h5_out *out, hid_t file, const void *user) {
  const writer *job = user;
  char name[64];
  hid_t iteration = -1;
  cw_status status = CW_OK;
  snprintf(name, sizeof name, "%s_%%08T.h5", cw_series_names[job->series]);
  CW_TRY(cw_h5_put_file_attributes(out, file, name, job->series == CW_SERIES_PARTICLES, job->deck));
  hid_t data = H5Gcreate2(file, "data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  snprintf(name, sizeof name, "%" PRId64, job->when->step);
  if (data >= 0)
    iteration = H5Gcreate2(data, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (iteration < 0)
    CW_TRY_CLEANUP(status, cw_h5_out_fail(out, "creating group", name));
  CW_TRY_CLEANUP(status, cw_h5_put_double(out, iteration, "time", job->when->time));
  CW_TRY_CLEANUP(status, cw_h5_put_double(out, iteration, "dt", job->when->dt));
  CW_TRY_CLEANUP(status, cw_h5_put_double(out, iteration, "timeUnitSI",
                                          cw_openpmd_unit(job->when->time_unit_SI)));
  status = job->body(out, file, iteration, job->user);
cleanup:
  if (iteration >= 0)
    H5Gclose(iteration);
  if (data >= 0)
    H5Gclose(data);
  return status;
}

cw_status cw_openpmd_write(cw_context *context, const char *folder, cw_series series,
                           const cw_deck *deck, const cw_output_time *when, cw_openpmd_body *body,
                           const void *user) {
  char path[CW_PATH_SIZE];
  cw_aside aside;
  const writer job = {series, deck, when, body, user};
  if (when->step < 0)
    return cw_fail(context, CW_ERROR_ARGUMENT, "%s file: step %" PRId64 " is negative",
                   cw_series_names[series], when->step);
  CW_TRY(cw_series_make_folder(context, folder, series));
  CW_TRY(cw_series_path(context, folder, series, when->step, path));
  CW_TRY(cw_aside_begin(context, path, &aside));
  const cw_h5_out out = {context, path};
  cw_h5_silence silence = cw_h5_silence_begin();
  cw_status status = cw_h5_write_part(&out, aside.part, 0, put_all, &job);
  cw_h5_silence_end(silence);
  if (status != CW_OK) {
    cw_aside_abandon(&aside);
    return status;
  }
  return cw_aside_commit(context, &aside);
}
