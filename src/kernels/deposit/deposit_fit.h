/* Whether a tile's sums fit into a team's shared memory on a device. */
#ifndef CW_KERNELS_DEPOSIT_FIT_H
#define CW_KERNELS_DEPOSIT_FIT_H

#include <cellwise/deposit.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of shared memory that a team needs at least for a tile of that edge, by the form that the
 * launches take with these options (order, method, path, drift, scratch_bits): three components of J,
 * the list and a warp's stage where runs are summed, else one component. 0 for the flat method. */
size_t cw_deposit_least_arena(const cw_deposit_options *options, int dim, cw_precision precision,
                              int tile);

/* CW_OK for a context without a device. Error: CW_ERROR_ARGUMENT (the message gives what is needed,
 * what the device has, and the edges that fit). */
cw_status cw_deposit_check_tile(cw_context *context, const cw_deposit_options *options, int dim,
                                cw_precision precision, int tile);

#ifdef __cplusplus
}
#endif
#endif
