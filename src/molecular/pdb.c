/* PDB: CRYST1 gives the box, ATOM and HETATM the positions (Angstrom), END or ENDMDL ends a frame.
 * As in PLUMED, the occupancy column can serve as masses and the B factor as charges. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "molecular/trajectory.h"

/* The number in columns [first, first + width), counted from 1. */
static int column(const char *text, size_t first, size_t width, double *value) {
  char field[32];
  const char *end;
  size_t length = strlen(text), start = first - 1;
  if (length <= start)
    return 0;
  size_t n = length - start < width ? length - start : width;
  memcpy(field, text + start, n);
  field[n] = '\0';
  return cw_lines_numbers(field, 1, value, &end) == 1 && !*end;
}

static cw_status read_cell(cw_trajectory *trajectory) {
  static const size_t first[6] = {7, 16, 25, 34, 41, 48}, width[6] = {9, 9, 9, 7, 7, 7};
  double n[6];
  for (int k = 0; k < 6; k++)
    if (!column(trajectory->lines.text, first[k], width[k], &n[k]))
      return cw_lines_fail(&trajectory->lines,
                           "CRYST1 does not hold three lengths and three angles");
  if (n[0] == 1 && n[1] == 1 && n[2] == 1)
    n[0] = n[1] = n[2] = 0; /* how "no box" is written */
  return cw_trajectory_cell(trajectory, n, n + 3, &trajectory->frame.box);
}

static cw_status grow(cw_trajectory *trajectory, double **array, int64_t have, int64_t want) {
  double *larger = NULL;
  CW_TRY(CW_NEW(trajectory->context, want, "atoms of a structure", &larger));
  if (*array)
    memcpy(larger, *array, (size_t)have * sizeof **array);
  CW_DELETE(trajectory->context, *array);
  *array = larger;
  return CW_OK;
}

/* The first frame says how many atoms there are, so its arrays grow. */
static cw_status room_for_one(cw_trajectory *trajectory, int64_t count, int64_t *capacity) {
  cw_frame *frame = &trajectory->frame;
  if (trajectory->frames > 0) {
    if (count == frame->atoms)
      return cw_lines_fail(&trajectory->lines, "frame %lld has more atoms than the first (%lld)",
                           (long long)trajectory->frames + 1, (long long)frame->atoms);
    return CW_OK;
  }
  if (count < *capacity)
    return CW_OK;
  if (count >= CW_MAX_ATOMS)
    return cw_lines_fail(&trajectory->lines, "too many atoms");
  int64_t larger = 2 * *capacity + 1024;
  CW_TRY(grow(trajectory, &frame->position, 3 * *capacity, 3 * larger));
  CW_TRY(grow(trajectory, &frame->mass, *capacity, larger));
  CW_TRY(grow(trajectory, &frame->charge, *capacity, larger));
  *capacity = larger;
  return CW_OK;
}

static cw_status read_atom(cw_trajectory *trajectory, int64_t atom) {
  cw_frame *frame = &trajectory->frame;
  const char *text = trajectory->lines.text;
  for (size_t c = 0; c < 3; c++)
    if (!column(text, 31 + 8 * c, 8, &frame->position[3 * atom + (int64_t)c]))
      return cw_lines_fail(&trajectory->lines,
                           "three coordinates in columns 31 to 54 are expected");
  if (!column(text, 55, 6, &frame->mass[atom]))
    frame->mass[atom] = NAN;
  if (!column(text, 61, 6, &frame->charge[atom]))
    frame->charge[atom] = NAN;
  return CW_OK;
}

static cw_status next(cw_trajectory *trajectory, int *more) {
  cw_lines *lines = &trajectory->lines;
  int64_t count = 0, capacity = 0;
  for (;;) {
    CW_TRY(cw_lines_next(lines, more));
    int ends = !*more || strncmp(lines->text, "END", 3) == 0;
    if (ends && count > 0)
      break;
    if (!*more)
      return CW_OK;
    if (strncmp(lines->text, "CRYST1", 6) == 0)
      CW_TRY(read_cell(trajectory));
    if (strncmp(lines->text, "ATOM  ", 6) != 0 && strncmp(lines->text, "HETATM", 6) != 0)
      continue;
    CW_TRY(room_for_one(trajectory, count, &capacity));
    CW_TRY(read_atom(trajectory, count++));
  }
  if (trajectory->frames == 0)
    trajectory->frame.atoms = count;
  *more = 1;
  return cw_trajectory_room(trajectory, count);
}

const cw_trajectory_format cw_format_pdb = {.name = "pdb", .length = 0.1, .next = next};
