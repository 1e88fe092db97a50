/* The curl at one cell, for one precision (base/real.h): out += curl with coefficients c and steps
 * s to the neighbours (fields/yee_cpu.h). */

static CW_HOST_DEVICE inline void CW_REAL_NAME(curl_point)(
    int64_t i, int64_t s0, int64_t s1, int64_t s2, cw_real c0, cw_real c1, cw_real c2,
    cw_real *CW_RESTRICT ox, cw_real *CW_RESTRICT oy, cw_real *CW_RESTRICT oz,
    const cw_real *CW_RESTRICT x, const cw_real *CW_RESTRICT y, const cw_real *CW_RESTRICT z) {
  cw_real xi = x[i], yi = y[i], zi = z[i];
  ox[i] += c2 * (y[i + s2] - yi) - c1 * (z[i + s1] - zi);
  oy[i] += c0 * (z[i + s0] - zi) - c2 * (x[i + s2] - xi);
  oz[i] += c1 * (x[i + s1] - xi) - c0 * (y[i + s0] - yi);
}
