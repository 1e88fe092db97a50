#include <cellwise/version.h>

const char *cw_version(void) {
  return CW_VERSION;
}
const char *cw_commit(void) {
  return CW_COMMIT;
}
const char *cw_build_options(void) {
  return CW_BUILD_OPTIONS;
}
