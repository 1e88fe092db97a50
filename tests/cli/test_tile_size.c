/* cellwise tile-size: the model against values worked out by hand, and the command. */
#include <jansson.h>
#include <math.h>

#include "cli/tile_model.h"
#include "program.h"

static const cw_tile_device *device(const char *name) {
  for (int n = 0; n < CW_TILE_DEVICES; n++)
    if (strcmp(cw_tile_devices[n].name, name) == 0)
      return &cw_tile_devices[n];
  ck_abort_msg("no device %s", name);
  return NULL;
}

static cw_tile_case a_case(int dim, int order, int drift, cw_tile_sums sums) {
  return (cw_tile_case){dim, order, drift, sums == CW_TILE_F64, sums, 32, dim == 3 ? 256 : 2048};
}

typedef struct bytes {
  int dim, order, drift, tile;
  cw_tile_sums sums;
  int edge, components;
  size_t scratch, stage; /* edge^dim values of each component; of a warp */
} bytes;

/* Reach: 2 for zigzag, else the order. A stage in 3D, order 2: 27 planes and 6 flows, rows of 32 +
 * 4 words: 33 * 36 * 4 (double: 33 * 34 * 8). 2D, order 1: 32 particles of 17 words on the wider
 * window are more than 8 planes and 3 flows. Where warps have stages, there is a list of 6400 slots
 * (2D: 6144) of 2 bytes, and each component ends in values that part the banks: none (3D) or 1, the
 * whole rounded up to four. Single precision from order 4 on sums doubles; where three components are
 * more than the H200's 227 KB, one is summed at a time. */
static const bytes sizes[] = {
    {3, 2, 1, 8, CW_TILE_F32, 13, 3, 26368, 4752},
    {3, 2, 1, 8, CW_TILE_FIXED32, 13, 3, 26368, 4752},
    {3, 2, 1, 8, CW_TILE_FIXED64, 13, 3, 52736, 4752},
    {3, 2, 1, 8, CW_TILE_F64, 13, 3, 52736, 8976},
    {2, 1, 0, 16, CW_TILE_F32, 17, 3, 3488, 2176},
    {1, 3, 4, 6, CW_TILE_F32, 20, 3, 240, 0},
    {2, 0, 0, 4, CW_TILE_F32, 8, 3, 768, 0},
    {3, 4, 0, 4, CW_TILE_F32, 12, 3, 41472, 0},
    {3, 5, 2, 10, CW_TILE_FIXED64, 24, 1, 110592, 0},
    {3, 11, 4, 4, CW_TILE_F64, 34, 1, 314432, 0},
};

START_TEST(test_scratch_holds_the_tile_its_halo_and_the_components) {
  const bytes *b = &sizes[_i];
  const cw_tile_case c = a_case(b->dim, b->order, b->drift, b->sums);
  const cw_tile_plan plan = cw_tile_model(device("H200"), &c, b->tile);
  ck_assert_int_eq(plan.edge, b->edge);
  ck_assert_int_eq(plan.components, b->components);
  ck_assert_uint_eq(plan.scratch, b->scratch);
  const size_t list = b->stage == 0 ? 0 : b->dim == 3 ? 12800 : 12288;
  ck_assert_uint_eq(plan.arena, list + b->scratch + b->stage * (size_t)plan.threads / 32);
  const double waste = 1 - pow((double)b->tile / b->edge, b->dim);
  ck_assert(fabs(plan.halo_waste - waste) <= 1e-12);
}
END_TEST

typedef struct residency {
  const char *device;
  int tile;
  cw_tile_sums sums;
  int teams, threads;
} residency;

/* 3D, order 2, drift 1. Tiles of 8 in f32: 26368 + 12800 + 4752 a warp + 1024. A warp of several teams
 * counts for a quarter more than one of a single team. H200: of 96 registers a thread 65536 are 21
 * warps: 7 three times, which fit in 228 KB. A100, 164 KB: 9 twice. 64 KB: 5 warps. 128 KB: 19 warps
 * once (76), 5 twice (50). Tiles of 16, 111136 + 12800 bytes: H200 20 warps, as many as a team may
 * have; A100 9, MI300X none. Tiles of 14 in f64, 164640 + 12800: 6 warps of 8976. */
static const residency residents[] = {
    {"H200", 8, CW_TILE_F32, 3, 224},   {"H100", 8, CW_TILE_F32, 3, 224},
    {"A100", 8, CW_TILE_F32, 2, 288},   {"MI250X", 8, CW_TILE_F32, 1, 160},
    {"MI300X", 8, CW_TILE_F32, 1, 160}, {"Max1550", 8, CW_TILE_F32, 1, 608},
    {"H200", 16, CW_TILE_F32, 1, 640},  {"A100", 16, CW_TILE_F32, 1, 288},
    {"MI300X", 16, CW_TILE_F32, 0, 32}, {"H200", 14, CW_TILE_F64, 1, 192},
    {"H200", 16, CW_TILE_F64, 0, 32},
};

START_TEST(test_teams_share_a_multiprocessors_memory) {
  const residency *r = &residents[_i];
  const cw_tile_case c = a_case(3, 2, 1, r->sums);
  const cw_tile_plan plan = cw_tile_model(device(r->device), &c, r->tile);
  ck_assert_int_eq(plan.teams, r->teams);
  if (plan.teams > 0) {
    ck_assert_int_eq(plan.threads, r->threads);
    ck_assert(plan.total > 0 && isfinite(plan.total));
  }
}
END_TEST

START_TEST(test_registers_threads_and_slots_bound_the_teams) {
  /* room for 100 scratches of 768 bytes, which need no stages */
  cw_tile_device d = {"made up", 1, 76800, 76800, 0, 1 << 20, 1 << 20, 1 << 30};
  const cw_tile_case c = a_case(2, 0, 0, CW_TILE_F32);
  ck_assert_int_eq(cw_tile_model(&d, &c, 4).teams, 100);
  d.reserved = 768;
  ck_assert_int_eq(cw_tile_model(&d, &c, 4).teams, 50);
  d.teams_a_unit = 7;
  ck_assert_int_eq(cw_tile_model(&d, &c, 4).teams, 7);
  d.threads_a_unit = 128; /* four teams of a warp are as many threads as one of 128 */
  ck_assert_int_eq(cw_tile_model(&d, &c, 4).threads, 32);
  ck_assert_int_eq(cw_tile_model(&d, &c, 4).teams, 4);
  d.shared_a_team = 255; /* not even one component */
  ck_assert_int_eq(cw_tile_model(&d, &c, 4).teams, 0);
}
END_TEST

typedef struct meeting {
  int dim, order, tile;
  cw_tile_sums sums;
  double ppc, passes;
} meeting;

/* 2D, order 1, drift 1, edge E = tile + 3, V = E^2 and padding: rows at 0, E; V, V + 1; 2V + {0, 1, E,
 * E + 1}; four lanes have each. E = 7, V = 49, and E = 9, V = 81: no two rows in one of 32 banks. Lanes
 * that meet in a word count each, or once where they are summed; 64-bit integers: the low words' lanes
 * count, of the high ones words; doubles: half-warps and 16 banks, where 50 and 98 are 2, with the second
 * flow 8 and 56 8, two lanes each. 3D, order 2, E = 15, V = 3380: three rows of the second component
 * are 22 mod 32, with the second flow 5; no bank has more. A lane a particle: the particles of a
 * cell meet in one word, at most 32. */
static const meeting meetings[] = {
    {2, 1, 4, CW_TILE_F32, 32, 4},      {2, 1, 4, CW_TILE_FIXED32, 32, 1},
    {2, 1, 4, CW_TILE_FIXED64, 32, 5},  {2, 1, 4, CW_TILE_F64, 32, 8},
    {2, 1, 6, CW_TILE_F32, 8, 4},       {2, 1, 6, CW_TILE_FIXED32, 32, 1},
    {2, 1, 6, CW_TILE_FIXED64, 32, 5},  {3, 2, 10, CW_TILE_F32, 32, 3},
    {3, 2, 10, CW_TILE_FIXED32, 32, 3}, {1, 2, 12, CW_TILE_F32, 32, 32},
    {3, 5, 4, CW_TILE_F32, 8, 8},       {3, 0, 8, CW_TILE_FIXED64, 64, 32},
};

START_TEST(test_contention_counts_lanes_that_meet) {
  const meeting *m = &meetings[_i];
  cw_tile_case c = a_case(m->dim, m->order, 1, m->sums);
  c.ppc = m->ppc;
  const double passes = cw_tile_model(device("H200"), &c, m->tile).contention;
  ck_assert_msg(fabs(passes - m->passes) <= 1e-12, "found %g", passes);
}
END_TEST

START_TEST(test_pressures_push_the_way_they_should) {
  cw_tile_case c = a_case(3, 2, 1, CW_TILE_F32);
  const cw_tile_device *h200 = device("H200");
  cw_tile_plan few, many;
  many = cw_tile_model(h200, &c, 8);
  c.ppc = 4; /* fewer particles share the halo */
  few = cw_tile_model(h200, &c, 8);
  ck_assert(fabs(few.halo / many.halo - 8) <= 1e-12);
  c.ppc = 32; /* 64 tiles of 16 for 132 multiprocessors: half of them never work */
  c.cells = 64;
  few = cw_tile_model(h200, &c, 16);
  ck_assert(fabs(few.rounds - 64.0 / 132) <= 1e-12 && few.idle > 1);
  c.cells = 1e4;
  ck_assert(cw_tile_model(h200, &c, 16).idle < 1e-3);
  /* the same scratch with fewer warps beside it hides less */
  c.cells = 256;
  ck_assert(cw_tile_model(device("MI250X"), &c, 8).work > many.work * 1.05);
}
END_TEST

START_TEST(test_recommendation_is_the_cheapest_that_fits) {
  for (int n = 0; n < CW_TILE_DEVICES; n++)
    for (int dim = 1; dim <= 3; dim++)
      for (int order = 0; order <= 11; order++)
        for (int sums = 0; sums < 4; sums++) {
          const cw_tile_case c = a_case(dim, order, 1 + sums % 2, (cw_tile_sums)sums);
          cw_tile_plan plans[CW_TILE_SIZES];
          const int best = cw_tile_recommend(&cw_tile_devices[n], &c, plans);
          for (int t = 0; t < CW_TILE_SIZES; t++) {
            ck_assert_int_eq(plans[t].tile, cw_tile_sizes[t]);
            ck_assert(plans[t].teams == 0 ||
                      (best >= 0 && plans[best].teams > 0 && plans[best].total <= plans[t].total));
            ck_assert(plans[t].teams > 0 ||
                      plans[t].arena + cw_tile_devices[n].reserved >
                          cw_tile_devices[n].shared_a_team ||
                      cw_tile_devices[n].shared_a_team == 0);
          }
        }
}
END_TEST

START_TEST(test_reason_names_what_makes_the_neighbours_worse) {
  cw_tile_plan plans[CW_TILE_SIZES] = {{0}};
  char text[400];
  for (int n = 0; n < CW_TILE_SIZES; n++)
    plans[n] = (cw_tile_plan){.tile = cw_tile_sizes[n],
                              .threads = 128,
                              .teams = 4,
                              .arena = 9,
                              .work = 10,
                              .halo = 2,
                              .contended = 1,
                              .idle = 0.5,
                              .total = 19.5};
  plans[1].halo = 6;
  plans[1].total = 25.5;
  plans[3].work = 20;
  plans[3].total = 34.5;
  cw_tile_reason(plans, 2, text, sizeof text);
  ck_assert_msg(strstr(text, "tiles of 6 cost 31 % more (more of it is halo)") &&
                    strstr(text, "tiles of 10 cost 77 % more (fewer teams hide latency)"),
                "%s", text);
  plans[3].teams = 0;
  plans[1].halo = 2;
  plans[1].contended = 5;
  cw_tile_reason(plans, 2, text, sizeof text);
  ck_assert_msg(strstr(text, "(more contention)") && strstr(text, "tiles of 10 need 9 bytes"), "%s",
                text);
  cw_tile_reason(plans, -1, text, sizeof text);
  ck_assert_ptr_nonnull(strstr(text, "no tile fits: tiles of 4 need 9 bytes"));
  cw_tile_reason(plans, 2, text, 20); /* cut, not beyond */
  ck_assert_uint_eq(strlen(text), 19);
}
END_TEST

static json_t *document(const program_result *result) {
  ck_assert_msg(result->status == 0, "status %d: %s", result->status, result->err);
  json_t *root = json_loads(result->out, 0, NULL);
  ck_assert_msg(root != NULL, "not one JSON document: %.400s", result->out);
  return root;
}

static double number(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  ck_assert_msg(json_is_number(value), "no number '%s'", name);
  return json_number_value(value);
}

START_TEST(test_command_recommends_the_tile_of_least_cost) {
  json_t *root = document(program_run("tile-size --device h200 --dim 3 --order 2 --precision "
                                      "single --scratch fixed64 --drift 1 --ppc 16 --json"));
  const json_t *tiles = json_object_get(root, "tiles"), *row;
  ck_assert_uint_eq(json_array_size(tiles), CW_TILE_SIZES);
  double least = INFINITY, tile = 0;
  size_t n;
  json_array_foreach(tiles, n, row) {
    const double edge = number(row, "tile") + 5;
    /* what parts the banks is at most 31 values a component, rounded up to 4 in all */
    const double parting = number(row, "scratch_bytes") - 3 * edge * edge * edge * 8;
    ck_assert(parting >= 0 && parting <= (3 * 31 + 3) * 8);
    if (number(row, "teams_per_multiprocessor") > 0 && number(row, "cycles_per_particle") < least) {
      least = number(row, "cycles_per_particle");
      tile = number(row, "tile");
    }
  }
  ck_assert(tile > 0 && number(root, "recommended") == tile);
  ck_assert_ptr_nonnull(json_string_value(json_object_get(root, "why")));
  json_decref(root);
  const program_result *result = program_run("tile-size --device h200 --order 2 --ppc 16");
  ck_assert_int_eq(result->status, 0);
  ck_assert_ptr_nonnull(strstr(result->out, "recommended: tiled_deposit_tile_size = "));
  result = program_run("tile-size --device MI250X --order 11 --drift 4");
  ck_assert_int_eq(result->status, 0);
  ck_assert_ptr_nonnull(strstr(result->out, "recommended: none"));
}
END_TEST

START_TEST(test_command_without_a_case_covers_all) {
  json_t *root = document(program_run("tile-size --device A100 --json"));
  const json_t *list = json_object_get(root, "recommendations");
  /* 4 drifts; 3 dimensions, 12 orders of f32, fixed64, f64, fixed64; 2 times 3 of fixed32 */
  ck_assert_uint_eq(json_array_size(list), 4 * (3 * 12 * 4 + 2 * 3));
  json_decref(root);
  const program_result *result = program_run("tile-size --device A100");
  ck_assert_int_eq(result->status, 0);
  ck_assert_int_ge(program_occurrences(result->out, "\n"), 36);
}
END_TEST

static const struct {
  const char *arguments, *expected;
} mistakes[] = {
    {"--device H300", "found 'H300'; expected A100, H100"},
    {"--device 4096", "found '4096'"},
    {"--device H200 --dim 4", "option --dim: found '4'"},
    {"--device H200 --order 12", "option --order: found '12'"},
    {"--device H200 --drift -1", "option --drift: found '-1'"},
    {"--device H200 --precision half", "found 'half'; expected single or double"},
    {"--device H200 --scratch f16", "found 'f16'; expected f32, f64"},
    {"--device H200 --scratch f64", "found f64 in single precision"},
    {"--device H200 --precision double --scratch fixed32", "found fixed32 in double precision"},
    {"--device H200 --order 4 --scratch fixed32", "found fixed32 in single precision, 3D, order 4"},
    {"--device H200 --dim 1 --scratch fixed32", "found fixed32 in single precision, 1D, order 2"},
    {"--device H200 --ppc 0", "option --ppc: found '0'"},
    {"--device H200 twice", "found 'twice'; expected no argument"},
    {"--devise H200", "--device"},
};
enum { MISTAKES = (int)(sizeof mistakes / sizeof *mistakes) };

START_TEST(test_mistakes_are_told_in_one_line) {
  const program_result *result = program_run("tile-size %s", mistakes[_i].arguments);
  ck_assert_int_eq(result->status, 2);
  ck_assert_str_eq(result->out, "");
  ck_assert_int_eq(program_occurrences(result->err, "\n"), 1);
  ck_assert_msg(strstr(result->err, mistakes[_i].expected) != NULL, "%s", result->err);
}
END_TEST

START_TEST(test_without_a_device_it_asks_for_a_name) {
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const program_result *result = program_run("tile-size");
  ck_assert_int_eq(result->status, 2);
  ck_assert_msg(strstr(result->err, "expected --device NAME") != NULL, "%s", result->err);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

int main(void) {
  TCase *cases = tcase_create("tile_size");
  tcase_add_loop_test(cases, test_scratch_holds_the_tile_its_halo_and_the_components, 0,
                      COUNT(sizes));
  tcase_add_loop_test(cases, test_teams_share_a_multiprocessors_memory, 0, COUNT(residents));
  tcase_add_test(cases, test_registers_threads_and_slots_bound_the_teams);
  tcase_add_loop_test(cases, test_contention_counts_lanes_that_meet, 0, COUNT(meetings));
  tcase_add_test(cases, test_pressures_push_the_way_they_should);
  tcase_add_test(cases, test_recommendation_is_the_cheapest_that_fits);
  tcase_add_test(cases, test_reason_names_what_makes_the_neighbours_worse);
  tcase_add_test(cases, test_command_recommends_the_tile_of_least_cost);
  tcase_add_test(cases, test_command_without_a_case_covers_all);
  tcase_add_loop_test(cases, test_mistakes_are_told_in_one_line, 0, MISTAKES);
  tcase_add_test(cases, test_without_a_device_it_asks_for_a_name);
  return program_suite("tile_size", cases);
}
