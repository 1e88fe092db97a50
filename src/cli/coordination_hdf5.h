/* Coordination atom by atom, in HDF5: every frame, or a histogram over all of them. Files are
 * written aside and get their name when they are whole.
 *
 * A group /variables/LABEL a variable:
 *   atoms          [entries] numbers of GROUPA's entries, from 1; virtual atoms count on behind the
 *                  last atom
 *   coordination   [frames][entries] sum of s over the pairs of each entry (--per-atom)
 *   edges, counts  [bins + 1], [bins] (--histogram): how often an entry's coordination fell into
 *                  [edge k, edge k + 1); attributes below (values under the first edge), mean,
 * frames and at the root, with --per-atom: step [frames], time [frames] (attribute unit_ps: ps of
 * its unit). Attributes of the root: software, softwareVersion, commit, backend, input (text of the
 * PLUMED input), trajectory. */
#ifndef CW_CLI_COORDINATION_HDF5_H
#define CW_CLI_COORDINATION_HDF5_H

#include "molecular/analysis.h"

typedef struct cw_atoms_file cw_atoms_file;

typedef struct cw_atoms_file_options {
  const char *path, *input_path, *trajectory;
  int histogram;    /* 1: a histogram, 0: every frame */
  double bin_width; /* of the histogram; the first bin begins at 0 */
} cw_atoms_file_options;

/* Borrows the input. Errors: CW_ERROR_IO (names the file), CW_ERROR_MEMORY. */
cw_status cw_atoms_file_create(const cw_input *input, const cw_atoms_file_options *options,
                               cw_atoms_file **file);
/* Adds the frame that the analysis wrote last. */
cw_status cw_atoms_file_frame(cw_atoms_file *file, const cw_analysis *analysis, int64_t step);
/* Gives the file its name if `keep`, else removes it. Frees; NULL allowed. */
cw_status cw_atoms_file_close(cw_atoms_file *file, int keep);

#endif
