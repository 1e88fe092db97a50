#include "deck/deck_keys.h"

#include <math.h>

static const cw_deck_choice engines[] = {
    {"srpic", CW_ENGINE_SRPIC}, {"ecsim", CW_ENGINE_ECSIM}, {NULL, 0}};
static const cw_deck_choice units[] = {
    {"heaviside-lorentz", CW_UNITS_HEAVISIDE}, {"gaussian", CW_UNITS_GAUSSIAN}, {NULL, 0}};
static const cw_deck_choice pipelines[] = {{"unsorted", CW_PIPELINE_UNSORTED},
                                           {"sorted", CW_PIPELINE_SORTED},
                                           {"matrix", CW_PIPELINE_MATRIX},
                                           {NULL, 0}};
static const cw_deck_choice matrix_formats[] = {
    {"fp64", CW_MATRIX_FP64},     {"fp32", CW_MATRIX_FP32},     {"tf32", CW_MATRIX_TF32},
    {"tf32x3", CW_MATRIX_TF32X3}, {"bf16x6", CW_MATRIX_BF16X6}, {NULL, 0}};
static const cw_deck_choice precisions[] = {
    {"single", CW_SINGLE}, {"double", CW_DOUBLE}, {NULL, 0}};
static const cw_deck_choice metrics[] = {{"minkowski", CW_METRIC_MINKOWSKI}, {NULL, 0}};
static const cw_deck_choice field_sides[] = {{"PERIODIC", CW_FIELD_PERIODIC},
                                             {"CONDUCTOR", CW_FIELD_CONDUCTOR},
                                             {"ABSORB", CW_FIELD_ABSORB},
                                             {"MATCH", CW_FIELD_MATCH},
                                             {NULL, 0}};
static const cw_deck_choice particle_sides[] = {{"PERIODIC", CW_PARTICLE_PERIODIC},
                                                {"REFLECT", CW_PARTICLE_REFLECT},
                                                {"ABSORB", CW_PARTICLE_ABSORB},
                                                {NULL, 0}};
static const cw_deck_choice window_axes[] = {{"none", CW_WINDOW_NONE},
                                             {"x", CW_WINDOW_X},
                                             {"y", CW_WINDOW_Y},
                                             {"z", CW_WINDOW_Z},
                                             {NULL, 0}};
static const cw_deck_choice tile_sizes[] = {{"4", 4},   {"6", 6},   {"8", 8},   {"10", 10},
                                            {"12", 12}, {"14", 14}, {"16", 16}, {NULL, 0}};
static const cw_deck_choice pushers[] = {{"Boris", CW_PUSHER_BORIS},
                                         {"Vay", CW_PUSHER_VAY},
                                         {"Higuera-Cary", CW_PUSHER_HIGUERA_CARY},
                                         {"massless", CW_PUSHER_MASSLESS},
                                         {"photon", CW_PUSHER_MASSLESS},
                                         {"none", CW_PUSHER_NONE},
                                         {"Boris,GCA", CW_PUSHER_BORIS_GCA},
                                         {"GCA", CW_PUSHER_BORIS_GCA},
                                         {"Vay,GCA", CW_PUSHER_VAY_GCA},
                                         {"Higuera-Cary,GCA", CW_PUSHER_HIGUERA_CARY_GCA},
                                         {NULL, 0}};
static const cw_deck_choice drags[] = {{"none", CW_DRAG_NONE},
                                       {"synchrotron", CW_DRAG_SYNCHROTRON},
                                       {"compton", CW_DRAG_COMPTON},
                                       {"synchrotron,compton", CW_DRAG_BOTH},
                                       {"compton,synchrotron", CW_DRAG_BOTH},
                                       {NULL, 0}};
static const cw_deck_choice formats[] = {{"hdf5", CW_FORMAT_HDF5}, {NULL, 0}};
static const cw_deck_choice log_levels[] = {{"error", CW_LOG_ERROR}, {"warning", CW_LOG_WARNING},
                                            {"info", CW_LOG_INFO},   {"verbose", CW_LOG_INFO},
                                            {"debug", CW_LOG_DEBUG}, {NULL, 0}};

/* Members of one row, in the order of cw_deck_key: default, how it is computed. */
#define REQUIRED      NULL, NULL
#define DEFAULT(toml) toml, NULL
#define COMPUTED(how) NULL, how
/* Unit, text; then range and choices. */
#define ANY              -INFINITY, INFINITY, 0, NULL
#define RANGE(low, high) low, high, 0, NULL
#define ABOVE(low, high) low, high, 1, NULL
#define ONE_OF(choices)  -INFINITY, INFINITY, 0, choices
#define IN(member)       offsetof(cw_deck, member)
#define OF(member)       offsetof(cw_deck_species, member)

#define COUNT_MAX 1e15
#define STEPS_MAX 1e15

const cw_deck_key cw_deck_keys[] = {
    {"simulation", "name", CW_DECK_TEXT, REQUIRED, "", "Name of the run", ANY, IN(simulation.name)},
    {"simulation", "engine", CW_DECK_CHOICE, REQUIRED, "",
     "What advances the state: explicit special-relativistic particle-in-cell, or the "
     "energy-conserving semi-implicit method",
     ONE_OF(engines), IN(simulation.engine)},
    {"simulation", "runtime", CW_DECK_FLOAT, REQUIRED, "L/c", "Physical time to simulate",
     RANGE(0, INFINITY), IN(simulation.runtime)},
    {"simulation", "precision", CW_DECK_CHOICE, DEFAULT("\"" CW_DEFAULT_PRECISION "\""), "",
     "Floating-point format of fields and particles", ONE_OF(precisions), IN(simulation.precision)},
    {"simulation", "seed", CW_DECK_INT64, DEFAULT("1"), "", "Seed of the random numbers",
     RANGE(0, 4294967295.0), IN(simulation.seed)},

    {"grid", "resolution", CW_DECK_RESOLUTION, REQUIRED, "cells",
     "Cells along each axis; the length of the list is the dimension, 1 to 3", RANGE(1, 1073741824),
     IN(grid.resolution)},
    {"grid", "extent", CW_DECK_EXTENT, REQUIRED, "L",
     "Lower and upper edge along each axis; cells must be cubes", ANY, IN(grid.extent)},
    {"grid.metric", "metric", CW_DECK_CHOICE, REQUIRED, "", "Geometry of space-time",
     ONE_OF(metrics), IN(grid.metric)},
    {"grid.boundaries", "fields", CW_DECK_FIELD_SIDES, REQUIRED, "",
     "What stands at the sides of the box for the fields: a list an axis, of one entry for both "
     "sides or of two",
     ONE_OF(field_sides), IN(grid.fields)},
    {"grid.boundaries", "particles", CW_DECK_PARTICLE_SIDES, REQUIRED, "",
     "The same for the particles", ONE_OF(particle_sides), IN(grid.particles)},
    {"grid.boundaries.absorb", "ds", CW_DECK_FLOAT, COMPUTED("1 % of the shortest box edge"), "L",
     "Thickness of absorbing layers", ABOVE(0, INFINITY), IN(grid.absorb_ds)},
    {"grid.boundaries.match", "ds", CW_DECK_FLOAT, COMPUTED("1 % of the shortest box edge"), "L",
     "Thickness of layers in which the fields go over to those of setup.match_E and match_B",
     ABOVE(0, INFINITY), IN(grid.match_ds)},
    {"grid.window", "axis", CW_DECK_CHOICE, DEFAULT("\"none\""), "",
     "Axis along which the box moves, by whole cells: new plasma and fields of the problem come in "
     "at its upper side",
     ONE_OF(window_axes), IN(grid.window_axis)},
    {"grid.window", "speed", CW_DECK_FLOAT, DEFAULT("1.0"), "c", "Speed of the window", ABOVE(0, 1),
     IN(grid.window_speed)},
    {"grid.window", "start", CW_DECK_FLOAT, DEFAULT("0.0"), "L/c", "When it begins to move",
     RANGE(0, INFINITY), IN(grid.window_start)},

    {"scales", "larmor0", CW_DECK_FLOAT, REQUIRED, "L",
     "Larmor radius of a reference particle of u = 1 in the field B0", ABOVE(0, INFINITY),
     IN(scales.larmor0)},
    {"scales", "skindepth0", CW_DECK_FLOAT, REQUIRED, "L",
     "Plasma skin depth at the density n0 = ppc0 / dx^D", ABOVE(0, INFINITY),
     IN(scales.skindepth0)},
    {"scales", "units", CW_DECK_CHOICE, DEFAULT("\"heaviside-lorentz\""), "",
     "Field energy |E|^2 / 2, or |E|^2 / (8 pi) in Gaussian units (engine ecsim)", ONE_OF(units),
     IN(scales.units)},

    {"algorithms", "current_filters", CW_DECK_INT32, DEFAULT("0"), "passes",
     "Binomial filter passes over the current", RANGE(0, 1000), IN(algorithms.current_filters)},
    {"algorithms.timestep", "CFL", CW_DECK_FLOAT, DEFAULT("0.95"), "",
     "Time step as a share of the largest stable one: dt = CFL dx / sqrt(D)", ABOVE(0, 1),
     IN(algorithms.CFL)},
    {"algorithms.timestep", "correction", CW_DECK_FLOAT, DEFAULT("1.0"), "c",
     "Speed of light in the field update; CFL times this must not exceed 1", ABOVE(0, INFINITY),
     IN(algorithms.correction)},
    {"algorithms.timestep", "dt", CW_DECK_FLOAT, COMPUTED("CFL dx / sqrt(D)"), "L/c",
     "Time step instead of CFL, of any length (engine ecsim)", ABOVE(0, INFINITY),
     IN(algorithms.dt)},
    {"algorithms.deposit", "enable", CW_DECK_BOOL, DEFAULT("true"), "",
     "Deposit currents; false: particles do not act on the fields", ANY,
     IN(algorithms.deposit.enable)},
    {"algorithms.deposit", "tiled_deposit", CW_DECK_BOOL, DEFAULT(CW_DEFAULT_TILED_DEPOSIT), "",
     "Sum currents tile by tile in fast memory instead of straight to the grid", ANY,
     IN(algorithms.deposit.tiled_deposit)},
    {"algorithms.deposit", "tiled_deposit_fixed_point", CW_DECK_BOOL,
     COMPUTED("true on a GPU, where it is the faster one, false on a CPU"), "",
     "Sum tiles in fixed point: the same bits for any order of particles", ANY,
     IN(algorithms.deposit.fixed_point)},
    {"algorithms.deposit", "tiled_deposit_tile_size", CW_DECK_INT32, DEFAULT(CW_DEFAULT_TILE_SIZE),
     "cells", "Edge of a tile", ONE_OF(tile_sizes), IN(algorithms.deposit.tile_size)},
    {"algorithms.deposit", "tiled_deposit_drift", CW_DECK_INT32, DEFAULT(CW_DEFAULT_DRIFT), "cells",
     "How far a particle may be from its tile before it is deposited straight to the grid",
     RANGE(0, 4), IN(algorithms.deposit.drift)},
    {"algorithms.deposit", "tiled_deposit_team_size", CW_DECK_INT32, DEFAULT("0"), "threads",
     "Threads that share a tile on a device; 0: chosen by the program", RANGE(0, 1024),
     IN(algorithms.deposit.team_size)},
    {"algorithms.deposit", "vendor_sort", CW_DECK_BOOL, DEFAULT(CW_DEFAULT_VENDOR_SORT), "",
     "Fast sort; false: a sort that needs less memory", ANY, IN(algorithms.deposit.vendor_sort)},
    {"algorithms.deposit", "shape_order", CW_DECK_INT32, DEFAULT(CW_DEFAULT_SHAPE_ORDER), "",
     "Order of the particle shape; 0: zigzag, else Esirkepov; engine ecsim: 1 (CIC, where nothing "
     "is written) or 2 (TSC)",
     RANGE(0, CW_MAX_SHAPE_ORDER), IN(algorithms.deposit.shape_order)},
    {"algorithms.fieldsolver", "enable", CW_DECK_BOOL, DEFAULT("true"), "",
     "Advance the fields; false: they stay as set up", ANY, IN(algorithms.fieldsolver_enable)},
    {"algorithms.gca", "e_ovr_b_max", CW_DECK_FLOAT, DEFAULT("0.9"), "",
     "Pushers with GCA: largest |E| / |B| where a particle is moved as a guiding centre",
     ABOVE(0, 1), IN(algorithms.gca.e_ovr_b_max)},
    {"algorithms.gca", "larmor_max", CW_DECK_FLOAT, DEFAULT("0.0"), "L",
     "Largest Larmor radius of such a particle; 0: any", RANGE(0, INFINITY),
     IN(algorithms.gca.larmor_max)},
    {"algorithms.ecsim", "theta", CW_DECK_FLOAT, DEFAULT("0.5"), "",
     "Time level of the implicit field: 0.5 conserves energy, more damps waves", RANGE(0.5, 1),
     IN(algorithms.ecsim.theta)},
    {"algorithms.ecsim", "solver_tolerance", CW_DECK_FLOAT, DEFAULT("1e-13"), "",
     "Residual of the field equation, relative to the first one of the step", ABOVE(0, 0.1),
     IN(algorithms.ecsim.solver_tolerance)},
    {"algorithms.ecsim", "solver_restart", CW_DECK_INT32, DEFAULT("40"), "vectors",
     "Iterations of GMRES between restarts", RANGE(1, 1000), IN(algorithms.ecsim.solver_restart)},
    {"algorithms.ecsim", "smoothing_passes", CW_DECK_INT32, DEFAULT("0"), "passes",
     "Binomial filter passes over current, mass matrix and the field that particles feel",
     RANGE(0, 1000), IN(algorithms.ecsim.smoothing_passes)},
    {"algorithms.ecsim", "charge_correction", CW_DECK_BOOL, DEFAULT("false"), "",
     "Displace particles after each step so that Gauss's law holds; no energy changes", ANY,
     IN(algorithms.ecsim.charge_correction)},
    {"algorithms.ecsim", "relativistic", CW_DECK_BOOL, DEFAULT("false"), "",
     "Relativistic particles, u = gamma v: energy is then kept well, but not exactly", ANY,
     IN(algorithms.ecsim.relativistic)},
    {"algorithms.ecsim", "pipeline", CW_DECK_CHOICE, DEFAULT("\"matrix\""), "",
     "How current and mass matrix are summed: particle by particle in any order, cell by cell, or "
     "cell by cell as matrix products",
     ONE_OF(pipelines), IN(algorithms.ecsim.pipeline)},
    {"algorithms.ecsim", "matrix_format", CW_DECK_CHOICE, DEFAULT("\"fp64\""), "",
     "Numbers of the mass matrix and of the current: fp64 keeps the energy to round-off; fp32 "
     "takes half the memory and loses some energy; tf32 and tf32x3 (pipeline \"matrix\" on a "
     "device) are products on its matrix units with sums in fp32, bf16x6 (pipeline \"matrix\" on a "
     "CPU with AMX) on those of the CPU",
     ONE_OF(matrix_formats), IN(algorithms.ecsim.matrix_format)},

    {"radiation.drag.synchrotron", "gamma_rad", CW_DECK_FLOAT, DEFAULT("1.0"), "",
     "Lorentz factor at which synchrotron drag in the field B0 balances an electric field of 0.1 "
     "B0",
     ABOVE(0, INFINITY), IN(radiation.synchrotron_gamma_rad)},
    {"radiation.drag.compton", "gamma_rad", CW_DECK_FLOAT, DEFAULT("1.0"), "",
     "Lorentz factor at which inverse-Compton drag balances an electric field of 0.1 B0",
     ABOVE(0, INFINITY), IN(radiation.compton_gamma_rad)},

    {"particles", "ppc0", CW_DECK_FLOAT, REQUIRED, "", "Particles a cell at the density n0",
     ABOVE(0, INFINITY), IN(particles.ppc0)},
    {"particles", "use_weights", CW_DECK_BOOL, DEFAULT("false"), "",
     "Give every particle its own weight", ANY, IN(particles.use_weights)},
    {"particles", "clear_interval", CW_DECK_INT64, DEFAULT("100"), "steps",
     "Steps between removals of particles that left the box; 0: never", RANGE(0, STEPS_MAX),
     IN(particles.clear_interval)},
    {"particles", "spatial_sorting_interval", CW_DECK_INT64, DEFAULT("0"), "steps",
     "Steps between sorts by cell; 0: never", RANGE(0, STEPS_MAX),
     IN(particles.spatial_sorting_interval)},
    {"particles.species", "label", CW_DECK_LABEL, COMPUTED("\"sN\", N counting species from 1"), "",
     "Name of the species, unique", ANY, OF(label)},
    {"particles.species", "mass", CW_DECK_FLOAT, REQUIRED, "m0", "Mass of a particle; 0: massless",
     RANGE(0, INFINITY), OF(mass)},
    {"particles.species", "charge", CW_DECK_FLOAT, REQUIRED, "q0", "Charge of a particle", ANY,
     OF(charge)},
    {"particles.species", "maxnpart", CW_DECK_COUNT, DEFAULT("0"), "particles",
     "Most particles that the species may have; 0: storage grows as needed", RANGE(0, COUNT_MAX),
     OF(maxnpart)},
    {"particles.species", "pusher", CW_DECK_CHOICE, DEFAULT("\"Boris\""), "",
     "How momenta are advanced; with GCA, as guiding centres where [algorithms.gca] allows it",
     ONE_OF(pushers), OF(pusher)},
    {"particles.species", "radiative_drag", CW_DECK_CHOICE, DEFAULT("\"none\""), "",
     "What radiation takes from a particle; [radiation.drag] sets how much", ONE_OF(drags),
     OF(radiative_drag)},
    {"particles.species", "deposit", CW_DECK_BOOL, DEFAULT("true"), "",
     "Deposit currents; false: test particles, which feel the fields and do not act on them", ANY,
     OF(deposit)},
    {"particles.species", "spatial_sorting_interval", CW_DECK_INT64, DEFAULT("-1"), "steps",
     "Steps between sorts of this species; -1: as in [particles]", RANGE(-1, STEPS_MAX),
     OF(spatial_sorting_interval)},
    {"particles.species", "clear_interval", CW_DECK_INT64, DEFAULT("-1"), "steps",
     "Steps between removals of particles of this species that left the box; -1: as in "
     "[particles]; sorts remove them too",
     RANGE(-1, STEPS_MAX), OF(clear_interval)},
    {"particles.species", "n_payloads", CW_DECK_INT32, DEFAULT("0"), "",
     "Further numbers that each particle carries: payload1, payload2, ..., set by expressions in "
     "[setup.species.LABEL]",
     RANGE(0, CW_MAX_PAYLOADS), OF(n_payloads)},
    {"particles.species", "tracking", CW_DECK_BOOL, DEFAULT("false"), "",
     "Keep the history of particles of this species in tracks.h5", ANY, OF(tracking)},
    {"particles.species", "tracking_stride", CW_DECK_INT64, DEFAULT("1"), "",
     "One of so many particles is tracked, by a hash of its id, those that particle files of this "
     "stride hold, where setup.species.LABEL.tracked is not 0",
     RANGE(1, COUNT_MAX), OF(tracking_stride)},

    {"setup", "problem", CW_DECK_TEXT, REQUIRED, "",
     "Initial state; the other keys of [setup] are its parameters", ANY, IN(setup.problem)},

    {"output", "format", CW_DECK_CHOICE, DEFAULT("\"hdf5\""), "", "File format of fields",
     ONE_OF(formats), IN(output.format)},
    {"output", "interval", CW_DECK_INT64, DEFAULT("100"), "steps",
     "Steps between files of every kind that has no interval of its own; 0: none",
     RANGE(0, STEPS_MAX), IN(output.interval)},
    {"output", "length_SI", CW_DECK_FLOAT, DEFAULT("1.0"), "m",
     "What an L stands for where files state SI units; the reference particle is an electron's "
     "mass and charge there",
     ABOVE(0, INFINITY), IN(output.length_SI)},
    {"output.fields", "enable", CW_DECK_BOOL, DEFAULT("true"), "", "Write field files", ANY,
     IN(output.fields.enable)},
    {"output.fields", "quantities", CW_DECK_WORDS, DEFAULT("[\"E\", \"B\", \"J\", \"rho\", \"N\"]"),
     "",
     "What field files hold: E, B, J, rho, divE, divB, divE_error; of each species N, Nppc, Rho, "
     "Charge, V, kinetic, temperature, T00, T0i, Tij and its components; N_1_2 or N_LABEL: of "
     "these species, summed, N_all: of all",
     ANY, IN(output.fields.quantities)},
    {"output.fields", "interval", CW_DECK_INT64, DEFAULT("0"), "steps",
     "Steps between field files; 0: as in [output]", RANGE(0, STEPS_MAX),
     IN(output.fields.interval)},
    {"output.fields", "downsampling", CW_DECK_FACTORS, DEFAULT("1"), "cells",
     "How many cells along each axis are averaged into one value; divides the resolution",
     RANGE(1, 1073741824), IN(output.fields.downsampling)},
    {"output.particles", "enable", CW_DECK_BOOL, DEFAULT("true"), "", "Write particle files", ANY,
     IN(output.particles.enable)},
    {"output.particles", "species", CW_DECK_WORDS, DEFAULT("[]"), "",
     "Labels or numbers of the species; []: all", ANY, IN(output.particles.species)},
    {"output.particles", "stride", CW_DECK_INT64, DEFAULT("100"), "",
     "One of so many particles is written, by a hash of its id: the same ones in each file",
     RANGE(1, COUNT_MAX), IN(output.particles.stride)},
    {"output.particles", "select", CW_DECK_FORMULA, DEFAULT("\"\""), "",
     "Which of them: an expression of x, y, z, ux, uy, uz, gamma, such as \"gamma > 10 && x < 5\"; "
     "\"\": all",
     ANY, IN(output.particles.select)},
    {"output.particles", "interval", CW_DECK_INT64, DEFAULT("0"), "steps",
     "Steps between particle files; 0: as in [output]", RANGE(0, STEPS_MAX),
     IN(output.particles.interval)},
    {"output.spectra", "enable", CW_DECK_BOOL, DEFAULT("true"), "", "Write energy spectra", ANY,
     IN(output.spectra.enable)},
    {"output.spectra", "species", CW_DECK_WORDS, DEFAULT("[]"), "",
     "Labels or numbers of the species; []: all", ANY, IN(output.spectra.species)},
    {"output.spectra", "e_min", CW_DECK_FLOAT, DEFAULT("1e-3"), "m c^2",
     "Lower edge of the bins of gamma - 1 (massless particles: of |u|)", RANGE(-1e300, 1e300),
     IN(output.spectra.e_min)},
    {"output.spectra", "e_max", CW_DECK_FLOAT, DEFAULT("1e3"), "m c^2", "Upper edge of the bins",
     RANGE(-1e300, 1e300), IN(output.spectra.e_max)},
    {"output.spectra", "log_bins", CW_DECK_BOOL, DEFAULT("true"), "",
     "Bins of one width in the logarithm of the energy; false: in the energy", ANY,
     IN(output.spectra.log_bins)},
    {"output.spectra", "n_bins", CW_DECK_INT32, DEFAULT("200"), "", "Number of bins",
     RANGE(1, 1000000), IN(output.spectra.n_bins)},
    {"output.spectra", "spatial_bins", CW_DECK_FACTORS, DEFAULT("1"), "",
     "Parts of the box along each axis that have spectra of their own", RANGE(1, 65536),
     IN(output.spectra.spatial_bins)},
    {"output.spectra", "interval", CW_DECK_INT64, DEFAULT("0"), "steps",
     "Steps between files of spectra; 0: as in [output]", RANGE(0, STEPS_MAX),
     IN(output.spectra.interval)},
    {"output.phase_space", "maps", CW_DECK_WORDS, DEFAULT("[]"), "",
     "Pairs of x, y, z, ux, uy, uz, gamma, such as \"x:ux\" or, with ranges and bins, "
     "\"x[0,5]:ux[-4,4,100]\"",
     ANY, IN(output.phase_space.maps)},
    {"output.phase_space", "species", CW_DECK_WORDS, DEFAULT("[]"), "",
     "Labels or numbers of the species; []: all", ANY, IN(output.phase_space.species)},
    {"output.phase_space", "bins", CW_DECK_INT32, DEFAULT("256"), "",
     "Bins of an axis whose entry has none", RANGE(1, 65536), IN(output.phase_space.bins)},
    {"output.phase_space", "u_max", CW_DECK_FLOAT, DEFAULT("10.0"), "",
     "Range of an axis whose entry has none: u from -u_max to u_max, gamma from 1 to 1 + u_max, "
     "places over the box",
     ABOVE(0, 1e300), IN(output.phase_space.u_max)},
    {"output.phase_space", "interval", CW_DECK_INT64, DEFAULT("0"), "steps",
     "Steps between files of maps; 0: as in [output]", RANGE(0, STEPS_MAX),
     IN(output.phase_space.interval)},
    {"output.tracks", "interval", CW_DECK_INT64, DEFAULT("1"), "steps",
     "Steps between records of tracked particles in tracks.h5; 0: none", RANGE(0, STEPS_MAX),
     IN(output.tracks_interval)},
    {"output.stats", "interval", CW_DECK_INT64, DEFAULT("100"), "steps",
     "Steps between rows of history.csv", RANGE(1, STEPS_MAX), IN(output.stats_interval)},

    {"checkpoint", "interval", CW_DECK_INT64, DEFAULT("1000"), "steps",
     "Steps between checkpoints; 0: none but the one of a run that is interrupted",
     RANGE(0, STEPS_MAX), IN(checkpoint.interval)},
    {"checkpoint", "interval_time", CW_DECK_FLOAT, DEFAULT("-1.0"), "L/c",
     "Time between checkpoints, in place of interval; -1: interval counts", RANGE(-1, INFINITY),
     IN(checkpoint.interval_time)},
    {"checkpoint", "keep", CW_DECK_INT64, DEFAULT("2"), "",
     "How many checkpoints are kept, the newest; -1: all; 0: none is ever written",
     RANGE(-1, COUNT_MAX), IN(checkpoint.keep)},
    {"checkpoint", "walltime", CW_DECK_DURATION, DEFAULT("\"00:00:00\""), "HH:MM:SS",
     "Time on the clock after which one more checkpoint is written, once; 00:00:00: never", ANY,
     IN(checkpoint.walltime)},
    {"checkpoint", "write_path", CW_DECK_PATH, DEFAULT("\"\""), "",
     "Folder of the checkpoints, seen from the output folder; \"\": the output folder itself", ANY,
     IN(checkpoint.write_path)},

    {"diagnostics", "interval", CW_DECK_INT64, DEFAULT("1"), "steps",
     "Steps between updates of the progress line", RANGE(1, STEPS_MAX), IN(diagnostics.interval)},
    {"diagnostics", "log_level", CW_DECK_CHOICE, DEFAULT("\"info\""), "",
     "Least important messages that are shown", ONE_OF(log_levels), IN(diagnostics.log_level)},
    {NULL, NULL, CW_DECK_BOOL, NULL, NULL, NULL, NULL, ANY, 0}};

int cw_deck_key_count(void) {
  return (int)(sizeof cw_deck_keys / sizeof *cw_deck_keys) - 1;
}
