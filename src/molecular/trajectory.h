/* Trajectories frame by frame: XYZ (plain and extended), GRO, PDB, DCD; XTC and TRR by libgromacs.
 */
#ifndef CW_MOLECULAR_TRAJECTORY_H
#define CW_MOLECULAR_TRAJECTORY_H

#include <cellwise/coordination.h>

#include "molecular/gromacs_child.h"
#include "molecular/lines.h"

enum { CW_MAX_ATOMS = 1 << 30 };

typedef struct cw_frame {
  int64_t atoms;
  double *position;      /* [atoms][3], file's length unit */
  cw_box box;            /* zeros: none */
  double *mass, *charge; /* [atoms] of a structure file, else NULL */
} cw_frame;

typedef struct cw_trajectory cw_trajectory;

/* One a format. next: fills the frame, which has room for trajectory->atoms atoms once that is set
 * (cw_trajectory_room); *more = 0 at the end. */
typedef struct cw_trajectory_format {
  const char *name; /* as --format wants it, and the usual ending of file names */
  double length;    /* nm of the file's unit, unless told otherwise */
  int binary;       /* no lines */
  cw_status (*open)(cw_trajectory *trajectory);
  cw_status (*next)(cw_trajectory *trajectory, int *more);
  void (*close)(cw_trajectory *trajectory); /* optional */
} cw_trajectory_format;

struct cw_trajectory {
  cw_context *context;
  const cw_trajectory_format *format;
  cw_lines lines; /* text formats; of binary ones only path and file are used */
  cw_frame frame;
  int64_t frames;    /* read so far */
  int has_fixed_box; /* --box: the file's boxes are not looked at */
  cw_box fixed_box;
  int dcd_swapped, dcd_has_cell; /* DCD header */
  int64_t xdr_frames;            /* XTC, TRR: frames with positions */
  cw_gromacs_child gromacs;
};

/* format NULL: by the ending of the file's name. Errors: CW_ERROR_IO, CW_ERROR_INPUT (no such
 * format), CW_ERROR_FORMAT ("PATH:LINE: ..."), CW_ERROR_MEMORY. */
cw_status cw_trajectory_open(cw_context *context, const char *path, const char *format,
                             const cw_box *fixed_box, cw_trajectory **trajectory);
void cw_trajectory_close(cw_trajectory *trajectory);
/* Reads the next frame into trajectory->frame. All frames have the same number of atoms. */
cw_status cw_trajectory_next(cw_trajectory *trajectory, int *more);

/* For the formats: makes room, or checks that the number is that of the frames before. */
cw_status cw_trajectory_room(cw_trajectory *trajectory, int64_t atoms);
/* Box vectors from lengths and angles (degrees): a along x, b in the xy plane. Errors:
 * CW_ERROR_FORMAT for angles that close no box. */
cw_status cw_trajectory_cell(const cw_trajectory *trajectory, const double lengths[3],
                             const double angles[3], cw_box *box);

extern const cw_trajectory_format cw_format_xyz, cw_format_gro, cw_format_pdb, cw_format_dcd,
    cw_format_xtc, cw_format_trr;

#endif
