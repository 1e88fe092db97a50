/* The factors U, D and P of deposit_body.h along one axis, on the window of order + 2 nodes.
 * Included as shape_recursion.h is, with CW_SELECT(mask, a, b) and CW_MASK for that type. */
CW_BODY void CW_SHAPE_NAME(cw_deposit_window_factors)(int order, const CW_SHAPE_TYPE *s,
                                                      CW_MASK s_shift, const CW_SHAPE_TYPE *t,
                                                      CW_MASK t_shift, CW_SHAPE_TYPE flow,
                                                      CW_SHAPE_TYPE *U, CW_SHAPE_TYPE *D,
                                                      CW_SHAPE_TYPE *P) {
  const CW_SHAPE_TYPE zero = flow - flow; /* flow is finite, or its particle is skipped */
  CW_SHAPE_TYPE prefix = zero;
  for (int n = 0; n < order + 2; n++) {
    /* a shape whose first node is the window's second one is shifted by one */
    const CW_SHAPE_TYPE S = CW_SELECT(s_shift, n > 0 ? s[n - 1] : zero, n <= order ? s[n] : zero);
    const CW_SHAPE_TYPE T = CW_SELECT(t_shift, n > 0 ? t[n - 1] : zero, n <= order ? t[n] : zero);
    U[n] = S + T;
    D[n] = T - S;
    prefix += D[n];
    P[n] = -flow * prefix;
  }
}
#undef CW_SHAPE_TYPE
#undef CW_SHAPE_NAME
#undef CW_SELECT
#undef CW_MASK
