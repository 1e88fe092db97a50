#include "molecular/gromacs_child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "molecular/gromacs_adaptor.h"

/* The child: frames into the pipe, as long as somebody reads. Interrupts are the parent's to answer,
 * and what libgromacs says of a broken file is not for the user. */
static void send_frames(const char *path, int64_t atoms, int to) {
  double box[3][3], *positions = malloc((size_t)(3 * atoms) * sizeof *positions);
  int silent = open("/dev/null", O_WRONLY);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGPIPE, SIG_DFL);
  if (silent >= 0) {
    dup2(silent, STDOUT_FILENO);
    dup2(silent, STDERR_FILENO);
  }
  FILE *frames = fdopen(to, "wb");
  cw_gromacs *reader = positions && frames ? cw_gromacs_open(path) : NULL;
  while (reader && cw_gromacs_next(reader, atoms, positions, box) == 1)
    if (fwrite(box, sizeof box, 1, frames) != 1 ||
        fwrite(positions, sizeof *positions, (size_t)(3 * atoms), frames) != (size_t)(3 * atoms))
      break;
  if (frames)
    fflush(frames);
  _exit(0);
}

int cw_gromacs_child_open(const char *path, int64_t atoms, cw_gromacs_child *child) {
  int ends[2];
  *child = (cw_gromacs_child){0};
  if (pipe(ends) != 0)
    return 0;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  child->process = fork();
  if (child->process == 0) {
    close(ends[0]);
    send_frames(path, atoms, ends[1]);
  }
  close(ends[1]);
  if (child->process > 0)
    child->frames = fdopen(ends[0], "rb");
  else
    child->process = 0;
  if (child->frames)
    return 1;
  close(ends[0]);
  cw_gromacs_child_close(child);
  return 0;
}

int cw_gromacs_child_next(cw_gromacs_child *child, int64_t atoms, double *positions,
                          double box[3][3]) {
  return fread(box, 9 * sizeof(double), 1, child->frames) == 1 &&
         fread(positions, sizeof *positions, (size_t)(3 * atoms), child->frames) ==
             (size_t)(3 * atoms);
}

void cw_gromacs_child_close(cw_gromacs_child *child) {
  if (child->frames)
    fclose(child->frames);
  if (child->process > 0) {
    kill(child->process, SIGKILL);
    waitpid(child->process, NULL, 0);
  }
  *child = (cw_gromacs_child){0};
}
