#include "fields/ecsim_vector.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/context_private.h"

typedef struct content {
  cw_context *context;
  sunindextype length;
  double *data;
  double *sums; /* one a block */
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
                num_threads(cw_context_threads(over->context))") for (int64_t block = 0;           \
                                                                      block < blocks; block++) {   \
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

double cw_ecsim_vector_dot(N_Vector x, N_Vector y) {
  const double *xs = cw_ecsim_vector_data(x), *ys = cw_ecsim_vector_data(y);
  double *sums = content_of(x)->sums, total = 0;
  OVER_BLOCKS(x, from, to, { sums[block] = block_dot(xs, ys, from, to); });
  for (int64_t b = 0; b < cw_block_count((int64_t)content_of(x)->length); b++)
    total += sums[b];
  return total;
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
    CW_DELETE(owned->context, owned->sums);
    CW_DELETE(owned->context, owned->data);
    CW_DELETE(owned->context, owned);
    vector->content = NULL;
  }
  N_VFreeEmpty(vector);
}

static N_Vector clone(N_Vector vector) {
  const content *model = content_of(vector);
  return cw_ecsim_vector_create(model->context, vector->sunctx, model->length);
}

N_Vector cw_ecsim_vector_create(cw_context *context, SUNContext sundials, sunindextype length) {
  N_Vector made = N_VNewEmpty(sundials);
  content *owned = NULL;
  if (!made)
    return NULL;
  made->ops->nvgetvectorid = vector_id;
  made->ops->nvclone = clone;
  made->ops->nvdestroy = destroy;
  made->ops->nvgetlength = vector_length;
  made->ops->nvlinearsum = linear_sum;
  made->ops->nvconst = set_constant;
  made->ops->nvprod = product;
  made->ops->nvdiv = quotient;
  made->ops->nvscale = scale;
  made->ops->nvdotprod = cw_ecsim_vector_dot;
  cw_status status = CW_NEW(context, 1, "solver vector", &owned);
  made->content = owned;
  if (status == CW_OK) {
    *owned = (content){.context = context, .length = length};
    status = CW_NEW(context, length, "solver vector", &owned->data);
  }
  if (status == CW_OK)
    status = CW_NEW(context, cw_block_count((int64_t)length), "solver sums", &owned->sums);
  if (status == CW_OK)
    return made;
  destroy(made);
  return NULL;
}
