#include "cli/progress.h"

#include <math.h>
#include <unistd.h>

#include "base/context_private.h"

enum { BAR = 30 };

void cw_progress_start(cw_progress *progress, FILE *stream, int64_t first, int64_t total) {
  *progress = (cw_progress){.stream = stream,
                            .terminal = isatty(fileno(stream)),
                            .first = first,
                            .total = total,
                            .shown_step = first,
                            .started = cw_seconds()};
  progress->shown = progress->started;
}

/* "1 h 02 min", "3 min 20 s", "12 s". */
static void duration(double seconds, char *text, int size) {
  if (!(seconds >= 0) || seconds > 1e9)
    snprintf(text, (size_t)size, "unknown");
  else if (seconds < 100)
    snprintf(text, (size_t)size, "%.0f s", seconds);
  else if (seconds < 5400)
    snprintf(text, (size_t)size, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
  else
    snprintf(text, (size_t)size, "%d h %02d min", (int)(seconds / 3600), (int)(seconds / 60) % 60);
}

void cw_progress_update(cw_progress *progress, int64_t step, int64_t particles) {
  double now = cw_seconds(), since = now - progress->shown;
  int last = step >= progress->total;
  if (since < (progress->terminal ? 0.2 : 10.0) && !last)
    return;
  int64_t steps = step - progress->shown_step;
  if (steps < 1)
    return;
  double rate = since > 0 ? (double)steps / since : 0;
  double spent = now - progress->started;
  double mean = spent > 0 ? (double)(step - progress->first) / spent : 0;
  char left[32];
  duration(mean > 0 ? (double)(progress->total - step) / mean : -1, left, sizeof left);
  char bar[BAR + 1];
  int filled = progress->total > 0 ? (int)(step * BAR / progress->total) : BAR;
  for (int k = 0; k < BAR; k++)
    bar[k] = k < filled ? '#' : '.';
  bar[BAR] = 0;
  fprintf(progress->stream, "%s[%s] step %lld/%lld  %.3g steps/s  %.3g M particles/s  %s left%s",
          progress->terminal ? "\r" : "", bar, (long long)step, (long long)progress->total, rate,
          rate * (double)particles * 1e-6, left, progress->terminal ? "\033[K" : "\n");
  fflush(progress->stream);
  progress->shown = now;
  progress->shown_step = step;
}

void cw_progress_end(cw_progress *progress) {
  if (progress->terminal && progress->shown_step > progress->first)
    fprintf(progress->stream, "\n");
  fflush(progress->stream);
}
