/* Communication between blocks: one process now; the same functions over MPI later. One
 * implementation is linked. Everything that crosses a block's edge goes through here. */
#ifndef CW_COMM_COMM_H
#define CW_COMM_COMM_H

#include <cellwise/grid.h>
#include <cellwise/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cw_comm_op { CW_COMM_SUM = 0, CW_COMM_MAX, CW_COMM_MIN } cw_comm_op;

int cw_comm_rank(void);
int cw_comm_size(void);
/* In place over `count` values, the same result on every rank, ranks summed in order.
 * Collective. */
cw_status cw_comm_reduce(cw_context *context, double *values, int count, cw_comm_op op);

/* Fills the ghost cells of one array along a periodic axis from the cells at the other side; works
 * for any number of cells, also fewer than ghost cells. Axes are filled in order 0, 1, 2, each over
 * the full extent of the others, so that corners come out right. Collective. */
cw_status cw_comm_fill_ghosts(cw_context *context, const cw_grid *grid, cw_precision precision,
                              void *array, int axis);
/* The opposite: adds what stands in the ghost cells along a periodic axis to the cells that they
 * are images of, and zeroes the ghost cells; axes in any order. Collective.
 * Errors of both: CW_ERROR_ARGUMENT (an axis that is not simulated, no array). */
cw_status cw_comm_fold_ghosts(cw_context *context, const cw_grid *grid, cw_precision precision,
                              void *array, int axis);
/* The same for an array in either space; on the device the work is queued. Errors: as above,
 * CW_ERROR_UNSUPPORTED (no device), CW_ERROR_DEVICE. */
cw_status cw_comm_fill_ghosts_in(cw_context *context, cw_space space, const cw_grid *grid,
                                 cw_precision precision, void *array, int axis);
cw_status cw_comm_fold_ghosts_in(cw_context *context, cw_space space, const cw_grid *grid,
                                 cw_precision precision, void *array, int axis);
/* The same for `arrays` arrays over the grid, one behind the other. */
cw_status cw_comm_fill_arrays(cw_context *context, cw_space space, const cw_grid *grid,
                              cw_precision precision, void *array, int64_t arrays, int axis);
cw_status cw_comm_fold_arrays(cw_context *context, cw_space space, const cw_grid *grid,
                              cw_precision precision, void *array, int64_t arrays, int axis);

#ifdef __cplusplus
}
#endif
#endif
