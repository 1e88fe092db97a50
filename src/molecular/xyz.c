/* XYZ: count, a line with the box, then "name x y z" an atom. The second line holds 3 or 9 numbers
 * (nm unless told otherwise), or the keys Lattice="9 numbers" and Properties=... of extended XYZ.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "molecular/trajectory.h"

static void set_box(cw_box *box, const double *numbers, int count) {
  memset(box, 0, sizeof *box);
  for (int k = 0; k < count; k++) {
    if (count == 3)
      box->vectors[k][k] = numbers[k];
    else
      box->vectors[k / 3][k % 3] = numbers[k];
  }
}

/* Value of KEY="..." or KEY=...: start and length, or NULL. */
static const char *find_key(const char *text, const char *key, size_t *length) {
  size_t n = strlen(key);
  for (const char *at = text; *at; at++) {
    int start = at == text || isspace((unsigned char)at[-1]);
    if (!start || strncasecmp(at, key, n) != 0 || at[n] != '=')
      continue;
    const char *value = at + n + 1;
    if (*value == '"') {
      const char *end = strchr(++value, '"');
      if (!end)
        return NULL;
      *length = (size_t)(end - value);
    } else {
      *length = strcspn(value, " \t");
    }
    return value;
  }
  return NULL;
}

static cw_status read_lattice(cw_trajectory *trajectory, const char *lattice) {
  double numbers[9];
  const char *end;
  int count = cw_lines_numbers(lattice, 8, numbers, &end);
  char *stop; /* the ninth ends at a quotation mark */
  numbers[8] = strtod(end, &stop);
  if (count != 8 || stop == end || *stop != '"' || !isfinite(numbers[8]))
    return cw_lines_fail(&trajectory->lines, "Lattice does not hold nine numbers");
  set_box(&trajectory->frame.box, numbers, 9);
  return CW_OK;
}

/* A box that repeats along some axes only has no counterpart here. */
static cw_status read_periodicity(cw_trajectory *trajectory, const char *value, size_t length) {
  int yes = 0, no = 0;
  for (size_t k = 0; k < length; k++) {
    yes += value[k] == 'T' || value[k] == 't' || value[k] == '1';
    no += value[k] == 'F' || value[k] == 'f' || value[k] == '0';
  }
  if (yes && no)
    return cw_lines_fail(&trajectory->lines, "pbc: a box that is periodic along some axes only is "
                                             "not implemented");
  if (no)
    memset(&trajectory->frame.box, 0, sizeof trajectory->frame.box);
  return CW_OK;
}

/* Column of the positions in Properties=species:S:1:pos:R:3. */
static cw_status find_positions(cw_trajectory *trajectory, const char *value, size_t length,
                                int *column) {
  int at = 0;
  const char *end = value + length;
  while (value < end) {
    const char *type = memchr(value, ':', (size_t)(end - value));
    const char *number = type ? memchr(type + 1, ':', (size_t)(end - type - 1)) : NULL;
    if (!number)
      break;
    char *stop;
    long columns = strtol(number + 1, &stop, 10);
    if (columns < 1 || columns > 1000)
      break;
    if (type - value == 3 && strncasecmp(value, "pos", 3) == 0 && columns == 3) {
      *column = at;
      return CW_OK;
    }
    at += (int)columns;
    if (at > 1000)
      break;
    value = stop < end && *stop == ':' ? stop + 1 : end;
  }
  return cw_lines_fail(&trajectory->lines, "Properties names no pos:R:3");
}

static cw_status read_second_line(cw_trajectory *trajectory, int *column) {
  cw_lines *lines = &trajectory->lines;
  double numbers[10];
  size_t length;
  *column = 1;
  const char *lattice = find_key(lines->text, "Lattice", &length);
  const char *value = find_key(lines->text, "Properties", &length);
  if (value)
    CW_TRY(find_positions(trajectory, value, length, column));
  memset(&trajectory->frame.box, 0, sizeof trajectory->frame.box);
  if (trajectory->has_fixed_box)
    return CW_OK;
  if (lattice) {
    CW_TRY(read_lattice(trajectory, lattice));
    value = find_key(lines->text, "pbc", &length);
    return value ? read_periodicity(trajectory, value, length) : CW_OK;
  }
  if (value)
    return CW_OK; /* extended, without a box */
  int count = cw_lines_numbers(lines->text, 10, numbers, NULL);
  if (count != 3 && count != 9)
    return cw_lines_fail(lines, "the box is expected here: 3 or 9 numbers (0 0 0: none) or "
                                "Lattice=\"...\"; give --box if the file has none");
  set_box(&trajectory->frame.box, numbers, count);
  return CW_OK;
}

static cw_status read_atom(cw_trajectory *trajectory, int64_t atom, int column) {
  cw_lines *lines = &trajectory->lines;
  int more;
  const char *end;
  CW_TRY(cw_lines_next(lines, &more));
  if (!more)
    return cw_lines_fail(lines, "the file ends in frame %lld after %lld of %lld atoms",
                         (long long)trajectory->frames + 1, (long long)atom,
                         (long long)trajectory->frame.atoms);
  const char *at = lines->text;
  for (int k = 0; k < column; k++) {
    at += strspn(at, " \t");
    at += strcspn(at, " \t");
  }
  if (cw_lines_numbers(at, 3, trajectory->frame.position + 3 * atom, &end) != 3)
    return cw_lines_fail(lines, "atom %lld: three coordinates are expected", (long long)atom + 1);
  return CW_OK;
}

static cw_status next(cw_trajectory *trajectory, int *more) {
  cw_lines *lines = &trajectory->lines;
  double count = 0;
  int column, blank = 1;
  *more = 1;
  while (blank) { /* blank lines may stand behind the last frame */
    CW_TRY(cw_lines_next(lines, more));
    if (!*more)
      return CW_OK;
    blank = lines->text[strspn(lines->text, " \t")] == '\0';
  }
  if (cw_lines_numbers(lines->text, 1, &count, NULL) != 1 || count != floor(count) || count < 1 ||
      count > CW_MAX_ATOMS)
    return cw_lines_fail(lines, "the number of atoms is expected, found '%.40s'", lines->text);
  CW_TRY(cw_lines_next(lines, more));
  if (!*more)
    return cw_lines_fail(lines, "the file ends where the box is expected");
  CW_TRY(read_second_line(trajectory, &column));
  CW_TRY(cw_trajectory_room(trajectory, (int64_t)count));
  for (int64_t k = 0; k < trajectory->frame.atoms; k++)
    CW_TRY(read_atom(trajectory, k, column));
  return CW_OK;
}

const cw_trajectory_format cw_format_xyz = {.name = "xyz", .length = 1, .next = next};
