#include "molecular/virtual.h"

#include <math.h>

static cw_status weigh(cw_input *input, cw_virtual_atom *v, const double *mass) {
  cw_context *context = input->context;
  double total = 0;
  if (v->weight)
    return CW_OK;
  CW_TRY(CW_NEW(context, v->list.count, "weights", &v->weight));
  for (int64_t k = 0; k < v->list.count; k++) {
    uint32_t atom = v->list.atom[k];
    v->weight[k] = mass && atom < input->atoms ? mass[atom] : NAN;
    if (!(v->weight[k] > 0))
      return cw_words_fail(context, v->words,
                           "the mass of atom %u is not known: give the masses by "
                           "--pdb (occupancy column) or --mc",
                           atom + 1);
    total += v->weight[k];
  }
  for (int64_t k = 0; k < v->list.count; k++)
    v->weight[k] /= total;
  return CW_OK;
}

cw_status cw_virtual_masses(cw_input *input, const double *mass) {
  for (int k = 0; k < input->virtual_count; k++)
    CW_TRY(weigh(input, &input->virtual_atoms[k], mass));
  return CW_OK;
}

/* Atoms are made whole one by one, each at the image nearest to the one before. */
static void place(const cw_virtual_atom *v, const cw_lattice *lattice, const double *positions,
                  double centre[3]) {
  double at[3] = {0, 0, 0};
  for (int c = 0; c < 3; c++)
    centre[c] = 0;
  for (int64_t k = 0; k < v->list.count; k++) {
    const double *r = positions + 3 * (int64_t)v->list.atom[k];
    double d[3] = {r[0] - at[0], r[1] - at[1], r[2] - at[2]};
    if (k > 0 && !v->nopbc)
      cw_lattice_minimum_image(lattice, d);
    for (int c = 0; c < 3; c++) {
      at[c] += d[c];
      centre[c] += v->weight[k] * at[c];
    }
  }
}

void cw_virtual_place(const cw_input *input, const cw_lattice *lattice, double *positions) {
  for (int k = 0; k < input->virtual_count; k++)
    place(&input->virtual_atoms[k], lattice, positions, positions + 3 * (input->atoms + k));
}

/* The last first: a virtual atom may be made of earlier ones. */
void cw_virtual_spread(const cw_input *input, double *derivatives) {
  for (int k = input->virtual_count - 1; k >= 0; k--) {
    const cw_virtual_atom *v = &input->virtual_atoms[k];
    const double *own = derivatives + 3 * (input->atoms + k);
    for (int64_t j = 0; j < v->list.count; j++)
      for (int c = 0; c < 3; c++)
        derivatives[3 * (int64_t)v->list.atom[j] + c] += v->weight[j] * own[c];
  }
}
