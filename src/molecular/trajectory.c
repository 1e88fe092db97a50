#include "molecular/trajectory.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const cw_trajectory_format *const formats[] = {
    &cw_format_xyz, &cw_format_gro, &cw_format_pdb, &cw_format_dcd, &cw_format_xtc, &cw_format_trr};
enum { FORMATS = (int)(sizeof formats / sizeof *formats) };

static cw_status find_format(cw_context *context, const char *path, const char *name,
                             const cw_trajectory_format **format) {
  const char *dot = strrchr(path, '.');
  const char *wanted = name ? name : dot ? dot + 1 : "";
  if (strcasecmp(wanted, "extxyz") == 0)
    wanted = "xyz";
  for (int k = 0; k < FORMATS; k++)
    if (strcasecmp(wanted, formats[k]->name) == 0) {
      *format = formats[k];
      return CW_OK;
    }
  return cw_fail(context, CW_ERROR_INPUT,
                 "%s: the format '%.30s' is not known; expected xyz, gro, pdb, dcd, xtc or trr, by "
                 "--format or "
                 "by the ending of the name",
                 path, wanted);
}

static cw_status open_file(cw_trajectory *trajectory, const char *path, const char *format) {
  CW_TRY(find_format(trajectory->context, path, format, &trajectory->format));
  CW_TRY(cw_lines_open(trajectory->context, path, &trajectory->lines));
  return trajectory->format->open ? trajectory->format->open(trajectory) : CW_OK;
}

cw_status cw_trajectory_open(cw_context *context, const char *path, const char *format,
                             const cw_box *fixed_box, cw_trajectory **trajectory) {
  cw_trajectory *made = NULL;
  *trajectory = NULL;
  CW_TRY(CW_NEW(context, 1, "trajectory", &made));
  made->context = made->lines.context = context;
  if (fixed_box) {
    made->has_fixed_box = 1;
    made->fixed_box = *fixed_box;
  }
  cw_status status = open_file(made, path, format);
  if (status != CW_OK)
    cw_trajectory_close(made);
  else
    *trajectory = made;
  return status;
}

void cw_trajectory_close(cw_trajectory *trajectory) {
  if (!trajectory)
    return;
  cw_context *context = trajectory->context;
  if (trajectory->format && trajectory->format->close)
    trajectory->format->close(trajectory);
  cw_lines_close(&trajectory->lines);
  CW_DELETE(context, trajectory->frame.position);
  CW_DELETE(context, trajectory->frame.mass);
  CW_DELETE(context, trajectory->frame.charge);
  CW_DELETE(context, trajectory);
}

cw_status cw_trajectory_next(cw_trajectory *trajectory, int *more) {
  CW_TRY(trajectory->format->next(trajectory, more));
  if (!*more)
    return CW_OK;
  if (trajectory->has_fixed_box)
    trajectory->frame.box = trajectory->fixed_box;
  trajectory->frames++;
  return CW_OK;
}

/* A count that the file cannot hold must not claim memory: no format but XTC, whose frames
 * are looked at before, spends fewer bytes an atom. */
static cw_status check_size(const cw_trajectory *trajectory, int64_t atoms) {
  enum { LEAST_BYTES = 6 };
  struct stat about;
  if (fstat(fileno(trajectory->lines.file), &about) != 0 || !S_ISREG(about.st_mode) ||
      trajectory->format == &cw_format_xtc || atoms <= about.st_size / LEAST_BYTES)
    return CW_OK;
  return cw_lines_fail(&trajectory->lines, "%lld atoms do not fit in a file of %lld bytes",
                       (long long)atoms, (long long)about.st_size);
}

cw_status cw_trajectory_room(cw_trajectory *trajectory, int64_t atoms) {
  cw_frame *frame = &trajectory->frame;
  if (!frame->position) {
    CW_TRY(check_size(trajectory, atoms));
    CW_TRY(CW_NEW(trajectory->context, 3 * atoms, "positions of a frame", &frame->position));
    frame->atoms = atoms;
  }
  if (frame->atoms != atoms)
    return cw_lines_fail(&trajectory->lines, "frame %lld has %lld atoms, but the first has %lld",
                         (long long)trajectory->frames + 1, (long long)atoms,
                         (long long)frame->atoms);
  return CW_OK;
}

cw_status cw_trajectory_cell(const cw_trajectory *trajectory, const double lengths[3],
                             const double angles[3], cw_box *box) {
  double cosine[3];
  memset(box, 0, sizeof *box);
  if (lengths[0] == 0 && lengths[1] == 0 && lengths[2] == 0)
    return CW_OK;
  for (int c = 0; c < 3; c++) /* 90 degrees must give an exact zero */
    cosine[c] = angles[c] == 90 ? 0 : cos(angles[c] * (3.14159265358979323846 / 180));
  double sine = cosine[2] == 0 ? 1 : sqrt(1 - cosine[2] * cosine[2]);
  double cy = (cosine[0] - cosine[1] * cosine[2]) / sine;
  double cz = sqrt(1 - cosine[1] * cosine[1] - cy * cy);
  int fine = sine > 0 && cz > 0;
  for (int c = 0; c < 3; c++)
    fine = fine && lengths[c] > 0 && isfinite(lengths[c]) && angles[c] > 0 && angles[c] < 180;
  if (!fine)
    return cw_lines_fail(&trajectory->lines,
                         "the box edges %g %g %g with angles %g %g %g close no box", lengths[0],
                         lengths[1], lengths[2], angles[0], angles[1], angles[2]);
  const double v[3][3] = {{lengths[0], 0, 0},
                          {lengths[1] * cosine[2], lengths[1] * sine, 0},
                          {lengths[2] * cosine[1], lengths[2] * cy, lengths[2] * cz}};
  memcpy(box->vectors, v, sizeof v);
  return CW_OK;
}
