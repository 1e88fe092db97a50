/* CELLWISE_COORDINATION: PLUMED's COORDINATION, computed by cellwise.
 *
 *   LOAD FILE=libCellwiseCoordination.so
 *   c: CELLWISE_COORDINATION GROUPA=1-1000 SWITCH={RATIONAL R_0=0.3 D_MAX=0.9}
 *
 * Keywords, definitions and the order of derivatives are those of COORDINATION. What a keyword
 * means is read by the same code as in the program `cellwise coordination`. */
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#if __has_include("core/Colvar.h")
#include "core/Colvar.h"
#else
#include "colvar/Colvar.h"
#endif
#include "core/ActionRegister.h"

extern "C" {
#include "molecular/input.h"
}

namespace cellwise {

using PLMD::AtomNumber;
using PLMD::Tensor;
using PLMD::Vector;

static_assert(sizeof(Vector) == 3 * sizeof(double), "positions are read where they are");

/* Newer versions want the value described, older ones have no such function. */
template <class K>
auto describe_value(K &keys, int)
    -> decltype(keys.setValueDescription(std::string(), std::string()), void()) {
  keys.setValueDescription("scalar", "the coordination number");
}
template <class K> void describe_value(K &, long) {}

class Coordination : public PLMD::Colvar {
public:
  static void registerKeywords(PLMD::Keywords &keys);
  explicit Coordination(const PLMD::ActionOptions &options);
  ~Coordination() override;
  void calculate() override;

private:
  void read(std::vector<AtomNumber> &entries);
  std::string text(const char *key);
  void read_switching(cw_switching_options &switching);
  void read_groups(std::vector<AtomNumber> &entries);
  void read_list();
  void must(cw_status status);
  void release();

  cw_context *context = nullptr;
  cw_coordination *plan = nullptr;
  cw_coordination_options options = {};
  std::vector<uint32_t> a, b;
  std::vector<double> derivatives; /* [entries][3] */
  std::string words_text, action = "CELLWISE_COORDINATION";
  std::vector<char *> word;
  std::vector<char> used;
  bool nopbc = false;
  int list_stride = 0;
};

PLUMED_REGISTER_ACTION(Coordination, "CELLWISE_COORDINATION")

void Coordination::registerKeywords(PLMD::Keywords &keys) {
  PLMD::Colvar::registerKeywords(keys);
  keys.add("atoms", "GROUPA", "First list of atoms");
  keys.add("atoms", "GROUPB",
           "Second list of atoms (if empty, each pair of atoms in GROUPA counts once)");
  keys.addFlag("PAIR", false,
               "Pair only the first element of the first group with the first of "
               "the second, and so on");
  keys.addFlag("NLIST", false, "Use a neighbour list: pairs within NL_CUTOFF at its last rebuild");
  keys.addFlag("NLISTCELLS", false, "As COORDINATION's; here the sum is complete in any case");
  keys.add("optional", "NL_CUTOFF", "The cutoff for the neighbour list");
  keys.add("optional", "NL_STRIDE", "Steps after which the neighbour list is rebuilt");
  keys.add("optional", "R_0", "The r_0 parameter of the switching function");
  keys.add("optional", "D_0", "The d_0 parameter of the switching function");
  keys.add("optional", "NN", "The n parameter of the switching function (6)");
  keys.add("optional", "MM", "The m parameter of the switching function (0: 2 NN)");
  keys.add("optional", "D_MAX", "Beyond it the switching function is 0");
  keys.add("optional", "SWITCH", "The switching function, instead of R_0, D_0, NN, MM and D_MAX");
  keys.add("optional", "THREADS", "CPU threads (0: as OpenMP offers)");
  describe_value(keys, 0);
}

std::string Coordination::text(const char *key) {
  std::string value;
  parse(key, value);
  return value;
}

/* The library's message, without the place in a file that it does not know here. */
void Coordination::must(cw_status status) {
  if (status == CW_OK)
    return;
  std::string message = cw_context_message(context);
  const std::string before = action + ": ";
  std::size_t at = message.find(before);
  if (at != std::string::npos)
    message.erase(0, at + before.size());
  release();
  error(message);
}

void Coordination::read_switching(cw_switching_options &switching) {
  static const char *const keys[] = {"R_0", "D_0", "NN", "MM", "D_MAX", "SWITCH"};
  for (const char *key : keys) {
    std::string value = text(key);
    if (!value.empty())
      words_text += std::string(key) + "={" + value + "} ";
  }
  word.resize(sizeof keys / sizeof *keys);
  int count = cw_words_split(&words_text[0], 0, word.data(), static_cast<int>(word.size()));
  if (count < 0)
    error("braces { } do not match");
  used.assign(word.size(), 0);
  cw_words words = {};
  words.path = "input";
  words.line = 1;
  words.action = &action[0];
  words.count = count;
  words.word = word.data();
  words.used = used.data();
  must(cw_input_read_switching(context, &words, 1, &switching));
  must(cw_words_check_used(context, &words));
}

/* Positions are asked for entry by entry, as COORDINATION does; entries of one atom are given the
 * number of the first of them, so that the library knows that they are one. */
void Coordination::read_groups(std::vector<AtomNumber> &entries) {
  std::vector<AtomNumber> second;
  bool pair = false;
  parseAtomList("GROUPA", entries);
  parseAtomList("GROUPB", second);
  parseFlag("PAIR", pair);
  const std::size_t count_a = entries.size();
  if (count_a == 0)
    error("GROUPA is missing: there are no atoms");
  if (pair && second.empty())
    error("PAIR needs GROUPB");
  entries.insert(entries.end(), second.begin(), second.end());
  std::map<unsigned, uint32_t> first;
  for (std::size_t k = 0; k < entries.size(); k++) {
    uint32_t number = first.emplace(entries[k].index(), static_cast<uint32_t>(k)).first->second;
    (k < count_a ? a : b).push_back(number);
  }
  options.pairs = pair ? CW_PAIRS_ZIP : second.empty() ? CW_PAIRS_SELF : CW_PAIRS_PRODUCT;
  options.atoms = static_cast<int64_t>(entries.size());
  options.a = a.data();
  options.b = b.data();
  options.count_a = static_cast<int64_t>(a.size());
  options.count_b = static_cast<int64_t>(b.size());
}

void Coordination::read_list() {
  bool list = false, cells = false;
  double cutoff = 0;
  parseFlag("NLIST", list);
  parseFlag("NLISTCELLS", cells);
  parse("NL_CUTOFF", cutoff);
  parse("NL_STRIDE", list_stride);
  if (list && cells)
    error("NLIST and NLISTCELLS do not go together");
  if ((list || cells) && !(cutoff > 0 && list_stride > 0))
    error("NLIST and NLISTCELLS need a positive NL_CUTOFF and NL_STRIDE");
  if (!(list || cells) && (cutoff != 0 || list_stride != 0))
    error("NL_CUTOFF and NL_STRIDE need NLIST or NLISTCELLS");
  if (list && options.pairs != CW_PAIRS_ZIP) {
    options.method = CW_COORDINATION_FROZEN;
    options.list_cutoff = cutoff;
  }
}

void Coordination::read(std::vector<AtomNumber> &entries) {
  char message[512];
  cw_context_options with = {};
  with.backend = CW_BACKEND_CPU;
  parse("THREADS", with.threads);
  if (cw_context_create(&with, &context, message, sizeof message) != CW_OK)
    error(message);
  parseFlag("NOPBC", nopbc);
  read_switching(options.switching);
  read_groups(entries);
  read_list();
  checkRead();
  options.precision = CW_DOUBLE;
  must(cw_coordination_create(context, &options, &plan));
}

Coordination::Coordination(const PLMD::ActionOptions &ao) : PLUMED_COLVAR_INIT(ao) {
  std::vector<AtomNumber> entries;
  try {
    read(entries);
  } catch (...) {
    release();
    throw;
  }
  derivatives.resize(3 * entries.size());
  addValueWithDerivatives();
  setNotPeriodic();
  requestAtoms(entries);
}

void Coordination::release() {
  cw_coordination_destroy(plan);
  cw_context_destroy(context);
  plan = nullptr;
  context = nullptr;
}

Coordination::~Coordination() {
  release();
}

void Coordination::calculate() {
  const std::vector<Vector> &positions = getPositions();
  void *base = const_cast<Vector *>(positions.data()); /* only read */
  double *first = static_cast<double *>(base);
  cw_coordinates_view view = {CW_DOUBLE, CW_SPACE_HOST, {first, first + 1, first + 2}, 3};
  cw_coordination_result result = {};
  result.entry_derivatives = derivatives.data();
  cw_box box;
  const Tensor &h = getBox();
  for (unsigned i = 0; i < 3; i++)
    for (unsigned j = 0; j < 3; j++)
      box.vectors[i][j] = h[i][j];
  int rebuild = list_stride > 0 && getStep() % list_stride == 0;
  cw_status status = cw_coordination_compute(plan, view, nopbc ? nullptr : &box, rebuild, &result);
  if (status != CW_OK)
    error(cw_context_message(context));
  for (std::size_t k = 0; k < positions.size(); k++)
    setAtomsDerivatives(static_cast<int>(k),
                        Vector(derivatives[3 * k], derivatives[3 * k + 1], derivatives[3 * k + 2]));
  Tensor virial;
  for (unsigned i = 0; i < 3; i++)
    for (unsigned j = 0; j < 3; j++)
      virial[i][j] = result.box_derivatives[i][j];
  setBoxDerivatives(virial);
  setValue(result.value);
}

} // namespace cellwise
