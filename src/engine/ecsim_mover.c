/* Moves all species: fields packed node by node, then blocks of particles. */
#include <inttypes.h>

#include "base/context_private.h"
#include "engine/ecsim_cuda.h"
#include "engine/ecsim_mover_cpu.h"
#include "engine/ecsim_private.h"

static cw_status pack_nodes(cw_engine *engine) {
  const cw_ecsim_state *state = engine->ecsim;
  cw_vector_view E = cw_ecsim_E_particles(state->fields), B = cw_ecsim_B_node(state->fields);
  CW_TRY(cw_engine_add_forces(engine, cw_ecsim_external_time(engine), &E, &B));
  if (engine->space == CW_SPACE_DEVICE) {
    const double *from[2][3];
    for (int c = 0; c < 3; c++)
      from[0][c] = E.component[c], from[1][c] = B.component[c];
    return cw_ecsim_pack_nodes_cuda(engine->context, engine->grid.points, from[0], from[1],
                                    state->nodes);
  }
#pragma omp parallel for schedule(static) if (engine->grid.points > CW_BLOCK)                      \
    num_threads(cw_context_threads(engine->context))
  for (int64_t k = 0; k < engine->grid.points; k++)
    for (int c = 0; c < 3; c++) {
      state->nodes[CW_ECSIM_NODE * k + c] = ((const double *)E.component[c])[k];
      state->nodes[CW_ECSIM_NODE * k + CW_ECSIM_NODE / 2 + c] = ((const double *)B.component[c])[k];
    }
  return CW_OK;
}

static cw_status reserve_faults(cw_engine *engine, int64_t blocks) {
  cw_ecsim_state *state = engine->ecsim;
  if (blocks <= state->fault_blocks)
    return CW_OK;
  CW_DELETE(engine->context, state->faults);
  state->faults = NULL;
  state->fault_blocks = 0;
  CW_TRY(CW_NEW(engine->context, blocks, "faults of the mover", &state->faults));
  state->fault_blocks = blocks;
  return CW_OK;
}

static cw_ecsim_move_job job_of(const cw_engine *engine, int s) {
  const cw_species_state *species = &engine->species[s];
  return (cw_ecsim_move_job){.grid = engine->grid,
                             .particles = cw_particles_get_view(species->particles),
                             .nodes = engine->ecsim->nodes,
                             .beta = cw_ecsim_beta(engine->deck, species->deck),
                             .dt = engine->deck->dt,
                             .gamma = engine->ecsim->gamma[s],
                             .reflect = {cw_ecsim_conductor(engine->deck, 0),
                                         cw_ecsim_conductor(engine->deck, 1),
                                         cw_ecsim_conductor(engine->deck, 2)}};
}

static cw_status reserve_gamma(cw_engine *engine, int s) {
  cw_ecsim_state *state = engine->ecsim;
  const int64_t count = cw_particles_count(engine->species[s].particles);
  if (count <= state->gamma_room[s])
    return CW_OK;
  cw_memory_free(engine->context, engine->space, state->gamma[s]);
  state->gamma[s] = NULL;
  state->gamma_room[s] = 0;
  CW_TRY(cw_memory_alloc(engine->context, engine->space, (size_t)count, sizeof(double),
                         "gamma of particles", (void **)&state->gamma[s]));
  state->gamma_room[s] = count;
  return CW_OK;
}

static cw_status predict_species(cw_engine *engine, int s) {
  const cw_ecsim_mover_table *table =
      CW_ISA_SELECT(cw_ecsim_mover_ops, cw_context_isa(engine->context));
  const int order = engine->deck->algorithms.deposit.shape_order;
  CW_TRY(reserve_gamma(engine, s));
  const cw_ecsim_move_job job = job_of(engine, s);
  const int64_t count = job.particles.count, blocks = cw_block_count(count);
  if (engine->space == CW_SPACE_DEVICE)
    return cw_ecsim_predict_cuda(engine->context, order, &job);
#pragma omp parallel for schedule(static) if (blocks > 1)                                          \
    num_threads(cw_context_threads(engine->context))
  for (int64_t block = 0; block < blocks; block++)
    table->predict[order - 1](&job, block * CW_BLOCK, cw_min_i64((block + 1) * CW_BLOCK, count));
  return CW_OK;
}

cw_status cw_ecsim_predict(cw_engine *engine) {
  CW_TRY(cw_ecsim_feel(engine->ecsim->fields));
  CW_TRY(pack_nodes(engine));
  for (int s = 0; s < engine->species_count; s++)
    CW_TRY(predict_species(engine, s));
  return CW_OK;
}

static cw_status move_species(cw_engine *engine, int s) {
  const cw_species_state *species = &engine->species[s];
  const cw_ecsim_mover_table *table =
      CW_ISA_SELECT(cw_ecsim_mover_ops, cw_context_isa(engine->context));
  const cw_ecsim_move_job job = job_of(engine, s);
  const int64_t count = job.particles.count, blocks = cw_block_count(count);
  const int shape = engine->deck->algorithms.deposit.shape_order - 1;
  if (engine->space == CW_SPACE_DEVICE)
    return cw_ecsim_move_cuda(engine->context, shape + 1, &job);
  CW_TRY(reserve_faults(engine, blocks));
  int64_t *faults = engine->ecsim->faults;
#pragma omp parallel for schedule(static) if (blocks > 1)                                          \
    num_threads(cw_context_threads(engine->context))
  for (int64_t block = 0; block < blocks; block++)
    faults[block] =
        table->move[shape](&job, block * CW_BLOCK, cw_min_i64((block + 1) * CW_BLOCK, count));
  for (int64_t block = 0; block < blocks; block++)
    if (faults[block] >= 0) {
      const int64_t p = faults[block];
      return cw_fail(engine->context, CW_ERROR_NUMERIC,
                     "species '%s', particle %" PRIu64 " moves to a place that is not finite or "
                     "more than 1e9 cells away: its velocity is (%g, %g, %g)",
                     species->deck->label, job.particles.id ? job.particles.id[p] : (uint64_t)p,
                     ((const double *)job.particles.u[0])[p],
                     ((const double *)job.particles.u[1])[p],
                     ((const double *)job.particles.u[2])[p]);
    }
  return CW_OK;
}

cw_status cw_ecsim_move(cw_engine *engine) {
  CW_TRY(pack_nodes(engine));
  for (int s = 0; s < engine->species_count; s++)
    CW_TRY(move_species(engine, s));
  return CW_OK;
}
