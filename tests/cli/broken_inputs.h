/* Decks and states that are broken, one a row, and what is said of each. */
#ifndef CW_TESTS_BROKEN_INPUTS_H
#define CW_TESTS_BROKEN_INPUTS_H

#include <stddef.h>

#define RUN   "run deck.toml --out o"
#define CHECK "check deck.toml"

/* A change of program_deck. */
typedef struct broken_deck {
  const char *arguments; /* after `cellwise` */
  const char *find;      /* text of the deck that is replaced */
  const char *replace;   /* its place; '^' stands before the character the message must point at */
  const char *expected;  /* part of the message */
} broken_deck;

static const broken_deck broken_decks[] = {
    {RUN, "CFL = 0.9", "^CLF = 0.9", "CFL"},
    {RUN, "problem = \"thermal\"\ntemperature = 0.1\n",
     "problem = \"expressions\"\nspecies.electrons.density = \"1 + cos(^q * x)\"\n"
     "species.positrons.density = 1\n",
     "found unknown name 'q'"},
    {CHECK, "problem = \"thermal\"\ntemperature = 0.1\n",
     "problem = \"expressions\"\nspecies.electrons.density = ^\"x - 1\"\n"
     "species.positrons.density = 1\n",
     "is -0.95 at x = 0.05; expected a finite density of at least 0"},
    {RUN, "temperature = 0.1\n", "temperature = 0.1\nexternal_E = [0, ^\"sqrt(t - 1)\", 0]\n",
     "setup.external_E[2] is nan at x = 0, t = 0; expected a finite field"},
    {"run deck.toml --out o --set 'setup.external_B=[0, \"1 +\", 0]'", "temperature = 0.1\n",
     "temperature = 0.1\n", "setup.external_B[2], character 4: found the end"},
    {RUN, "skindepth0", "^skindepht0", "'skindepth0'"},
    {RUN, "[scales]", "[^scalse]", "scales"},
    {RUN, "shape_order = 2", "shape_order = ^\"two\"", "expected"},
    {RUN, "shape_order = 2", "shape_order = ^12", "11"},
    {RUN, "resolution = [24]", "resolution = ^24", "expected"},
    {RUN, "resolution = [24]", "resolution = [^-24]", "expected"},
    {RUN, "tile_size = 4", "tile_size = ^5", "4, 6, 8, 10, 12, 14, 16"},
    {RUN, "ppc0 = 16.0", "ppc0 = ^-16.0", "particles.ppc0"},
    {RUN, "ppc0 = 16.0", "ppc0 = ^nan", "particles.ppc0"},
    {RUN, "ppc0 = 16.0", "ppc0 = ^inf", "particles.ppc0"},
    {RUN, "CFL = 0.9", "CFL = ^1.2", "<= 1"},
    {RUN, "CFL = 0.9", "CFL = ^nan", "timestep.CFL"},
    {RUN, "runtime = 0.72", "runtime = ^-1.0", "simulation.runtime"},
    {RUN, "runtime = 0.72\n", "runtime = ^\n", "TOML"},
    {RUN, "\"srpic\"", "^\"pic\"", "srpic"},
    {RUN, "\"minkowski\"", "^\"kerr\"", "minkowski"},
    {RUN, "fields = [[\"PERIODIC\"]]", "fields = [[^\"PERIODC\"]]", "PERIODIC"},
    {RUN, "problem = \"thermal\"", "problem = ^\"thermla\"", "thermal"},
    {RUN, "temperature = 0.1", "^temperature = -0.1", "setup.temperature"},
    {RUN, "temperature = 0.1", "^temperature = \"hot\"", "expected float"},
    {RUN, "temperature = 0.1", "^temprature = 0.1", "\"temperature\""},
    {CHECK, "CFL = 0.9", "CFL = ^1.2", "<= 1"},
    {"check deck.toml --json", "ppc0 = 16.0", "ppc0 = ^-16.0", "particles.ppc0"},
    {RUN, "ppc0 = 16.0", "ppc0 = ^1e12", "are available"},
    {CHECK, "ppc0 = 16.0", "ppc0 = ^1e12", "are available"},
    /* more particles than a 64-bit count holds */
    {RUN, "ppc0 = 16.0", "ppc0 = ^1e300", "are available"},
    {CHECK, "ppc0 = 16.0", "ppc0 = ^1e300", "are available"},
    /* no one place is wrong */
    {RUN, "larmor0 = 1.0\n", "", "larmor0"},
    {RUN, "resolution = [24]\nextent = [[0.0, 2.4]]",
     "resolution = [1000000, 1000000]\nextent = [[0.0, 1.0], [0.0, 1.0]]",
     "grid.boundaries.fields"},
    /* text that is no TOML */
    {RUN, "name = \"beams\"", "name = \"beams^", "not TOML"},
    {RUN, "mass = 1.0\ncharge = -1.0", "mass = 1.0\nmass = ^2.0\ncharge = -1.0", "redefine"},
    {RUN, "runtime = 0.72", "runtime = 0.72 ^\xff", "byte 0xff"},
    {CHECK, "[particles]", "[particles^", "not TOML"},
    /* names */
    {RUN, "[output]", "[output]\n^intervall = 4", "such as 'interval'"},
    {RUN, "runtime = 0.72", "runtime = 0.72\n^ppc0 = 8", "expected it in [particles]"},
    {RUN, "label = \"positrons\"", "label = \"electrons\"", "label 'electrons' a second time"},
    {RUN, "label = \"positrons\"", "label = ^\"posi,trons\"", "letters, digits"},
    {RUN, "[output]", "[^outputs]\n[output]", "'output'"},
    /* kinds of values */
    {RUN, "ppc0 = 16.0", "ppc0 = ^true", "found true; expected number"},
    {RUN, "stats.interval = 2", "stats.interval = ^2.5", "expected integer"},
    {RUN, "extent = [[0.0, 2.4]]", "extent = [^[2.4, 0.0]]", "the lower edge first"},
    {RUN, "extent = [[0.0, 2.4]]", "extent = ^[0.0, 2.4]", "found a list of 2; expected"},
    {RUN, "resolution = [24]", "resolution = [^24.5]", "found float 24.5"},
    {RUN, "[output]", "[checkpoint]\nwalltime = ^\"1:75:00\"\n[output]", "HH:MM:SS"},
    /* values that do not go together */
    {RUN, "particles = [[\"PERIODIC\"]]", "particles = ^[[\"REFLECT\"]]", "periodic together"},
    {RUN, "fields = [[\"PERIODIC\"]]", "fields = ^[[\"PERIODIC\", \"CONDUCTOR\"]]",
     "both or neither"},
    {RUN, "timestep.CFL = 0.9", "timestep.CFL = 0.9\ntimestep.correction = ^2.0", "at most 1"},
    {RUN, "label = \"positrons\"\nmass = 1.0", "label = \"positrons\"\nmass = 0.0",
     "expected pusher = \"massless\""},
    {RUN, "charge = -1.0", "charge = -1.0\npusher = ^\"Borsi\"", "did you mean \"Boris\"?"},
    {RUN, "[output]", "[algorithms.ecsim]\ntheta = ^0.6\n[output]", "engine ecsim"},
    {RUN, "engine = \"srpic\"\nruntime = 0.72\nprecision = \"double\"",
     "engine = \"ecsim\"\nruntime = 0.72\nprecision = ^\"single\"", "double"},
    {RUN, "runtime = 0.72", "runtime = ^1e300", "at most 1e15 steps"},
    {RUN, "[output]", "[output.fields]\nquantities = [\"E\", ^\"H\"]\n[output]", "H"},
    {RUN, "[output]", "[output.fields]\ndownsampling = ^5\n[output]", "24"},
    /* what particles carry and how they are moved */
    {RUN, "charge = -1.0\n", "charge = -1.0\nn_payloads = ^9\n", "<= 8"},
    {RUN, "temperature = 0.1\n", "temperature = 0.1\nspecies.electrons.^payload1 = \"x\"\n",
     "n_payloads = 0"},
    {CHECK, "temperature = 0.1\n", "temperature = 0.1\nspecies.electron.^payload1 = \"x\"\n",
     "did you mean 'electrons'"},
    {RUN, "charge = -1.0\n[[particles.species]]",
     "charge = -1.0\nn_payloads = 1\n[setup.species.electrons]\npayload1 = ^\"1 / (x - x)\"\n"
     "[[particles.species]]",
     "expected a finite number"},
    {RUN, "temperature = 0.1\n", "temperature = 0.1\nspecies.electrons.^tracked = \"x > 1\"\n",
     "tracking = true"},
    {RUN, "charge = -1.0\n", "charge = -1.0\ntracking_stride = ^0\n", "tracking_stride"},
    {RUN, "charge = -1.0\n", "charge = -1.0\nradiative_drag = ^\"syncrotron\"\n",
     "did you mean \"synchrotron\"?"},
    {RUN, "label = \"electrons\"\nmass = 1.0\ncharge = -1.0\n",
     "label = \"electrons\"\nmass = 1.0\ncharge = 0.0\nradiative_drag = \"compton\"\n",
     "where no force acts"},
    {CHECK, "label = \"electrons\"\nmass = 1.0\ncharge = -1.0\n",
     "label = \"electrons\"\nmass = 1.0\ncharge = -1.0\npusher = \"GCA\"\n"
     "radiative_drag = \"synchrotron\"\n",
     "one or the other"},
    {CHECK, "label = \"electrons\"\nmass = 1.0\ncharge = -1.0\n",
     "label = \"electrons\"\nmass = 1.0\ncharge = 0.0\npusher = \"Vay,GCA\"\n",
     "a charge that gyrates"},
    {RUN, "timestep.CFL = 0.9\n", "timestep.CFL = 0.9\ngca.e_ovr_b_max = ^1.5\n", "<= 1"},
    {RUN, "[particles]\n", "[radiation]\ndrag.synchrotron.gamma_rad = ^0\n[particles]\n", "> 0"},
    {RUN, "interval = 4\n", "interval = 4\ntracks.interval = ^-1\n", "tracks.interval"},
    /* problems and their parameters */
    {RUN, "problem = \"thermal\"", "", "found no problem in [setup]"},
    {RUN, "problem = \"thermal\"\ntemperature = 0.1\n", "problem = \"weibel\"\ndrift = 0.5\n",
     "expects 4"},
    {RUN, "problem = \"thermal\"\ntemperature = 0.1\n",
     "problem = \"langmuir\"\n^amplitude = \"big\"\n", "amplitude"},
    {RUN, "temperature = 0.1\n", "temperature = 0.1\nB = ^[1, 2, 3, 4]\n", "1 to 3"},
    {RUN, "temperature = 0.1\n",
     "temperature = 0.1\n[setup.injectors.wall]\nkind = ^\"moveing\"\nspecies = "
     "[\"electrons\", \"positrons\"]\n",
     "did you mean \"moving\"?"},
    {RUN, "temperature = 0.1\n", "temperature = 0.1\n[setup.constants]\nk = \"2 * ^q\"\n",
     "constants.k"},
    {RUN, "problem = \"thermal\"\ntemperature = 0.1\n",
     "problem = \"expressions\"\nspecies.electrons.density = \"(1 + x^]\"\n"
     "species.positrons.density = 1\n",
     "found ']'"},
    {RUN, "problem = \"thermal\"\ntemperature = 0.1\n",
     "problem = \"expressions\"\nspecies.electrons.density = 1\n"
     "species.electrons.velocity = [^\"2 * cos(x)\", 0, 0]\nspecies.positrons.density = 1\n",
     "below c = 1"},
    {RUN, "problem = \"thermal\"\ntemperature = 0.1\n",
     "problem = \"expressions\"\nspecies.electrons.density = 1\n", "positrons"},
    /* another code's keys */
    {RUN, "[output]", "[algorithms.fieldsolver]\n^delta_x = 0.1\n[output]", "found Entity's key"},
    {RUN, "\"srpic\"", "^\"GRPIC\"", "general relativity is not here"},
    /* more than can be */
    {RUN, "resolution = [24]", "resolution = [^1099511627776]", "resolution"},
    {RUN, "resolution = [24]", "resolution = [^0]", ">= 1"},
};

/* What a state is read from. */
typedef enum broken_kind {
  ARRAYS = 0, /* problem = "hdf5": the user's own arrays, of 24 cells and 3 electrons */
  FOREIGN     /* problem = "state", engine ecsim: the state of another code */
} broken_kind;

/* How it is broken. `name` is a data set, or "group@attribute". */
typedef enum broken_how {
  ABSENT = 0, /* no file */
  FOLDER,     /* a folder in its place */
  EMPTY,      /* no bytes */
  TEXT,       /* another kind of file */
  CUT,        /* half of its bytes */
  BARE,       /* HDF5 with nothing in it */
  DROPPED,    /* without `name` */
  GROUPED,    /* a group called `name` */
  WORDS,      /* text in place of its numbers */
  SHORT,      /* of 2 values along one axis */
  DEEP,       /* of 5 axes, a value each */
  NOT_FINITE, /* its second value is nan; an attribute: nan */
  NOUGHT,     /* attribute: 0 */
  LARGE       /* its second value, or the attribute, is 1e9 */
} broken_how;

typedef struct broken_state {
  broken_kind kind;
  broken_how how;
  const char *name;
  const char *expected; /* part of the message, which is one of the key setup.file */
} broken_state;

static const broken_state broken_states[] = {
    {ARRAYS, ABSENT, NULL, "cannot be read"},
    {ARRAYS, FOLDER, NULL, "state.h5"},
    {ARRAYS, EMPTY, NULL, "HDF5"},
    {ARRAYS, TEXT, NULL, "HDF5"},
    {ARRAYS, CUT, NULL, "HDF5"},
    {ARRAYS, BARE, NULL, "found nothing in the file"},
    {ARRAYS, DROPPED, "electrons/uy", "found no data set 'electrons/uy'"},
    {ARRAYS, GROUPED, "Bz", "found 'Bz', which is no data set"},
    {ARRAYS, WORDS, "Bz", "found data set 'Bz' of another type"},
    {ARRAYS, SHORT, "Bz", "'Bz'"},
    {ARRAYS, DEEP, "Bz", "'Bz'"},
    {ARRAYS, SHORT, "electrons/ux", "found data set 'electrons/ux' of 2"},
    {ARRAYS, DEEP, "electrons/x", "'electrons/x'"},
    {ARRAYS, WORDS, "electrons/x", "found data set 'electrons/x' of another type"},
    {ARRAYS, NOT_FINITE, "Bz", "found nan as value 1 of 'Bz'"},
    {ARRAYS, NOT_FINITE, "electrons/uz", "found nan as value 1 of 'electrons/uz'"},
    {ARRAYS, LARGE, "electrons/x", "found 1e+09 as value 1 of 'electrons/x'"},
    {FOREIGN, ABSENT, NULL, "cannot be read"},
    {FOREIGN, EMPTY, NULL, "found a file that is not HDF5"},
    {FOREIGN, TEXT, NULL, "found a file that is not HDF5"},
    {FOREIGN, CUT, NULL, "found a file that is not HDF5"},
    {FOREIGN, BARE, NULL, "found no attribute 'grid'"},
    {FOREIGN, DROPPED, "/@dt", "found no attribute 'dt'"},
    {FOREIGN, NOT_FINITE, "/@theta", "found no attribute 'theta' of 1 finite number"},
    {FOREIGN, NOUGHT, "/@dt", "found a dt that is not positive"},
    {FOREIGN, LARGE, "/@c", "found a speed of light that is not 1"},
    {FOREIGN, DROPPED, "Ey", "found no data set 'Ey'"},
    {FOREIGN, SHORT, "Bz", "found 'Bz' of 1 axes"},
    {FOREIGN, DROPPED, "species_0", "found no group 'species_0'"},
    {FOREIGN, WORDS, "species_1", "found a species that is not a group"},
    {FOREIGN, DROPPED, "species_0@q_over_m", "found no attribute 'q_over_m'"},
    {FOREIGN, NOUGHT, "species_1@q_over_m", "found a species whose q_over_m is 0"},
    {FOREIGN, DROPPED, "species_0/v_x", "species_0: found -1 values of 'v_x'"},
    {FOREIGN, SHORT, "species_2/x_y", "species_2: found 2 values of 'x_y'"},
    {FOREIGN, NOT_FINITE, "Ex", "'Ex'"},
    {FOREIGN, NOT_FINITE, "species_0/v_z", "'species_0/v_z'"},
    {FOREIGN, NOT_FINITE, "species_3/q", "'species_3/q'"},
};

enum {
  BROKEN_DECKS = (int)(sizeof broken_decks / sizeof *broken_decks),
  BROKEN_STATES = (int)(sizeof broken_states / sizeof *broken_states)
};

#endif
