/* Gather for one particle at a time, any order. A row of order + 1 values along x is weighted and
 * summed as a whole, so its length is a constant: one pair of functions an order. */

#define CW_FOR_EACH_ORDER(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

typedef void CW_REAL_NAME(cw_weights_function)(cw_real dx, cw_real *primal, cw_real *dual);
typedef void CW_REAL_NAME(cw_slopes_function)(cw_real dx, cw_real *primal, cw_real *dual);
typedef cw_real CW_REAL_NAME(cw_contract_function)(const cw_real *field, int64_t stride_y,
                                                   int64_t stride_z, int rows, int planes,
                                                   const cw_real *const *weight);

/* sum over k, j, i of weight[2][k] weight[1][j] weight[0][i] field(i, j, k) */
CW_BODY cw_real CW_REAL_NAME(cw_contract)(int order, const cw_real *field, int64_t stride_y,
                                          int64_t stride_z, int rows, int planes,
                                          const cw_real *const *weight) {
  cw_real row[CW_PUSH_MAX_ORDER + 1] = {0}, sum = 0;
  for (int k = 0; k < planes; k++)
    for (int j = 0; j < rows; j++) {
      cw_real w = weight[2][k] * weight[1][j];
      const cw_real *value = field + k * stride_z + j * stride_y;
      for (int i = 0; i <= order; i++)
        row[i] += w * value[i];
    }
  for (int i = 0; i <= order; i++)
    sum += weight[0][i] * row[i];
  return sum;
}

#define CW_ORDER_FUNCTIONS(order)                                                                  \
  static void CW_REAL_NAME(cw_weights_##order)(cw_real dx, cw_real * primal, cw_real * dual) {     \
    CW_LANE_NAME(cw_axis_weights)(order, dx, primal, dual);                                        \
  }                                                                                                \
  static void CW_REAL_NAME(cw_slopes_##order)(cw_real dx, cw_real * primal, cw_real * dual) {      \
    CW_LANE_NAME(cw_axis_slopes)(order, dx, primal, dual);                                         \
  }                                                                                                \
  static cw_real CW_REAL_NAME(cw_contract_##order)(const cw_real *field, int64_t stride_y,         \
                                                   int64_t stride_z, int rows, int planes,         \
                                                   const cw_real *const *weight) {                 \
    return CW_REAL_NAME(cw_contract)(order, field, stride_y, stride_z, rows, planes, weight);      \
  }
CW_FOR_EACH_ORDER(CW_ORDER_FUNCTIONS)
#undef CW_ORDER_FUNCTIONS

/* The functions of an order; [0] stays empty, since order 0 gathers as order 1. */
static const struct {
  CW_REAL_NAME(cw_weights_function) * weights;
  CW_REAL_NAME(cw_slopes_function) * slopes;
  CW_REAL_NAME(cw_contract_function) * contract;
} CW_REAL_NAME(cw_by_order)[CW_PUSH_MAX_ORDER + 1] = {
#define CW_ORDER_ENTRY(order)                                                                      \
  [order] = {CW_REAL_NAME(cw_weights_##order), CW_REAL_NAME(cw_slopes_##order),                    \
             CW_REAL_NAME(cw_contract_##order)},
    CW_FOR_EACH_ORDER(CW_ORDER_ENTRY)
#undef CW_ORDER_ENTRY
};
#undef CW_FOR_EACH_ORDER

/* E and B at slot begin + p of a block whose base nodes are known. */
static void CW_REAL_NAME(cw_gather_one)(const cw_push_job *job, int64_t begin, int p,
                                        cw_push_scratch *scratch) {
  cw_real weights[2][3][CW_PUSH_MAX_ORDER + 1];
  int64_t first[2][3] = {{0}}; /* [dual][axis]: first node, times the stride */
  for (int a = 0; a < 3; a++)
    weights[0][a][0] = weights[1][a][0] = 1;
  for (int a = 0; a < job->dim; a++) {
    cw_real dx = ((const cw_real *)job->particles.dx[a])[begin + p];
    CW_REAL_NAME(cw_by_order)[job->order].weights(dx, weights[0][a], weights[1][a]);
    int up = (dx >= (cw_real)0.5) == job->order % 2;
    int64_t node = scratch->base[a][p] - job->order / 2;
    first[0][a] = node * job->stride[a];
    first[1][a] = (node - 1 + up) * job->stride[a];
  }
  int rows = job->dim > 1 ? job->order + 1 : 1, planes = job->dim > 2 ? job->order + 1 : 1;
  for (int c = 0; c < 6; c++) {
    const cw_real *field = c < 3 ? job->E[c] : job->B[c - 3];
    cw_real *result = (cw_real *)scratch->field[c];
    result[p] = 0;
    if (!field)
      continue;
    const cw_real *weight[3];
    int64_t start = job->offset;
    for (int a = 0; a < 3; a++) {
      int dual = c < 3 ? a == c : a != c - 3;
      weight[a] = weights[dual][a];
      start += first[dual][a];
    }
    result[p] = CW_REAL_NAME(cw_by_order)[job->order].contract(
        field + start, job->stride[1], job->stride[2], rows, planes, weight);
  }
}

/* 1 when the window of the block's particle p lies in the fields' arrays. */
CW_BODY int CW_REAL_NAME(cw_inside)(const cw_push_job *job, const cw_push_scratch *scratch, int p) {
  int inside = 1;
  for (int a = 0; a < job->dim; a++)
    inside &= scratch->base[a][p] >= job->low[a] && scratch->base[a][p] <= job->high[a];
  return inside;
}

/* Gives the block's particle p, which is outside, no field. */
static int CW_REAL_NAME(cw_no_field)(cw_push_scratch *scratch, int p) {
  for (int c = 0; c < 6; c++)
    ((cw_real *)scratch->field[c])[p] = 0;
  return CW_PUSH_OUTSIDE;
}

/* E and B at each living particle of the block, into the scratch; returns its faults. */
static int CW_REAL_NAME(cw_gather_each)(const cw_push_job *job, int64_t begin, int count,
                                        cw_push_scratch *scratch) {
  const cw_particles_view *view = &job->particles;
  int faults = 0;
  for (int p = 0; p < count; p++) {
    if (view->tag && view->tag[begin + p] == CW_TAG_DEAD)
      continue;
    for (int a = 0; a < job->dim; a++) {
      int upper = ((const cw_real *)view->dx[a])[begin + p] >= (cw_real)0.5;
      uint32_t up = job->order % 2 ? 0 : (uint32_t)upper;
      scratch->base[a][p] = (int32_t)((uint32_t)view->i[a][begin + p] + up);
    }
    if (CW_REAL_NAME(cw_inside)(job, scratch, p))
      CW_REAL_NAME(cw_gather_one)(job, begin, p, scratch);
    else
      faults |= CW_REAL_NAME(cw_no_field)(scratch, p);
  }
  return faults;
}
