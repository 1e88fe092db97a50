/* Which slots a team sums together: a batch of its tile's slots of every species, numbered through.
 * Each batch takes the same part of each species, whose slots stand in one order of places, so that
 * particles of one node meet in it. Included once a precision. */

/* The slice of this team's tile that is still live. */
static __device__ __forceinline__ void tile_slice(const cw_deposit_device_species &species,
                                                  int64_t *first, int64_t *last) {
  *first = species.tile_offsets[blockIdx.x];
  *last = min(species.tile_offsets[blockIdx.x + 1], species.particles.count);
}

/* A species' arrays in a batch, so moved that the numbers of its slots are their indices. */
template <int DIM> struct batch_species {
  const int32_t *i_prev[DIM], *i[DIM];
  const cw_real *dx_prev[DIM], *dx[DIM], *u[DIM == 2 ? 3 : 1]; /* u: of no use in 3D */
  const cw_real *weight;                                       /* this and tag may be NULL */
  const uint8_t *tag;
  int64_t first; /* the slot of number 0 */
  cw_real scale[3];
};

/* In shared memory. */
template <int DIM> struct slot_batch {
  batch_species<DIM> of[CW_DEPOSIT_TOGETHER];
  int begin[CW_DEPOSIT_TOGETHER + 1]; /* numbers of a species' first slots; ascending */

  __device__ __forceinline__ int slots() const { return begin[CW_DEPOSIT_TOGETHER]; }
  __device__ __forceinline__ int species_of(int number) const {
    int species = 0;
#pragma unroll
    for (int s = 1; s < CW_DEPOSIT_TOGETHER; s++)
      species += number >= begin[s];
    return species;
  }
  __device__ __forceinline__ void find(int number, int *species, int64_t *slot) const {
    *species = species_of(number);
    *slot = of[*species].first + number;
  }
  __device__ __forceinline__ void set(const cw_deposit_device_species &from, int s, int64_t start) {
    const cw_particles_view &view = from.particles;
    batch_species<DIM> &to = of[s];
#pragma unroll
    for (int a = 0; a < DIM; a++) {
      to.i_prev[a] = view.i_prev[a] + start;
      to.i[a] = view.i[a] + start;
      to.dx_prev[a] = (const cw_real *)view.dx_prev[a] + start;
      to.dx[a] = (const cw_real *)view.dx[a] + start;
    }
    to.weight = view.weight ? (const cw_real *)view.weight + start : NULL;
    for (int c = 0; c < 3; c++) {
      if (DIM == 2)
        to.u[DIM == 2 ? c : 0] = (const cw_real *)view.u[c] + start;
      to.scale[c] = (cw_real)from.scale[c];
    }
    to.tag = view.tag ? view.tag + start : NULL;
    to.first = start;
  }
};

/* What is left of the tile's slots. */
struct tile_slots {
  int64_t first, last; /* thread s: of species s */
  int64_t left, parts; /* all: slots of all species, batches that they make */

  /* false: there are none. */
  __device__ __forceinline__ bool start(const cw_deposit_device_job &job) {
    first = last = left = 0;
    for (int s = 0; s < job.species_count; s++) {
      int64_t begin, end;
      tile_slice(job.species[s], &begin, &end);
      left += max(end - begin, (int64_t)0);
      if ((int)threadIdx.x == s) {
        first = begin;
        last = max(begin, end);
      }
    }
    return left > 0;
  }
  /* Batches of about one size and at most `most` slots: a rounding up a species is allowed for. */
  __device__ __forceinline__ void part(int most) {
    most -= CW_DEPOSIT_TOGETHER;
    parts = (left + most - 1) / most;
  }
  /* Sets the next batch; the caller's barrier follows. Slots of species s in it, in thread s. */
  template <int DIM>
  __device__ __forceinline__ int next_batch(const cw_deposit_device_job &job,
                                            slot_batch<DIM> *batch) const {
    __syncthreads(); /* the batch before is done */
    const int s = (int)threadIdx.x;
    if (s >= 32)
      return 0;
    const int take = (int)((last - first + parts - 1) / parts); /* 0 beyond the species */
    int end = take;
#pragma unroll
    for (int step = 1; step < CW_DEPOSIT_TOGETHER; step *= 2) {
      const int below = __shfl_up_sync(~0u, end, step);
      end += s >= step ? below : 0;
    }
    if (s < CW_DEPOSIT_TOGETHER)
      batch->begin[s + 1] = end;
    if (s == 0)
      batch->begin[0] = 0;
    if (s < job.species_count)
      batch->set(job.species[s], s, first - (end - take));
    return take;
  }
  __device__ __forceinline__ void pass(int take, int count) {
    first += take;
    left -= count;
    parts = max(parts - 1, (int64_t)1);
  }
};
