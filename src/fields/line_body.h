/* Operations on lines of values, for one precision (base/real.h): `n` neighbouring values of a line
 * across the axis that is worked along. */

static CW_HOST_DEVICE inline void CW_REAL_NAME(apply)(const cw_line_op *op, cw_real *to,
                                                      cw_real *from, int32_t n) {
  const cw_real factor = (cw_real)op->factor;
  switch (op->action) {
  case CW_LINE_SET:
    for (int32_t i = 0; i < n; i++)
      to[i] = factor * from[i];
    break;
  case CW_LINE_MOVE:
    for (int32_t i = 0; i < n; i++) {
      to[i] += factor * from[i];
      from[i] = 0;
    }
    break;
  case CW_LINE_SCALE:
    for (int32_t i = 0; i < n; i++)
      to[i] *= factor;
    break;
  case CW_LINE_ZERO:
    for (int32_t i = 0; i < n; i++)
      to[i] = 0;
    break;
  }
}
