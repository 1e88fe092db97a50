/* A page of pictures: its script, and gnuplot as a child process. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/plot_private.h"

extern char **environ;

/* A string in single quotes, in which gnuplot knows no escape but a doubled quote. */
static void put_quoted(FILE *script, const char *text) {
  fputc('\'', script);
  for (; *text; text++) {
    if (*text == '\'')
      fputc('\'', script);
    fputc(*text, script);
  }
  fputc('\'', script);
}

cw_status cw_plot_page_begin(cw_context *context, const char *png, int height, double skindepth0,
                             const char *title, cw_plot_page *page) {
  memset(page, 0, sizeof *page);
  if (strpbrk(png, "\n\r"))
    return cw_fail(context, CW_ERROR_ARGUMENT, "the picture's name holds a line break");
  CW_TRY(cw_aside_begin(context, png, &page->png));
  page->context = context;
  page->height = height;
  page->length_unit = skindepth0 > 0 ? skindepth0 : 1;
  page->in_skindepths = skindepth0 > 0;
  page->script = tmpfile();
  int error = errno;
  if (!page->script)
    return cw_fail(context, CW_ERROR_IO, "cannot make a temporary file in %s: %s", P_tmpdir,
                   strerror(error));
  fprintf(page->script,
          "set encoding utf8\n"
          "set terminal pngcairo size %d,%d enhanced font 'DejaVu Sans,15' background '#ffffff'\n"
          "set output ",
          CW_PLOT_WIDTH, height);
  put_quoted(page->script, page->png.part);
  fputs("\nset multiplot title ", page->script);
  put_quoted(page->script, title);
  fputs(" font ',19' noenhanced\n"
        "set border lw 1.2 lc '#404040'\nset tics out nomirror textcolor '#202020' font ',13'\n"
        "unset key\n",
        page->script);
  return CW_OK;
}

void cw_plot_page_abandon(cw_plot_page *page) {
  if (page->script)
    fclose(page->script);
  page->script = NULL;
}

/* Runs gnuplot with the script as its input and `messages` as its output. A child's broken pipe
 * cannot kill this process, since there is no pipe. */
static cw_status run_gnuplot(cw_plot_page *page, FILE *messages) {
  char *arguments[] = {"gnuplot", "-d", "-", NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  int state = 0;
  rewind(page->script);
  lseek(fileno(page->script), 0, SEEK_SET);
  int error = posix_spawn_file_actions_init(&actions);
  if (error == 0)
    error = posix_spawn_file_actions_adddup2(&actions, fileno(page->script), 0);
  if (error == 0)
    error = posix_spawn_file_actions_adddup2(&actions, fileno(messages), 1);
  if (error == 0)
    error = posix_spawn_file_actions_adddup2(&actions, fileno(messages), 2);
  if (error == 0)
    error = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    return cw_fail(page->context, CW_ERROR_IO,
                   "gnuplot was not found: install the package gnuplot-nox to draw pictures");
  if (error != 0)
    return cw_fail(page->context, CW_ERROR_IO, "cannot start gnuplot: %s", strerror(error));
  while (waitpid(child, &state, 0) < 0)
    if (errno != EINTR)
      return cw_fail(page->context, CW_ERROR_IO, "lost the gnuplot process");
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
    return CW_OK;
  if (WIFEXITED(state) && WEXITSTATUS(state) == 127)
    return cw_fail(page->context, CW_ERROR_IO,
                   "gnuplot could not be started: install the package gnuplot-nox");
  char text[300] = "";
  rewind(messages);
  text[fread(text, 1, sizeof text - 1, messages)] = '\0';
  return cw_fail(page->context, CW_ERROR_IO, "%s: gnuplot failed: %s", page->png.path, text);
}

/* gnuplot reports success even when it could not write its picture. */
static cw_status check_png(cw_plot_page *page) {
  static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  static const unsigned char ending[8] = {'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
  unsigned char start[8] = {0}, end[8] = {0};
  FILE *file = fopen(page->png.part, "rb");
  if (!file)
    return cw_fail(page->context, CW_ERROR_IO, "%s: gnuplot could not write the picture",
                   page->png.path);
  int ok = fread(start, 1, 8, file) == 8 && fseek(file, -8, SEEK_END) == 0 &&
           fread(end, 1, 8, file) == 8 && memcmp(start, signature, 8) == 0 &&
           memcmp(end, ending, 8) == 0;
  fclose(file);
  if (ok)
    return CW_OK;
  return cw_fail(page->context, CW_ERROR_IO,
                 "%s: gnuplot wrote no whole picture; is the disk full?", page->png.path);
}

cw_status cw_plot_page_finish(cw_plot_page *page) {
  cw_context *context = page->context;
  cw_status status = CW_OK;
  FILE *messages = tmpfile();
  int error = errno;
  if (!messages)
    CW_TRY_CLEANUP(status, cw_fail(context, CW_ERROR_IO, "cannot make a temporary file in %s: %s",
                                   P_tmpdir, strerror(error)));
  fputs("unset multiplot\nunset output\n", page->script);
  if (fflush(page->script) != 0 || ferror(page->script)) {
    error = errno;
    CW_TRY_CLEANUP(status, cw_fail(context, CW_ERROR_IO, "cannot write a temporary file: %s",
                                   strerror(error)));
  }
  /* The folder must be there: gnuplot would say so only in its own words. */
  int descriptor = open(page->png.part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  error = errno;
  if (descriptor < 0)
    CW_TRY_CLEANUP(status, cw_fail(context, CW_ERROR_IO, "%s: cannot create: %s", page->png.path,
                                   strerror(error)));
  close(descriptor);
  status = run_gnuplot(page, messages);
  if (status == CW_OK)
    status = check_png(page);
  if (status == CW_OK)
    status = cw_aside_commit(context, &page->png);
  else
    cw_aside_abandon(&page->png);
cleanup:
  if (messages)
    fclose(messages);
  cw_plot_page_abandon(page);
  return status;
}
