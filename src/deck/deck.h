/* The deck as the program uses it: every key read, checked and defaulted.
 *
 * deck_keys.c holds the only list of keys: path, type, default, unit, text, range, and the member
 * of these structs that it fills. Help (`cellwise keys`), validation, the echo of the resolved deck
 * and the documentation are all made from that list. */
#ifndef CW_DECK_DECK_H
#define CW_DECK_DECK_H

#include <stdio.h>

#include <cellwise/deposit.h>
#include <cellwise/push.h>

enum {
  CW_DECK_NAME = 64,
  CW_DECK_PATH_SIZE = 256,
  CW_DECK_MAX_SPECIES = 16,
  CW_DECK_MAX_PARAMETERS = 128,
  CW_DECK_MAX_WORDS = 32, /* in a list of words */
  CW_DECK_MAX_KEYS = 128
};

/* Where a value came from, for messages about it: line and column count from 1; 0: a default;
 * -1: from override number `column` (--set on the command line). */
typedef struct cw_deck_where {
  int line, column;
} cw_deck_where;

typedef struct cw_deck_species {
  char label[CW_DECK_NAME];
  double mass, charge; /* in units of the reference species; mass 0: massless */
  int64_t maxnpart;    /* 0: no limit, storage grows */
  cw_pusher pusher;
  int deposit; /* 0: test particles, which feel the fields and do not act on them */
  int64_t spatial_sorting_interval; /* -1: the global one */
  int64_t clear_interval;           /* -1: the global one */
  int n_payloads;
  enum {
    CW_DRAG_NONE = 0,
    CW_DRAG_SYNCHROTRON = 1,
    CW_DRAG_COMPTON = 2,
    CW_DRAG_BOTH = CW_DRAG_SYNCHROTRON | CW_DRAG_COMPTON
  } radiative_drag;
  int tracking;            /* 1: histories of particles are kept */
  int64_t tracking_stride; /* of one in so many (base/thinning.h) */
  cw_deck_where where;     /* of the [[particles.species]] header */
} cw_deck_species;

/* A list of words, and where each stands. */
typedef struct cw_deck_words {
  int count;
  char word[CW_DECK_MAX_WORDS][CW_DECK_NAME];
  cw_deck_where where[CW_DECK_MAX_WORDS];
} cw_deck_words;

/* What field files can hold; from CW_DECK_N on, of species. */
typedef enum cw_deck_quantity_kind {
  CW_DECK_E = 0,
  CW_DECK_B,
  CW_DECK_J,
  CW_DECK_RHO, /* charge density as the fields see it */
  CW_DECK_DIV_E,
  CW_DECK_DIV_B,
  CW_DECK_DIV_E_ERROR,
  CW_DECK_N,
  CW_DECK_NPPC,
  CW_DECK_MASS,
  CW_DECK_CHARGE,
  CW_DECK_V,
  CW_DECK_KINETIC,
  CW_DECK_TEMPERATURE,
  CW_DECK_T
} cw_deck_quantity_kind;

/* One entry of output.fields.quantities. Indices of T: 0 for time, 1 to 3; CW_DECK_ANY stands for
 * all three of space ("i", "j"). */
enum { CW_DECK_ANY = 4 };
typedef struct cw_deck_quantity {
  cw_deck_quantity_kind kind;
  int t[2];
  uint32_t species;          /* bits of those summed; 0: each species by itself */
  char suffix[CW_DECK_NAME]; /* how a sum of several is written: "_1_2", "_all" */
} cw_deck_quantity;

/* One record of a field file. */
typedef struct cw_deck_record {
  cw_deck_quantity_kind kind;
  int t[2];         /* of T; t[1] = CW_DECK_ANY: the vector T0i */
  uint32_t species; /* bits of those summed; 0: of no species */
  int components;   /* 1 or 3 */
  int quantity;     /* of the deck's list, counted from 0 */
  char name[2 * CW_DECK_NAME];
} cw_deck_record;
enum { CW_DECK_MAX_RECORDS = CW_DECK_MAX_WORDS * CW_DECK_MAX_SPECIES * 6 };

/* What a particle is counted by in spectra and phase-space maps. */
typedef enum cw_deck_coordinate {
  CW_DECK_X = 0,
  CW_DECK_Y,
  CW_DECK_Z,
  CW_DECK_UX,
  CW_DECK_UY,
  CW_DECK_UZ,
  CW_DECK_GAMMA,
  CW_DECK_ENERGY,    /* gamma - 1; massless: |u| */
  CW_DECK_LOG_ENERGY /* log10 of it */
} cw_deck_coordinate;
enum { CW_DECK_COORDINATE_NAMES = CW_DECK_GAMMA + 1 }; /* of maps: those before energy */
extern const char *const cw_deck_coordinates[];        /* "x", ..., "log10_energy" */

/* One axis of a histogram: bins of one width from low to high. */
typedef struct cw_deck_axis {
  cw_deck_coordinate coordinate;
  double low, high;
  int32_t bins;
} cw_deck_axis;

/* Kinds of files that a run writes at intervals of their own: fields in the output folder, the
 * others each in a folder of its name. */
typedef enum cw_series {
  CW_SERIES_FIELDS = 0,
  CW_SERIES_PARTICLES,
  CW_SERIES_SPECTRA,
  CW_SERIES_PHASE_SPACE,
  CW_SERIES_COUNT
} cw_series;
extern const char *const cw_series_names[CW_SERIES_COUNT];

/* One free parameter of [setup]; its meaning is the problem's. A list with a string in it is a list
 * of texts, its numbers written out. */
typedef struct cw_deck_parameter {
  char table[CW_DECK_NAME]; /* "" for [setup] itself, "constants", "antenna", "species", ... */
  char entry[CW_DECK_NAME]; /* of [setup.species.LABEL] or [setup.injectors.NAME]; else "" */
  char name[CW_DECK_NAME];
  enum {
    CW_PARAMETER_NUMBER = 0,
    CW_PARAMETER_TEXT,
    CW_PARAMETER_BOOL,
    CW_PARAMETER_VECTOR,
    CW_PARAMETER_TEXTS
  } type;
  double number[3];      /* number, bool as 0 or 1, or vector */
  int length;            /* of a list */
  const char *text[3];   /* borrowed from the deck */
  cw_deck_where where;   /* of the name */
  cw_deck_where item[3]; /* of the value, or of a list's items */
} cw_deck_parameter;

typedef struct cw_deck {
  cw_context *context; /* that made it */
  char path[4096];     /* file, for messages; "" for text from memory */
  char *source;        /* the deck's text, verbatim; owned */
  char *overrides;     /* "KEY=VALUE" of each override, each ending with a NUL; owned */
  int translated;      /* the first so many of them were made from [setup] of another code's deck */

  struct {
    char name[CW_DECK_NAME];
    enum { CW_ENGINE_SRPIC = 0, CW_ENGINE_ECSIM } engine;
    double runtime;
    cw_precision precision;
    int64_t seed;
  } simulation;
  struct {
    int dim;
    int32_t resolution[3];
    double extent[3][2];
    double dx[3]; /* derived */
    enum { CW_METRIC_MINKOWSKI = 0 } metric;
    cw_field_boundary fields[3][2];
    cw_particle_boundary particles[3][2];
    double absorb_ds; /* thickness of absorbing layers; default 1 % of the shortest box edge */
    double match_ds;  /* of layers that match; the same default */
    enum { CW_WINDOW_NONE = 0, CW_WINDOW_X, CW_WINDOW_Y, CW_WINDOW_Z } window_axis;
    double window_speed, window_start; /* of a box that moves along it */
  } grid;
  struct {
    double larmor0, skindepth0;
    enum { CW_UNITS_HEAVISIDE = 0, CW_UNITS_GAUSSIAN } units;
  } scales;
  struct {
    int current_filters;
    double CFL, correction;
    double dt; /* as written; 0: from the CFL number */
    struct {
      int enable, tiled_deposit, fixed_point, tile_size, drift, team_size, vendor_sort, shape_order;
    } deposit;
    int fieldsolver_enable;
    struct {
      double e_ovr_b_max, larmor_max; /* larmor_max 0: no limit */
    } gca;
    struct {
      double theta, solver_tolerance;
      int solver_restart, smoothing_passes, charge_correction, relativistic;
      enum { CW_PIPELINE_UNSORTED = 0, CW_PIPELINE_SORTED, CW_PIPELINE_MATRIX } pipeline;
      enum {
        CW_MATRIX_FP64 = 0,
        CW_MATRIX_FP32,
        CW_MATRIX_TF32,
        CW_MATRIX_TF32X3,
        CW_MATRIX_BF16X6
      } matrix_format;
    } ecsim;
  } algorithms;
  struct {
    double synchrotron_gamma_rad, compton_gamma_rad;
  } radiation;
  struct {
    double ppc0;
    int use_weights;
    int64_t clear_interval, spatial_sorting_interval;
    int species_count;
    cw_deck_species species[CW_DECK_MAX_SPECIES];
  } particles;
  struct {
    char problem[CW_DECK_NAME];
    cw_deck_where where;
    int parameter_count;
    cw_deck_parameter parameters[CW_DECK_MAX_PARAMETERS];
    char *texts; /* of the parameters, each ending with a NUL; owned */
    size_t texts_used;
  } setup;
  struct {
    enum { CW_FORMAT_HDF5 = 0 } format;
    int64_t interval; /* steps between files; 0: none but of the kinds that have their own */
    double length_SI; /* metres that an L stands for in the units that files state */
    struct {
      int enable;
      cw_deck_words quantities;
      cw_deck_quantity quantity[CW_DECK_MAX_WORDS]; /* the same, understood */
      int64_t interval;                             /* as the deck says; 0: output.interval */
      int32_t downsampling[3];
    } fields;
    struct {
      int enable;
      cw_deck_words species; /* as written; none: all */
      uint32_t chosen;       /* bits of the species */
      int64_t stride;
      char select[CW_DECK_PATH_SIZE]; /* an expression, or "" */
      int64_t interval;
    } particles;
    struct {
      int enable;
      cw_deck_words species;
      uint32_t chosen;
      double e_min, e_max;
      int log_bins, n_bins;
      int32_t spatial_bins[3];
      int64_t interval;
    } spectra;
    struct {
      cw_deck_words species;
      uint32_t chosen;
      cw_deck_words maps;
      cw_deck_axis map[CW_DECK_MAX_WORDS][2]; /* the same, understood */
      int bins;
      double u_max;
      int64_t interval;
    } phase_space;
    int64_t stats_interval;  /* steps between history rows */
    int64_t tracks_interval; /* steps between records of tracked particles; 0: none */
  } output;
  struct {
    int64_t interval;     /* steps between checkpoints; 0: none but an interrupted run's */
    double interval_time; /* time between them instead; not positive: steps count */
    int64_t keep;         /* how many stay; 0: none are written; -1: all */
    double walltime;      /* seconds after which one is written, once; 0: never */
    char write_path[CW_DECK_PATH_SIZE]; /* their folder, from the output folder */
  } checkpoint;
  struct {
    int64_t interval; /* steps between updates of the progress line */
    cw_log_level log_level;
  } diagnostics;

  int fixed_point_chosen; /* algorithms.deposit.fixed_point is not written: the backend's */
  cw_deck_where written[CW_DECK_MAX_KEYS]; /* place of each key by its row in cw_deck_keys; line 0:
                                              not written; of species' keys, the last one's */

  /* derived from the above; c = 1 */
  double dt;     /* CFL dx_min / sqrt(dim), or algorithms.dt */
  double V0;     /* dx^dim: volume of a cell */
  double n0;     /* ppc0 / V0 */
  double q0;     /* V0 / (ppc0 skindepth0^2), over 4 pi in Gaussian units */
  double B0;     /* 1 / larmor0 */
  int64_t steps; /* ceil(runtime / dt), forgiving 1e-12 of round-off; or --steps */
} cw_deck;

/* One override from the command line: path "section.key" and a TOML value as text. */
typedef struct cw_deck_override {
  const char *key;
  const char *value;
} cw_deck_override;

/* Reads and checks a deck. On failure the context's message holds every particular as
 * "FILE:LINE:COLUMN: what was found; what was expected", or "--set KEY=VALUE: ..." for an override,
 * and *deck is NULL. Of several faults the first in the file is told; a required key that is
 * missing only if all that is written is right. Free with cw_deck_destroy. Errors: CW_ERROR_INPUT,
 * CW_ERROR_IO (file missing, unreadable), CW_ERROR_MEMORY. */
cw_status cw_deck_read(cw_context *context, const char *path, const cw_deck_override *overrides,
                       int override_count, cw_deck **deck);
/* The same from memory; `name` stands for the file in messages. Fuzzed. */
cw_status cw_deck_parse(cw_context *context, const char *name, const char *text, size_t length,
                        const cw_deck_override *overrides, int override_count, cw_deck **deck);
void cw_deck_destroy(cw_deck *deck);
/* 1 when the initial state is a file that gives grid, species and scales too: keys of these are not
 * required then, and neither checked nor derived from until cw_deck_complete, which setup calls
 * when it has filled them from the file. */
int cw_deck_is_state(const cw_deck *deck);
cw_status cw_deck_complete(cw_context *context, cw_deck *deck);
/* Place of a key of the list, "section.name"; line 0: the deck does not have it. */
cw_deck_where cw_deck_written(const cw_deck *deck, const char *section, const char *name);
/* Records "FILE:LINE:COLUMN: message" for a value of the deck and returns CW_ERROR_INPUT. For
 * checks that only setup or the engine can make. */
cw_status cw_deck_fail(cw_context *context, const cw_deck *deck, cw_deck_where where,
                       const char *format, ...) CW_PRINTF(4, 5);
/* The resolved deck as TOML with every default, unit and text as comments. */
cw_status cw_deck_echo(cw_context *context, const cw_deck *deck, FILE *stream);
/* CW_OK when the deck says of everything that a state depends on what `stored`, the deck of the
 * checkpoint `path`, says; what may differ are the run's name and length, output, checkpoints,
 * messages and memory. Errors: CW_ERROR_INPUT naming the first key that differs and both values. */
cw_status cw_deck_check_same(cw_context *context, const cw_deck *deck, const cw_deck *stored,
                             const char *path);
/* Completes a deck whose initial state is the checkpoint `path`: grid, species, scales, time step
 * and what else the state was made with come from its deck, `stored`; what the deck says of them too
 * must be the same. Errors: CW_ERROR_INPUT naming the first key that differs and both values, or
 * the engine. */
cw_status cw_deck_take(cw_context *context, cw_deck *deck, const cw_deck *stored, const char *path);
/* A parameter of [setup] itself by name, or NULL. */
const cw_deck_parameter *cw_deck_setup_parameter(const cw_deck *deck, const char *name);
/* The same in a table of it: "constants" (entry ""), or "species" with a label. */
const cw_deck_parameter *cw_deck_setup_entry(const cw_deck *deck, const char *table,
                                             const char *entry, const char *name);
/* 1 if [setup] has parameters in that table. */
int cw_deck_setup_has_table(const cw_deck *deck, const char *table);
/* "name", "constants.name" or "species.LABEL.name". */
void cw_deck_parameter_path(const cw_deck_parameter *parameter, char path[3 * CW_DECK_NAME]);
/* Place of byte `offset` of a string whose opening quote stands at `start`: escapes and line breaks
 * of the source are followed. `start` itself where there is no string (overrides). */
cw_deck_where cw_deck_place_in_text(const cw_deck *deck, cw_deck_where start, size_t offset);
/* Steps between two files of a kind; 0: none are written. */
int64_t cw_deck_interval(const cw_deck *deck, cw_series series);
/* Record n of a field file, counted from 0 in the order of the deck's quantities; 0 when there is
 * none. Names are letters, digits and _ : of a label's other characters + becomes _plus, - becomes
 * _minus and . becomes _. */
int cw_deck_output_record(const cw_deck *deck, int n, cw_deck_record *record);
/* A species' label as such a name. */
void cw_deck_record_label(const char *label, char name[2 * CW_DECK_NAME]);
/* Closest of `count` names to `name` by edit distance, or NULL if none is near. */
const char *cw_deck_nearest(const char *name, const char *const *names, int count);
#endif
