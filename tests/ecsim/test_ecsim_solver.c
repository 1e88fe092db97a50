/* The field solve alone, with a response of the test's own. */
#include <math.h>
#include <stdlib.h>

#include "ecsim/ecsim_run.h"

enum { CELLS_X = 6, CELLS_Y = 5 };

typedef struct fixture {
  cw_context *context;
  cw_grid grid;
  cw_ecsim_fields *fields;
} fixture;

/* J = m E with one symmetric, positive number a node: enough for any solver. */
static cw_status local_response(void *user, const double *const E[3], double *const J[3]) {
  const fixture *f = user;
  for (int32_t j = 0; j < CELLS_Y; j++)
    for (int32_t i = 0; i < CELLS_X; i++) {
      const int64_t at = cw_grid_index(&f->grid, i, j, 0);
      for (int c = 0; c < 3; c++)
        J[c][at] = (1 + 0.5 * i + 3 * (j == 2)) * E[c][at];
    }
  return CW_OK;
}

static fixture make(int restart, int iterations, double dt) {
  fixture f = {0};
  const double origin[3] = {0, 0, 0}, dx[3] = {0.5, 0.4, 1};
  const int32_t cells[3] = {CELLS_X, CELLS_Y, 1};
  const cw_ecsim_options options = {.dt = dt,
                                    .theta = 0.5,
                                    .current_scale = 2,
                                    .four_pi = 1,
                                    .smoothing_passes = 1,
                                    .tolerance = 1e-13,
                                    .restart = restart,
                                    .iterations = iterations};
  ck_assert_int_eq(cw_context_create(NULL, &f.context, NULL, 0), CW_OK);
  CW_CHECK_OK(f.context, cw_grid_init(f.context, &f.grid, 2, cells, 2, origin, dx));
  CW_CHECK_OK(f.context, cw_ecsim_create(f.context, &f.grid, &options, &f.fields));
  const cw_vector_view views[] = {cw_ecsim_E(f.fields), cw_ecsim_B(f.fields),
                                  cw_ecsim_Jhat(f.fields)};
  srand(7);
  for (int v = 0; v < 3; v++)
    for (int c = 0; c < 3; c++)
      for (int32_t j = 0; j < CELLS_Y; j++)
        for (int32_t i = 0; i < CELLS_X; i++)
          ((double *)views[v].component[c])[cw_grid_index(&f.grid, i, j, 0)] =
              rand() / (double)RAND_MAX - 0.5;
  CW_CHECK_OK(f.context, cw_ecsim_update(f.fields));
  return f;
}

static void clear(fixture *f) {
  cw_ecsim_destroy(f->fields);
  cw_context_destroy(f->context);
}

/* With J = S (Jhat + M S E'), an answer satisfies (E' - E) / (th dt) = F B' - kappa J, where
 * B' = B - th dt F E': Ampere's law at theta, an equation that the solver does not form. */
START_TEST(test_answer_satisfies_amperes_law) {
  const double dt = 0.7, step = 0.5 * dt;
  fixture f = make(10, 1000, dt);
  cw_ecsim_report report;
  CW_CHECK_OK(f.context, cw_ecsim_solve(f.fields, local_response, &f, &report));
  ck_assert_msg(report.residual <= 1e-13 * report.first_residual, "residual %.3e of %.3e",
                report.residual, report.first_residual);
  double *curl[3], *B[3], worst = 0;
  const cw_vector_view E = cw_ecsim_E(f.fields), theta = cw_ecsim_E_theta(f.fields);
  const cw_vector_view J = cw_ecsim_J(f.fields), view = cw_ecsim_B(f.fields);
  for (int c = 0; c < 3; c++) {
    curl[c] = calloc((size_t)f.grid.points, sizeof(double));
    B[c] = malloc((size_t)f.grid.points * sizeof(double));
    memcpy(B[c], view.component[c], (size_t)f.grid.points * sizeof(double));
  }
  /* cw_ecsim_advance takes a whole dt: half of that change is B at theta = 1/2 */
  double *kept[3];
  for (int c = 0; c < 3; c++) {
    kept[c] = malloc((size_t)f.grid.points * sizeof(double));
    memcpy(kept[c], E.component[c], (size_t)f.grid.points * sizeof(double));
  }
  CW_CHECK_OK(f.context, cw_ecsim_advance(f.fields));
  for (int c = 0; c < 3; c++)
    for (int64_t k = 0; k < f.grid.points; k++)
      B[c][k] = 0.5 * (B[c][k] + ((double *)view.component[c])[k]);
  cw_ecsim_curl(f.fields, 1, (const double *const *)B, curl);
  for (int c = 0; c < 3; c++)
    for (int32_t j = 0; j < CELLS_Y; j++)
      for (int32_t i = 0; i < CELLS_X; i++) {
        const int64_t at = cw_grid_index(&f.grid, i, j, 0);
        const double left = (((double *)theta.component[c])[at] - kept[c][at]) / step;
        const double right = curl[c][at] - 2 * ((double *)J.component[c])[at];
        worst = cw_larger(worst, fabs(left - right));
      }
  ck_assert_msg(worst <= 1e-11, "Ampere's law is off by %.3e", worst);
  for (int c = 0; c < 3; c++)
    free(curl[c]), free(B[c]), free(kept[c]);
  clear(&f);
}
END_TEST

/* A few iterations of GMRES(2) can't do it: the error says so, and E is as it was. */
START_TEST(test_stall_is_an_error_with_particulars) {
  fixture f = make(2, 6, 30);
  cw_ecsim_report report;
  const cw_vector_view E = cw_ecsim_E(f.fields);
  const double before = ((double *)E.component[1])[f.grid.offset];
  ck_assert_int_eq(cw_ecsim_solve(f.fields, local_response, &f, &report), CW_ERROR_NUMERIC);
  const char *message = cw_context_message(f.context);
  ck_assert_msg(strstr(message, "after 6 iterations") && strstr(message, "residual is") &&
                    strstr(message, "solver_restart"),
                "%s", message);
  ck_assert(((double *)E.component[1])[f.grid.offset] == before);
  clear(&f);
}
END_TEST

START_TEST(test_options_out_of_range_are_refused) {
  fixture f = make(2, 6, 1);
  const cw_ecsim_options good = {.dt = 1,
                                 .theta = 0.5,
                                 .current_scale = 1,
                                 .four_pi = 1,
                                 .tolerance = 1e-8,
                                 .restart = 5,
                                 .iterations = 5};
  cw_ecsim_options bad[] = {good, good, good, good, good, good};
  bad[0].theta = 0.49, bad[1].theta = 1.01, bad[2].dt = 0, bad[3].tolerance = 0;
  bad[4].restart = 0, bad[5].theta = NAN;
  for (int k = 0; k < 6; k++) {
    cw_ecsim_fields *made = NULL;
    ck_assert_int_eq(cw_ecsim_create(f.context, &f.grid, &bad[k], &made), CW_ERROR_ARGUMENT);
    ck_assert_ptr_null(made);
  }
  clear(&f);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ecsim solver");
  TCase *tests = tcase_create("solver");
  tcase_add_test(tests, test_answer_satisfies_amperes_law);
  tcase_add_test(tests, test_stall_is_an_error_with_particulars);
  tcase_add_test(tests, test_options_out_of_range_are_refused);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
