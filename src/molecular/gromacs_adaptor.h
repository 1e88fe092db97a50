/* What is needed of libgromacs, in C. gromacs_adaptor.cpp where it is installed, else
 * gromacs_absent.c. */
#ifndef CW_MOLECULAR_GROMACS_ADAPTOR_H
#define CW_MOLECULAR_GROMACS_ADAPTOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cw_gromacs cw_gromacs;

/* 1 where this build has libgromacs. */
int cw_gromacs_here(void);
/* Opens an XTC or TRR file that is known to be whole: libgromacs ends the process over others.
 * Returns NULL on failure. It stays open until the process ends (gromacs_child.h). */
cw_gromacs *cw_gromacs_open(const char *path);
/* Next frame with positions: [atoms][3] and box vectors as rows, nm. Returns 0 at the end, -1 where
 * the number of atoms is another. */
int cw_gromacs_next(cw_gromacs *reader, int64_t atoms, double *positions, double box[3][3]);

#ifdef __cplusplus
}
#endif
#endif
