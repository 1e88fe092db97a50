#include "setup/problems.h"

#include <stddef.h>

#define PROBLEM(name_, text_)                                                                      \
  {                                                                                                \
    .name = #name_, .text = text_, .keys = cw_##name_##_keys, .check = cw_##name_##_check,         \
    .expected = cw_##name_##_expected, .fill = cw_##name_##_fill, .scales = cw_##name_##_scales    \
  }

const cw_problem cw_problems[] = {
    PROBLEM(orbits, "a few particles in uniform fields; every species gets a copy of each, so that "
                    "pushers can be compared"),
    PROBLEM(langmuir, "standing plasma wave: all species at the same places, velocities perturbed "
                      "in proportion to charge over mass"),
    PROBLEM(two_stream, "two pair beams along x; species 1, 2: electrons and positrons of the beam "
                        "with drift_1, species 3, 4: of the beam with drift_2"),
    PROBLEM(weibel,
            "two equal pair beams against each other; species 1, 2: electrons and positrons "
            "with +drift, species 3, 4: with -drift"),
    PROBLEM(thermal, "Maxwell-Juttner plasma of any neutral set of species, at rest or drifting, "
                     "with or without a uniform magnetic field"),
    PROBLEM(reconnection,
            "relativistic Harris sheets of pair plasma in 2D; species 1, 2: electrons "
            "and positrons of the background (and of the sheets, unless species 3, 4 "
            "are given for these)"),
    PROBLEM(light_wave, "transverse wave along x, linearly polarised, in a plasma at rest"),
    PROBLEM(whistler, "transverse wave along x, circularly polarised, in a plasma at rest with a "
                      "magnetic field along x"),
    PROBLEM(double_harris,
            "two current sheets of ions and electrons across y, periodic: reconnection at any mass "
            "ratio; species 1, 2: electrons and ions of sheets and background (or of the sheets "
            "alone, with species 3, 4 for the background)"),
    PROBLEM(gem, "the GEM reconnection challenge: one current sheet of ions and electrons across y "
                 "between conductors; species as in double_harris"),
    PROBLEM(expressions, "your own plasma: densities, velocities, temperatures and fields as "
                         "expressions of x, y, z and of [setup.constants]"),
    PROBLEM(hdf5, "your own arrays: fields and particles from an HDF5 file, on the deck's grid"),
    {.name = "state",
     .text =
         "a checkpoint of either engine, or a state file of engine ecsim: grid, fields, species, "
         "units and numerics come from it",
     .keys = cw_state_keys,
     .resolve = cw_state_resolve,
     .check = cw_state_check,
     .expected = cw_state_expected,
     .fill = cw_state_fill},
    {.name = NULL},
};
