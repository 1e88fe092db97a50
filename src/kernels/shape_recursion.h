/* Cox-de Boor recursion on uniform knots (C. de Boor, A Practical Guide to Splines, ch. IX): at
 * offset t of a knot interval, the degree + 1 splines that do not vanish there follow from those of
 * one degree less. All terms are positive, so no digits are lost at any degree, while the powers of
 * |x| lose nearly all of them at degree 11 in single precision.
 *
 * Where contraction is off but a fused product is wanted by name, CW_MADD(a, b, c) is set before.
 * Included with CW_SHAPE_TYPE (a real, or a vector of reals: a lane a particle) and CW_SHAPE_NAME
 * set, after base/real.h; both are undefined behind it. */
#ifndef CW_MADD
#define CW_MADD(a, b, c) ((a) * (b) + (c))
#endif

CW_BODY void CW_SHAPE_NAME(cw_shape_recursion)(int degree, CW_SHAPE_TYPE t, CW_SHAPE_TYPE *w) {
  w[0] = (cw_real)1 - t;
  w[1] = t;
  for (int p = 2; p <= degree; p++) {
    const cw_real inverse = (cw_real)1 / (cw_real)p;
    w[p] = t * inverse * w[p - 1];
    for (int j = p - 1; j > 0; j--)
      w[j] = CW_MADD(t + (cw_real)(p - j), w[j - 1], ((cw_real)(j + 1) - t) * w[j]) * inverse;
    w[0] = ((cw_real)1 - t) * inverse * w[0];
  }
}
#undef CW_SHAPE_TYPE
#undef CW_SHAPE_NAME
