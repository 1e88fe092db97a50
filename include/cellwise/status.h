/* Result codes of every fallible function of cellwise. */
#ifndef CELLWISE_STATUS_H
#define CELLWISE_STATUS_H

#include <cellwise/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The one list of codes: X(name, value, text, state_survives).
 * state_survives is 1 when the object that the call was given is unchanged by the failure. */
#define CW_STATUS_LIST(X)                                                                          \
  X(CW_OK, 0, "success", 1)                                                                        \
  X(CW_ERROR_ARGUMENT, 1, "an argument is out of its range", 1)                                    \
  X(CW_ERROR_INPUT, 2, "the input (deck, file, option) is wrong", 1)                               \
  X(CW_ERROR_MEMORY, 3, "not enough memory", 1)                                                    \
  X(CW_ERROR_IO, 4, "a file could not be read or written", 1)                                      \
  X(CW_ERROR_FORMAT, 5, "a file is not in the format that it should have", 1)                      \
  X(CW_ERROR_UNSUPPORTED, 6, "the request is outside what this build or backend supports", 1)      \
  X(CW_ERROR_STALE, 7, "a derived table is older than the data that it was built from", 1)         \
  X(CW_ERROR_NUMERIC, 8, "the computation produced a value that is not finite", 0)                 \
  X(CW_ERROR_DEVICE, 9, "the device reported a failure", 0)                                        \
  X(CW_ERROR_INTERRUPTED, 10, "interrupted by the user", 1)                                        \
  X(CW_ERROR_INTERNAL, 11, "a fault inside cellwise: please report it", 0)

/* What a fallible function returns: CW_OK, or why it failed; the context has the particulars. */
typedef enum cw_status {
#define CW_STATUS_ENUM(name, value, text, survives) name = value,
  CW_STATUS_LIST(CW_STATUS_ENUM)
#undef CW_STATUS_ENUM
} cw_status;

/* Name ("CW_ERROR_INPUT") and one-line text of a code; "unknown status" for a foreign value. */
CW_API const char *cw_status_name(cw_status status);
CW_API const char *cw_status_text(cw_status status);
/* 1 when the object passed to the failing call is still as it was before the call. */
CW_API int cw_status_state_survives(cw_status status);

#ifdef __cplusplus
}
#endif
#endif
