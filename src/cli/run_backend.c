#include "cli/run_backend.h"

#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "cli/support.h"
#include "engine/engine.h"

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
  return cw_fail(context, CW_ERROR_INPUT,
                 "%s: the deck needs about %.0f MB (%.0f MB of it for %lld particles); %.0f MB are "
                 "%s: lower grid.resolution or particles.ppc0",
                 deck->path, wanted / 1048576, need.particles / 1048576,
                 (long long)need.particle_count, available / 1048576, where);
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
