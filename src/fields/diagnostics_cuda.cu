/* Diagnostics on a device. A sum is formed by a fixed number of blocks, each over fixed rows, and
 * then over the blocks, by fixed trees: the same bits on every run and every device. */
#include "fields/fields_cuda.cuh"

namespace {

enum { PARTS = 1024, QUANTITIES = 3 };

template <class real> struct vector_of { const real *component[3]; };

template <class real> vector_of<real> vector_on(void *const component[3]) {
  vector_of<real> made;
  for (int a = 0; a < 3; a++)
    made.component[a] = (const real *)component[a];
  return made;
}

/* parts[q][PARTS] -> results[q], one block a quantity. */
template <class op>
__global__ void __launch_bounds__(CW_THREADS) over_parts(const double *parts, double *results) {
  const double *mine = parts + blockIdx.x * PARTS;
  double value = 0;
  for (int p = threadIdx.x; p < PARTS; p += CW_THREADS)
    value = op::of(value, mine[p]);
  value = cw_over_block<op>(value, threadIdx.x);
  if (threadIdx.x == 0)
    results[blockIdx.x] = value;
}

/* Rows of a box, dealt to blocks of CW_BOX_X x CW_BOX_Y threads. */
#define row_loop(box, row)                                                                         \
  for (int64_t row = (int64_t)blockIdx.x * CW_BOX_Y + threadIdx.y;                                 \
       row < (int64_t)(box).count[1] * (box).count[2]; row += (int64_t)PARTS * CW_BOX_Y)

__device__ inline int64_t row_start(const cw_box_cells &box, int64_t row) {
  return cw_box_at(box, 0, (int32_t)(row % box.count[1]), (int32_t)(row / box.count[1]));
}

template <class real> __device__ double square(const vector_of<real> &v, int64_t at) {
  double x = v.component[0][at], y = v.component[1][at], z = v.component[2][at];
  return x * x + y * y + z * z;
}

template <class real>
__global__ void __launch_bounds__(CW_THREADS)
    squares(cw_box_cells box, vector_of<real> E, vector_of<real> B, double *parts) {
  double electric = 0, magnetic = 0;
  row_loop(box, row) {
    int64_t at = row_start(box, row);
    for (int32_t i = threadIdx.x; i < box.count[0]; i += CW_BOX_X) {
      electric += square(E, at + i);
      magnetic += square(B, at + i);
    }
  }
  int thread = threadIdx.y * CW_BOX_X + threadIdx.x;
  electric = cw_over_block<cw_join_sum>(electric, thread);
  magnetic = cw_over_block<cw_join_sum>(magnetic, thread);
  if (thread == 0) {
    parts[blockIdx.x] = electric;
    parts[PARTS + blockIdx.x] = magnetic;
  }
}

/* sum over axes of (F_a[i + upper] - F_a[i + upper - 1]) / dx_a, upper being 1 for B (at cell
 * centres) and 0 for E (at nodes). */
struct difference {
  int dim, upper;
  int64_t stride[3];
  double inverse[3]; /* 1 / dx */
};

difference make_difference(const cw_grid *grid, int upper) {
  difference made;
  made.dim = grid->dim;
  made.upper = upper;
  for (int a = 0; a < 3; a++) {
    made.stride[a] = grid->stride[a];
    made.inverse[a] = 1 / grid->dx[a];
  }
  return made;
}

template <class real>
__device__ double divergence_at(const difference &d, const vector_of<real> &F, int64_t at) {
  double sum = 0;
  for (int a = 0; a < 3; a++) {
    if (a >= d.dim)
      break;
    const real *high = F.component[a] + at + d.upper * d.stride[a];
    sum += ((double)high[0] - (double)*(high - d.stride[a])) * d.inverse[a];
  }
  return sum;
}

template <class real>
__global__ void __launch_bounds__(CW_THREADS)
    divergence(cw_box_cells box, difference d, vector_of<real> F, double *out) {
  cw_box_loop(box, i, j, k) {
    int64_t at = cw_box_at(box, i, j, k);
    out[at] = divergence_at(d, F, at);
  }
}

template <class real>
__global__ void __launch_bounds__(CW_THREADS)
    charge(cw_box_cells box, difference d, vector_of<real> E, const double *rho, double scale,
           double *parts) {
  double most[QUANTITIES] = {0, 0, 0}; /* error, |rho|, a value that is not finite */
  row_loop(box, row) {
    int64_t at = row_start(box, row);
    for (int32_t i = threadIdx.x; i < box.count[0]; i += CW_BOX_X) {
      double here = scale * rho[at + i];
      double error = fabs(divergence_at(d, E, at + i) - here);
      if (!isfinite(error))
        most[2] = 1;
      most[0] = fmax(most[0], error);
      most[1] = fmax(most[1], fabs(here));
    }
  }
  int thread = threadIdx.y * CW_BOX_X + threadIdx.x;
  for (int q = 0; q < QUANTITIES; q++) {
    double value = cw_over_block<cw_join_largest>(most[q], thread);
    if (thread == 0)
      parts[q * PARTS + blockIdx.x] = value;
  }
}

const dim3 box_threads(CW_BOX_X, CW_BOX_Y);

cw_status make_sums(cw_fields *fields) {
  if (fields->sums)
    return CW_OK;
  return cw_memory_alloc(fields->context, CW_SPACE_DEVICE, QUANTITIES * (PARTS + 1), sizeof(double),
                         "partial sums of the fields", (void **)&fields->sums);
}

template <class op> cw_status finish(cw_fields *fields, int quantities, double *results) {
  double *on_device = fields->sums + QUANTITIES * PARTS;
  CW_CUDA_LAUNCH_NAMED(fields->context, "sum over blocks", over_parts<op>, (unsigned)quantities,
                       CW_THREADS, 0, fields->sums, on_device);
  return cw_device_read(fields->context, results, on_device, (size_t)quantities * sizeof *results);
}

cw_box_cells interior(const cw_fields *fields) {
  const int32_t first[3] = {0, 0, 0};
  return cw_fields_box(&fields->grid, first, fields->grid.cells);
}

template <class real> cw_status launch_squares(cw_fields *fields) {
  CW_CUDA_LAUNCH_NAMED(fields->context, "squares", squares<real>, PARTS, box_threads, 0,
                       interior(fields), vector_on<real>(fields->E), vector_on<real>(fields->B),
                       fields->sums);
  return CW_OK;
}

template <class real>
cw_status launch_divergence(cw_fields *fields, int of_B, double *divergence_out) {
  const cw_box_cells box = interior(fields);
  CW_CUDA_LAUNCH_NAMED(fields->context, "divergence", divergence<real>, cw_fields_box_blocks(&box),
                       box_threads, 0, box, make_difference(&fields->grid, of_B),
                       vector_on<real>(of_B ? fields->B : fields->E), divergence_out);
  return CW_OK;
}

template <class real>
cw_status launch_charge(cw_fields *fields, const double *rho, double scale,
                        const cw_node_range *range) {
  CW_CUDA_LAUNCH_NAMED(fields->context, "charge error", charge<real>, PARTS, box_threads, 0,
                       cw_fields_box(&fields->grid, range->first, range->end),
                       make_difference(&fields->grid, 0), vector_on<real>(fields->E), rho, scale,
                       fields->sums);
  return CW_OK;
}

} // namespace

cw_status cw_fields_device_squares(cw_fields *fields, double sums[2]) {
  CW_TRY(make_sums(fields));
  CW_TRY(fields->options.precision == CW_DOUBLE ? launch_squares<double>(fields)
                                                : launch_squares<float>(fields));
  return finish<cw_join_sum>(fields, 2, sums);
}

cw_status cw_fields_device_divergence(cw_fields *fields, int of_B, double *divergence_out) {
  return fields->options.precision == CW_DOUBLE
             ? launch_divergence<double>(fields, of_B, divergence_out)
             : launch_divergence<float>(fields, of_B, divergence_out);
}

cw_status cw_fields_device_charge(cw_fields *fields, const double *rho, double scale,
                                  const cw_node_range *range, double result[3]) {
  CW_TRY(make_sums(fields));
  CW_TRY(fields->options.precision == CW_DOUBLE ? launch_charge<double>(fields, rho, scale, range)
                                                : launch_charge<float>(fields, rho, scale, range));
  return finish<cw_join_largest>(fields, QUANTITIES, result);
}
