/* The mass matrix on the device, every formulation and format, against the dense double sum. */
#include "massmatrix_device.h"

static void check_all(cw_context *context, device_case *d, const char *what) {
  upload(context, d);
  for (int tensor = 0; tensor < 2; tensor++) {
    mm_right right;
    mm_oracle(&d->c, tensor, &right);
    if (d->c.count == 0)
      right.scale = right.linear_scale = 1e-300; /* everything must be exactly zero */
    for (int f = 0; f < FORMS; f++)
      for (int linear = 1; linear >= (tensor && d->c.order == 1 && f == 0 ? 0 : 1); linear--)
        check_form(d, &right, tensor, &forms[f], linear, what);
    mm_right_free(&right);
  }
  release(d);
}

/* Axes of one and two cells are among them: all images of a node add up. The first box has several
 * pieces a row and tiles of which the last is not whole. */
static const struct {
  int32_t cells[3];
  int periodic[3];
} boxes[] = {{{11, 5, 4}, {1, 1, 1}},
             {{1, 1, 1}, {1, 1, 1}},
             {{2, 1, 2}, {1, 1, 1}},
             {{4, 2, 1}, {0, 1, 1}},
             {{5, 3, 2}, {0, 0, 0}}};

static void every_form_is_the_double_sum_in_1_to_3_dimensions(cw_context *context) {
  for (int order = 1; order <= 2; order++)
    for (int dim = 1; dim <= 3; dim++)
      for (size_t b = 0; b < (plain_short() ? 1 : sizeof boxes / sizeof *boxes); b++) {
        device_case d = {.c = {.dim = dim, .order = order, .count = 90, .precision = CW_DOUBLE}};
        memcpy(d.c.cells, boxes[b].cells, sizeof d.c.cells);
        memcpy(d.c.periodic, boxes[b].periodic, sizeof d.c.periodic);
        if (b == 0 && dim == 3) /* the oracle is dense */
          d.c.cells[0] = 5, d.c.cells[1] = 3, d.c.cells[2] = 2;
        mm_make(context, &d.c);
        check_all(context, &d, "particles in no order");
      }
}

/* Bytes on the device that a sum keeps when `tile` is told. */
static size_t bytes_kept(device_case *d, int32_t tile) {
  const size_t before = cw_memory_used(d->context, CW_SPACE_DEVICE);
  d->tile = tile;
  cw_massmatrix *matrix = sum(d, 1, &forms[0], 0);
  const size_t kept = cw_memory_used(d->context, CW_SPACE_DEVICE) - before;
  cw_massmatrix_destroy(matrix);
  return kept;
}

/* An order that was not told costs a key and a slot number a particle. */
static void check_no_slots_were_sorted(cw_context *context, device_case *d) {
  const int32_t tile = d->tile;
  upload(context, d);
  const size_t told = bytes_kept(d, tile), other = bytes_kept(d, tile ? 0 : 4);
  plain_check(other >= told + 8 * (size_t)d->c.count / 2, "%zu bytes, %zu for another order", told,
              other);
  d->tile = tile;
  release_device(d);
}

static void sorted_particles_are_read_where_they_stand(cw_context *context) {
  for (int order = 1; order <= 2; order++)
    for (int dim = 2; dim <= 3; dim++)
      for (int32_t tile = 0; tile <= 4; tile += 4) {
        device_case d = {.c = {.dim = dim,
                               .order = order,
                               .cells = {9, 5, 1},
                               .periodic = {1, 0, 1},
                               .count = 400,
                               .precision = tile ? CW_SINGLE : CW_DOUBLE},
                         .tile = tile};
        mm_make(context, &d.c);
        sort_particles(&d.c, tile);
        check_no_slots_were_sorted(context, &d);
        check_all(context, &d, tile ? "tiles" : "rows");
      }
}

/* Batches and their remainders. A neighbouring cell has one particle, so that its sums show. */
static void any_number_of_particles_in_a_cell(cw_context *context) {
  static const int64_t counts[] = {0, 1, 3, 4, 5, 31, 33, 1000};
  for (int order = 1; order <= 2; order++)
    for (size_t k = plain_short() ? 4 : 0; k < (plain_short() ? 7 : 8); k++) {
      device_case d = {.c = {.dim = 3,
                             .order = order,
                             .cells = {3, 3, 2},
                             .periodic = {1, 0, 1},
                             .count = counts[k] ? counts[k] + 1 : 0,
                             .precision = CW_DOUBLE}};
      mm_make(context, &d.c);
      for (int64_t p = 0; p < d.c.count; p++)
        for (int a = 0; a < 3; a++) {
          d.c.view.i[a][p] = p < counts[k] ? 1 : a == 0 ? 2 : 1;
          if (order == 2) /* around the same node */
            mm_set(&d.c, d.c.view.dx[a], p, 0.49 * mm_get(&d.c, d.c.view.dx[a], p));
        }
      char what[32];
      snprintf(what, sizeof what, "%d particles", (int)counts[k]);
      check_all(context, &d, what);
    }
}

/* On a node, on a face, on the border between two nodes' neighbourhoods, next to them, and at the
 * upper end of the cell, which rounding of a position may give. */
static void particles_on_nodes_faces_and_half_cells(cw_context *context) {
  const double places[] = {0, 0.5, nextafter(0.5, 0), nextafter(1, 0), 1, 0.25, 5e-324};
  enum { PLACES = sizeof places / sizeof *places };
  for (int order = 1; order <= 2; order++)
    for (int dim = plain_short() ? 3 : 1; dim <= 3; dim++) {
      device_case d = {.c = {.dim = dim,
                             .order = order,
                             .cells = {3, 2, 2},
                             .periodic = {0, 1, 1},
                             .count = PLACES * PLACES * PLACES,
                             .precision = CW_DOUBLE}};
      mm_make(context, &d.c);
      for (int64_t p = 0; p < d.c.count; p++)
        for (int64_t a = 0, rest = p; a < dim; a++, rest /= PLACES)
          mm_set(&d.c, d.c.view.dx[a], p, places[rest % PLACES]);
      check_all(context, &d, "places");
    }
}

static void relativistic_form_and_dead_slots(cw_context *context) {
  for (int order = 1; order <= 2; order++)
    for (int given = 0; given < 2; given++) {
      device_case d = {.c = {.dim = 3,
                             .order = order,
                             .cells = {3, 2, 3},
                             .periodic = {1, 1, 1},
                             .count = 200,
                             .relativistic = 1,
                             .precision = given ? CW_SINGLE : CW_DOUBLE}};
      mm_make(context, &d.c);
      void *gamma = mm_array(d.c.count, 8);
      d.c.view.tag = mm_array(d.c.count, 1);
      for (int64_t p = 0; p < d.c.count; p++) {
        mm_set(&d.c, gamma, p, 1 + mm_random(20, p));
        d.c.view.tag[p] = p % 3 ? CW_TAG_ALIVE : CW_TAG_DEAD;
        if (p % 3)
          continue;
        d.c.view.i[0][p] = -1000;
        mm_set(&d.c, d.c.view.dx[1], p, NAN);
        mm_set(&d.c, d.c.view.u[2], p, NAN);
      }
      if (given)
        d.c.species.gamma = gamma;
      check_all(context, &d, given ? "gamma given" : "gamma formed");
      free(gamma);
    }
}

static void orders_3_to_11_are_the_double_sum(cw_context *context) {
  for (int order = 3; order <= (plain_short() ? 3 : CW_MASSMATRIX_MAX_ORDER); order += 2)
    for (int dim = 1; dim <= (order == 3 ? 3 : order < 8 ? 2 : 1); dim++) {
      device_case d = {.c = {.dim = dim,
                             .order = order,
                             .cells = {5, 3, 1},
                             .periodic = {1, 0, 1},
                             .count = 40,
                             .precision = CW_DOUBLE}};
      static const struct form naive = {CW_MASSMATRIX_AUTO, CW_MASSMATRIX_FP64, 1e-14};
      mm_right right;
      mm_make(context, &d.c);
      upload(context, &d);
      mm_oracle(&d.c, 1, &right);
      check_form(&d, &right, 1, &naive, 1, "high order");
      mm_right_free(&right);
      release(&d);
    }
}

static void results_have_the_same_bits_every_run(cw_context *context) {
  for (int order = 1; order <= 2; order++) {
    device_case d = {.c = {.dim = 3,
                           .order = order,
                           .cells = {6, 5, 4},
                           .periodic = {1, 1, 1},
                           .count = plain_short() ? 600 : 6000,
                           .precision = CW_DOUBLE}};
    mm_make(context, &d.c);
    upload(context, &d);
    for (int f = 0; f < FORMS; f++)
      for (int tensor = 0; tensor < 2 && forms[f].method != CW_MASSMATRIX_NAIVE; tensor++) {
        char *first = NULL;
        double *current = NULL;
        for (int run = 0; run < 3; run++) {
          size_t bytes;
          cw_massmatrix *matrix = sum(&d, tensor, &forms[f], 1);
          char *values = values_of(&d, matrix, &bytes);
          double *J = read_back(&d, d.linear[1]);
          plain_check(!first || (memcmp(first, values, bytes) == 0 &&
                                 memcmp(current, J, (size_t)d.c.grid.points * 8) == 0),
                      "order %d %s %s: other bits in run %d", order,
                      cw_massmatrix_method_name(forms[f].method), format_names[forms[f].format],
                      run);
          free(first), free(current);
          first = values, current = J;
          cw_massmatrix_destroy(matrix);
        }
        free(first), free(current);
      }
    release(&d);
  }
}

int main(void) {
  static const plain_case cases[] = {PLAIN_CASE(every_form_is_the_double_sum_in_1_to_3_dimensions),
                                     PLAIN_CASE(sorted_particles_are_read_where_they_stand),
                                     PLAIN_CASE(any_number_of_particles_in_a_cell),
                                     PLAIN_CASE(particles_on_nodes_faces_and_half_cells),
                                     PLAIN_CASE(relativistic_form_and_dead_slots),
                                     PLAIN_CASE(orders_3_to_11_are_the_double_sum),
                                     PLAIN_CASE(results_have_the_same_bits_every_run)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
