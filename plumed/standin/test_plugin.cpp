/* The plugin, compiled against the stand-in, gives what the library gives. */
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <cellwise/coordination.h>

#include "core/ActionRegister.h"

using Line = std::map<std::string, std::string>;

static int failures = 0;

static void check(bool truth, const char *claim) {
  if (!truth) {
    std::printf("failed: %s\n", claim);
    failures++;
  }
}

static bool near(double x, double y, double tolerance) {
  return std::fabs(x - y) <= tolerance;
}

static std::unique_ptr<PLMD::Colvar> make(const Line &line) {
  PLMD::ActionOptions options;
  options.line = line;
  return PLMD::actionRegister().at("CELLWISE_COORDINATION")(options);
}

enum { ATOMS = 40 };

static double coordinate(unsigned atom, unsigned axis, long long step) {
  unsigned long long z = 1000003ull * (3 * atom + axis + 1) + 7919ull * (unsigned long long)step;
  z = (z ^ (z >> 13)) * 0x9E3779B97F4A7C15ull;
  return static_cast<double>(z >> 11) / 9007199254740992.0 * 1.5;
}

static void place(PLMD::Colvar &action, long long step) {
  action.step = step;
  for (unsigned k = 0; k < action.getAtoms().size(); k++)
    for (unsigned c = 0; c < 3; c++)
      action.positions[k][c] = coordinate(action.getAtoms()[k].index(), c, step);
  for (unsigned c = 0; c < 3; c++)
    action.box[c][c] = 1.5;
  action.box[1][0] = 0.4;
}

static std::string range(int first, int last) {
  std::string text;
  for (int k = first; k <= last; k++)
    text += (k > first ? "," : "") + std::to_string(k);
  return text;
}

/* By the library alone, over the atoms themselves. */
static void check_step(const cw_coordination_options &options, PLMD::Colvar &action,
                       long long step) {
  cw_context *context;
  cw_coordination *plan;
  std::vector<double> positions(3 * ATOMS), entries(3 * (options.count_a + options.count_b));
  check(cw_context_create(nullptr, &context, nullptr, 0) == CW_OK, "a context is made");
  check(cw_coordination_create(context, &options, &plan) == CW_OK, "a plan is made");
  for (unsigned k = 0; k < 3 * ATOMS; k++)
    positions[k] = coordinate(k / 3, k % 3, step);
  double *p = positions.data();
  cw_coordinates_view view = {CW_DOUBLE, CW_SPACE_HOST, {p, p + 1, p + 2}, 3};
  cw_box box = {{{1.5, 0, 0}, {0.4, 1.5, 0}, {0, 0, 1.5}}};
  cw_coordination_result result = {};
  result.entry_derivatives = entries.data();
  check(cw_coordination_reference(plan, view, &box, &result) == CW_OK, "the sum is formed");
  place(action, step);
  action.calculate();
  check(result.value > 1, "the system has pairs");
  check(near(action.value, result.value, 1e-12 * result.value), "values agree");
  for (unsigned k = 0; k < entries.size(); k++)
    check(near(action.derivatives[k / 3][k % 3], entries[k], 1e-10), "derivatives agree");
  for (unsigned k = 0; k < 9; k++)
    check(near(action.virial[k / 3][k % 3], result.box_derivatives[k / 3][k % 3], 1e-10),
          "box derivatives agree");
  cw_coordination_destroy(plan);
  cw_context_destroy(context);
}

static void test_groups_that_overlap() {
  auto action = make({{"GROUPA", range(1, 25)},
                      {"GROUPB", range(20, 40)},
                      {"SWITCH", "RATIONAL R_0=0.3 D_MAX=0.7"}});
  uint32_t a[25], b[21];
  for (uint32_t k = 0; k < 25; k++)
    a[k] = k;
  for (uint32_t k = 0; k < 21; k++)
    b[k] = 19 + k;
  cw_coordination_options options = {};
  options.switching.r_0 = 0.3;
  options.switching.d_max = 0.7;
  options.pairs = CW_PAIRS_PRODUCT;
  options.precision = CW_DOUBLE;
  options.atoms = ATOMS;
  options.a = a;
  options.b = b;
  options.count_a = 25;
  options.count_b = 21;
  check(action->has_value && action->getAtoms().size() == 46, "an entry each is asked for");
  for (long long step = 0; step < 3; step++)
    check_step(options, *action, step);
}

static void test_self_group_with_an_implicit_range() {
  auto action = make({{"GROUPA", range(1, ATOMS)}, {"R_0", "sqrt(0.04)"}, {"NN", "8"}});
  cw_coordination_options options = {};
  options.switching.r_0 = std::sqrt(0.04);
  options.switching.nn = 8;
  options.switching.implicit_d_max = 1;
  options.precision = CW_DOUBLE;
  options.atoms = ATOMS;
  options.count_a = ATOMS;
  std::vector<uint32_t> a(ATOMS);
  for (uint32_t k = 0; k < ATOMS; k++)
    a[k] = k;
  options.a = a.data();
  check_step(options, *action, 5);
}

static void check_refused(const Line &line, const char *part) {
  try {
    make(line);
    std::printf("accepted, but '%s' was to be refused\n", part);
    failures++;
  } catch (const std::runtime_error &error) {
    if (std::string(error.what()).find(part) == std::string::npos) {
      std::printf("'%s' is not in '%s'\n", part, error.what());
      failures++;
    }
  }
}

static void test_refusals() {
  check_refused({{"GROUPA", "1,2"}}, "R_0");
  check_refused({{"R_0", "0.3"}}, "GROUPA");
  check_refused({{"GROUPA", "1,2"}, {"R_0", "-1"}}, "R_0");
  check_refused({{"GROUPA", "1,2"}, {"SWITCH", "RATIONAL R_0=1 XX=2"}}, "XX");
  check_refused({{"GROUPA", "1,2"}, {"SWITCH", "RATIONAL R_0=1"}, {"NN", "6"}}, "NN");
  check_refused({{"GROUPA", "1,2"}, {"R_0", "0.3"}, {"PAIR", ""}}, "GROUPB");
  check_refused({{"GROUPA", "1,2"}, {"R_0", "0.3"}, {"NLIST", ""}}, "NL_CUTOFF");
  check_refused({{"GROUPA", "1,2"}, {"R_0", "0.3"}, {"SIGMA", "1"}}, "SIGMA");
}

int main() {
  test_groups_that_overlap();
  test_self_group_with_an_implicit_range();
  test_refusals();
  return failures != 0;
}
