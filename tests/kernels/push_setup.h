/* Grid, fields and particles for the tests of the push, in the caller's precision. */
#ifndef TESTS_KERNELS_PUSH_SETUP_H
#define TESTS_KERNELS_PUSH_SETUP_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include <cellwise/push.h>
#include <cellwise/random.h>

typedef struct push_setup {
  cw_context *context;
  cw_grid grid;
  cw_vector_view E, B;
  cw_particles_view p;
} push_setup;

static inline double push_get(cw_precision precision, const void *array, int64_t at) {
  return precision == CW_SINGLE ? (double)((const float *)array)[at] : ((const double *)array)[at];
}

static inline void push_set(cw_precision precision, void *array, int64_t at, double value) {
  if (precision == CW_SINGLE)
    ((float *)array)[at] = (float)value;
  else
    ((double *)array)[at] = value;
}

/* Storage starts poisoned, so that what is not written shows. */
static inline void *push_poisoned(size_t bytes) {
  void *block = malloc(bytes + 1);
  ck_assert_ptr_nonnull(block);
  memset(block, 0xff, bytes + 1);
  return block;
}

static inline cw_particles_view push_particles(int dim, cw_precision precision, int64_t count) {
  size_t n = (size_t)count, real = (size_t)cw_precision_size(precision);
  cw_particles_view p = {.count = count, .precision = precision, .space = CW_SPACE_HOST};
  for (int a = 0; a < 3; a++) {
    p.u[a] = push_poisoned(n * real);
    if (a >= dim)
      continue;
    p.i[a] = push_poisoned(n * sizeof(int32_t));
    p.i_prev[a] = push_poisoned(n * sizeof(int32_t));
    p.dx[a] = push_poisoned(n * real);
    p.dx_prev[a] = push_poisoned(n * real);
  }
  p.tag = push_poisoned(n);
  memset(p.tag, CW_TAG_ALIVE, n);
  p.id = push_poisoned(n * sizeof(uint64_t));
  for (int64_t s = 0; s < count; s++)
    p.id[s] = (uint64_t)(1000 + s);
  return p;
}

static inline void push_particles_free(cw_particles_view *p) {
  for (int a = 0; a < 3; a++) {
    free(p->u[a]);
    free(p->i[a]);
    free(p->i_prev[a]);
    free(p->dx[a]);
    free(p->dx_prev[a]);
  }
  free(p->tag);
  free(p->id);
}

static inline cw_context *push_context(cw_isa isa, int threads) {
  cw_context_options options = {.threads = threads, .isa = isa};
  cw_context *context = NULL;
  return cw_context_create(&options, &context, NULL, 0) == CW_OK ? context : NULL;
}

/* A box of `edge` cells of the given size an axis; `context` becomes the setup's. */
static inline push_setup push_setup_make(cw_context *context, int dim, cw_precision precision,
                                         int edge, int ghost, double dx, int64_t count) {
  push_setup s = {.context = context, .E.precision = precision, .B.precision = precision};
  int32_t cells[3] = {edge, edge, edge};
  double origin[3] = {0, 0, 0}, edges[3] = {dx, dx, dx};
  ck_assert_ptr_nonnull(context);
  ck_assert_int_eq(cw_grid_init(context, &s.grid, dim, cells, ghost, origin, edges), CW_OK);
  size_t bytes = (size_t)s.grid.points * (size_t)cw_precision_size(precision);
  for (int c = 0; c < 3; c++) {
    s.E.component[c] = calloc(1, bytes);
    s.B.component[c] = calloc(1, bytes);
  }
  s.p = push_particles(dim, precision, count);
  return s;
}

static inline void push_setup_clear(push_setup *s) {
  for (int c = 0; c < 3; c++) {
    free(s->E.component[c]);
    free(s->B.component[c]);
  }
  push_particles_free(&s->p);
  cw_context_destroy(s->context);
}

/* A field as a function of position in cells; component 0 to 2 of E, 3 to 5 of B. */
typedef double push_field(int component, const double *x);

static inline void push_fill(push_setup *s, push_field *field) {
  const cw_grid *g = &s->grid;
  int ghost[3];
  for (int a = 0; a < 3; a++)
    ghost[a] = a < g->dim ? g->ghost : 0;
  for (int c = 0; c < 6; c++)
    for (int k = -ghost[2]; k < g->cells[2] + ghost[2]; k++)
      for (int j = -ghost[1]; j < g->cells[1] + ghost[1]; j++)
        for (int i = -ghost[0]; i < g->cells[0] + ghost[0]; i++) {
          double x[3] = {i, j, k};
          for (int a = 0; a < 3; a++) {
            if (a >= g->dim)
              x[a] = 0;
            else if (c < 3 ? a == c : a != c - 3)
              x[a] += 0.5;
          }
          void *array = c < 3 ? s->E.component[c] : s->B.component[c - 3];
          push_set(s->E.precision, array, cw_grid_index(g, i, j, k), field(c, x));
        }
}

/* Puts a particle at position x (in cells) with momentum u, and poisons what was before. */
static inline void push_place(push_setup *s, int64_t slot, const double *x, const double *u) {
  for (int a = 0; a < 3; a++) {
    push_set(s->p.precision, s->p.u[a], slot, u[a]);
    if (a >= s->grid.dim)
      continue;
    int32_t cell = (int32_t)x[a];
    s->p.i[a][slot] = cell;
    push_set(s->p.precision, s->p.dx[a], slot, x[a] - cell);
    if (push_get(s->p.precision, s->p.dx[a], slot) >= 1)
      push_set(s->p.precision, s->p.dx[a], slot, 0);
  }
}

/* Position along an axis in cells, as stored; 0 along axes that are not simulated. */
static inline double push_position(const push_setup *s, int a, int64_t slot) {
  return a < s->grid.dim ? s->p.i[a][slot] + push_get(s->p.precision, s->p.dx[a], slot) : 0;
}

static inline double push_momentum(const push_setup *s, int a, int64_t slot) {
  return push_get(s->p.precision, s->p.u[a], slot);
}

/* Particles anywhere in the box, momenta up to u_max along each axis; a function of the id. */
static inline void push_scatter(push_setup *s, uint32_t seed, double u_max) {
  for (int64_t slot = 0; slot < s->p.count; slot++) {
    double draw[6], x[3], u[3];
    for (uint32_t d = 0; d < 3; d++)
      cw_random_uniform(seed, 0, (uint64_t)slot, d, draw + 2 * d);
    for (int a = 0; a < 3; a++) {
      x[a] = draw[a] * s->grid.cells[a];
      u[a] = u_max * (2 * draw[3 + a] - 1);
    }
    push_place(s, slot, x, u);
  }
}

/* Random values in (-1, 1) in all fields, ghost cells too. */
static inline void push_random_fields(push_setup *s, uint32_t seed) {
  for (int c = 0; c < 6; c++)
    for (int64_t at = 0; at < s->grid.points; at++) {
      double draw[2];
      cw_random_uniform(seed, (uint32_t)c, (uint64_t)at, 0, draw);
      push_set(s->E.precision, c < 3 ? s->E.component[c] : s->B.component[c - 3], at,
               2 * draw[0] - 1);
    }
}

static inline cw_status push_step(push_setup *s, const cw_push_options *options) {
  return cw_push(s->context, options, &s->grid, s->E, s->B, NULL, &s->p);
}

/* A copy in double precision, for the reference. */
static inline push_setup push_setup_double(const push_setup *s, cw_context *context) {
  push_setup d = push_setup_make(context, s->grid.dim, CW_DOUBLE, s->grid.cells[0], s->grid.ghost,
                                 s->grid.dx[0], s->p.count);
  for (int c = 0; c < 3; c++) {
    for (int64_t at = 0; at < s->grid.points; at++) {
      ((double *)d.E.component[c])[at] = push_get(s->E.precision, s->E.component[c], at);
      ((double *)d.B.component[c])[at] = push_get(s->B.precision, s->B.component[c], at);
    }
    for (int64_t slot = 0; slot < s->p.count; slot++) {
      ((double *)d.p.u[c])[slot] = push_momentum(s, c, slot);
      if (c >= s->grid.dim)
        continue;
      d.p.i[c][slot] = s->p.i[c][slot];
      ((double *)d.p.dx[c])[slot] = push_get(s->p.precision, s->p.dx[c], slot);
    }
  }
  memcpy(d.p.tag, s->p.tag, (size_t)s->p.count);
  return d;
}

static inline int push_run_suite(const char *name, const TTest *const *tests, int count) {
  Suite *suite = suite_create(name);
  TCase *tcase = tcase_create(name);
  tcase_set_timeout(tcase, 300);
  for (int t = 0; t < count; t++)
    tcase_add_test(tcase, tests[t]);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
