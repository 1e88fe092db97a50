/* XTC and TRR: read by libgromacs, after every frame was seen to be whole, since libgromacs ends
 * the process over a file that is none and stops in silence at one that is cut off. Both are
 * big-endian words of four bytes (XDR): XTC  1995, atoms, step, time, box[9], atoms, then up to 9
 * atoms as floats, else precision, min[3], max[3], a small index, bytes and that many compressed
 * ones, padded to words TRR  1993, 13, a string of 12, sizes of ten blocks, atoms, step, nre, time
 * and lambda, blocks */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "molecular/gromacs_adaptor.h"
#include "molecular/trajectory.h"

enum { XTC_MAGIC = 1995, TRR_MAGIC = 1993, XTC_FIXED = 56, XTC_PACKED = 36, TRR_FIXED = 76 };

/* The header of a frame. */
typedef struct header {
  int64_t atoms, size; /* bytes of the frame in all */
  int has_positions;
} header;

static cw_status fail(cw_trajectory *trajectory, int64_t frame, const char *what) {
  return cw_fail(trajectory->context, CW_ERROR_FORMAT, "%s: frame %lld: %s", trajectory->lines.path,
                 (long long)frame, what);
}

static int64_t word(const unsigned char *at) {
  uint32_t v = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
  return (int32_t)v;
}

static const char *look_xtc(const unsigned char *bytes, size_t count, header *found) {
  if (count < XTC_FIXED)
    return "the file is cut off";
  if (word(bytes) != XTC_MAGIC)
    return "this is no XTC frame: it does not begin with the number 1995";
  found->atoms = word(bytes + 4);
  found->has_positions = 1;
  if (word(bytes + 52) != found->atoms || found->atoms < 1 || found->atoms > CW_MAX_ATOMS)
    return "the number of atoms is absurd";
  found->size = XTC_FIXED + 12 * found->atoms;
  if (found->atoms <= 9)
    return NULL;
  if (count < XTC_FIXED + XTC_PACKED)
    return "the file is cut off";
  int64_t packed = word(bytes + XTC_FIXED + XTC_PACKED - 4);
  if (packed < 0)
    return "the number of compressed bytes is negative";
  found->size = XTC_FIXED + XTC_PACKED + (packed + 3) / 4 * 4;
  return NULL;
}

static const char *look_trr(const unsigned char *bytes, size_t count, header *found) {
  if (count < TRR_FIXED)
    return "the file is cut off";
  if (word(bytes) != TRR_MAGIC || word(bytes + 8) != 12 ||
      memcmp(bytes + 12, "GMX_trn_file", 12) != 0)
    return "this is no TRR frame: it does not begin with the number 1993 and GMX_trn_file";
  int64_t data = 0, box = word(bytes + 32), x = word(bytes + 52);
  for (int k = 0; k < 10; k++) {
    int64_t size = word(bytes + 24 + 4 * k);
    if (size < 0)
      return "the size of a block is negative";
    data += size;
  }
  found->atoms = word(bytes + 64);
  found->has_positions = x > 0;
  if (found->atoms < 1 || found->atoms > CW_MAX_ATOMS)
    return "the number of atoms is absurd";
  int64_t real = box > 0 ? box / 9 : x > 0 ? x / (3 * found->atoms) : 4;
  if ((real != 4 && real != 8) || (x > 0 && x != 3 * found->atoms * real) ||
      (box > 0 && box != 9 * real))
    return "the sizes of the blocks do not go with the number of atoms";
  found->size = TRR_FIXED + 2 * real + data;
  return NULL;
}

/* Walks over the frames; leaves the number of those with positions in xdr_frames. */
static cw_status check(cw_trajectory *trajectory) {
  FILE *file = trajectory->lines.file;
  struct stat about;
  int64_t at = 0, atoms = 0;
  int trr = trajectory->format == &cw_format_trr;
  if (fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode))
    return fail(trajectory, 1, "a plain file is needed");
  for (int64_t frame = 1; at < about.st_size; frame++) {
    unsigned char bytes[XTC_FIXED + XTC_PACKED];
    header found = {0};
    if (fseeko(file, at, SEEK_SET) != 0)
      return fail(trajectory, frame, "the file cannot be read");
    size_t count = fread(bytes, 1, sizeof bytes, file);
    const char *wrong = trr ? look_trr(bytes, count, &found) : look_xtc(bytes, count, &found);
    if (!wrong && found.size > about.st_size - at)
      wrong = "the file is cut off";
    if (!wrong && atoms > 0 && found.atoms != atoms)
      wrong = "its number of atoms is not that of the frames before";
    if (wrong)
      return fail(trajectory, frame, wrong);
    atoms = found.atoms;
    at += found.size;
    trajectory->xdr_frames += found.has_positions;
  }
  return trajectory->xdr_frames > 0 ? cw_trajectory_room(trajectory, atoms) : CW_OK;
}

static cw_status open(cw_trajectory *trajectory) {
  if (!cw_gromacs_here())
    return cw_fail(trajectory->context, CW_ERROR_UNSUPPORTED,
                   "%s: this build has no libgromacs, and cannot read %s; convert it first, for "
                   "instance by `gmx trjconv -f %s -o frames.gro`",
                   trajectory->lines.path, trajectory->format->name, trajectory->lines.path);
  CW_TRY(check(trajectory));
  if (trajectory->xdr_frames == 0)
    return CW_OK;
  int started =
      cw_gromacs_child_open(trajectory->lines.path, trajectory->frame.atoms, &trajectory->gromacs);
  return started ? CW_OK : fail(trajectory, 1, "a process to read it in cannot be started");
}

static cw_status next(cw_trajectory *trajectory, int *more) {
  cw_frame *frame = &trajectory->frame;
  *more = trajectory->frames < trajectory->xdr_frames;
  if (!*more)
    return CW_OK;
  int64_t number = trajectory->frames + 1;
  if (!cw_gromacs_child_next(&trajectory->gromacs, frame->atoms, frame->position,
                             frame->box.vectors))
    return fail(trajectory, number, "libgromacs cannot read it");
  for (int64_t k = 0; k < 3 * frame->atoms; k++)
    if (!isfinite(frame->position[k]))
      return fail(trajectory, number, "a coordinate is not finite");
  for (int k = 0; k < 9; k++)
    if (!isfinite(frame->box.vectors[k / 3][k % 3]))
      return fail(trajectory, number, "a box vector is not finite");
  return CW_OK;
}

static void close(cw_trajectory *trajectory) {
  cw_gromacs_child_close(&trajectory->gromacs);
}

const cw_trajectory_format cw_format_xtc = {
    .name = "xtc", .length = 1, .binary = 1, .open = open, .next = next, .close = close};
const cw_trajectory_format cw_format_trr = {
    .name = "trr", .length = 1, .binary = 1, .open = open, .next = next, .close = close};
