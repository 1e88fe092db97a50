/* Copies of a benchmark's data in device memory. */
#ifndef CW_CLI_BENCH_DEVICE_H
#define CW_CLI_BENCH_DEVICE_H

#include <cellwise/cellwise.h>

/* Copies a host view, or a cell table's offsets, into new device memory; host members that are NULL
 * stay so. Free with the _free functions, also after a failure. Errors: CW_ERROR_MEMORY,
 * CW_ERROR_DEVICE. */
cw_status cw_bench_device_particles(cw_context *context, int dim, const cw_particles_view *host,
                                    cw_particles_view *device);
void cw_bench_device_particles_free(cw_context *context, cw_particles_view *device);
cw_status cw_bench_device_cells(cw_context *context, const cw_cells_view *host,
                                cw_cells_view *device);
void cw_bench_device_cells_free(cw_context *context, cw_cells_view *device);

#endif
