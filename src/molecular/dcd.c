/* DCD (CHARMM, NAMD): Fortran records, each framed by its length; coordinates as floats (Angstrom),
 * a unit cell record A, gamma, B, beta, alpha, C before them. Either byte order. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "molecular/trajectory.h"

enum { HEADER = 84, CELL = 48, HAS_CELL = 10, HAS_FOURTH = 11, FIXED_ATOMS = 8, VERSION = 19 };

static uint32_t swap32(uint32_t v) {
  return v >> 24 | (v >> 8 & 0xFF00u) | (v << 8 & 0xFF0000u) | v << 24;
}

static cw_status fail(cw_trajectory *trajectory, const char *what) {
  return cw_fail(trajectory->context, CW_ERROR_FORMAT, "%s: frame %lld: %s", trajectory->lines.path,
                 (long long)trajectory->frames + 1, what);
}

static uint32_t word(const cw_trajectory *trajectory, const unsigned char *at) {
  uint32_t v;
  memcpy(&v, at, sizeof v);
  return trajectory->dcd_swapped ? swap32(v) : v;
}

/* Reads the length that frames a record; *length = -1 at the end of the file. */
static cw_status read_length(cw_trajectory *trajectory, int64_t *length) {
  unsigned char bytes[4];
  size_t got = fread(bytes, 1, sizeof bytes, trajectory->lines.file);
  if (ferror(trajectory->lines.file))
    return fail(trajectory, strerror(errno));
  *length = -1;
  if (got == 0)
    return CW_OK;
  if (got < sizeof bytes)
    return fail(trajectory, "the file is cut off");
  *length = word(trajectory, bytes);
  return CW_OK;
}

/* Reads the rest of a record of `length` bytes into `data`, and checks its closing length. */
static cw_status read_rest(cw_trajectory *trajectory, int64_t length, void *data) {
  int64_t closing;
  if (fread(data, 1, (size_t)length, trajectory->lines.file) != (size_t)length)
    return fail(trajectory, "the file is cut off");
  CW_TRY(read_length(trajectory, &closing));
  if (closing != length)
    return fail(trajectory, "a record does not end with its length");
  return CW_OK;
}

static cw_status skip_record(cw_trajectory *trajectory) {
  int64_t length, closing;
  CW_TRY(read_length(trajectory, &length));
  if (length < 0)
    return fail(trajectory, "the file is cut off");
  for (int64_t k = 0; k < length; k++)
    if (getc(trajectory->lines.file) == EOF)
      return fail(trajectory, "the file is cut off");
  CW_TRY(read_length(trajectory, &closing));
  if (closing != length)
    return fail(trajectory, "a record does not end with its length");
  return CW_OK;
}

static cw_status open(cw_trajectory *trajectory) {
  unsigned char header[HEADER], atoms[4];
  int64_t length;
  CW_TRY(read_length(trajectory, &length));
  trajectory->dcd_swapped = length == (int64_t)swap32(HEADER);
  if (length != HEADER && !trajectory->dcd_swapped)
    return fail(trajectory, "this is no DCD file: it does not begin with a record of 84 bytes");
  CW_TRY(read_rest(trajectory, HEADER, header));
  if (memcmp(header, "CORD", 4) != 0)
    return fail(trajectory, "the header is not that of CORD data");
  const unsigned char *control = header + 4;
  if (word(trajectory, control + 4 * FIXED_ATOMS) != 0)
    return fail(trajectory, "fixed atoms (NAMNF) are not implemented");
  int charmm = word(trajectory, control + 4 * VERSION) != 0;
  if (charmm && word(trajectory, control + 4 * HAS_FOURTH) != 0)
    return fail(trajectory, "a fourth dimension is not implemented");
  trajectory->dcd_has_cell = charmm && word(trajectory, control + 4 * HAS_CELL) != 0;
  CW_TRY(skip_record(trajectory)); /* titles */
  CW_TRY(read_length(trajectory, &length));
  if (length != 4)
    return fail(trajectory, "the record with the number of atoms is missing");
  CW_TRY(read_rest(trajectory, 4, atoms));
  uint32_t count = word(trajectory, atoms);
  if (count < 1 || count > CW_MAX_ATOMS)
    return fail(trajectory, "the number of atoms is absurd");
  return cw_trajectory_room(trajectory, count);
}

/* Angles are stored in degrees (NAMD) or as cosines (CHARMM). */
static cw_status read_cell(cw_trajectory *trajectory, int64_t length) {
  unsigned char bytes[CELL];
  double n[6];
  if (length != CELL)
    return fail(trajectory, "the unit cell record is not 48 bytes long");
  CW_TRY(read_rest(trajectory, CELL, bytes));
  for (int k = 0; k < 6; k++) {
    uint32_t part[2] = {word(trajectory, bytes + 8 * k), word(trajectory, bytes + 8 * k + 4)};
    if (trajectory->dcd_swapped) {
      uint32_t first = part[0];
      part[0] = part[1];
      part[1] = first;
    }
    memcpy(&n[k], part, sizeof n[k]);
    if (!isfinite(n[k]))
      return fail(trajectory, "the unit cell is not finite");
  }
  const double lengths[3] = {n[0], n[2], n[5]};
  double angles[3] = {n[4], n[3], n[1]};
  int cosines = 1;
  for (int k = 0; k < 3; k++)
    cosines = cosines && fabs(angles[k]) <= 1;
  for (int k = 0; cosines && k < 3; k++)
    angles[k] = angles[k] == 0 ? 90 : acos(angles[k]) * (180 / 3.14159265358979323846);
  return cw_trajectory_cell(trajectory, lengths, angles, &trajectory->frame.box);
}

static cw_status read_axis(cw_trajectory *trajectory, int axis, int64_t length,
                           unsigned char *bytes) {
  cw_frame *frame = &trajectory->frame;
  if (length != 4 * frame->atoms)
    return fail(trajectory, "a record has not one float an atom");
  CW_TRY(read_rest(trajectory, length, bytes));
  for (int64_t k = 0; k < frame->atoms; k++) {
    uint32_t v = word(trajectory, bytes + 4 * k);
    float x;
    memcpy(&x, &v, sizeof x);
    if (!isfinite(x))
      return fail(trajectory, "a coordinate is not finite");
    frame->position[3 * k + axis] = (double)x;
  }
  return CW_OK;
}

static cw_status next(cw_trajectory *trajectory, int *more) {
  int64_t length;
  unsigned char *bytes = NULL;
  CW_TRY(read_length(trajectory, &length));
  *more = length >= 0;
  if (!*more)
    return CW_OK;
  memset(&trajectory->frame.box, 0, sizeof trajectory->frame.box);
  if (trajectory->dcd_has_cell) {
    CW_TRY(read_cell(trajectory, length));
    CW_TRY(read_length(trajectory, &length));
  }
  CW_TRY(CW_NEW(trajectory->context, 4 * trajectory->frame.atoms, "DCD record", &bytes));
  cw_status status = CW_OK;
  for (int axis = 0; axis < 3 && status == CW_OK; axis++) {
    if (axis > 0)
      status = read_length(trajectory, &length);
    if (status == CW_OK)
      status = read_axis(trajectory, axis, length, bytes);
  }
  CW_DELETE(trajectory->context, bytes);
  return status;
}

const cw_trajectory_format cw_format_dcd = {
    .name = "dcd", .length = 0.1, .binary = 1, .open = open, .next = next};
