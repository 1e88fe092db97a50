/* Members into sorted order: read through the permutation, in as few passes as there is room for.
 *
 * Free arrays take what is gathered: the _prev arrays, whose contents nobody needs after a sort,
 * the owner's spares, and a buffer. A member and a free array then trade places, or, where
 * addresses must stay, the array is copied back; either way the array is free for the next round.
 */
#include "sort/sort_cuda.cuh"

namespace {

enum { CLASSES = 3, MOST_8 = 4, MOST_4 = 6, MOST_1 = 1 };
const size_t class_size[CLASSES] = {8, 4, 1};
const int class_most[CLASSES] = {MOST_8, MOST_4, MOST_1};

template <class T, int MOST> struct columns {
  int count;
  const T *from[MOST];
  T *to[MOST];
};

struct gather_round {
  const uint32_t *permutation;
  const int64_t *alive;
  int64_t count;
  columns<uint64_t, MOST_8> wide;
  columns<uint32_t, MOST_4> words;
  columns<uint8_t, MOST_1> bytes;
};

template <class T, int MOST>
__device__ __forceinline__ void load(const columns<T, MOST> &c, int64_t slot, T value[MOST]) {
#pragma unroll
  for (int m = 0; m < MOST; m++)
    if (m < c.count)
      value[m] = __ldg(&c.from[m][slot]);
}

template <class T, int MOST>
__device__ __forceinline__ void store(const columns<T, MOST> &c, int64_t place,
                                      const T value[MOST]) {
#pragma unroll
  for (int m = 0; m < MOST; m++)
    if (m < c.count)
      c.to[m][place] = value[m];
}

__global__ void __launch_bounds__(CW_THREADS) gather_columns(gather_round round) {
  const int64_t count = min(*round.alive, round.count);
  cw_grid_stride(place, count) {
    const int64_t slot = round.permutation[place];
    uint64_t wide[MOST_8];
    uint32_t words[MOST_4];
    uint8_t bytes[MOST_1];
    load(round.wide, slot, wide);
    load(round.words, slot, words);
    load(round.bytes, slot, bytes);
    store(round.wide, place, wide);
    store(round.words, place, words);
    store(round.bytes, place, bytes);
  }
}

/* Halves of 8-byte items through a buffer of 4 bytes a slot. */
__global__ void __launch_bounds__(CW_THREADS)
    gather_half(const uint32_t *permutation, const int64_t *alive, const uint32_t *from, int half,
                uint32_t *buffer) {
  cw_grid_stride(place, *alive) buffer[place] = from[2 * (int64_t)permutation[place] + half];
}

__global__ void __launch_bounds__(CW_THREADS)
    put_half(const int64_t *alive, const uint32_t *buffer, int half, uint32_t *to) {
  cw_grid_stride(place, *alive) to[2 * place + half] = buffer[place];
}

/* What is left to do: members and free arrays by size, each as the place of its pointer. */
struct plan {
  void **member[CLASSES][CW_MEMBERS], **free[CLASSES][CW_MEMBERS];
  int members[CLASSES], frees[CLASSES], done[CLASSES];
};

struct move {
  void **member, **room; /* room NULL: `buffer` */
  void *buffer;
  size_t size;
};

int class_of(size_t size) {
  return size == 8 ? 0 : size == 4 ? 1 : 2;
}

bool is_prev(int member) {
  return (member >= CW_MEMBER_I_PREV && member < CW_MEMBER_DX) ||
         (member >= CW_MEMBER_DX_PREV && member < CW_MEMBER_U);
}

plan make_plan(void *array[CW_MEMBERS], cw_precision precision, const cw_gather_room *room) {
  plan made = {};
  for (int m = 0; m < CW_MEMBERS; m++) {
    const int c = class_of(cw_member_size(m, precision));
    if (!array[m])
      continue;
    if (is_prev(m) && !room->with_prev)
      made.free[c][made.frees[c]++] = &array[m];
    else
      made.member[c][made.members[c]++] = &array[m];
  }
  static const int spare_class[CW_SPARES] = {0, 2};
  for (int k = 0; room->spare && k < CW_SPARES; k++)
    if (room->spare[k])
      made.free[spare_class[k]][made.frees[spare_class[k]]++] = &room->spare[k];
  return made;
}

/* The next round's moves: of each size as many as there is room for. */
int next_moves(plan *plan, const cw_gather_room *room, int64_t count, move moves[]) {
  int total = 0;
  size_t used = 0;
  for (int c = 0; c < CLASSES; c++)
    for (int taken = 0; taken < class_most[c] && plan->done[c] < plan->members[c]; taken++) {
      move next = {plan->member[c][plan->done[c]], NULL, NULL, class_size[c]};
      if (taken < plan->frees[c]) {
        next.room = plan->free[c][taken];
      } else if (used + class_size[c] <= room->bytes) {
        next.buffer = (char *)room->buffer + used * (size_t)count;
        used += class_size[c];
      } else {
        break;
      }
      plan->done[c]++;
      moves[total++] = next;
    }
  return total;
}

template <class T, int MOST> void add_column(columns<T, MOST> *columns, const move &m) {
  columns->from[columns->count] = (const T *)*m.member;
  columns->to[columns->count++] = (T *)(m.room ? *m.room : m.buffer);
}

cw_status run_moves(cw_context *context, gather_round round, const move *moves, int total,
                    bool trade) {
  for (int k = 0; k < total; k++)
    if (moves[k].size == 8)
      add_column(&round.wide, moves[k]);
    else if (moves[k].size == 4)
      add_column(&round.words, moves[k]);
    else
      add_column(&round.bytes, moves[k]);
  CW_CUDA_LAUNCH(context, gather_columns, cw_cuda_blocks(context, round.count, CW_THREADS),
                 CW_THREADS, 0, round);
  for (int k = 0; k < total; k++) {
    const move &m = moves[k];
    if (trade && m.room) {
      void *gathered = *m.room;
      *m.room = *m.member;
      *m.member = gathered;
    } else {
      CW_TRY(cw_device_copy_within(context, *m.member, m.room ? *m.room : m.buffer,
                                   (size_t)round.count * m.size));
    }
  }
  return CW_OK;
}

cw_status move_halves(cw_context *context, const gather_round &round, void *array, void *buffer) {
  const unsigned blocks = cw_cuda_blocks(context, round.count, CW_THREADS);
  for (int half = 0; half < 2; half++) {
    CW_CUDA_LAUNCH(context, gather_half, blocks, CW_THREADS, 0, round.permutation, round.alive,
                   (const uint32_t *)array, half, (uint32_t *)buffer);
    CW_CUDA_LAUNCH(context, put_half, blocks, CW_THREADS, 0, round.alive, (const uint32_t *)buffer,
                   half, (uint32_t *)array);
  }
  return CW_OK;
}

} // namespace

cw_status cw_sort_gather_members(cw_context *context, cw_particles_view *particles,
                                 const uint32_t *permutation, const int64_t *alive,
                                 const cw_gather_room *room) {
  void *array[CW_MEMBERS];
  move moves[MOST_8 + MOST_4 + MOST_1];
  cw_member_arrays(particles, array);
  gather_round round = {};
  round.permutation = permutation;
  round.alive = alive;
  round.count = particles->count;
  plan plan = make_plan(array, particles->precision, room);
  cw_status status = CW_OK;
  int total;
  while (status == CW_OK && (total = next_moves(&plan, room, round.count, moves)) > 0)
    status = run_moves(context, round, moves, total, room->spare != NULL);
  for (int k = plan.done[0]; status == CW_OK && k < plan.members[0]; k++) /* wide, without room */
    status = move_halves(context, round, *plan.member[0][k], room->buffer);
  cw_member_set_arrays(particles, array);
  return status;
}

namespace {

template <class T>
__global__ void __launch_bounds__(CW_THREADS)
    gather_items(int64_t count, const uint32_t *permutation, const T *source, T *destination) {
  cw_grid_stride(place, count) destination[place] = source[permutation[place]];
}

template <class T>
cw_status launch_gather(cw_context *context, int64_t count, const uint32_t *permutation,
                        const void *source, void *destination) {
  CW_CUDA_LAUNCH_NAMED(context, "gather_items", gather_items<T>,
                       cw_cuda_blocks(context, count, CW_THREADS), CW_THREADS, 0, count,
                       permutation, (const T *)source, (T *)destination);
  return CW_OK;
}

} // namespace

cw_status cw_cells_gather_device(cw_context *context, int64_t count, const uint32_t *permutation,
                                 size_t item_size, const void *source, void *destination) {
  if (count <= 0)
    return count == 0 ? CW_OK
                      : cw_fail(context, CW_ERROR_ARGUMENT,
                                "gather: count is %lld; expected 0 or more", (long long)count);
  switch (item_size) {
  case 1:
    return launch_gather<uint8_t>(context, count, permutation, source, destination);
  case 2:
    return launch_gather<uint16_t>(context, count, permutation, source, destination);
  case 4:
    return launch_gather<uint32_t>(context, count, permutation, source, destination);
  case 8:
    return launch_gather<uint64_t>(context, count, permutation, source, destination);
  default:
    return cw_fail(context, CW_ERROR_ARGUMENT, "gather: items of %zu bytes; expected 1, 2, 4 or 8",
                   item_size);
  }
}
