/* Every reference case through the program, in double and in single precision, on the backend that
 * the environment names; what a case is about is read from its own files. */
#include <dirent.h>
#include <jansson.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coordination_support.h"

enum { SKIPPED = 77 };

static char folder[] = "/tmp/cellwise_cases_XXXXXX";

static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  size_t size = 0, capacity = 1 << 16, got;
  char *text = malloc(capacity);
  while ((got = fread(text + size, 1, capacity - size - 1, file)) > 0) {
    size += got;
    if (capacity - size < 2)
      text = realloc(text, capacity *= 2);
  }
  text[size] = '\0';
  fclose(file);
  return text;
}

/* Runs the program in a folder; standard output and messages go to files. Returns the exit status.
 */
static int run_program(const char *where, const char *arguments) {
  char command[4096];
  snprintf(command, sizeof command,
           "cd '%s' && '%s' coordination %s --threads 2 --backend %s --json --out '%s' >'%s/json' "
           "2>'%s/messages'",
           where, tested_program(), arguments, tested_backend(), folder, folder, folder);
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static json_t *load_output(void) {
  char path[256];
  json_error_t error;
  snprintf(path, sizeof path, "%s/json", folder);
  json_t *json = json_load_file(path, 0, &error);
  ck_assert_msg(json != NULL, "output: line %d: %s", error.line, error.text);
  return json;
}

static double number(const json_t *object, const char *key) {
  json_t *value = json_object_get(object, key);
  ck_assert_msg(json_is_number(value), "%s is missing", key);
  return json_number_value(value);
}

/* Exponents with MM != 2 NN: there the reference's derivatives carry errors up to 5e-9 near x = 1.
 */
static int is_general_quotient(const char *input) {
  const char *nn = strstr(input, "NN="), *mm = strstr(input, "MM=");
  return mm && atoi(mm + 3) != 2 * (nn ? atoi(nn + 3) : 6);
}

static int contains(const json_t *list, int64_t value) {
  for (size_t k = 0; k < json_array_size(list); k++)
    if (json_integer_value(json_array_get(list, k)) == value)
      return 1;
  return 0;
}

/* Largest |a - b| relative to max(1, largest |b|). */
static double deviation(const json_t *a, const json_t *b, const json_t *undefined_rows) {
  double worst = 0, largest = 1;
  if (json_array_size(a) != json_array_size(b))
    return HUGE_VAL;
  for (size_t k = 0; k < json_array_size(b); k++) {
    const json_t *x = json_array_get(a, k), *y = json_array_get(b, k);
    size_t columns = json_is_array(y) ? json_array_size(y) : 1;
    for (size_t c = 0; c < columns; c++) {
      double p = json_number_value(json_is_array(x) ? json_array_get(x, c) : x);
      double q = json_number_value(json_is_array(y) ? json_array_get(y, c) : y);
      largest = fmax(largest, fabs(q));
      if (!(fabs(p - q) <= worst) && !contains(undefined_rows, (int64_t)k + 1))
        worst = isnan(p - q) ? HUGE_VAL : fabs(p - q);
    }
  }
  return worst / largest;
}

/* Of values and of derivatives. Single: 6e-8 of a coordinate, some hundred times in a sum. */
typedef struct tolerances {
  double value, derivative;
} tolerances;

static void check_frame(const char *name, const json_t *expected, const json_t *frame,
                        const json_t *right, size_t k, tolerances tolerance) {
  const json_t *c = json_object_get(json_object_get(frame, "variables"), "c");
  double value = number(c, "value"), wanted = number(right, "value");
  ck_assert(number(frame, "step") == number(right, "step"));
  ck_assert(number(frame, "time") == number(right, "time"));
  if (json_object_get(expected, "defect")) { /* only the right value is known */
    if (k > 0)
      return;
    wanted = number(expected, "right_value_of_first_frame");
    ck_assert_msg(near(value, wanted, tolerance.value * wanted), "%s: %.17g", name, value);
    return;
  }
  ck_assert_msg(near(value, wanted, tolerance.value * fmax(1, fabs(wanted))),
                "%s, frame %zu: %.17g, not %.17g", name, k, value, wanted);
  if (contains(json_object_get(expected, "undefined_frames"), (int64_t)k))
    return;
  double e =
      deviation(json_object_get(c, "atom_derivatives"), json_object_get(right, "atom_derivatives"),
                json_object_get(expected, "undefined_atoms"));
  ck_assert_msg(e <= tolerance.derivative, "%s, frame %zu: derivatives differ by %g", name, k, e);
  e = deviation(json_object_get(c, "box_derivatives"), json_object_get(right, "box_derivatives"),
                NULL);
  ck_assert_msg(e <= tolerance.derivative, "%s, frame %zu: box derivatives differ by %g", name, k,
                e);
}

/* Same fields, same columns, numbers equal to 1e-12. */
static void check_colvar(const char *name, const char *ours, const char *theirs) {
  char *a = read_text(ours), *b = read_text(theirs);
  ck_assert_msg(a && b, "%s: %s or %s is missing", name, ours, theirs);
  const char *p = a, *q = b;
  while (*q) {
    size_t n = strcspn(p, "\n"), m = strcspn(q, "\n");
    ck_assert_msg(n == m, "%s: the lines '%.*s' and '%.*s' differ", name, (int)n, p, (int)m, q);
    char *x = (char *)p, *y = (char *)q;
    if (*q == '#')
      ck_assert(strncmp(p, q, n) == 0);
    while (*q != '#' && *y && *y != '\n') {
      double u = strtod(x, &x), v = strtod(y, &y);
      ck_assert_msg(near(u, v, 1e-12 * fmax(1, fabs(v)) + 1e-14), "%s: %.17g, not %.17g", name, u,
                    v);
      while (*y == ' ')
        y++;
    }
    p += n + (p[n] != 0);
    q += m + (q[m] != 0);
  }
  ck_assert(*p == '\0');
  free(a);
  free(b);
}

static void check_files(const char *name) {
  static const char *const files[] = {"COLVAR", "STRIDED"};
  for (int k = 0; k < 2; k++) {
    char ours[512], theirs[512];
    snprintf(theirs, sizeof theirs, "%s/%s/%s.txt", golden_folder(), name, files[k]);
    if (access(theirs, R_OK) != 0)
      continue;
    snprintf(ours, sizeof ours, "%s/%s", folder, files[k]);
    check_colvar(name, ours, theirs);
    remove(ours);
  }
}

static void check_case(const char *name, int single) {
  char path[512], arguments[1024];
  json_error_t error;
  snprintf(path, sizeof path, "%s/%s/expected.json", golden_folder(), name);
  json_t *expected = json_load_file(path, 0, &error);
  ck_assert_msg(expected != NULL, "%s: %s", path, error.text);
  snprintf(arguments, sizeof arguments, "plumed.dat --traj %s --derivatives --precision %s",
           json_string_value(json_object_get(expected, "trajectory")),
           single ? "single" : "double");
  json_t *extra = json_object_get(expected, "options");
  for (size_t k = 0; k < json_array_size(extra); k++) {
    strcat(arguments, " ");
    strcat(arguments, json_string_value(json_array_get(extra, k)));
  }
  snprintf(path, sizeof path, "%s/%s", golden_folder(), name);
  int status = run_program(path, arguments);
  ck_assert_msg(status == 0, "%s: exit status %d", name, status);
  json_t *output = load_output();
  json_t *frames = json_object_get(output, "frames"), *right = json_object_get(expected, "frames");
  ck_assert_msg(json_array_size(frames) == json_array_size(right), "%s: number of frames", name);
  strcat(path, "/plumed.dat");
  char *input = read_text(path);
  const tolerances tolerance = {single ? 2e-5 : 1e-12, single                       ? 2e-5
                                                       : is_general_quotient(input) ? 5e-9
                                                                                    : 1e-10};
  for (size_t k = 0; k < json_array_size(right); k++)
    check_frame(name, expected, json_array_get(frames, k), json_array_get(right, k), k, tolerance);
  if (!json_object_get(expected, "defect") && !single)
    check_files(name);
  snprintf(path, sizeof path, "rm -f '%s/'*", folder);
  ck_assert_int_eq(system(path), 0);
  free(input);
  json_decref(output);
  json_decref(expected);
}

START_TEST(test_every_reference_case) {
  DIR *directory = opendir(golden_folder());
  int count = 0;
  ck_assert_ptr_nonnull(directory);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    char path[512];
    snprintf(path, sizeof path, "%s/%.200s/expected.json", golden_folder(), entry->d_name);
    if (entry->d_name[0] == '.' || access(path, R_OK) != 0)
      continue;
    check_case(entry->d_name, _i);
    count++;
  }
  closedir(directory);
  ck_assert_int_ge(count, 60);
}
END_TEST

/* Refused with the line in the message, or accepted with the reference's value; what the reference
 * accepts although it is nonsense is refused or warned about. */
static void check_error_case(const json_t *one) {
  char path[256], arguments[512];
  const char *name = json_string_value(json_object_get(one, "name"));
  snprintf(path, sizeof path, "%s/input.dat", folder);
  FILE *file = fopen(path, "w");
  fprintf(file, "%s\n", json_string_value(json_object_get(one, "input")));
  fclose(file);
  snprintf(arguments, sizeof arguments, "'%s' --traj self_legacy/traj.xyz", path);
  int status = run_program(golden_folder(), arguments);
  snprintf(path, sizeof path, "%s/messages", folder);
  char *messages = read_text(path);
  if (status == 2) {
    ck_assert_msg(strstr(messages, "input.dat:") && strstr(messages, "error"), "%s: '%s'", name,
                  messages);
  } else {
    ck_assert_msg(status == 0, "%s: exit status %d", name, status);
    ck_assert_msg(json_is_true(json_object_get(one, "reference_accepts")), "%s: accepted", name);
    json_t *output = load_output(), *frames = json_object_get(output, "frames");
    json_t *values = json_object_get(one, "values");
    for (size_t k = 0; k < json_array_size(values); k++) {
      const json_t *variables = json_object_get(json_array_get(frames, k), "variables");
      double right = atof(json_string_value(json_array_get(values, k)));
      double value = number(json_object_get(variables, "c"), "value");
      ck_assert_msg(near(value, right, 1e-12 * fmax(1, right)), "%s: %.17g", name, value);
    }
    json_decref(output);
  }
  free(messages);
}

START_TEST(test_nonsense_is_refused_or_keeps_its_value) {
  json_error_t error;
  char path[512];
  snprintf(path, sizeof path, "%s/errors.json", golden_folder());
  json_t *lists = json_load_file(path, 0, &error);
  ck_assert_ptr_nonnull(lists);
  json_t *cases = json_object_get(json_array_get(lists, 0), "cases");
  ck_assert_int_gt((int)json_array_size(cases), 40);
  for (size_t k = 0; k < json_array_size(cases); k++)
    check_error_case(json_array_get(cases, k));
  json_decref(lists);
}
END_TEST

static void remove_folder(void) {
  char command[256];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  if (system(command) != 0)
    fprintf(stderr, "%s stays behind\n", folder);
}

int main(void) {
  if (backend_is_missing())
    return SKIPPED;
  if (!mkdtemp(folder))
    return 1;
  Suite *suite = suite_create("coordination cases");
  TCase *tcase = tcase_create("program");
  tcase_set_timeout(tcase, 300);
  tcase_add_loop_test(tcase, test_every_reference_case, 0, 2);
  if (strcmp(tested_backend(), "cpu") == 0)
    tcase_add_test(tcase, test_nonsense_is_refused_or_keeps_its_value);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  remove_folder();
  return failed != 0;
}
