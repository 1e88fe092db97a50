/* The binomial filter on a device. P passes of (1/4, 1/2, 1/4) are one convolution with weights
 * C(2 P, P + e) / 4^P, |e| <= P, since beyond the box stands what an unbounded line would hold.
 *
 * Up to HALO passes in two or three dimensions, in one sweep: a block owns TILE x TILE columns and
 * marches along axis 2. Each plane, with its halo, goes to shared memory and is filtered along axis
 * 0 and then 1; axis 2 is summed over a queue of planes in registers. Out of place:
 *
 *     for planes z:  in -> raw[tile + halo]^2 -> along 0 -> mid -> along 1 -> queue -> along 2 ->
 * out
 *
 * Otherwise axis by axis. */
#include <math.h>

#include "fields/fields_cuda.cuh"

namespace {

enum { TILE = 32, HALO = 4, WIDE = TILE + 2 * HALO, ROWS = TILE / CW_BOX_Y, CHUNK = 32 };
enum { MAX_TAPS = 256 };
static_assert((int)TILE == (int)CW_BOX_X && (int)CW_THREADS == CW_BOX_X * CW_BOX_Y,
              "one thread a column of the tile");

const dim3 box_threads(CW_BOX_X, CW_BOX_Y);

/* Weights 0 to `taps`; those below 1e-20 of the first are left out. */
struct taps_of {
  int count;
  double weight[MAX_TAPS + 1];
};

taps_of make_taps(int passes) {
  const double negligible = 1e-20;
  taps_of made = {};
  double weight = 1;
  for (int k = 1; k <= passes; k++)
    weight *= (2.0 * k - 1) / (2.0 * k); /* C(2 k, k) / 4^k */
  made.weight[0] = weight;
  for (int e = 1; e <= passes && e <= MAX_TAPS; e++) {
    weight *= (double)(passes - e + 1) / (passes + e);
    if (weight < negligible * made.weight[0])
      break;
    made.weight[e] = weight;
    made.count = e;
  }
  return made;
}

template <class real> struct tile_job {
  int64_t offset, stride1, stride2;
  int32_t first[3], last[3];
  cw_axis_rule rule[3];
  real weight[HALO + 1];
};

/* Where the values of one axis of a tile come from, in shared memory. */
struct tile_map {
  int32_t from[WIDE];
  int sign[WIDE];
};

__device__ void make_map(tile_map *map, const cw_axis_rule *rule, int32_t lowest, int thread) {
  if (thread < WIDE)
    map->from[thread] = cw_axis_image(rule, lowest + thread, &map->sign[thread]);
}

/* The sum about value[HALO], values `step` apart. */
template <class real, int step>
__device__ inline real convolve(const real *weight, const real *value) {
  real sum = weight[0] * value[HALO * step];
#pragma unroll
  for (int e = 1; e <= HALO; e++)
    sum += weight[e] * (value[(HALO - e) * step] + value[(HALO + e) * step]);
  return sum;
}

template <class real, int dim>
__global__ void __launch_bounds__(CW_THREADS)
    filter_tile(const __grid_constant__ tile_job<real> job, const real *__restrict__ in,
                real *__restrict__ out) {
  __shared__ real raw[WIDE][WIDE], mid[WIDE][TILE];
  __shared__ tile_map map_x, map_y;
  constexpr int reach = dim == 3 ? HALO : 0;
  const int x = threadIdx.x, y = threadIdx.y, thread = y * TILE + x;
  const int32_t x0 = job.first[0] + (int32_t)blockIdx.x * TILE;
  const int32_t y0 = job.first[1] + (int32_t)blockIdx.y * TILE;
  const int32_t z0 = job.first[2] + (int32_t)blockIdx.z * CHUNK;
  const int32_t z1 = min(z0 + CHUNK - 1, job.last[2]);
  real queue[ROWS][2 * HALO + 1] = {};
  make_map(&map_x, &job.rule[0], x0 - HALO, thread);
  make_map(&map_y, &job.rule[1], y0 - HALO, thread);
  __syncthreads();
  for (int32_t z = z0 - reach; z <= z1 + reach; z++) {
    int sign_z = 1;
    const int32_t from_z = dim == 3 ? cw_axis_image(&job.rule[2], z, &sign_z) : z;
    const real *plane = in + job.offset + from_z * job.stride2;
    for (int t = thread; t < WIDE * WIDE; t += CW_THREADS) {
      int v = t / WIDE, u = t % WIDE, sign = sign_z * map_y.sign[v] * map_x.sign[u];
      raw[v][u] = sign ? (real)sign * plane[map_y.from[v] * job.stride1 + map_x.from[u]] : (real)0;
    }
    __syncthreads();
    for (int v = y; v < WIDE; v += CW_BOX_Y)
      mid[v][x] = convolve<real, 1>(job.weight, &raw[v][x]);
    __syncthreads(); /* the next plane's mid is written only after its own first barrier */
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int row = y * ROWS + r;
      real value = convolve<real, TILE>(job.weight, &mid[row][x]);
      int32_t to_z = z;
      if (dim == 3) {
#pragma unroll
        for (int q = 0; q < 2 * HALO; q++)
          queue[r][q] = queue[r][q + 1];
        queue[r][2 * HALO] = value;
        value = convolve<real, 1>(job.weight, queue[r]);
        to_z = z - HALO;
      }
      if (to_z >= z0 && x0 + x <= job.last[0] && y0 + row <= job.last[1])
        out[job.offset + x0 + x + (y0 + row) * job.stride1 + to_z * job.stride2] = value;
    }
  }
}

template <class real>
cw_status launch_tile(cw_context *context, const cw_filter_box *box, const taps_of *taps,
                      const void *in, void *out) {
  tile_job<real> job = {};
  const cw_grid *grid = box->grid;
  job.offset = grid->offset;
  job.stride1 = grid->stride[1];
  job.stride2 = grid->stride[2];
  for (int a = 0; a < 3; a++) {
    job.first[a] = box->first[a];
    job.last[a] = box->last[a];
    job.rule[a] = box->rule[a];
  }
  for (int e = 0; e <= HALO; e++)
    job.weight[e] = (real)taps->weight[e];
  const dim3 blocks((unsigned)((job.last[0] - job.first[0]) / TILE + 1),
                    (unsigned)((job.last[1] - job.first[1]) / TILE + 1),
                    (unsigned)((job.last[2] - job.first[2]) / CHUNK + 1));
  if (grid->dim == 3)
    CW_CUDA_LAUNCH_NAMED(context, "filter", (filter_tile<real, 3>), blocks, box_threads, 0, job,
                         (const real *)in, (real *)out);
  else
    CW_CUDA_LAUNCH_NAMED(context, "filter", (filter_tile<real, 2>), blocks, box_threads, 0, job,
                         (const real *)in, (real *)out);
  return CW_OK;
}

struct axis_job {
  cw_box_cells box;
  int axis;
  int32_t first, last;
  int64_t stride;
  cw_axis_rule rule;
  taps_of taps;
};

template <class real> __device__ double value_at(const axis_job &job, const real *line, int32_t i) {
  int sign = 1;
  if (i < job.first || i > job.last)
    i = cw_axis_image(&job.rule, i, &sign);
  return sign ? sign * (double)line[i * job.stride] : 0.0;
}

template <class real>
__global__ void __launch_bounds__(CW_THREADS)
    filter_axis(const __grid_constant__ axis_job job, const real *__restrict__ in,
                real *__restrict__ out) {
  cw_box_loop(job.box, i, j, k) {
    const int64_t at = cw_box_at(job.box, i, j, k);
    const int32_t along = job.first + (job.axis == 0 ? i : job.axis == 1 ? j : k);
    const real *line = in + at - along * job.stride;
    double sum = job.taps.weight[0] * (double)in[at];
    for (int e = 1; e <= job.taps.count; e++)
      sum += job.taps.weight[e] * (value_at(job, line, along - e) + value_at(job, line, along + e));
    out[at] = (real)sum;
  }
}

template <class real>
cw_status launch_axis(cw_context *context, const cw_filter_box *box, int axis, const taps_of *taps,
                      const void *in, void *out) {
  axis_job job = {};
  const int32_t end[3] = {box->last[0] + 1, box->last[1] + 1, box->last[2] + 1};
  job.box = cw_fields_box(box->grid, box->first, end);
  job.axis = axis;
  job.first = box->first[axis];
  job.last = box->last[axis];
  job.stride = box->grid->stride[axis];
  job.rule = box->rule[axis];
  job.taps = *taps;
  CW_CUDA_LAUNCH_NAMED(context, "filter along an axis", filter_axis<real>,
                       cw_fields_box_blocks(&job.box), box_threads, 0, job, (const real *)in,
                       (real *)out);
  return CW_OK;
}

template <class real>
cw_status sweep(cw_context *context, const cw_filter_box *box, int passes, void **from, void **to) {
  const taps_of taps = make_taps(passes);
  const int dim = box->grid->dim, at_once = dim > 1 && passes <= HALO;
  for (int axis = 0; axis < (at_once ? 1 : dim); axis++) {
    CW_TRY(at_once ? launch_tile<real>(context, box, &taps, *from, *to)
                   : launch_axis<real>(context, box, axis, &taps, *from, *to));
    void *swap = *from;
    *from = *to;
    *to = swap;
  }
  return CW_OK;
}

} // namespace

cw_status cw_filter_device(cw_context *context, const cw_filter_box *box, cw_precision precision,
                           int passes, void **from, void **to) {
  return precision == CW_DOUBLE ? sweep<double>(context, box, passes, from, to)
                                : sweep<float>(context, box, passes, from, to);
}

cw_status cw_fields_device_filter(cw_fields *fields, const cw_fields_kind *kind,
                                  cw_precision precision, void **array, int passes) {
  const size_t bytes = (size_t)fields->grid.points * (size_t)cw_precision_size(precision);
  cw_filter_box box = {};
  int of_J = 0;
  box.grid = &fields->grid;
  for (int a = 0; a < 3; a++) {
    cw_fields_own_range(fields, kind, a, &box.first[a], &box.last[a]);
    box.rule[a] = cw_fields_axis_rule(fields, kind, a);
    of_J |= *array == fields->J[a];
  }
  if (!of_J)
    CW_TRY(cw_fields_grow_work(fields, bytes));
  else if (!fields->spare)
    CW_TRY(cw_memory_alloc(fields->context, CW_SPACE_DEVICE, bytes, 1, "filtered current",
                           &fields->spare));
  void *from = *array, *to = of_J ? fields->spare : fields->work;
  CW_TRY(cw_filter_device(fields->context, &box, precision, passes, &from, &to));
  if (from == *array)
    return CW_OK;
  if (!of_J)
    return cw_device_copy_within(fields->context, *array, from, bytes);
  fields->spare = *array;
  *array = from;
  return CW_OK;
}
