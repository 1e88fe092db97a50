/* The program on a device: which backend it takes, and how it refuses what the device can't do; and
 * what the engine tells of failures there. */
#include <stdarg.h>
#include <sys/wait.h>

#include "base/device.h"
#include "engine_twins.h"

enum { OUTPUT = 1 << 16 };

typedef struct outcome {
  int status;
  char text[OUTPUT]; /* stdout and stderr */
} outcome;

/* Runs `cellwise ARGUMENTS`: the program of the build, or one that lies beside the test. */
static outcome *program(const char *format, ...) {
  static outcome result;
  char arguments[8192], command[16384];
  va_list list;
  va_start(list, format);
  vsnprintf(arguments, sizeof arguments, format, list);
  va_end(list);
  const char *path = access(CW_PROGRAM, X_OK) == 0 ? CW_PROGRAM : "./cellwise";
  plain_check(access(path, X_OK) == 0, "%s is not here", path);
  snprintf(command, sizeof command, "exec %s %s 2>&1", path, arguments);
  memset(&result, 0, sizeof result);
  FILE *pipe = popen(command, "r");
  size_t used = 0, n;
  while (pipe && (n = fread(result.text + used, 1, OUTPUT - 1 - used, pipe)) > 0)
    used += n;
  const int state = pipe ? pclose(pipe) : -1;
  result.status = WIFEXITED(state) ? WEXITSTATUS(state) : 128;
  return &result;
}

static void expect(const outcome *found, int status, const char *part) {
  plain_check(found->status == status, "status %d instead of %d: %.300s", found->status, status,
              found->text);
  plain_check(strstr(found->text, part) != NULL, "'%.300s' lacks '%s'", found->text, part);
}

/* A new folder for one case's files; its name is good until the next call. */
static const char *new_folder(void) {
  static char folder[64];
  strcpy(folder, "/tmp/cellwise_device_XXXXXX");
  plain_check(mkdtemp(folder) != NULL, "no folder in /tmp");
  return folder;
}

static void remove_folder(const char *folder) {
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  plain_check(system(command) == 0, "%s stays", folder);
}

static const char small[] = "--steps 4 --json --quiet --set grid.resolution=[32,32] --set "
                            "particles.ppc0=8 --set output.interval=2";

static void test_auto_takes_the_device_and_cpu_does_not(cw_context *context) {
  char deck[4096], text[256];
  const char *folder = new_folder();
  snprintf(deck, sizeof deck, "%s", twin_path("examples", "thermal.toml"));
  snprintf(text, sizeof text, "\"device\": \"%s\"", cw_device_opened(context)->name);
  expect(program("run %s --out %s/a %s", deck, folder, small), 0, "\"backend\": \"cuda\"");
  expect(program("run %s --out %s/b --device 0 %s", deck, folder, small), 0, text);
  expect(program("run %s --out %s/c --backend cpu %s", deck, folder, small), 0,
         "\"backend\": \"cpu\"");
  expect(program("info --json"), 0, cw_device_opened(context)->name);
  expect(program("bench step --dim 2 --cells 32 --ppc 8 --json"), 0, "\"backend\": \"cuda\"");
  remove_folder(folder);
}

static void copy_sha256(const outcome *found, char hex[65]) {
  const char *at = strstr(found->text, "\"sha256\": \"");
  plain_check(found->status == 0 && at, "status %d: %.300s", found->status, found->text);
  snprintf(hex, 65, "%s", at ? at + strlen("\"sha256\": \"") : "");
}

/* A checkpoint is the state on the host: from it a device goes on to the same bits. */
static void test_resumed_run_ends_in_the_same_bits(cw_context *context) {
  /* sums in fixed point are the default on a device */
  static const char more[] = "--set checkpoint.interval=3 --set particles.clear_interval=2";
  char deck[4096], whole[65], resumed[65];
  const char *folder = new_folder();
  (void)context;
  snprintf(deck, sizeof deck, "%s", twin_path("examples", "thermal.toml"));
  copy_sha256(program("run %s --out %s/a %s --steps 8 %s", deck, folder, small, more), whole);
  expect(program("run %s --out %s/b %s --steps 3 %s", deck, folder, small, more), 0, "cuda");
  copy_sha256(program("run %s --out %s/b %s --steps 8 --resume %s", deck, folder, small, more),
              resumed);
  plain_check(strcmp(whole, resumed) == 0, "%s; resumed %s", whole, resumed);
  remove_folder(folder);
}

static void test_engine_ecsim_goes_on_to_the_same_bits(cw_context *context) {
  static const char more[] = "--set particles.ppc0=16 --set output.interval=0 --set "
                             "checkpoint.interval=3 --backend cuda --quiet --json";
  char deck[4096], whole[65], resumed[65];
  const char *folder = new_folder();
  (void)context;
  snprintf(deck, sizeof deck, "%s", twin_path("examples", "ecsim_two_stream.toml"));
  copy_sha256(program("run %s --out %s/a --steps 8 %s", deck, folder, more), whole);
  expect(program("run %s --out %s/b --steps 3 %s", deck, folder, more), 0, "\"backend\": \"cuda\"");
  copy_sha256(program("run %s --out %s/b --steps 8 --resume %s", deck, folder, more), resumed);
  plain_check(strcmp(whole, resumed) == 0, "%s; resumed %s", whole, resumed);
  remove_folder(folder);
}

static void test_what_does_not_fit_is_refused_by_cuda(cw_context *context) {
  char deck[4096], ppc[64];
  const char *folder = new_folder();
  /* 128 x 128 cells: particles of some 100 bytes for twice the device's memory */
  snprintf(ppc, sizeof ppc, "particles.ppc0=%.0f",
           2e-2 / (128 * 128) * (double)cw_device_opened(context)->memory_total);
  snprintf(deck, sizeof deck, "%s", twin_path("examples", "thermal.toml"));
  expect(program("run %s --out %s/a --backend cuda --set %s", deck, folder, ppc), 2,
         "free on device 0");
  expect(program("run %s --out %s/a --device 1000", deck, folder), 2,
         "device 1000 was asked for; there");
  char path[128];
  snprintf(path, sizeof path, "%s/a", folder);
  plain_check(access(path, F_OK) != 0, "results were begun");
  remove_folder(folder);
}

/* A device that is full: the array that lacks room is named, and what was taken is given back; a
 * second program says so or, left the choice, takes the CPU. */
static void test_full_device_is_told_and_nothing_is_held(cw_context *context) {
  const twin_case c = {.dim = 2, .order = 2, .interval = 1, .deposit = TWIN_FIXED};
  const cw_deck_override many = {"particles.ppc0", "4000.0"}; /* some 100 MB */
  void *rest = NULL;
  char text[TWIN_DECK], example[4096];
  const char *folder = new_folder();
  cw_deck *deck = NULL;
  cw_engine *engine = NULL;
  twin_deck(&c, text);
  snprintf(example, sizeof example, "%s", twin_path("examples", "thermal.toml"));
  const size_t room = cw_memory_available(context, CW_SPACE_DEVICE), left = (size_t)32 << 20;
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, room - left, 1, "the rest", &rest));
  plain_ok(context, cw_deck_parse(context, "full", text, strlen(text), &many, 1, &deck));
  plain_ok(context, cw_setup_check(context, deck));
  const size_t before = cw_memory_used(context, CW_SPACE_DEVICE);
  plain_refused(context, cw_engine_create(context, deck, &engine), CW_ERROR_MEMORY,
                "MB are needed");
  plain_check(strstr(cw_context_message(context), "particles") != NULL, "'%s' names no array",
              cw_context_message(context));
  plain_check(engine == NULL && cw_memory_used(context, CW_SPACE_DEVICE) == before,
              "%zu bytes are held; %zu before", cw_memory_used(context, CW_SPACE_DEVICE), before);
  expect(program("run %s --out %s/a --backend cuda", example, folder), 1,
         "backend cuda was asked for");
  expect(program("run %s --out %s/a %s", example, folder, small), 0, "the CPU is used: ");
  cw_memory_free(context, CW_SPACE_DEVICE, rest);
  plain_ok(context, cw_engine_create(context, deck, &engine));
  if (engine)
    plain_ok(context, cw_engine_step(engine));
  cw_engine_destroy(engine);
  cw_deck_destroy(deck);
  remove_folder(folder);
}

/* What is promised to fit must fit; half as much again is the room for what grows by factors. */
static void test_estimate_covers_what_is_taken(cw_context *context) {
  const double small_arrays = 1 << 20; /* bytes: sums, counts, passes of the sort */
  for (int k = 0; k < 2; k++) {
    const twin_case c = {.dim = 3,
                         .order = 2,
                         .interval = 1,
                         .deposit = TWIN_FIXED,
                         .filters = 2,
                         .precision = (cw_precision)k,
                         .weights = k};
    const cw_deck_override many = {"particles.ppc0", "400.0"};
    char text[TWIN_DECK];
    cw_engine_memory need = {0};
    cw_engine_diagnostics found;
    twin_deck(&c, text);
    twin device = twin_open(context, "estimate", text, &many, 1);
    twin_steps(&device, 3);
    if (!device.engine)
      return;
    plain_ok(context, cw_engine_diagnose(device.engine, &found));
    plain_ok(context, cw_engine_estimate(context, device.deck, &need));
    const double taken = (double)cw_memory_used(context, CW_SPACE_DEVICE);
    plain_check(taken <= need.total + small_arrays && taken >= need.total / 1.5,
                "%.0f bytes are taken; the estimate is %.0f", taken, need.total);
    twin_close(&device);
  }
}

/* The hash of the final state in a closing table. */
static void hash_of(const outcome *found, char hash[65]) {
  const char *at = strstr(found->text, "\"sha256\": \"");
  hash[0] = '\0';
  plain_check(found->status == 0 && at != NULL, "status %d: %.300s", found->status, found->text);
  if (at)
    snprintf(hash, 65, "%s", at + strlen("\"sha256\": \""));
}

/* Checkpoints of steps 4 and 8, a sort every third step: resumed between two sorts, from the
 * device's memory and back, to the bits of the unbroken run. A checkpoint of the device goes on on
 * the CPU, which says that last digits may differ. */
static void test_a_run_resumes_on_the_device(cw_context *context) {
  static const char options[] =
      "--backend cuda --json --set grid.resolution=[32,32] --set particles.ppc0=8 --set "
      "algorithms.deposit.tiled_deposit_fixed_point=true --set "
      "particles.spatial_sorting_interval=3 --set checkpoint.interval=4 --set output.interval=0";
  char deck[4096], whole[65], part[65], resumed[65];
  const char *folder = new_folder();
  (void)context;
  snprintf(deck, sizeof deck, "%s", twin_path("examples", "thermal.toml"));
  hash_of(program("run %s --out %s/a --steps 11 %s", deck, folder, options), whole);
  hash_of(program("run %s --out %s/b --steps 10 %s", deck, folder, options), part);
  const outcome *found = program("run %s --out %s/b --steps 11 --resume %s", deck, folder, options);
  expect(found, 0, "resumed at step 8 of 11");
  hash_of(found, resumed);
  plain_check(strcmp(whole, resumed) == 0 && strcmp(whole, part) != 0,
              "unbroken %s, resumed %s, one step before %s", whole, resumed, part);
  expect(program("run %s --out %s/b --steps 11 --resume %s --backend cpu", deck, folder, options),
         0, "backend cuda, instruction set");
  remove_folder(folder);
}

/* Puts a particle far outside; the push tells where it gathers, else the deposit. */
static void test_particle_outside_is_told_with_its_step(cw_context *context) {
  static const char *const pushers[] = {"Boris", "none"};
  for (int k = 0; k < 4; k++) {
    const twin_case c = {.dim = 2,
                         .order = 2,
                         .interval = 4,
                         .deposit = k / 2 ? TWIN_FIXED : TWIN_FLAT,
                         .walls = TWIN_REFLECT,
                         .pusher = pushers[k % 2]};
    char text[TWIN_DECK];
    const int32_t far = -1000;
    twin_deck(&c, text);
    twin device = twin_open(context, "outside", text, NULL, 0);
    twin_steps(&device, 1); /* sorted: the next steps are not */
    if (!device.engine)
      continue;
    cw_particles_view view = cw_particles_get_view(cw_engine_particles(device.engine, 1));
    plain_ok(context, cw_device_write(context, view.i[1] + 5, &far, sizeof far));
    cw_status status = cw_engine_step(device.engine);
    if (status == CW_OK)
      status = cw_engine_wait(device.engine);
    plain_check(status == CW_ERROR_NUMERIC, "%s", cw_status_name(status));
    plain_check(strncmp(cw_context_message(context), "at step ", 8) == 0 &&
                    strstr(cw_context_message(context), "slot 5 ") != NULL,
                "'%s'", cw_context_message(context));
    twin_close(&device);
  }
}

/* The program sees no device there: as on a machine without one. */
static void test_without_a_device_cuda_is_refused_and_auto_says_why(cw_context *context) {
  char deck[4096];
  const char *folder = new_folder(), *seen = getenv("CUDA_VISIBLE_DEVICES");
  (void)context;
  snprintf(deck, sizeof deck, "%s", twin_path("examples", "thermal.toml"));
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  expect(program("run %s --out %s/a --backend cuda", deck, folder), 2,
         "there is no NVIDIA device here that can be used");
  expect(program("run %s --out %s/a --device 0", deck, folder), 2, "backend cuda was asked for");
  expect(program("run %s --out %s/b %s", deck, folder, small), 0, "\"backend\": \"cpu\"");
  if (seen)
    setenv("CUDA_VISIBLE_DEVICES", seen, 1);
  else
    unsetenv("CUDA_VISIBLE_DEVICES");
  remove_folder(folder);
}

/* 16 + 2 (3 + 4) nodes an edge: cuda refuses the deck at the key with the edges that fit, before
 * anything is written; auto says so and takes the CPU. */
static void test_tile_too_large_for_the_device_is_told_at_its_key(cw_context *context) {
  static const char large[] = "--set algorithms.deposit.tiled_deposit_drift=4 --steps 1";
  const twin_case c = {
      .dim = 3, .order = 3, .interval = 1, .deposit = TWIN_TILED, .precision = CW_DOUBLE};
  char text[TWIN_DECK], path[128], *size;
  const char *folder = new_folder();
  (void)context;
  twin_deck(&c, text);
  size = strstr(text, "tiled_deposit_tile_size = 4");
  plain_check(size != NULL, "no size in the deck");
  if (!size)
    return;
  memcpy(size, "tiled_deposit_tile_size =16", 27);
  snprintf(path, sizeof path, "%s/large.toml", folder);
  FILE *file = fopen(path, "w");
  plain_check(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s is not written", path);
  const outcome *found = program("run %s --out %s/a --backend cuda %s", path, folder, large);
  expect(found, 2, "large.toml:");
  expect(found, 2, "algorithms.deposit.tiled_deposit_tile_size: a tile of edge 16 needs ");
  expect(found, 2, "tile edges that fit: 4");
  found = program("run %s --out %s/b --json %s", path, folder, large);
  expect(found, 0, "the CPU is used: ");
  expect(found, 0, "\"backend\": \"cpu\"");
  snprintf(path, sizeof path, "%s/a", folder);
  plain_check(access(path, F_OK) != 0, "results were begun");
  remove_folder(folder);
}

/* An external field that is not finite between two times, at neither of which a check looks, ends a
 * run in its ninth step: the checkpoint of the sixth stands, and from it a run goes on to the bits
 * of one that was never broken. */
static void test_failure_in_the_middle_leaves_the_last_checkpoint(cw_context *context) {
  /* dt is 0.1414 */
  static const char options[] =
      "--backend cuda --json --set grid.resolution=[32,32] --set particles.ppc0=8 --set "
      "algorithms.deposit.tiled_deposit_fixed_point=true --set checkpoint.interval=3 --set "
      "output.interval=0 --set 'setup.external_E=[\"t > 1.06 && t < 5 ? 1/0 : 0.1 * x\", 0, 0]'";
  char deck[4096], whole[65], resumed[65];
  const char *folder = new_folder();
  (void)context;
  snprintf(deck, sizeof deck, "%s", twin_path("examples", "thermal.toml"));
  hash_of(program("run %s --out %s/a --steps 7 %s", deck, folder, options), whole);
  const outcome *found = program("run %s --out %s/b --steps 20 %s", deck, folder, options);
  plain_check(found->status != 0, "a field that is not finite passes: %.300s", found->text);
  expect(found, found->status, "setup.external_E[1] is inf at x = ");
  found = program("run %s --out %s/b --steps 7 --resume %s", deck, folder, options);
  expect(found, 0, "resumed at step 6 of 7");
  hash_of(found, resumed);
  plain_check(strcmp(whole, resumed) == 0, "unbroken %s, resumed %s", whole, resumed);
  remove_folder(folder);
}

/* No memory for a run that would go on: the checkpoint is as good afterwards as before. */
static void test_full_device_leaves_the_checkpoint(cw_context *context) {
  static const char options[] =
      "--backend cuda --json --set grid.resolution=[32,32] --set particles.ppc0=8 --set "
      "algorithms.deposit.tiled_deposit_fixed_point=true --set checkpoint.interval=3 --set "
      "output.interval=0";
  char deck[4096], whole[65], resumed[65];
  const char *folder = new_folder();
  void *rest = NULL;
  snprintf(deck, sizeof deck, "%s", twin_path("examples", "thermal.toml"));
  hash_of(program("run %s --out %s/a --steps 7 %s", deck, folder, options), whole);
  expect(program("run %s --out %s/b --steps 4 %s", deck, folder, options), 0, "cuda");
  const size_t room = cw_memory_available(context, CW_SPACE_DEVICE), left = (size_t)32 << 20;
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, room - left, 1, "the rest", &rest));
  expect(program("run %s --out %s/b --steps 7 --resume %s", deck, folder, options), 1,
         "backend cuda was asked for");
  cw_memory_free(context, CW_SPACE_DEVICE, rest);
  const outcome *found = program("run %s --out %s/b --steps 7 --resume %s", deck, folder, options);
  expect(found, 0, "resumed at step 3 of 7");
  hash_of(found, resumed);
  plain_check(strcmp(whole, resumed) == 0, "unbroken %s, resumed %s", whole, resumed);
  remove_folder(folder);
}

int main(void) {
  static const plain_case cases[] = {
      PLAIN_CASE(test_auto_takes_the_device_and_cpu_does_not),
      PLAIN_CASE(test_resumed_run_ends_in_the_same_bits),
      PLAIN_CASE(test_engine_ecsim_goes_on_to_the_same_bits),
      PLAIN_CASE(test_what_does_not_fit_is_refused_by_cuda),
      PLAIN_CASE(test_full_device_is_told_and_nothing_is_held),
      PLAIN_CASE(test_estimate_covers_what_is_taken),
      PLAIN_CASE(test_a_run_resumes_on_the_device),
      PLAIN_CASE(test_without_a_device_cuda_is_refused_and_auto_says_why),
      PLAIN_CASE(test_tile_too_large_for_the_device_is_told_at_its_key),
      PLAIN_CASE(test_failure_in_the_middle_leaves_the_last_checkpoint),
      PLAIN_CASE(test_full_device_leaves_the_checkpoint),
      PLAIN_CASE(test_particle_outside_is_told_with_its_step)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
