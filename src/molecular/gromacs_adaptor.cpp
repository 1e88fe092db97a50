#include "molecular/gromacs_adaptor.h"

#include <new>

#include <gromacs/fileio/oenv.h>
#include <gromacs/fileio/trxio.h>
#include <gromacs/math/vectypes.h>
#include <gromacs/utility/smalloc.h>

struct cw_gromacs {
  gmx_output_env_t *environment = nullptr;
  t_trxstatus *status = nullptr;
  rvec *x = nullptr;
  matrix box = {};
  real time = 0;
  int atoms = 0;
  bool held = false; /* the frame in x is not handed out yet */
};

int cw_gromacs_here(void) {
  return 1;
}

static void close_reader(cw_gromacs *reader) {
  if (reader->status)
    close_trx(reader->status);
  if (reader->x)
    sfree(reader->x);
  if (reader->environment)
    output_env_done(reader->environment);
  delete reader;
}

/* Exceptions must not cross into C. */
cw_gromacs *cw_gromacs_open(const char *path) {
  cw_gromacs *reader = new (std::nothrow) cw_gromacs;
  if (!reader)
    return nullptr;
  try {
    output_env_init_default(&reader->environment);
    reader->atoms = read_first_x(reader->environment, &reader->status, path, &reader->time,
                                 &reader->x, reader->box);
    reader->held = reader->atoms > 0;
    if (reader->held)
      return reader;
  } catch (...) {
  }
  close_reader(reader);
  return nullptr;
}

int cw_gromacs_next(cw_gromacs *reader, int64_t atoms, double *positions, double box[3][3]) {
  try {
    if (!reader->held &&
        !read_next_x(reader->environment, reader->status, &reader->time, reader->x, reader->box))
      return 0;
  } catch (...) {
    return -1;
  }
  reader->held = false;
  if (reader->atoms != atoms)
    return -1;
  for (int64_t k = 0; k < atoms; k++)
    for (int c = 0; c < 3; c++)
      positions[3 * k + c] = static_cast<double>(reader->x[k][c]);
  for (int a = 0; a < 3; a++)
    for (int c = 0; c < 3; c++)
      box[a][c] = static_cast<double>(reader->box[a][c]);
  return 1;
}
