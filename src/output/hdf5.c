#include <string.h>

#include "output/output_private.h"

cw_h5_silence cw_h5_silence_begin(void) {
  cw_h5_silence silence = {0};
  H5Eget_auto2(H5E_DEFAULT, &silence.function, &silence.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return silence;
}

void cw_h5_silence_end(cw_h5_silence silence) {
  H5Eset_auto2(H5E_DEFAULT, silence.function, silence.data);
}

/* The deepest entry comes first: it holds the operating system's reason, if there is one. */
static herr_t keep_first(unsigned number, const H5E_error2_t *error, void *reason) {
  if (number == 0 && error->desc)
    snprintf(reason, 256, "%s", error->desc);
  return 0;
}

/* HDF5 says "..., errno = 28, error message = 'No space left on device', buf = ...". */
static void keep_system_message(char *reason) {
  static const char mark[] = "error message = '";
  char *start = strstr(reason, mark);
  if (!start)
    return;
  start += sizeof mark - 1;
  char *end = strchr(start, '\'');
  if (!end)
    return;
  *end = '\0';
  memmove(reason, start, strlen(start) + 1);
}

cw_status cw_h5_fail(cw_context *context, const char *path, const char *operation) {
  char reason[256] = "";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, reason);
  keep_system_message(reason);
  return cw_fail(context, CW_ERROR_IO, "%s: %s failed: %s", path, operation,
                 reason[0] ? reason : "HDF5 gives no reason");
}
