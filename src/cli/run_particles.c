#include "cli/run_particles.h"

#include <string.h>

#include "base/context_private.h"
#include "cli/run_units.h"
#include "engine/sample.h"

/* The species of one file. */
typedef struct species_list {
  int count;
  char name[CW_DECK_MAX_SPECIES][2 * CW_DECK_NAME];
  cw_sample sample[CW_DECK_MAX_SPECIES];
  cw_output_species out[CW_DECK_MAX_SPECIES];
} species_list;

static cw_status add(cw_engine *engine, const cw_deck *deck, int s, const cw_selection *selection,
                     species_list *list) {
  const cw_deck_species *species = &deck->particles.species[s];
  const int n = list->count, ecsim = deck->simulation.engine == CW_ENGINE_ECSIM;
  cw_sample *sample = &list->sample[n];
  cw_output_species *out = &list->out[n];
  CW_TRY(cw_sample_take(engine, s, deck->output.particles.stride, selection, sample));
  list->count++;
  cw_deck_record_label(species->label, list->name[n]);
  *out = (cw_output_species){.name = list->name[n],
                             .dim = deck->grid.dim,
                             .count = sample->count,
                             .precision = deck->simulation.precision,
                             .weight = sample->weight,
                             .id = sample->id,
                             .mass = species->mass,
                             .charge = species->charge,
                             .shape_order = deck->algorithms.deposit.shape_order,
                             .deposition = ecsim                                  ? "ECSIM"
                                           : deck->algorithms.deposit.shape_order ? "Esirkepov"
                                                                                  : "Zigzag",
                             .push = ecsim ? "ECSIM" : cw_pusher_name(species->pusher),
                             .length_SI = deck->output.length_SI,
                             .momentum_SI = cw_run_momentum_SI(),
                             .mass_SI = cw_run_mass_SI(),
                             .charge_SI = cw_run_charge_SI()};
  memcpy(out->x, sample->x, sizeof out->x);
  memcpy(out->u, sample->u, sizeof out->u);
  memcpy(out->payload, sample->payload, sizeof out->payload);
  out->n_payloads = species->n_payloads;
  return CW_OK;
}

cw_status cw_run_particles_write(cw_context *context, const cw_deck *deck, const char *folder,
                                 cw_engine *engine) {
  species_list *list = NULL;
  cw_selection *selection = NULL;
  const cw_output_time when = cw_run_time(deck, engine);
  cw_status status = CW_OK;
  CW_TRY(CW_NEW(context, 1, "list of species", &list));
  CW_TRY_CLEANUP(status, cw_selection_create(context, deck, &selection));
  for (int s = 0; s < deck->particles.species_count; s++)
    if (deck->output.particles.chosen & 1u << s)
      CW_TRY_CLEANUP(status, add(engine, deck, s, selection, list));
  status = cw_output_write_particles(context, folder, deck, &when, list->out, list->count);
cleanup:
  for (int n = 0; n < list->count; n++)
    cw_sample_clear(context, &list->sample[n]);
  cw_selection_destroy(selection);
  CW_DELETE(context, list);
  return status;
}
