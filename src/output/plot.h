/* PNG pictures of a run's folder, drawn by gnuplot (package gnuplot-nox), 1400 pixels wide. */
#ifndef CW_OUTPUT_PLOT_H
#define CW_OUTPUT_PLOT_H

#include "output/output.h"

/* What a picture shows, for messages and --json. */
typedef struct cw_plot_result {
  int64_t step;            /* of the field file; -1: none, the history alone */
  double time;             /* of that step, or of the last row of the history */
  double minimum, maximum; /* of the mapped field; 0 without one */
} cw_plot_result;

/* The picture of a run at its last field file: in 2D a density map with magnetic field lines, in
 * 1D the fields along the axis, in 3D three mid-plane slices with field lines in that of x and y; below, the history of the energies.
 * Without field files the history alone.
 *   folder  a run's output folder      png  the file to write; written aside, then renamed
 * Errors: CW_ERROR_INPUT (folder or history.csv missing), CW_ERROR_FORMAT (a file is damaged),
 * CW_ERROR_IO (gnuplot is not installed, the disk is full), CW_ERROR_MEMORY.
 * On failure no file is left. */
cw_status cw_plot_overview(cw_context *context, const char *folder, const char *png);
/* The same at a step (-1: the last). result may be NULL.
 * Further error: CW_ERROR_INPUT when the step has no field file (the message says which do). */
cw_status cw_plot_overview_at(cw_context *context, const char *folder, int64_t step,
                              const char *png, cw_plot_result *result);
/* One quantity: "Bz" or "B_z" (a component), "B" or "|B|" (a magnitude), "rho", "density_LABEL",
 * "N" (all densities summed), "energy" (the history), "spectrum" (energy spectra of all species),
 * "phase_x_ux" or "phase_x_ux_LABEL" (a phase-space map of all species or of one; "phase": the
 * first), "track" (the paths and energies of tracked particles, the first 40). Further error:
 * CW_ERROR_INPUT when there is no such quantity (the message lists what there is and suggests the
 * nearest). */
cw_status cw_plot_quantity(cw_context *context, const char *folder, const char *quantity,
                           int64_t step, const char *png, cw_plot_result *result);

/* The same with magnetic field lines over it: contours of the flux function of Bx and By, in 3D those
 * of the middle plane of z. Further error: CW_ERROR_INPUT when the file has no such lines. */
cw_status cw_plot_quantity_lines(cw_context *context, const char *folder, const char *quantity,
                                 int64_t step, const char *png, cw_plot_result *result);

/* Flux function A of an in-plane field on a Yee grid: Bx = dA/dy at (i, j + 1/2) and
 * By = -dA/dx at (i + 1/2, j), of mean zero, so that its contours are field lines.
 *   cells, spacing  of x and y       Bx, By  [cells[1]][cells[0]], axis 0 fastest
 *   flux            [cells[1] + 1][cells[0] + 1] at the nodes (i, j), out */
void cw_plot_flux(const int64_t cells[2], const double spacing[2], const double *Bx,
                  const double *By, double *flux);

#endif
