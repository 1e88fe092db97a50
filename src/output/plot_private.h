/* Inside the plots: what is drawn, and the page that it is drawn on. */
#ifndef CW_OUTPUT_PLOT_PRIVATE_H
#define CW_OUTPUT_PLOT_PRIVATE_H

#include <stdio.h>

#include "output/output_private.h"
#include "output/plot.h"

enum { CW_PLOT_WIDTH = 1400, CW_PLOT_LABEL = 256, CW_PLOT_MAX_CURVES = 4 };

/* One scalar over the interior of the grid. */
typedef struct cw_plot_field {
  int dim;
  int64_t cells[3];
  double spacing[3], offset[3]; /* coordinate of value (0, 0, 0) */
  double *values;               /* axis 0 fastest; owned */
  double low, high;             /* of the finite values */
  char label[CW_PLOT_LABEL];    /* gnuplot's enhanced text */
  int is_count;                 /* of a histogram: logarithmic, empty where it is 0 */
  const char *axis_name[2];     /* of a map, in place of x and y */
} cw_plot_field;

/* Path of a series' file of `step` (-1: the last) and that step; *step = -1 when `step` is -1 and
 * there is no field file. */
cw_status cw_plot_find_step(cw_context *context, const char *folder, cw_series series,
                            int64_t wanted, char *path, int64_t *step);
/* Appends text so that gnuplot's enhanced mode shows it letter by letter. */
void cw_plot_append_plain(char label[CW_PLOT_LABEL], const char *text);
cw_status cw_plot_load(cw_field_file *file, const char *quantity, cw_plot_field *field);
/* 1 when cw_plot_load would find it. */
int cw_plot_has(cw_field_file *file, const char *quantity);
void cw_plot_field_clear(cw_context *context, cw_plot_field *field);

/* A page under construction: a gnuplot script in an unnamed file. */
typedef struct cw_plot_page {
  cw_context *context;
  FILE *script;
  cw_aside png;
  int height;         /* pixels */
  double length_unit; /* lengths and times are divided by it: the skin depth, or 1 */
  int in_skindepths;  /* 1: labels say so */
  int blocks;         /* data blocks so far */
} cw_plot_page;

/* A rectangle of the page, pixels from the upper left corner: the area inside the axes. */
typedef struct cw_plot_area {
  double left, top, width, height;
} cw_plot_area;

cw_status cw_plot_page_begin(cw_context *context, const char *png, int height, double skindepth0,
                             const char *title, cw_plot_page *page);
/* Runs gnuplot on the script and renames the picture; frees the page in any case. */
cw_status cw_plot_page_finish(cw_plot_page *page);
/* Frees a page that shall not be drawn. */
void cw_plot_page_abandon(cw_plot_page *page);

/* The tracked particles of a run's folder; the page of its own. */
cw_status cw_plot_tracks(cw_context *context, const char *folder, const char *png,
                         cw_plot_result *result);
/* A plane of a field (normal: axis, at the middle; for 2D fields axis 2) as a colour map; `flux`
 * (NULL: none) are nodes of a flux function whose contours are drawn over it. */
cw_status cw_plot_map(cw_plot_page *page, cw_plot_area area, const cw_plot_field *field, int normal,
                      const double *flux, int colour_bar);
/* Pixels of a field's panels, inside the axes: the height, and in *width the width. */
double cw_plot_field_height(const cw_plot_field *field, double *width);
/* Draws them below the page's title. */
cw_status cw_plot_draw_field(cw_plot_page *page, const cw_plot_field *field, const double *flux);
/* Field lines in the plane of x and y (in 3D: at the middle of z), if the file has B; *flux is NULL
 * otherwise. Free with CW_DELETE. */
cw_status cw_plot_load_flux(cw_field_file *file, double **flux);
/* Curves over a common axis x: values[c][0 .. count - 1]. */
typedef struct cw_plot_curves {
  int count; /* curves */
  int64_t points;
  int64_t stride;  /* between two points of an array */
  const double *x; /* NULL: x0 + i dx */
  double x0, dx;
  const double *values[CW_PLOT_MAX_CURVES];
  const char *labels[CW_PLOT_MAX_CURVES];
  const char *xlabel, *ylabel; /* xlabel NULL: no numbers along x */
  int allow_log;               /* log y where the curves' sizes differ much */
  int log_y;                   /* log y in any case; values that are not positive are left out */
} cw_plot_curves;
cw_status cw_plot_draw_curves(cw_plot_page *page, cw_plot_area area, const cw_plot_curves *curves);
/* "name: what, t = 12.3, step 400" */
void cw_plot_title(const cw_field_file *file, const char *what, char *title, size_t size);
/* Pixels of a page's frame. */
enum {
  CW_PLOT_LEFT = 150,
  CW_PLOT_RIGHT = 165,
  CW_PLOT_TOP = 70,
  CW_PLOT_BOTTOM = 90,
  CW_PLOT_INNER = CW_PLOT_WIDTH - CW_PLOT_LEFT - CW_PLOT_RIGHT
};
/* Pages of histograms: "spectrum" of a spectra file; a record's whole name of a phase-space file, or
 * "phase_x_ux", the sum over its species, or "phase", the first of these. Errors: as cw_plot_quantity. */
int cw_plot_is_histogram(const char *quantity);
cw_status cw_plot_histogram(cw_context *context, const char *folder, const char *quantity,
                            int64_t step, const char *png, cw_plot_result *result);

/* The energies of a history (left) and their relative total change (right). */
cw_status cw_plot_draw_history(cw_plot_page *page, cw_plot_area area, const cw_table *history);

#endif
