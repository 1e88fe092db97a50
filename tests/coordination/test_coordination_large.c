/* Liquids of 10,000 atoms and more, through the program, against the reference's numbers. The
 * configurations are not stored but made, as large.json says: "mkliquid ATOMS DENSITY SEED ...". */
#include <jansson.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coordination_support.h"

/* Larger ones take minutes with sanitizers; CELLWISE_TEST_LARGE=1 runs them. */
enum { MOST_ATOMS = 32768, SKIPPED = 77 };

static char folder[] = "/tmp/cellwise_large_XXXXXX";

/* xoroshiro128+, seeded by splitmix64: the generator that the configurations are defined by. */
typedef struct generator {
  uint64_t s[2];
} generator;

static uint64_t next_seed(uint64_t *x) {
  uint64_t z = (*x += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static double uniform(generator *g) {
  uint64_t a = g->s[0], b = g->s[1], sum = a + b;
  b ^= a;
  g->s[0] = ((a << 24) | (a >> 40)) ^ b ^ (b << 16);
  g->s[1] = (b << 37) | (b >> 27);
  return (double)(sum >> 11) * (1.0 / 9007199254740992.0);
}

/* Atoms on the sites of a cubic lattice in shuffled order, each moved by up to jitter/2 spacings.
 */
static void write_liquid(const char *path, long atoms, double density, uint64_t seed,
                         double jitter) {
  generator g;
  g.s[0] = next_seed(&seed);
  g.s[1] = next_seed(&seed);
  double side = cbrt((double)atoms / density);
  long edge = 1;
  while (edge * edge * edge < atoms)
    edge++;
  long sites = edge * edge * edge, *site = malloc((size_t)sites * sizeof *site);
  for (long k = 0; k < sites; k++)
    site[k] = k;
  for (long k = sites - 1; k > 0; k--) {
    long other = (long)(uniform(&g) * (double)(k + 1)), kept = site[k];
    site[k] = site[other];
    site[other] = kept;
  }
  double spacing = side / (double)edge;
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fprintf(file, "%ld\n%.6f %.6f %.6f\n", atoms, side, side, side);
  for (long k = 0; k < atoms; k++) {
    long q = site[k], cell[3] = {q % edge, q / edge % edge, q / (edge * edge)};
    double x[3];
    for (int c = 0; c < 3; c++)
      x[c] = ((double)cell[c] + 0.5 + jitter * (uniform(&g) - 0.5)) * spacing;
    fprintf(file, "X %.6f %.6f %.6f\n", x[0], x[1], x[2]);
  }
  fclose(file);
  free(site);
}

static json_t *run_case(const char *trajectory, const char *input, int single) {
  char path[256], command[1024];
  json_error_t error;
  snprintf(path, sizeof path, "%s/input.dat", folder);
  FILE *file = fopen(path, "w");
  fprintf(file, "%s\n", input);
  fclose(file);
  snprintf(command, sizeof command,
           "'%s' coordination '%s' --traj '%s' --derivatives --json --threads 2 --backend %s "
           "--precision %s >'%s/json'",
           tested_program(), path, trajectory, tested_backend(), single ? "single" : "double",
           folder);
  ck_assert_int_eq(system(command), 0);
  snprintf(path, sizeof path, "%s/json", folder);
  json_t *output = json_load_file(path, 0, &error);
  ck_assert_msg(output != NULL, "%s", error.text);
  return output;
}

static double number(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

static void check_case(const json_t *one, const json_t *c, int single) {
  const double of_value = single ? 2e-5 : 1e-12, of_derivatives = single ? 2e-5 : 1e-10;
  const char *name = json_string_value(json_object_get(one, "name")), *atom;
  double value = number(one, "value"), squares = 0, largest = number(one, "max_abs_derivative");
  const json_t *d = json_object_get(c, "atom_derivatives");
  json_t *box = json_object_get(c, "box_derivatives"), *right;
  ck_assert_msg(near(number(c, "value"), value, of_value * value), "%s: %.17g", name,
                number(c, "value"));
  for (size_t k = 0; k < 9; k++) {
    double wanted = json_number_value(json_array_get(json_object_get(one, "box_derivatives"), k));
    ck_assert(near(json_number_value(json_array_get(box, k)), wanted, of_derivatives * value));
  }
  for (size_t k = 0; k < json_array_size(d); k++)
    for (size_t a = 0; a < 3; a++) {
      double x = json_number_value(json_array_get(json_array_get(d, k), a));
      squares += x * x;
    }
  double wanted = number(one, "sum_squared_derivatives");
  ck_assert_msg(near(squares, wanted, of_derivatives * wanted), "%s: %.17g", name, squares);
  json_object_foreach(json_object_get(one, "derivatives_of_atoms"), atom, right) {
    const json_t *row = json_array_get(d, (size_t)atol(atom) - 1);
    for (size_t a = 0; a < 3; a++)
      ck_assert_msg(near(json_number_value(json_array_get(row, a)),
                         json_number_value(json_array_get(right, a)), of_derivatives * largest),
                    "%s: atom %s", name, atom);
  }
}

START_TEST(test_large_liquids) {
  char path[256], made[256] = "";
  int checked = 0;
  const int every = strcmp(from_environment("CELLWISE_TEST_LARGE", "0"), "1") == 0;
  snprintf(path, sizeof path, "%s/large.json", golden_folder());
  json_t *all = json_load_file(path, 0, NULL);
  ck_assert_ptr_nonnull(all);
  json_t *cases = json_object_get(all, "cases");
  snprintf(path, sizeof path, "%s/liquid.xyz", folder);
  for (size_t k = 0; k < json_array_size(cases); k++) {
    const json_t *one = json_array_get(cases, k);
    const char *generator = json_string_value(json_object_get(one, "generator"));
    long atoms;
    double density, jitter;
    unsigned long long seed;
    ck_assert(sscanf(generator, "mkliquid %ld %lf %llu 1 %lf", &atoms, &density, &seed, &jitter) ==
              4);
    if (atoms > MOST_ATOMS && !every)
      continue;
    if (strcmp(made, generator) != 0)
      write_liquid(path, atoms, density, seed, jitter);
    snprintf(made, sizeof made, "%s", generator);
    for (int single = 0; single < 2; single++) {
      json_t *output = run_case(path, json_string_value(json_object_get(one, "input")), single);
      const json_t *frame = json_array_get(json_object_get(output, "frames"), 0);
      check_case(one, json_object_get(json_object_get(frame, "variables"), "c"), single);
      json_decref(output);
    }
    checked++;
  }
  json_decref(all);
  ck_assert_int_ge(checked, every ? 12 : 6);
}
END_TEST

int main(void) {
  if (backend_is_missing())
    return SKIPPED;
  if (!mkdtemp(folder))
    return 1;
  Suite *suite = suite_create("coordination of large systems");
  TCase *tcase = tcase_create("program");
  tcase_set_timeout(tcase, 300);
  tcase_add_test(tcase, test_large_liquids);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  char command[256];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command) != 0 || failed != 0;
}
