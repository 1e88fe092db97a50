/* GRO: title, count, fixed columns, then 3 to 9 box numbers in GROMACS' order
 * ax by cz [ay az bx bz cx cy]. The distance of the decimal points gives the columns' width. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "molecular/trajectory.h"

enum { BEFORE_POSITIONS = 20 };

static cw_status column_width(const cw_lines *lines, size_t *width) {
  const char *first =
      strlen(lines->text) > BEFORE_POSITIONS ? strchr(lines->text + BEFORE_POSITIONS, '.') : NULL;
  const char *second = first ? strchr(first + 1, '.') : NULL;
  *width = second ? (size_t)(second - first) : 0;
  if (*width < 4 || *width > 40)
    return cw_lines_fail(lines,
                         "the coordinates' columns cannot be told from their decimal points");
  return CW_OK;
}

static cw_status read_atom(cw_trajectory *trajectory, int64_t atom) {
  cw_lines *lines = &trajectory->lines;
  int more;
  size_t width;
  CW_TRY(cw_lines_next(lines, &more));
  if (!more)
    return cw_lines_fail(lines, "the file ends in frame %lld after %lld of %lld atoms",
                         (long long)trajectory->frames + 1, (long long)atom,
                         (long long)trajectory->frame.atoms);
  CW_TRY(column_width(lines, &width));
  for (size_t c = 0; c < 3; c++) {
    char field[48];
    const char *end;
    size_t start = BEFORE_POSITIONS + c * width, length = strlen(lines->text);
    size_t n = start < length ? (length - start < width ? length - start : width) : 0;
    memcpy(field, lines->text + start * (n > 0), n);
    field[n] = '\0';
    if (cw_lines_numbers(field, 1, &trajectory->frame.position[3 * atom + (int64_t)c], &end) != 1 ||
        *end)
      return cw_lines_fail(lines, "atom %lld: three coordinates in columns of %zu are expected",
                           (long long)atom + 1, width);
  }
  return CW_OK;
}

static cw_status read_box(cw_trajectory *trajectory) {
  cw_lines *lines = &trajectory->lines;
  cw_box *box = &trajectory->frame.box;
  double n[10] = {0};
  int more;
  CW_TRY(cw_lines_next(lines, &more));
  int count = more ? cw_lines_numbers(lines->text, 10, n, NULL) : -1;
  if (count < 3 || count > 9)
    return cw_lines_fail(lines, "3 to 9 box numbers are expected");
  const double vectors[3][3] = {{n[0], n[3], n[4]}, {n[5], n[1], n[6]}, {n[7], n[8], n[2]}};
  memcpy(box->vectors, vectors, sizeof vectors);
  return CW_OK;
}

static cw_status next(cw_trajectory *trajectory, int *more) {
  cw_lines *lines = &trajectory->lines;
  double count = 0;
  CW_TRY(cw_lines_next(lines, more));
  if (!*more)
    return CW_OK;
  int blank = lines->text[strspn(lines->text, " \t")] == '\0';
  CW_TRY(cw_lines_next(lines, more));
  if (!*more)
    return blank ? CW_OK : cw_lines_fail(lines, "the file ends behind the title");
  if (cw_lines_numbers(lines->text, 1, &count, NULL) != 1 || count != floor(count) || count < 1 ||
      count > CW_MAX_ATOMS)
    return cw_lines_fail(lines, "the number of atoms is expected, found '%.40s'", lines->text);
  CW_TRY(cw_trajectory_room(trajectory, (int64_t)count));
  for (int64_t k = 0; k < trajectory->frame.atoms; k++)
    CW_TRY(read_atom(trajectory, k));
  return read_box(trajectory);
}

const cw_trajectory_format cw_format_gro = {.name = "gro", .length = 1, .next = next};
