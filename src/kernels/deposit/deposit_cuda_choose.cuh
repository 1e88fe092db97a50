/* Which kernel of deposit_cuda_kernels.cuh does a job, and with what team. Included once a
 * precision. */

static size_t arena_of_tile(const void *user, int tile) {
  return cw_deposit_arena_bytes((const cw_deposit_arena *)user, tile);
}

static cw_status launch_teams(cw_context *context, const cw_deposit_device_job *job,
                              const char *name, void (*kernel)(cw_deposit_device_job),
                              const cw_deposit_arena *arena, int team_size) {
  const cw_team_request request = {name,
                                   (const void *)kernel,
                                   (int64_t)job->tiles[0] * job->tiles[1] * job->tiles[2],
                                   team_size,
                                   arena_of_tile(arena, job->tile),
                                   job->tile,
                                   arena_of_tile,
                                   arena};
  cw_team_launch launch;
  CW_TRY(cw_team_prepare(context, &request, &launch));
  CW_CUDA_LAUNCH_NAMED(context, name, kernel, dim3(launch.teams, arena->components == 3 ? 1 : 3),
                       launch.threads, launch.arena, *job);
  return CW_OK;
}

template <int DIM, class Sink>
static cw_status launch_flat(cw_context *context, const cw_deposit_device_job *job) {
  const int64_t count = job->last - job->first;
  if (count <= 0)
    return CW_OK;
  CW_CUDA_LAUNCH_NAMED(context, "deposit_flat", (deposit_flat<DIM, Sink>),
                       cw_cuda_blocks(context, count, CW_THREADS), CW_THREADS, 0, *job);
  return CW_OK;
}

/* The particles of a flat pass by the kernel that adds the same bits as a kernel of runs. */
template <int DIM, class Mode>
static cw_status launch_flat_window(cw_context *context, const cw_deposit_device_job *job) {
  const int64_t count = job->last - job->first;
  if (count <= 0)
    return CW_OK;
  void (*kernel)(cw_deposit_device_job) = job->order == 1   ? deposit_flat_window<DIM, 1, Mode>
                                          : job->order == 2 ? deposit_flat_window<DIM, 2, Mode>
                                                            : deposit_flat_window<DIM, 3, Mode>;
  CW_CUDA_LAUNCH_NAMED(context, "deposit_flat_window", kernel,
                       cw_cuda_blocks(context, count, CW_THREADS), CW_THREADS, 0, *job);
  return CW_OK;
}

#if CW_REAL_IS_DOUBLE
typedef cw_mode_rounded<double> mode_64;
#else
typedef cw_mode_product mode_64;
#endif

template <int DIM>
static cw_status launch_flat_runs(cw_context *context, const cw_deposit_device_job *job) {
#if !CW_REAL_IS_DOUBLE
  if (job->scratch_bits == 32)
    return launch_flat_window<DIM, cw_mode_rounded<float>>(context, job);
#endif
  return launch_flat_window<DIM, mode_64>(context, job);
}

cw_status CW_REAL_NAME(cw_deposit_cuda_flat)(cw_context *context,
                                             const cw_deposit_device_job *job) {
  if (job->runs && job->quanta)
    return job->dim == 2 ? launch_flat_runs<2>(context, job) : launch_flat_runs<3>(context, job);
#if !CW_REAL_IS_DOUBLE
  if (job->wide)
    return job->dim == 1   ? launch_flat<1, double>(context, job)
           : job->dim == 2 ? launch_flat<2, double>(context, job)
                           : launch_flat<3, double>(context, job);
#endif
  switch (job->dim * 2 + (job->quanta != NULL)) {
  case 2:
    return launch_flat<1, cw_real>(context, job);
  case 3:
    return launch_flat<1, int64_t>(context, job);
  case 4:
    return launch_flat<2, cw_real>(context, job);
  case 5:
    return launch_flat<2, int64_t>(context, job);
  case 6:
    return launch_flat<3, cw_real>(context, job);
  default:
    return launch_flat<3, int64_t>(context, job);
  }
}

/* A lane a particle: three components at once, or one if the scratch of three does not fit, or none
 * if not even one does. */
template <class Scratch>
static cw_status launch_lanes_of(cw_context *context, const cw_deposit_device_job *job,
                                 void (*kernel)(cw_deposit_device_job), int team, int *fits) {
  const size_t limit = cw_device_opened(context)->shared_per_block;
  cw_deposit_arena arena = {job->dim, job->order, job->edge - job->tile, sizeof(Scratch), 0, 0,
                            3,        0};
  if (arena_of_tile(&arena, job->tile) > limit)
    arena.components = 1;
  *fits = arena_of_tile(&arena, job->tile) <= limit;
  return *fits ? launch_teams(context, job, "deposit_tile", kernel, &arena, team) : CW_OK;
}

template <int DIM, class Scratch>
static cw_status launch_lanes(cw_context *context, const cw_deposit_device_job *job, int team,
                              int *fits) {
  static void (*const kernels[])(cw_deposit_device_job) = {
      deposit_tile<DIM, 0, Scratch>, deposit_tile<DIM, 1, Scratch>, deposit_tile<DIM, 2, Scratch>,
      deposit_tile<DIM, 3, Scratch>, deposit_tile<DIM, -1, Scratch>};
  return launch_lanes_of<Scratch>(context, job, kernels[job->order < 4 ? job->order : 4], team,
                                  fits);
}

/* Warps of a team that keep the most warps resident, each with its stage beside the team's scratch;
 * of equals the fewest: while some teams wait at a barrier, others work. So a single team has to have
 * a quarter more warps than several have. */
static cw_status choose_warps(cw_context *context, void (*kernel)(cw_deposit_device_job), int tile,
                              cw_deposit_arena *arena) {
  const size_t limit = cw_device_opened(context)->shared_per_block - CW_DEPOSIT_OWN_SHARED;
  const int most = cw_deposit_largest_staged_team(CW_REAL_IS_DOUBLE) / 32;
  int best = 0, chosen;
  arena->warps = 4;
  if (cw_deposit_arena_bytes(arena, tile) > limit)
    arena->warps = 1;
  chosen = arena->warps;
  CW_CUDA_TRY(context, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            (int)limit));
  for (; arena->warps <= most && cw_deposit_arena_bytes(arena, tile) <= limit; arena->warps++) {
    int teams = 0;
    CW_CUDA_TRY(context,
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&teams, kernel, 32 * arena->warps,
                                                              cw_deposit_arena_bytes(arena, tile)));
    const int worth = cw_deposit_worth(teams, arena->warps);
    if (worth <= best)
      continue;
    best = worth;
    chosen = arena->warps;
  }
  arena->warps = chosen;
  return CW_OK;
}

template <int DIM, int ORDER, class Mode>
static cw_status launch_runs_of(cw_context *context, const cw_deposit_device_job *job, int team,
                                int *fits) {
  const size_t limit = cw_device_opened(context)->shared_per_block - CW_DEPOSIT_OWN_SHARED;
  cw_deposit_device_job padded = *job;
  padded.pad = cw_deposit_pad(DIM, ORDER, job->edge);
  cw_deposit_arena arena = {job->dim,
                            ORDER,
                            job->edge - job->tile,
                            sizeof(typename Mode::Scratch),
                            run_shape<DIM, ORDER, Mode>::bytes,
                            1,
                            3,
                            padded.pad};
  *fits = cw_deposit_arena_bytes(&arena, job->tile) <= limit;
  if (!*fits)
    return CW_OK;
  if (team == 0)
    CW_TRY(choose_warps(context, deposit_runs<DIM, ORDER, Mode>, job->tile, &arena));
  else
    arena.warps =
        (int)cw_min_i64((team + 31) / 32, cw_deposit_largest_staged_team(CW_REAL_IS_DOUBLE) / 32);
  while (cw_deposit_arena_bytes(&arena, job->tile) > limit)
    arena.warps--;
  return launch_teams(context, &padded, "deposit_runs", deposit_runs<DIM, ORDER, Mode>, &arena,
                      32 * arena.warps);
}

template <int DIM, class Mode>
static cw_status launch_runs(cw_context *context, const cw_deposit_device_job *job, int team,
                             int *fits) {
  switch (job->order) {
  case 1:
    return launch_runs_of<DIM, 1, Mode>(context, job, team, fits);
  case 2:
    return launch_runs_of<DIM, 2, Mode>(context, job, team, fits);
  default:
    return launch_runs_of<DIM, 3, Mode>(context, job, team, fits);
  }
}

template <int DIM>
static cw_status launch_tiled(cw_context *context, const cw_deposit_device_job *job, int team,
                              int *fits) {
  if constexpr (DIM > 1) {
    if (job->runs && !job->quanta)
      return launch_runs<DIM, cw_mode_real<cw_real>>(context, job, team, fits);
#if !CW_REAL_IS_DOUBLE
    if (job->runs && job->scratch_bits == 32)
      return launch_runs<DIM, cw_mode_rounded<float>>(context, job, team, fits);
#endif
    if (job->runs)
      return launch_runs<DIM, mode_64>(context, job, team, fits);
  }
#if !CW_REAL_IS_DOUBLE
  if (job->wide)
    return launch_lanes_of<double>(context, job, deposit_tile<DIM, -1, double>, team, fits);
#endif
  return job->quanta ? launch_lanes<DIM, int64_t>(context, job, team, fits)
                     : launch_lanes<DIM, cw_real>(context, job, team, fits);
}

cw_status CW_REAL_NAME(cw_deposit_cuda_tiled)(cw_context *context, const cw_deposit_device_job *job,
                                              int team, int *fits) {
  switch (job->dim) {
  case 1:
    return launch_tiled<1>(context, job, team, fits);
  case 2:
    return launch_tiled<2>(context, job, team, fits);
  default:
    return launch_tiled<3>(context, job, team, fits);
  }
}
