/* What the fuzz targets of files share: bytes as a file, claims, a context that must end empty. */
#ifndef CW_TESTS_FUZZ_FILE_H
#define CW_TESTS_FUZZ_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(int truth, const char *claim) {
  if (truth)
    return;
  fprintf(stderr, "broken claim: %s\n", claim);
  abort();
}

/* Writes the bytes to a file of this process' own, and says where it is. */
static inline const char *as_file(const uint8_t *data, size_t size) {
  static char path[64];
  if (!path[0])
    snprintf(path, sizeof path, "/tmp/cellwise_fuzz_%ld", (long)getpid());
  FILE *file = fopen(path, "wb");
  require(file != NULL, "a file can be written");
  require(fwrite(data, 1, size, file) == size, "a file can be written");
  require(fclose(file) == 0, "a file can be written");
  return path;
}

static inline cw_context *begin(void) {
  const cw_context_options options = {.backend = CW_BACKEND_CPU, .threads = 1};
  cw_context *context;
  require(cw_context_create(&options, &context, NULL, 0) == CW_OK, "a context is made");
  return context;
}

static inline void end(cw_context *context, const char *path) {
  unlink(path);
  require(cw_memory_used(context, CW_SPACE_HOST) == 0, "nothing stays allocated");
  cw_context_destroy(context);
}

/* A refusal says why. */
static inline void check_refusal(const cw_context *context, cw_status status) {
  if (status != CW_OK)
    require(cw_context_message(context)[0] != '\0', "a refusal has a message");
}

#endif
