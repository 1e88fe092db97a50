/* From the arrays to the particle that deposit_body.h takes, and whether it may be summed.
 * Included after deposit_body.h, once a precision. */

CW_BODY CW_REAL_NAME(cw_deposit_particle)
    CW_REAL_NAME(cw_deposit_load)(int dim, const cw_particles_view *view, const cw_real *scale,
                                  cw_real weight, int64_t slot) {
  CW_REAL_NAME(cw_deposit_particle) particle;
  for (int a = 0; a < dim; a++) {
    particle.i_prev[a] = view->i_prev[a][slot];
    particle.i[a] = view->i[a][slot];
    particle.dx_prev[a] = ((const cw_real *)view->dx_prev[a])[slot];
    particle.dx[a] = ((const cw_real *)view->dx[a])[slot];
    particle.flow[a] = scale[a] * weight;
  }
  if (dim < 3) {
    cw_real u[3], square = 1;
    for (int c = 0; c < 3; c++) {
      u[c] = ((const cw_real *)view->u[c])[slot];
      square += u[c] * u[c];
    }
    const cw_real inverse_gamma = 1 / CW_REAL_NAME(cw_deposit_sqrt)(square);
    for (int c = dim; c < 3; c++)
      particle.flow[c] = scale[c] * weight * (u[c] * inverse_gamma);
  }
  return particle;
}

CW_BODY int CW_REAL_NAME(cw_deposit_valid)(int dim, int order,
                                           const CW_REAL_NAME(cw_deposit_particle) * particle) {
  int valid = 1;
  for (int a = 0; a < dim; a++)
    valid &= CW_REAL_NAME(cw_deposit_axis_valid)(order, particle, a);
  /* x - x is 0 only for finite x */
  for (int c = 0; c < 3; c++)
    valid &= particle->flow[c] - particle->flow[c] == 0;
  return valid;
}

CW_BODY int CW_REAL_NAME(cw_deposit_fits)(int dim, int order, int window,
                                          const CW_REAL_NAME(cw_deposit_particle) * particle,
                                          const cw_deposit_target *target, int32_t *start) {
  int fits = 1;
  for (int a = 0; a < dim; a++) {
    start[a] = CW_REAL_NAME(cw_deposit_start)(order, particle, a);
    fits &= (start[a] >= target->low[a]) & (start[a] <= target->high[a] - window);
  }
  return fits;
}
