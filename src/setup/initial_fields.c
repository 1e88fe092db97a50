#include "setup/initial_fields.h"

#include "base/context_private.h"
#include "base/reals.h"
#include "setup/place_body.h"

static double constant(const void *user, int axis, const double x[3]) {
  (void)x;
  return ((const double *)user)[axis];
}

void cw_initial_coordinates(const cw_grid *grid, const int64_t index[3], const double shift[3],
                            double x[3]) {
  for (int a = 0; a < 3; a++)
    x[a] = cw_place(grid, a, index[a], shift[a]);
}

/* 1 where an axis has one node more than cells: engine ecsim has a normal E of its own on both of
 * two conductors. (What is set of other quantities there is a ghost cell's, filled afterwards.) */
static int has_last_node(const cw_deck *deck, int axis) {
  return deck->simulation.engine == CW_ENGINE_ECSIM && axis < deck->grid.dim &&
         deck->grid.fields[axis][1] != CW_FIELD_PERIODIC;
}

/* One component; shift[a] is the offset of its places in a cell. */
static void fill_component(const cw_setup_target *target, cw_vector_view field, int axis,
                           const double shift[3], cw_initial_field *function, const void *user) {
  const cw_grid *grid = target->grid;
  int64_t count[3];
  for (int a = 0; a < 3; a++)
    count[a] = grid->cells[a] + has_last_node(target->deck, a);
  const int64_t rows = count[1] * count[2];
#pragma omp parallel for schedule(static) num_threads(cw_context_threads(target->context))
  for (int64_t row = 0; row < rows; row++) {
    const int64_t j = row % count[1], k = row / count[1];
    for (int64_t i = 0; i < count[0]; i++) {
      const int64_t index[3] = {i, j, k};
      double x[3];
      cw_initial_coordinates(grid, index, shift, x);
      cw_real_set(field.component[axis], field.precision, cw_grid_index(grid, i, j, k),
                  function(user, axis, x));
    }
  }
}

void cw_initial_uniform(const cw_setup_target *target, cw_vector_view field,
                        const double value[3]) {
  const double shift[3] = {0, 0, 0};
  for (int axis = 0; axis < 3; axis++)
    fill_component(target, field, axis, shift, constant, value);
}

void cw_initial_shift(const cw_deck *deck, int electric, int axis, double shift[3]) {
  const int nodal = deck->simulation.engine == CW_ENGINE_ECSIM;
  for (int a = 0; a < 3; a++)
    shift[a] = (nodal ? !electric : (a == axis) == electric) ? 0.5 : 0;
}

void cw_initial_E(const cw_setup_target *target, cw_initial_field *function, const void *user) {
  for (int axis = 0; axis < 3; axis++) {
    double shift[3];
    cw_initial_shift(target->deck, 1, axis, shift);
    fill_component(target, target->E, axis, shift, function, user);
  }
}

void cw_initial_B(const cw_setup_target *target, cw_initial_field *function, const void *user) {
  for (int axis = 0; axis < 3; axis++) {
    double shift[3];
    cw_initial_shift(target->deck, 0, axis, shift);
    fill_component(target, target->B, axis, shift, function, user);
  }
}
