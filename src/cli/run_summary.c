#include "cli/run_summary.h"

#include <stdio.h>
#include <string.h>

void cw_run_summary_print(const json_t *summary, int deposits) {
#define REAL(key) json_number_value(json_object_get(summary, key))
#define TEXT(key) json_string_value(json_object_get(summary, key))
  printf("%s: %lld steps, t = %g\n", TEXT("name"),
         (long long)json_integer_value(json_object_get(summary, "steps")), REAL("time"));
  printf("  %-16s %lld\n", "particles",
         (long long)json_integer_value(json_object_get(summary, "particles")));
  printf("  %-16s %+.2e of the initial total\n", "energy change", REAL("energy_change"));
  printf("  %-16s %.1e (", "charge error", REAL("charge_error"));
  printf(deposits ? "largest so far of max |div E - rho| / max |rho|)\n"
                  : "no fault: with deposit.enable = false charges make no field)\n");
  printf("  %-16s %.3g M particles/s, %.3g ns a particle and step (", "speed",
         1e-6 * REAL("particles_per_second"), REAL("ns_per_particle"));
  if (strcmp(TEXT("backend"), "cpu") == 0)
    printf("%d threads, %s)\n", (int)REAL("threads"), TEXT("instruction_set"));
  else
    printf("%s)\n", TEXT("device"));
  json_t *stages = json_object_get(summary, "stage_seconds"), *seconds;
  double all = 0;
  const char *name;
  json_object_foreach(stages, name, seconds) all += json_number_value(seconds);
  printf("  %-16s", "time spent");
  json_object_foreach(stages, name, seconds)
      printf(" %s %.0f %%", name, all > 0 ? 100 * json_number_value(seconds) / all : 0);
  printf("\n  %-16s %s\n  %-16s %s\n", "state, sha256", TEXT("sha256"), "results in",
         TEXT("folder"));
#undef REAL
#undef TEXT
}
