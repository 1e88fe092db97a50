#include "cli/run_backend.h"

#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "cli/support.h"

cw_status cw_run_fail_memory(cw_context *context, const cw_deck *deck, const cw_engine_memory *need,
                             double wanted, double available, const char *where) {
  cw_deck_where place = need->fields > available ? cw_deck_written(deck, "grid", "resolution")
                                                 : cw_deck_written(deck, "particles", "ppc0");
  if (place.line == 0) /* a state's file says how many there are */
    place = deck->setup.where;
  return cw_deck_fail(context, deck, place,
                      "the deck needs about %.0f MB (%.0f MB of it for %lld particles, %.0f MB for "
                      "fields); %.0f MB are %s: lower grid.resolution or particles.ppc0",
                      wanted / 1048576, need->particles / 1048576, (long long)need->particle_count,
                      need->fields / 1048576, available / 1048576, where);
}

static cw_status check_memory(cw_context *context, const cw_deck *deck) {
  cw_engine_memory need;
  char where[256] = "available";
  CW_TRY(cw_engine_estimate(context, deck, &need));
  double wanted = need.total, available = (double)cw_memory_available(context, need.space);
  if (need.space == CW_SPACE_DEVICE && wanted <= available) {
    wanted = need.host;
    available = (double)cw_memory_available(context, CW_SPACE_HOST);
    strcpy(where, "available on the host, where the initial state is made");
  } else if (need.space == CW_SPACE_DEVICE) {
    snprintf(where, sizeof where, "free on device %d (%s)", cw_context_device(context),
             cw_cli_device_name(context));
  }
  if (wanted <= available)
    return CW_OK;
  return cw_run_fail_memory(context, deck, &need, wanted, available, where);
}

cw_status cw_run_settle_backend(cw_context *context, const cw_deck *deck, int automatic) {
  cw_status status = cw_engine_check_backend(context, deck);
  if (status == CW_OK)
    status = check_memory(context, deck);
  if (status == CW_OK || !automatic || cw_context_backend(context) == CW_BACKEND_CPU)
    return status;
  cw_log(context, status == CW_ERROR_UNSUPPORTED ? CW_LOG_INFO : CW_LOG_WARNING,
         "the CPU is used: %s", cw_context_message(context));
  cw_context_leave_device(context);
  return check_memory(context, deck);
}
