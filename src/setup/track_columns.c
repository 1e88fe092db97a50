#include "setup/track_columns.h"

#include <stdio.h>

int cw_track_columns(const cw_deck *deck, int s, char names[CW_TRACK_COLUMNS][CW_TRACK_NAME]) {
  static const char *const vectors[] = {"position", "momentum", NULL, "E", "B"};
  int count = 0;
  for (int v = 0; v < 5; v++) {
    if (!vectors[v])
      snprintf(names[count++], CW_TRACK_NAME, "weighting");
    for (int a = 0; vectors[v] && a < (v == 0 ? deck->grid.dim : 3); a++)
      snprintf(names[count++], CW_TRACK_NAME, "%s/%c", vectors[v], "xyz"[a]);
  }
  for (int k = 0; k < deck->particles.species[s].n_payloads; k++)
    snprintf(names[count++], CW_TRACK_NAME, "payload%d", k + 1);
  return count;
}
