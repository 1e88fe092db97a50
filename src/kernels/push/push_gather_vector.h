/* Gather for a register of particles that share a base node along every axis. The field values of
 * the window are then the same for all lanes: each is loaded once and broadcast to the lanes, which
 * hold the weights. Dual values start one node lower in some lanes than in others, so that the
 * common window has order + 2 of them and each lane has one zero weight. */

/* Dual weights over the common window base - order/2 - 1 onwards. */
CW_BODY void CW_LANE_NAME(cw_widen)(int order, cw_lane_mask up, const cw_lane *w, cw_lane *wide) {
  wide[0] = CW_LANE_SELECT(up, (cw_lane){0}, w[0]);
  for (int m = 1; m <= order; m++)
    wide[m] = CW_LANE_SELECT(up, w[m - 1], w[m]);
  wide[order + 1] = CW_LANE_SELECT(up, w[order], (cw_lane){0});
}

/* Field values at `nodes` places along each axis from `first` on, weighted axis by axis:
 *   sum over k, j, i of weight_z[k] weight_y[j] weight_x[i] field(i, j, k).
 * Rows and planes of a constant order are written out in full, so that weights stay in registers
 * and each value is an operand of one multiply-add. */
CW_BODY cw_lane CW_LANE_NAME(cw_contract)(int dim, const cw_real *first, const int64_t *stride,
                                          int nodes_x, int nodes_y, int nodes_z,
                                          const cw_lane *weight_x, const cw_lane *weight_y,
                                          const cw_lane *weight_z) {
  cw_lane sum = {0};
  for (int k = 0; k < nodes_z; k++) {
    cw_lane plane = {0};
    for (int j = 0; j < nodes_y; j++) {
      const cw_real *value = first + k * stride[2] + j * stride[1];
      cw_lane line = weight_x[0] * value[0];
      for (int i = 1; i < nodes_x; i++)
        line += weight_x[i] * value[i];
      plane = dim > 1 ? plane + weight_y[j] * line : line;
    }
    sum = dim > 2 ? sum + weight_z[k] * plane : plane;
  }
  return sum;
}

/* Component c (0 to 2 of E, 3 to 5 of B) from the base at index `start` of the arrays: E_a is dual
 * along a, B_a along the other axes. */
CW_BODY cw_lane CW_LANE_NAME(cw_component)(int dim, int order, int c, const cw_push_job *job,
                                           int64_t start, cw_lane (*primal)[CW_PUSH_MAX_ORDER + 1],
                                           cw_lane (*dual)[CW_PUSH_MAX_ORDER + 2]) {
  const cw_real *field = c < 3 ? job->E[c] : job->B[c - 3];
  if (!field)
    return (cw_lane){0};
  int x_dual = c < 3 ? c == 0 : c != 3, y_dual = c < 3 ? c == 1 : c != 4;
  int z_dual = c < 3 ? c == 2 : c != 5;
  field += start - (order / 2 + x_dual);
  if (dim > 1)
    field -= (order / 2 + y_dual) * job->stride[1];
  if (dim > 2)
    field -= (order / 2 + z_dual) * job->stride[2];
  return CW_LANE_NAME(cw_contract)(dim, field, job->stride, order + 1 + x_dual,
                                   dim > 1 ? order + 1 + y_dual : 1,
                                   dim > 2 ? order + 1 + z_dual : 1, x_dual ? dual[0] : primal[0],
                                   y_dual ? dual[1] : primal[1], z_dual ? dual[2] : primal[2]);
}

/* E and B in lanes, at offsets dx from the cells whose base has index `start` in the arrays. */
CW_BODY void CW_LANE_NAME(cw_gather)(int dim, int order, const cw_push_job *job, int64_t start,
                                     const cw_lane *dx, cw_lane *result) {
  cw_lane primal[3][CW_PUSH_MAX_ORDER + 1], dual[3][CW_PUSH_MAX_ORDER + 2];
  for (int a = 0; a < dim; a++) {
    cw_lane narrow[CW_PUSH_MAX_ORDER + 1];
    CW_LANE_NAME(cw_axis_weights)(order, dx[a], primal[a], narrow);
    cw_lane_mask upper = dx[a] >= (cw_real)0.5;
    CW_LANE_NAME(cw_widen)(order, order % 2 ? upper : ~upper, narrow, dual[a]);
  }
  result[0] = CW_LANE_NAME(cw_component)(dim, order, 0, job, start, primal, dual);
  result[1] = CW_LANE_NAME(cw_component)(dim, order, 1, job, start, primal, dual);
  result[2] = CW_LANE_NAME(cw_component)(dim, order, 2, job, start, primal, dual);
  result[3] = CW_LANE_NAME(cw_component)(dim, order, 3, job, start, primal, dual);
  result[4] = CW_LANE_NAME(cw_component)(dim, order, 4, job, start, primal, dual);
  result[5] = CW_LANE_NAME(cw_component)(dim, order, 5, job, start, primal, dual);
}

typedef void CW_LANE_NAME(cw_gather_function)(const cw_push_job *job, int64_t start,
                                              const cw_lane *dx, cw_lane *result);

/* Orders 1 to 5 are constants of their instance; higher ones share a loop of variable length, which
 * takes half as long again but spares code that is rarely called for. */
#define CW_GATHER_INSTANCE(dim, name, order)                                                       \
  static void CW_LANE_NAME(cw_gather_##dim##d_##name)(const cw_push_job *job, int64_t start,       \
                                                      const cw_lane *dx, cw_lane *result) {        \
    CW_LANE_NAME(cw_gather)(dim, order, job, start, dx, result);                                   \
  }
#define CW_GATHER_INSTANCES(name, order)                                                           \
  CW_GATHER_INSTANCE(1, name, order)                                                               \
  CW_GATHER_INSTANCE(2, name, order)                                                               \
  CW_GATHER_INSTANCE(3, name, order)
CW_GATHER_INSTANCES(any, job->order)
CW_GATHER_INSTANCES(order1, 1)
CW_GATHER_INSTANCES(order2, 2)
CW_GATHER_INSTANCES(order3, 3)
CW_GATHER_INSTANCES(order4, 4)
CW_GATHER_INSTANCES(order5, 5)
#undef CW_GATHER_INSTANCES
#undef CW_GATHER_INSTANCE

static CW_LANE_NAME(cw_gather_function) * CW_LANE_NAME(cw_select_gather)(int dim, int order) {
#define CW_GATHER_ROW(name)                                                                        \
  {                                                                                                \
    CW_LANE_NAME(cw_gather_1d_##name), CW_LANE_NAME(cw_gather_2d_##name),                          \
        CW_LANE_NAME(cw_gather_3d_##name)                                                          \
  }
  static CW_LANE_NAME(cw_gather_function) *const table[][3] = {
      CW_GATHER_ROW(any),    CW_GATHER_ROW(order1), CW_GATHER_ROW(order2),
      CW_GATHER_ROW(order3), CW_GATHER_ROW(order4), CW_GATHER_ROW(order5)};
#undef CW_GATHER_ROW
  return table[order <= 5 ? order : 0][dim - 1];
}
