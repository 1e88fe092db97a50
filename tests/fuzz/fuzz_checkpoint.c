/* libFuzzer: a checkpoint that is not what a run wrote. The first byte says how it comes about: any
 * bytes as the file; bytes of a good file changed; or contents changed behind a seal that is made
 * anew: data sets overwritten, removed, attributes removed. (HDF5's own structures stay sound
 * there: the seal keeps damaged ones from HDF5.) It is refused with a message, or it is a state
 * that takes a step or says why not. */
#include "fuzz_file.h"

#include <string.h>

#include "base/seal.h"
#include "engine/engine.h"
#include "output/checkpoint.h"
#include "setup/setup.h"

enum { ROOM = 1 << 18, MOST = 4096 };

static const char text[] =
    "[simulation]\nname = \"fuzz\"\nengine = \"srpic\"\nruntime = 1.0\nprecision = \"single\"\n"
    "[grid]\nresolution = [9]\nextent = [[0.0, 0.9]]\n[grid.metric]\nmetric = \"minkowski\"\n"
    "[grid.boundaries]\nfields = [[\"CONDUCTOR\", \"ABSORB\"]]\n"
    "particles = [[\"REFLECT\", \"ABSORB\"]]\n[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n"
    "[algorithms.deposit]\ntiled_deposit_tile_size = 4\n"
    "[particles]\nppc0 = 4.0\nuse_weights = true\nspatial_sorting_interval = 3\n"
    "[[particles.species]]\nlabel = \"e\"\nmass = 1.0\ncharge = -1.0\n"
    "[[particles.species]]\nlabel = \"p\"\nmass = 1.0\ncharge = 1.0\n"
    "[setup]\nproblem = \"thermal\"\ntemperature = 0.1\n";

static uint8_t good[ROOM];
static size_t good_size;
/* What may be changed behind the seal. */
static char names[64][CW_ARRAY_NAME];
static int name_count;

static cw_deck *make_deck(cw_context *context) {
  cw_deck *deck;
  require(cw_deck_parse(context, "fuzz", text, sizeof text - 1, NULL, 0, &deck) == CW_OK &&
              cw_setup_check(context, deck) == CW_OK,
          "the deck is right");
  return deck;
}

static cw_status keep_name(void *user, const cw_array *array) {
  (void)user;
  strcpy(names[name_count++], array->name);
  return CW_OK;
}

static cw_status walk(void *owner, cw_array_visit *visit, void *user) {
  return cw_engine_save(owner, visit, user);
}

static void make_good(void) {
  char folder[] = "/tmp/cellwise_fuzz_XXXXXX", path[CW_CHECKPOINT_PATH];
  const cw_checkpoint_info info = {.step = 2, .series_step = {-1, -1, -1, -1}};
  cw_context *context = begin();
  cw_engine *engine;
  require(mkdtemp(folder) != NULL, "a folder can be made");
  cw_deck *deck = make_deck(context);
  require(cw_engine_create(context, deck, &engine) == CW_OK && cw_engine_step(engine) == CW_OK &&
              cw_engine_step(engine) == CW_OK,
          "the deck runs");
  require(cw_checkpoint_write(context, folder, deck, cw_engine_grid(engine), &info, walk, engine) ==
                  CW_OK &&
              cw_engine_save(engine, keep_name, NULL) == CW_OK &&
              cw_checkpoint_path(context, folder, 2, path) == CW_OK,
          "a checkpoint is written");
  FILE *file = fopen(path, "rb");
  good_size = fread(good, 1, ROOM, file);
  fclose(file);
  require(good_size > CW_SEAL_SIZE && good_size < ROOM, "the checkpoint has room");
  unlink(path);
  rmdir(folder);
  cw_engine_destroy(engine);
  cw_deck_destroy(deck);
  cw_context_destroy(context);
}

/* Three bytes a change: place in the file, and what is added there. */
static const char *change_bytes(const uint8_t *data, size_t size) {
  static uint8_t changed[ROOM];
  memcpy(changed, good, good_size);
  for (size_t k = 0; k + 3 <= size; k += 3)
    changed[(((size_t)data[k] << 8 | data[k + 1]) * 7) % good_size] += data[k + 2];
  return as_file(changed, good_size);
}

/* Overwrites a stretch of a data set with the bytes. */
static void overwrite(hid_t file, const char *path, size_t from, const uint8_t *data, size_t size) {
  static uint8_t values[ROOM];
  hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
  if (set < 0)
    return;
  hid_t type = H5Dget_type(set);
  const size_t bytes = (size_t)H5Dget_storage_size(set);
  if (bytes > 0 && bytes <= ROOM &&
      H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) {
    for (size_t k = 0; k < size; k++)
      values[(from + k) % bytes] = data[k];
    require(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, "values are written");
  }
  H5Tclose(type);
  H5Dclose(set);
}

static void remove_attribute(hid_t file, uint8_t which) {
  static const char *const attributes[] = {
      "deck", "origin", "q0", "firstEnergy", "maxChargeError", "historyBytes", "fieldsStep"};
  const int k = which % 7;
  (void)H5Adelete_by_name(file, k < 3 ? "/" : "data/2", attributes[k], H5P_DEFAULT);
}

/* The contents changed as the bytes say: a data set, what is done to it, how many bytes follow. */
static const char *change_contents(cw_context *context, const uint8_t *data, size_t size) {
  char path[CW_ARRAY_NAME + 16];
  const char *name = as_file(good, good_size);
  hid_t file = H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT);
  require(file >= 0, "the good file opens");
  for (size_t k = 0; k + 4 <= size;) {
    const size_t count = data[k + 3] % 32 < size - k - 4 ? data[k + 3] % 32 : size - k - 4;
    snprintf(path, sizeof path, "data/2/%s", names[data[k] % name_count]);
    if (data[k + 1] == 255)
      (void)H5Ldelete(file, path, H5P_DEFAULT);
    else if (data[k + 1] == 254)
      remove_attribute(file, data[k + 2]);
    else
      overwrite(file, path, (size_t)data[k + 1] * 256 + data[k + 2], data + k + 4, count);
    k += 4 + count;
  }
  H5Fclose(file);
  require(cw_seal_write(context, name, name, "checkpoint") == CW_OK, "the file is sealed");
  return name;
}

static void use(cw_context *context, const char *path) {
  cw_checkpoint_file file;
  cw_status status = cw_checkpoint_open(context, path, 1, &file);
  check_refusal(context, status);
  if (status != CW_OK)
    return;
  cw_engine *engine = NULL;
  cw_deck *deck = make_deck(context);
  const cw_array_source source = cw_checkpoint_source(&file);
  status = cw_deck_check_same(context, deck, file.deck, path);
  if (status == CW_OK)
    status = cw_engine_restore(context, deck, file.info.step, &source, &engine);
  check_refusal(context, status);
  cw_checkpoint_close(&file);
  if (status == CW_OK)
    check_refusal(context, cw_engine_step(engine));
  cw_engine_destroy(engine);
  cw_deck_destroy(deck);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!good_size)
    make_good();
  if (size < 1 || size > MOST)
    return 0;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  cw_context *context = begin();
  const char *path = data[0] % 4 == 0   ? as_file(data + 1, size - 1)
                     : data[0] % 4 == 1 ? change_bytes(data + 1, size - 1)
                                        : change_contents(context, data + 1, size - 1);
  use(context, path);
  end(context, path);
  return 0;
}
