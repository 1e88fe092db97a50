/* Just enough of PLUMED's interface to compile CellwiseCoordination.cpp and run its steps, for the
 * test of it where PLUMED is not installed. Names and meanings are PLUMED's; nothing else is. */
#ifndef CW_PLUMED_STANDIN_COLVAR_H
#define CW_PLUMED_STANDIN_COLVAR_H

#include <array>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace PLMD {

class Vector {
  std::array<double, 3> d{};

public:
  Vector() = default;
  Vector(double x, double y, double z) : d{x, y, z} {}
  double &operator[](unsigned i) { return d[i]; }
  const double &operator[](unsigned i) const { return d[i]; }
};

class Tensor {
  std::array<Vector, 3> row;

public:
  Vector &operator[](unsigned i) { return row[i]; }
  const Vector &operator[](unsigned i) const { return row[i]; }
};

class AtomNumber {
  unsigned number;

public:
  explicit AtomNumber(unsigned index = 0) : number(index) {}
  unsigned index() const { return number; }
};

/* Which keywords an action has declared. */
class Keywords {
public:
  std::set<std::string> known;
  void add(const std::string &, const std::string &key, const std::string &) { known.insert(key); }
  void addFlag(const std::string &key, bool, const std::string &) { known.insert(key); }
  void setValueDescription(const std::string &, const std::string &) { described = true; }
  bool described = false;
};

/* Keywords of one line, flags with an empty value. */
struct ActionOptions {
  std::map<std::string, std::string> line;
  Keywords keys;
};

class Colvar {
  ActionOptions given;
  std::vector<AtomNumber> requested;

protected:
  void must_know(const std::string &key) const {
    if (!given.keys.known.count(key))
      throw std::logic_error("the keyword " + key + " is read but not registered");
  }
  template <class T> void parse(const std::string &key, T &value) {
    must_know(key);
    auto found = given.line.find(key);
    if (found == given.line.end())
      return;
    std::istringstream(found->second) >> value;
    given.line.erase(found);
  }
  void parse(const std::string &key, std::string &value) {
    must_know(key);
    auto found = given.line.find(key);
    if (found == given.line.end())
      return;
    value = found->second;
    given.line.erase(found);
  }
  void parseFlag(const std::string &key, bool &value) {
    must_know(key);
    value = given.line.erase(key) > 0;
  }
  /* Numbers from 1 with commas. */
  void parseAtomList(const std::string &key, std::vector<AtomNumber> &list) {
    std::string text, number;
    parse(key, text);
    std::istringstream stream(text);
    while (std::getline(stream, number, ','))
      list.push_back(AtomNumber(static_cast<unsigned>(std::stoul(number)) - 1));
  }
  void checkRead() const {
    if (!given.line.empty())
      throw std::runtime_error("keyword not understood: " + given.line.begin()->first);
  }
  [[noreturn]] void error(const std::string &message) const { throw std::runtime_error(message); }
  void addValueWithDerivatives() { has_value = true; }
  void setNotPeriodic() {}
  void requestAtoms(const std::vector<AtomNumber> &atoms) {
    requested = atoms;
    positions.resize(atoms.size());
    derivatives.resize(atoms.size());
  }
  const std::vector<Vector> &getPositions() const { return positions; }
  const Tensor &getBox() const { return box; }
  long long getStep() const { return step; }
  void setAtomsDerivatives(int k, const Vector &d) { derivatives[static_cast<unsigned>(k)] = d; }
  void setBoxDerivatives(const Tensor &t) { virial = t; }
  void setValue(double v) { value = v; }

public:
  explicit Colvar(const ActionOptions &options) : given(options) {}
  virtual ~Colvar() = default;
  virtual void calculate() = 0;
  static void registerKeywords(Keywords &keys) { keys.addFlag("NOPBC", false, ""); }

  /* For the test: what PLUMED would hand in and take out. */
  const std::vector<AtomNumber> &getAtoms() const { return requested; }
  std::vector<Vector> positions, derivatives;
  Tensor box, virial;
  double value = 0;
  long long step = 0;
  bool has_value = false;
};

} // namespace PLMD

#define PLUMED_COLVAR_INIT(ao) Colvar(ao)

#endif
