#include <stddef.h>

#include <cellwise/status.h>

const char *cw_status_name(cw_status status) {
  switch (status) {
#define CW_NAME(name, value, text, survives)                                                       \
  case name:                                                                                       \
    return #name;
    CW_STATUS_LIST(CW_NAME)
#undef CW_NAME
  }
  return "unknown status";
}

const char *cw_status_text(cw_status status) {
  switch (status) {
#define CW_TEXT(name, value, text, survives)                                                       \
  case name:                                                                                       \
    return text;
    CW_STATUS_LIST(CW_TEXT)
#undef CW_TEXT
  }
  return "unknown status";
}

int cw_status_state_survives(cw_status status) {
  switch (status) {
#define CW_SURVIVES(name, value, text, survives)                                                   \
  case name:                                                                                       \
    return survives;
    CW_STATUS_LIST(CW_SURVIVES)
#undef CW_SURVIVES
  }
  return 0;
}
