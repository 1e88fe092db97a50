/* The register of actions, by name: see Colvar.h. */
#ifndef CW_PLUMED_STANDIN_ACTION_REGISTER_H
#define CW_PLUMED_STANDIN_ACTION_REGISTER_H

#include <functional>
#include <memory>

#include "core/Colvar.h"

namespace PLMD {

using ActionMaker = std::function<std::unique_ptr<Colvar>(ActionOptions)>;

inline std::map<std::string, ActionMaker> &actionRegister() {
  static std::map<std::string, ActionMaker> made;
  return made;
}

template <class T> struct ActionRegistration {
  explicit ActionRegistration(const char *name) {
    actionRegister()[name] = [](ActionOptions options) -> std::unique_ptr<Colvar> {
      T::registerKeywords(options.keys);
      return std::make_unique<T>(options);
    };
  }
};

} // namespace PLMD

#define PLUMED_REGISTER_ACTION(type, name)                                                         \
  static const PLMD::ActionRegistration<type> registration_of_##type(name);

#endif
