#include "fields/ecsim_vector.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/context_private.h"
#include "fields/ecsim_cuda.h"

typedef struct content {
  cw_ecsim_vectors *shared;
  sunindextype length;
  double *data;
  double *sums; /* on the host: one a block */
} content;

static content *content_of(N_Vector vector) {
  return vector->content;
}

double *cw_ecsim_vector_data(N_Vector vector) {
  return content_of(vector)->data;
}

/* Runs `body` with from and to of each block. */
#define OVER_BLOCKS(x, from, to, body)                                                             \
  do {                                                                                             \
    const content *over = content_of(x);                                                           \
    const int64_t length = (int64_t)over->length, blocks = cw_block_count(length);                 \
    _Pragma(                                                                                       \
        "omp parallel for schedule(static) if (blocks > 1)                                    \
                num_threads(cw_context_threads(over->shared->context))") for (int64_t block = 0;   \
                                                                              block < blocks;      \
                                                                              block++) {           \
      const int64_t from = block * CW_BLOCK, to = cw_min_i64(from + CW_BLOCK, length);             \
      body                                                                                         \
    }                                                                                              \
  } while (0)

static void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
  const double *xs = cw_ecsim_vector_data(x), *ys = cw_ecsim_vector_data(y);
  double *zs = cw_ecsim_vector_data(z);
  OVER_BLOCKS(x, from, to, {
    for (int64_t k = from; k < to; k++)
      zs[k] = a * xs[k] + b * ys[k];
  });
}

static void set_constant(double c, N_Vector z) {
  double *zs = cw_ecsim_vector_data(z);
  OVER_BLOCKS(z, from, to, {
    for (int64_t k = from; k < to; k++)
      zs[k] = c;
  });
}

static void product(N_Vector x, N_Vector y, N_Vector z) {
  const double *xs = cw_ecsim_vector_data(x), *ys = cw_ecsim_vector_data(y);
  double *zs = cw_ecsim_vector_data(z);
  OVER_BLOCKS(x, from, to, {
    for (int64_t k = from; k < to; k++)
      zs[k] = xs[k] * ys[k];
  });
}

static void quotient(N_Vector x, N_Vector y, N_Vector z) {
  const double *xs = cw_ecsim_vector_data(x), *ys = cw_ecsim_vector_data(y);
  double *zs = cw_ecsim_vector_data(z);
  OVER_BLOCKS(x, from, to, {
    for (int64_t k = from; k < to; k++)
      zs[k] = xs[k] / ys[k];
  });
}

static void scale(double c, N_Vector x, N_Vector z) {
  const double *xs = cw_ecsim_vector_data(x);
  double *zs = cw_ecsim_vector_data(z);
  OVER_BLOCKS(x, from, to, {
    for (int64_t k = from; k < to; k++)
      zs[k] = c * xs[k];
  });
}

/* Eight partial sums a block: the loop vectorises, and the order stays fixed. */
static double block_dot(const double *x, const double *y, int64_t from, int64_t to) {
  double lanes[8] = {0};
  int64_t k = from;
  for (; k + 8 <= to; k += 8)
    for (int l = 0; l < 8; l++)
      lanes[l] += x[k + l] * y[k + l];
  for (; k < to; k++)
    lanes[0] += x[k] * y[k];
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

static double host_dot(N_Vector x, N_Vector y) {
  const double *xs = cw_ecsim_vector_data(x), *ys = cw_ecsim_vector_data(y);
  double *sums = content_of(x)->sums, total = 0;
  OVER_BLOCKS(x, from, to, { sums[block] = block_dot(xs, ys, from, to); });
  for (int64_t b = 0; b < cw_block_count((int64_t)content_of(x)->length); b++)
    total += sums[b];
  return total;
}

/* ---- on a device ---- */

static void keep(N_Vector vector, cw_status status) {
  cw_ecsim_vectors *shared = content_of(vector)->shared;
  if (shared->status == CW_OK)
    shared->status = status;
}

enum { AT_ONCE = CW_ECSIM_AT_ONCE };

/* Arrays of the first vectors, as many as `room` takes. */
static int data_of(int count, N_Vector *x, int room, const double **data) {
  const int taken = count < room ? count : room;
  for (int k = 0; k < taken; k++)
    data[k] = cw_ecsim_vector_data(x[k]);
  return taken;
}

/* z = sum over k of c[k] x[k]; z may be x[0]. */
static int device_combination(int count, sunrealtype *c, N_Vector *x, N_Vector z) {
  const content *own = content_of(z);
  const double *data[AT_ONCE];
  double factor[AT_ONCE];
  int done = data_of(count, x, AT_ONCE, data);
  cw_status status =
      cw_ecsim_combine_cuda(own->shared->context, (int64_t)own->length, done, c, data, own->data);
  while (status == CW_OK && done < count) {
    const int more = data_of(count - done, x + done, AT_ONCE - 1, data + 1);
    data[0] = own->data;
    factor[0] = 1;
    memcpy(factor + 1, c + done, (size_t)more * sizeof *factor);
    status = cw_ecsim_combine_cuda(own->shared->context, (int64_t)own->length, more + 1, factor,
                                   data, own->data);
    done += more;
  }
  keep(z, status);
  return status == CW_OK ? 0 : -1;
}

static void device_linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
  double c[2] = {a, b};
  N_Vector terms[2] = {x, y};
  device_combination(2, c, terms, z);
}

static void device_scale(double c, N_Vector x, N_Vector z) {
  device_combination(1, &c, &x, z);
}

static void device_constant(double c, N_Vector z) {
  keep(z, cw_ecsim_set_cuda(content_of(z)->shared->context, (int64_t)content_of(z)->length, c,
                            content_of(z)->data));
}

static void device_pointwise(N_Vector x, N_Vector y, N_Vector z, int divide) {
  keep(z, cw_ecsim_pointwise_cuda(content_of(z)->shared->context, (int64_t)content_of(z)->length,
                                  cw_ecsim_vector_data(x), cw_ecsim_vector_data(y), divide,
                                  content_of(z)->data));
}

static void device_product(N_Vector x, N_Vector y, N_Vector z) {
  device_pointwise(x, y, z, 0);
}

static void device_quotient(N_Vector x, N_Vector y, N_Vector z) {
  device_pointwise(x, y, z, 1);
}

/* One wait for all of them. */
static int device_dots(int count, N_Vector x, N_Vector *y, sunrealtype *results) {
  const content *own = content_of(x);
  const double *data[AT_ONCE];
  cw_status status = CW_OK;
  for (int done = 0, taken; status == CW_OK && done < count; done += taken) {
    taken = data_of(count - done, y + done, AT_ONCE, data);
    status = cw_ecsim_dots_cuda(own->shared->context, own->shared->sums, (int64_t)own->length,
                                own->data, taken, data, results + done);
  }
  for (int k = 0; status != CW_OK && k < count; k++)
    results[k] = NAN;
  keep(x, status);
  return status == CW_OK ? 0 : -1;
}

static double device_dot(N_Vector x, N_Vector y) {
  double result;
  device_dots(1, x, &y, &result);
  return result;
}

/* ---- both ---- */

double cw_ecsim_vector_dot(N_Vector x, N_Vector y) {
  return content_of(x)->shared->space == CW_SPACE_HOST ? host_dot(x, y) : device_dot(x, y);
}

double cw_ecsim_vector_norm(N_Vector x) {
  return sqrt(cw_ecsim_vector_dot(x, x));
}

static N_Vector_ID vector_id(N_Vector vector) {
  (void)vector;
  return SUNDIALS_NVEC_CUSTOM;
}

static sunindextype vector_length(N_Vector vector) {
  return content_of(vector)->length;
}

static void destroy(N_Vector vector) {
  if (!vector)
    return;
  content *owned = content_of(vector);
  if (owned) {
    cw_context *context = owned->shared->context;
    CW_DELETE(context, owned->sums);
    cw_memory_free(context, owned->shared->space, owned->data);
    CW_DELETE(context, owned);
    vector->content = NULL;
  }
  N_VFreeEmpty(vector);
}

static N_Vector clone(N_Vector vector) {
  const content *model = content_of(vector);
  return cw_ecsim_vector_create(model->shared, vector->sunctx, model->length);
}

static void set_operations(N_Vector_Ops ops, cw_space space) {
  const int host = space == CW_SPACE_HOST;
  ops->nvgetvectorid = vector_id;
  ops->nvclone = clone;
  ops->nvdestroy = destroy;
  ops->nvgetlength = vector_length;
  ops->nvlinearsum = host ? linear_sum : device_linear_sum;
  ops->nvconst = host ? set_constant : device_constant;
  ops->nvprod = host ? product : device_product;
  ops->nvdiv = host ? quotient : device_quotient;
  ops->nvscale = host ? scale : device_scale;
  ops->nvdotprod = host ? host_dot : device_dot;
  ops->nvdotprodmulti = host ? NULL : device_dots;
  ops->nvlinearcombination = host ? NULL : device_combination;
}

N_Vector cw_ecsim_vector_create(cw_ecsim_vectors *shared, SUNContext sundials,
                                sunindextype length) {
  cw_context *context = shared->context;
  N_Vector made = N_VNewEmpty(sundials);
  content *owned = NULL;
  if (!made)
    return NULL;
  set_operations(made->ops, shared->space);
  cw_status status = CW_NEW(context, 1, "solver vector", &owned);
  made->content = owned;
  if (status == CW_OK) {
    *owned = (content){.shared = shared, .length = length};
    status = cw_memory_alloc(context, shared->space, (size_t)length, sizeof(double),
                             "solver vector", (void **)&owned->data);
  }
  if (status == CW_OK && shared->space == CW_SPACE_HOST)
    status = CW_NEW(context, cw_block_count((int64_t)length), "solver sums", &owned->sums);
  if (status == CW_OK)
    return made;
  destroy(made);
  return NULL;
}
