/* What the benchmarks share: the case from the command line, its particles, timing, JSON rows. */
#ifndef CW_CLI_BENCH_H
#define CW_CLI_BENCH_H

#include <jansson.h>

#include <cellwise/cellwise.h>

typedef struct cw_bench_case {
  int dim, order;
  cw_precision precision;
  int32_t cells[3]; /* an axis */
  int ppc;
  int tile, drift, team_size;
  int sort_interval; /* steps between sorts that the timed state stands for; 0: never sorted */
  int sort_intervals[8], sort_interval_count; /* `step`: each of them; the first is the above */
  double dead, tail;  /* `deposit`: shares of slots that are dead, that came after the sort */
  double temperature; /* spread of each component of u */
  double bulk;        /* drift of u along x */
  double cfl;
  int threads, repeats;
  uint32_t seed;
  int atoms; /* `coordination`: of a liquid of 100 in a unit of volume */
  double r_0, d_max;
  const char *only; /* `massmatrix`, `step`: variants whose names contain it; NULL: all */
  const char *deck; /* `step`: a deck's own engine and problem; NULL: the case above */
} cw_bench_case;

/* Timed body; returns a status, prepares nothing itself. */
typedef cw_status cw_bench_body(void *state);
/* Runs `before` (untimed, may be NULL) and `body` (timed) once to warm up and then `repeats` times;
 * *seconds is the median time of body. */
cw_status cw_bench_time(int repeats, cw_bench_body *before, cw_bench_body *body, void *state,
                        double *seconds);
/* Appends {"name", "ns_per_particle", "max_rel_err", "checksum"} to the array; the returned object
 * (borrowed) takes further members. checksum: cw_bench_checksum of the result's bytes. */
json_t *cw_bench_add(json_t *variants, const char *name, double ns_per_particle, double max_rel_err,
                     uint64_t checksum);
uint64_t cw_bench_checksum(const void *bytes, size_t size); /* FNV-1a */
/* The case's grid (periodic box of unit cells, dt = cfl / sqrt(dim)) and one species of charge 1:
 * ppc particles a cell at random places, normal u of the case's temperature and bulk, ordered by
 * cell as after a sort; i_prev, dx_prev are where they stood one step before (all inside the box,
 * possibly one cell out). All values from cw_random. */
cw_status cw_bench_particles(cw_context *context, const cw_bench_case *bench_case, cw_grid *grid,
                             double *dt, cw_particles **particles);

/* One a kernel: fills `variants` (every variant checked against the plain double version). */
typedef cw_status cw_bench_kernel(cw_context *context, const cw_bench_case *bench_case,
                                  json_t *variants);
cw_bench_kernel cw_bench_deposit, cw_bench_tiles, cw_bench_sort, cw_bench_step;
cw_bench_kernel cw_bench_massmatrix;
cw_bench_kernel cw_bench_deck; /* `step` of case->deck */
cw_bench_kernel cw_bench_coordination;
#endif
