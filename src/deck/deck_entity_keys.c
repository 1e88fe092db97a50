/* The table of Entity's keys and words (of version 1.5) that are not ours. */
#include "deck/deck_entity_keys.h"

#include <stddef.h>

#define PASSED  CW_ENTITY_PASSED
#define RENAMED CW_ENTITY_RENAMED
#define TIMED   CW_ENTITY_TIMED
#define REFUSED CW_ENTITY_REFUSED

#define STENCIL     "the field solver is Yee's, without further coefficients; expected 0, or nothing"
#define ONE_PROCESS "one process computes the whole box"
#define FLAT        "the metric is flat"
#define ATMOSPHERE                                                                                 \
  "no side has an atmosphere; expected a source, kind = \"reservoir\" of [setup.injectors.NAME]"
#define EMISSION                                                                                   \
  "no photons are emitted; expected radiative_drag alone, which takes the same energy on average"

const cw_entity_key cw_entity_keys[] = {
    {"simulation.domain", "number", PASSED, NULL, ONE_PROCESS},
    {"simulation.domain", "decomposition", PASSED, NULL, ONE_PROCESS},
    {"grid.metric", "qsph_r0", PASSED, NULL, FLAT},
    {"grid.metric", "qsph_h", PASSED, NULL, FLAT},
    {"grid.metric", "ks_a", PASSED, NULL, FLAT},
    {"grid.boundaries.atmosphere", "temperature", REFUSED, NULL, ATMOSPHERE},
    {"grid.boundaries.atmosphere", "density", REFUSED, NULL, ATMOSPHERE},
    {"grid.boundaries.atmosphere", "height", REFUSED, NULL, ATMOSPHERE},
    {"grid.boundaries.atmosphere", "species", REFUSED, NULL, ATMOSPHERE},
    {"grid.boundaries.atmosphere", "ds", REFUSED, NULL, ATMOSPHERE},
    {"radiation.emission.synchrotron", "gamma_qed", REFUSED, NULL, EMISSION},
    {"radiation.emission.synchrotron", "photon_energy_min", REFUSED, NULL, EMISSION},
    {"radiation.emission.synchrotron", "photon_weight", REFUSED, NULL, EMISSION},
    {"radiation.emission.synchrotron", "photon_species", REFUSED, NULL, EMISSION},
    {"radiation.emission.compton", "gamma_qed", REFUSED, NULL, EMISSION},
    {"radiation.emission.compton", "photon_energy_min", REFUSED, NULL, EMISSION},
    {"radiation.emission.compton", "photon_weight", REFUSED, NULL, EMISSION},
    {"radiation.emission.compton", "photon_species", REFUSED, NULL, EMISSION},
    {"algorithms.gr", "pusher_eps", PASSED, NULL, FLAT},
    {"algorithms.gr", "pusher_niter", PASSED, NULL, FLAT},
    {"algorithms.fieldsolver", "delta_x", REFUSED, "0", STENCIL},
    {"algorithms.fieldsolver", "delta_y", REFUSED, "0", STENCIL},
    {"algorithms.fieldsolver", "delta_z", REFUSED, "0", STENCIL},
    {"algorithms.fieldsolver", "beta_xy", REFUSED, "0", STENCIL},
    {"algorithms.fieldsolver", "beta_yx", REFUSED, "0", STENCIL},
    {"algorithms.fieldsolver", "beta_xz", REFUSED, "0", STENCIL},
    {"algorithms.fieldsolver", "beta_zx", REFUSED, "0", STENCIL},
    {"algorithms.fieldsolver", "beta_yz", REFUSED, "0", STENCIL},
    {"algorithms.fieldsolver", "beta_zy", REFUSED, "0", STENCIL},
    {"particles.species", "n_payloads_real", RENAMED, "n_payloads", NULL},
    {"particles.species", "n_payloads_int", REFUSED, "0",
     "payloads are real numbers; expected n_payloads"},
    {"particles.species", "emission", REFUSED, "none", EMISSION},
    {"output", "interval_time", TIMED, NULL, NULL},
    {"output", "separate_files", REFUSED, "true",
     "every step has a file of its own; expected true, or nothing"},
    {"output.fields", "interval_time", TIMED, NULL, NULL},
    {"output.fields", "custom", REFUSED, "[]",
     "what a problem generator computes for output is not here; expected names out of "
     "output.fields.quantities"},
    {"output.fields.smoothing", "order", REFUSED, "0",
     "moments are written as the particles' shape forms them; expected 0, or nothing"},
    {"output.fields.smoothing", "method", PASSED, NULL, "moments are not smoothed"},
    {"output.particles", "interval_time", TIMED, NULL, NULL},
    {"output.spectra", "interval_time", TIMED, NULL, NULL},
    {"output.spectra", "num_spatial_bins", RENAMED, "spatial_bins", NULL},
    {"output.debug", "as_is", REFUSED, "false",
     "files hold physical values; expected false, or nothing"},
    {"output.debug", "ghosts", REFUSED, "false",
     "files hold the box's own cells; expected false, or nothing"},
    {"output.stats", "enable", REFUSED, "true",
     "history.csv is always written; expected a large output.stats.interval"},
    {"output.stats", "interval_time", TIMED, NULL, NULL},
    {"output.stats", "quantities", PASSED, NULL,
     "history.csv has columns of its own: energies, charge error, particles"},
    {"output.stats", "custom", REFUSED, "[]",
     "history.csv has columns of its own; expected none, or nothing"},
    {"checkpoint", "read_path", REFUSED, "",
     "a run goes on in its own folder; expected `run --resume --out FOLDER`, or problem = "
     "\"state\" with the checkpoint's file"},
    {"adios2", "aggregators_per_node", PASSED, NULL, "files are written by one process"},
    {"adios2", "max_shm_size", PASSED, NULL, "files are written by one process"},
    {"adios2", "buffer_chunk_size", PASSED, NULL, "files are written by one process"},
    {"diagnostics", "blocking_timers", PASSED, NULL, "stages are always timed apart"},
    {"diagnostics", "colored_stdout", PASSED, NULL, "nothing is coloured"},

/* [setup] of the problem generators that come with Entity, where setup.problem does not stand. */
#define STREAMING                                                                                  \
  "expected problem = \"expressions\": species.LABEL.density, velocity (u / sqrt(1 + u^2)), "      \
  "temperature"
    {"setup", "drifts_in_x", REFUSED, NULL, STREAMING},
    {"setup", "drifts_in_y", REFUSED, NULL, STREAMING},
    {"setup", "drifts_in_z", REFUSED, NULL, STREAMING},
    {"setup", "densities", REFUSED, NULL, STREAMING},
    {"setup", "temperatures", REFUSED, NULL, STREAMING},
    {"setup", "cs_width", REFUSED, NULL, "expected problem = \"reconnection\" and half_width"},
    {"setup", "cs_overdensity", REFUSED, NULL,
     "expected problem = \"reconnection\" and overdensity"},
    {"setup", "bg_B", REFUSED, NULL, "expected problem = \"reconnection\" and B"},
    {"setup", "bg_Bguide", REFUSED, NULL, "expected problem = \"reconnection\" and guide_field"},
    {"setup", "bg_temperature", REFUSED, NULL,
     "expected problem = \"reconnection\" and background_temperature"},
    {"setup", "inj_ypad", REFUSED, NULL,
     "expected problem = \"reconnection\" and a source, kind = \"replenish\" of "
     "[setup.injectors.NAME]"},
    {"setup", "t_open", REFUSED, NULL,
     "sides stay what they are; expected problem = \"reconnection\" without it"},
    {"setup", "width", REFUSED, NULL, "expected problem = \"reconnection\" and half_width"},
    {"setup", "bg_temp", REFUSED, NULL,
     "expected problem = \"reconnection\" and background_temperature"},
    {"setup", "Bmag", REFUSED, NULL,
     "expected problem = \"reconnection\" and B, or problem = \"expressions\" and B"},
#define SHOCK "expected problem = \"expressions\" as in examples/shock.toml: "
    {"setup", "drift_ux", REFUSED, NULL, SHOCK "species.LABEL.velocity, u / sqrt(1 + u^2)"},
    {"setup", "temperature_ratio", REFUSED, NULL, SHOCK "species.LABEL.temperature"},
    {"setup", "Btheta", REFUSED, NULL, SHOCK "the components of B"},
    {"setup", "Bphi", REFUSED, NULL, SHOCK "the components of B"},
    {"setup", "filling_fraction", REFUSED, NULL,
     SHOCK "position of [setup.injectors.NAME], and a density that is 0 behind it"},
    {"setup", "injector_velocity", REFUSED, NULL, SHOCK "speed of [setup.injectors.NAME]"},
    {"setup", "injection_start", REFUSED, NULL, SHOCK "start of [setup.injectors.NAME]"},
    {"setup", "injection_frequency", REFUSED, NULL,
     SHOCK "nothing: [setup.injectors.NAME] of kind \"moving\" acts in every step"},
#define TURBULENCE "expected problem = \"thermal\" with B, and [setup.antenna] with "
    {"setup", "dB", REFUSED, NULL, TURBULENCE "amplitude"},
    {"setup", "omega_0", REFUSED, NULL, TURBULENCE "frequency"},
    {"setup", "gamma_0", REFUSED, NULL, TURBULENCE "damping"},
    {NULL, NULL, PASSED, NULL, NULL}};

const cw_entity_word cw_entity_words[] = {
    {"engine", "GRPIC", "general relativity is not here"},
    {"engine", "HYBRID", "fluid electrons are not here"},
    {"metric", "Spherical", "only flat, Cartesian space is here"},
    {"metric", "QSpherical", "only flat, Cartesian space is here"},
    {"metric", "Kerr_Schild", "only flat, Cartesian space is here"},
    {"metric", "QKerr_Schild", "only flat, Cartesian space is here"},
    {"metric", "Kerr_Schild_0", "only flat, Cartesian space is here"},
    {"fields", "FIXED", "fields are not held at a side; MATCH goes over to given ones in a layer"},
    {"fields", "ATMOSPHERE", "no side has an atmosphere"},
    {"fields", "CUSTOM", "a side's rule is not the user's"},
    {"fields", "HORIZON", "flat space has none"},
    {"particles", "ATMOSPHERE",
     "no side has an atmosphere; ABSORB with a source, kind = \"reservoir\" of "
     "[setup.injectors.NAME], stands for a plasma behind the side"},
    {"particles", "CUSTOM", "a side's rule is not the user's"},
    {"particles", "HORIZON", "flat space has none"},
    {"format", "BPFile", "files are HDF5 with openPMD's names"},
    {"format", "disabled", "interval = 0 writes no files"},
    {NULL, NULL, NULL}};
