/* libFuzzer: any bytes as an output file that a run goes on behind: with --resume, and with
 * RESTART. What stays of it is a part of it, and what is written comes behind that. */
#include <string.h>

#include "fuzz_file.h"

#include "molecular/colvar.h"

static long size_of(const char *path) {
  FILE *file = fopen(path, "rb");
  require(file != NULL, "the file stays");
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  fclose(file);
  return size;
}

static void check(const uint8_t *data, size_t size, cw_colvar_mode mode, int64_t record) {
  static const char *const fields[] = {"time", "c"};
  const char *path = as_file(data, size);
  cw_context *context = begin();
  cw_colvar *colvar = NULL;
  const cw_colvar_options options = {
      .mode = mode, .name = path, .fields = fields, .count = 2, .record = record};
  const cw_status status = cw_colvar_open(context, &options, &colvar);
  check_refusal(context, status);
  if (status == CW_OK) {
    require(cw_colvar_records(colvar) >= 0, "records are counted");
    require(strlen(cw_colvar_last_time(colvar)) < size + 1, "a time stands in the file");
    require(cw_colvar_flush(colvar) == CW_OK, "the file can be written");
    require(size_of(path) <= (long)size + 32, "no more than a header is added");
    require(cw_colvar_close(colvar) == CW_OK, "the file can be closed");
  } else {
    require(size_of(path) == (long)size, "a refused file is not touched");
  }
  end(context, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check(data, size, CW_COLVAR_APPEND, 1);
  check(data, size, CW_COLVAR_RESUME, 1);
  check(data, size, CW_COLVAR_RESUME, 3);
  return 0;
}
