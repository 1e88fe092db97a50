#include "cli/coordination_masses.h"

#include <math.h>
#include <string.h>

#include "molecular/virtual.h"

static cw_status read_masses_pdb(const cw_input *input, const char *path, double *mass) {
  cw_trajectory *structure = NULL;
  int more = 0;
  CW_TRY(cw_trajectory_open(input->context, path, "pdb", NULL, &structure));
  cw_status status = cw_trajectory_next(structure, &more);
  if (status == CW_OK && (!more || structure->frame.atoms != input->atoms))
    status =
        cw_fail(input->context, CW_ERROR_INPUT, "%s has %lld atoms, but the trajectory has %lld",
                path, more ? (long long)structure->frame.atoms : 0LL, (long long)input->atoms);
  if (status == CW_OK)
    memcpy(mass, structure->frame.mass, (size_t)input->atoms * sizeof *mass);
  cw_trajectory_close(structure);
  return status;
}

static cw_status read_masses_table(const cw_input *input, const char *path, double *mass) {
  cw_lines lines;
  int more = 1;
  CW_TRY(cw_lines_open(input->context, path, &lines));
  cw_status status = CW_OK;
  while (status == CW_OK) {
    double n[3];
    status = cw_lines_next(&lines, &more);
    if (status != CW_OK || !more)
      break;
    const char *text = lines.text + strspn(lines.text, " \t");
    if (*text == '#' || *text == '\0')
      continue;
    int count = cw_lines_numbers(text, 3, n, NULL);
    if (count < 2 || n[0] != floor(n[0]) || n[0] < 0 || n[0] >= (double)input->atoms)
      status = cw_lines_fail(&lines, "an atom's index (from 0), mass and charge are expected");
    else
      mass[(int64_t)n[0]] = n[1];
  }
  cw_lines_close(&lines);
  return status;
}

cw_status cw_coordination_masses(cw_input *input, const cw_frame *first, const char *pdb,
                                 const char *table) {
  double *mass = NULL;
  CW_TRY(CW_NEW(input->context, input->atoms, "masses", &mass));
  cw_status status = CW_OK;
  if (first->mass)
    memcpy(mass, first->mass, (size_t)input->atoms * sizeof *mass);
  if (pdb)
    status = read_masses_pdb(input, pdb, mass);
  if (status == CW_OK && table)
    status = read_masses_table(input, table, mass);
  if (status == CW_OK)
    status = cw_virtual_masses(input, mass);
  CW_DELETE(input->context, mass);
  return status;
}
