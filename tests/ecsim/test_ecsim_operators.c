/* Node and centre operators: adjoint, right for waves, right on thin axes; the smoother. */
#include <math.h>
#include <stdlib.h>

#include "base/context_private.h"
#include "comm/comm.h"
#include "ecsim/ecsim_run.h"

static const double TWO_PI = 6.283185307179586476925286766559;

typedef struct fixture {
  cw_context *context;
  cw_grid grid;
  cw_ecsim_fields *fields;
} fixture;

static fixture make(int dim, const int32_t cells[3], int passes) {
  fixture f = {0};
  const double origin[3] = {0, 0, 0}, dx[3] = {0.3, dim > 1 ? 0.5 : 1, dim > 2 ? 0.7 : 1};
  const cw_ecsim_options options = {.dt = 0.2,
                                    .theta = 0.5,
                                    .current_scale = 1,
                                    .four_pi = 1,
                                    .smoothing_passes = passes,
                                    .tolerance = 1e-13,
                                    .restart = 20,
                                    .iterations = 100};
  const cw_context_options two = {.threads = 2};
  ck_assert_int_eq(cw_context_create(&two, &f.context, NULL, 0), CW_OK);
  CW_CHECK_OK(f.context, cw_grid_init(f.context, &f.grid, dim, cells, 2, origin, dx));
  CW_CHECK_OK(f.context, cw_ecsim_create(f.context, &f.grid, &options, &f.fields));
  return f;
}

static void clear(fixture *f) {
  cw_ecsim_destroy(f->fields);
  cw_context_destroy(f->context);
}

static double *random_array(const fixture *f, unsigned seed) {
  double *array = malloc((size_t)f->grid.points * sizeof *array);
  srand(seed);
  for (int64_t k = 0; k < f->grid.points; k++)
    array[k] = rand() / (double)RAND_MAX - 0.5;
  for (int a = 0; a < f->grid.dim; a++)
    CW_CHECK_OK(f->context, cw_comm_fill_ghosts(f->context, &f->grid, CW_DOUBLE, array, a));
  return array;
}

static double inner(const cw_grid *grid, double *const x[3], double *const y[3]) {
  double sum = 0;
  for (int c = 0; c < 3; c++)
    for (int32_t k = 0; k < grid->cells[2]; k++)
      for (int32_t j = 0; j < grid->cells[1]; j++)
        for (int32_t i = 0; i < grid->cells[0]; i++) {
          const int64_t at = cw_grid_index(grid, i, j, k);
          sum += x[c][at] * y[c][at];
        }
  return sum;
}

/* <E, curl B> over nodes is <curl E, B> over centres: each is a sum of some hundred products of
 * size 1 / dx, so 1e-12 is a hundred round-offs. On thin axes every neighbour is an image. */
START_TEST(test_curl_is_its_own_adjoint) {
  static const int32_t cells[][3] = {{7, 1, 1}, {1, 1, 1}, {2, 1, 1}, {5, 4, 1},
                                     {6, 1, 1}, {4, 5, 3}, {4, 2, 1}, {3, 1, 2}};
  static const int dims[] = {1, 1, 1, 2, 2, 3, 3, 3};
  fixture f = make(dims[_i], cells[_i], 0);
  double *E[3], *B[3], *E_curl[3], *B_curl[3];
  for (int c = 0; c < 3; c++) {
    E[c] = random_array(&f, 1 + (unsigned)c);
    B[c] = random_array(&f, 11 + (unsigned)c);
    E_curl[c] = random_array(&f, 21);
    B_curl[c] = random_array(&f, 31);
  }
  cw_ecsim_curl(f.fields, 0, (const double *const *)E, E_curl);
  cw_ecsim_curl(f.fields, 1, (const double *const *)B, B_curl);
  const double on_nodes = inner(&f.grid, E, B_curl), at_centres = inner(&f.grid, E_curl, B);
  ck_assert_msg(fabs(on_nodes - at_centres) <= 1e-12, "<E, curl B> = %.17g, <curl E, B> = %.17g",
                on_nodes, at_centres);
  for (int c = 0; c < 3; c++)
    free(E[c]), free(B[c]), free(E_curl[c]), free(B_curl[c]);
  clear(&f);
}
END_TEST

/* E_z = exp(i k . x) on nodes: curl_x = i K_y E_z at centres with
 * K_y = (2 / dy) sin(ky dy / 2) cos(kx dx / 2) cos(kz dz / 2). */
START_TEST(test_curl_of_a_wave) {
  const int32_t cells[3] = {8, 6, 5};
  fixture f = make(3, cells, 0);
  double *in[3], *out[3], k[3], K[3];
  for (int c = 0; c < 3; c++)
    in[c] = calloc((size_t)f.grid.points, sizeof(double)), out[c] = random_array(&f, 5);
  for (int a = 0; a < 3; a++)
    k[a] = TWO_PI * (a + 1) / (cells[a] * f.grid.dx[a]);
  for (int a = 0; a < 3; a++) {
    K[a] = 2 / f.grid.dx[a] * sin(0.5 * k[a] * f.grid.dx[a]);
    for (int b = 0; b < 3; b++)
      K[a] *= b == a ? 1 : cos(0.5 * k[b] * f.grid.dx[b]);
  }
#define PHASE(shift)                                                                               \
  (k[0] * (i + shift) * f.grid.dx[0] + k[1] * (j + shift) * f.grid.dx[1] +                         \
   k[2] * (l + shift) * f.grid.dx[2])
  for (int32_t l = -1; l <= cells[2]; l++)
    for (int32_t j = -1; j <= cells[1]; j++)
      for (int32_t i = -1; i <= cells[0]; i++)
        in[2][cw_grid_index(&f.grid, i, j, l)] = cos(PHASE(0));
  cw_ecsim_curl(f.fields, 0, (const double *const *)in, out);
  double worst = 0;
  for (int32_t l = 0; l < cells[2]; l++)
    for (int32_t j = 0; j < cells[1]; j++)
      for (int32_t i = 0; i < cells[0]; i++) {
        const int64_t at = cw_grid_index(&f.grid, i, j, l);
        const double sine = sin(PHASE(0.5));
        worst = cw_larger(worst, fabs(out[0][at] + K[1] * sine));
        worst = cw_larger(worst, fabs(out[1][at] - K[0] * sine));
        worst = cw_larger(worst, fabs(out[2][at]));
      }
  ck_assert_msg(worst <= 1e-13, "curl is off by %.3e", worst); /* K up to 6, a few round-offs */
  for (int c = 0; c < 3; c++)
    free(in[c]), free(out[c]);
  clear(&f);
}
END_TEST

/* One pass multiplies exp(i k x) by cos^2(k dx / 2) along each axis; S is symmetric. */
START_TEST(test_smoother_is_symmetric_and_keeps_waves) {
  static const int32_t cells[][3] = {{8, 6, 5}, {1, 2, 3}};
  const int passes = 3;
  fixture f = make(3, cells[_i], passes);
  double *x = random_array(&f, 3), *y = random_array(&f, 4);
  double *x_smooth = random_array(&f, 3), *y_smooth = random_array(&f, 4);
  CW_CHECK_OK(f.context, cw_ecsim_smooth(f.fields, 0, x_smooth));
  CW_CHECK_OK(f.context, cw_ecsim_smooth(f.fields, 0, y_smooth));
  double *const a[3] = {x, x, x}, *const b[3] = {y_smooth, y_smooth, y_smooth};
  double *const c[3] = {x_smooth, x_smooth, x_smooth}, *const d[3] = {y, y, y};
  const double left = inner(&f.grid, a, b), right = inner(&f.grid, c, d);
  ck_assert_msg(fabs(left - right) <= 1e-13, "<x, S y> = %.17g, <S x, y> = %.17g", left, right);
  double factor = 1, worst = 0;
  for (int axis = 0; axis < 3; axis++)
    factor *= pow(cos(0.5 * TWO_PI / cells[_i][axis]), 2 * passes);
  for (int32_t l = 0; l < cells[_i][2]; l++)
    for (int32_t j = 0; j < cells[_i][1]; j++)
      for (int32_t i = 0; i < cells[_i][0]; i++)
        x[cw_grid_index(&f.grid, i, j, l)] = cos(TWO_PI * i / cells[_i][0]) *
                                             cos(TWO_PI * j / cells[_i][1]) *
                                             cos(TWO_PI * l / cells[_i][2]);
  CW_CHECK_OK(f.context, cw_ecsim_smooth(f.fields, 0, x));
  for (int32_t l = 0; l < cells[_i][2]; l++)
    for (int32_t j = 0; j < cells[_i][1]; j++)
      for (int32_t i = 0; i < cells[_i][0]; i++)
        worst = cw_larger(
            worst, fabs(x[cw_grid_index(&f.grid, i, j, l)] -
                        factor * cos(TWO_PI * i / cells[_i][0]) * cos(TWO_PI * j / cells[_i][1]) *
                            cos(TWO_PI * l / cells[_i][2])));
  ck_assert_msg(worst <= 1e-14, "a smoothed wave is off by %.3e", worst);
  free(x), free(y), free(x_smooth), free(y_smooth);
  clear(&f);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ecsim operators");
  TCase *tests = tcase_create("operators");
  tcase_add_loop_test(tests, test_curl_is_its_own_adjoint, 0, 8);
  tcase_add_test(tests, test_curl_of_a_wave);
  tcase_add_loop_test(tests, test_smoother_is_symmetric_and_keeps_waves, 0, 2);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
