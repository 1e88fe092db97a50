#include "cli/man_page.h"

#include <ctype.h>
#include <string.h>

#include <cellwise/version.h>

#include "cli/key_rows.h"

/* `length` bytes of text as roff reads them: no escapes, no requests, minus signs as typed. */
static void put_bytes(FILE *stream, const char *text, size_t length) {
  int at_start = 1;
  for (size_t k = 0; k < length; k++) {
    const char c = text[k];
    if (at_start && (c == '.' || c == '\''))
      fputs("\\&", stream);
    if (c == '\\')
      fputs("\\e", stream);
    else if (c == '-')
      fputs("\\-", stream);
    else if (c == '^' || c == '~' || c == '`')
      fputs(c == '^' ? "\\(ha" : c == '~' ? "\\(ti" : "\\(ga", stream);
    else
      fputc(c, stream);
    at_start = c == '\n';
  }
}

static void put(FILE *stream, const char *text) {
  put_bytes(stream, text, strlen(text));
}

/* The same in bold or italics. */
static void put_in(FILE *stream, char font, const char *text) {
  fprintf(stream, "\\f%c", font);
  put(stream, text);
  fputs("\\fR", stream);
}

static void put_capitals(FILE *stream, const char *text) {
  for (; *text; text++)
    fputc(toupper((unsigned char)*text), stream);
}

/* A line of its own, a point behind it, the next sentence on the next line as roff has it. */
static void put_sentence(FILE *stream, const char *text) {
  size_t length = strlen(text);
  put(stream, text);
  fputs(length && strchr(".:", text[length - 1]) ? "\n" : ".\n", stream);
}

/* The version stands in place of a date, so that the same sources give the same pages. */
static void open_page(FILE *stream, const char *name, int section, const char *text) {
  fputs(".TH ", stream);
  put_capitals(stream, name);
  fprintf(stream, " %d \"\" \"cellwise %s\" \"cellwise\"\n.SH NAME\n", section, cw_version());
  put(stream, name);
  fputs(" \\- ", stream);
  put(stream, text);
  fputc('\n', stream);
}

/* Text of a help: paragraphs; lines that start with two spaces are commands, kept as they are. */
static void put_paragraphs(FILE *stream, const char *text) {
  int literal = 0;
  while (*text) {
    size_t length = strcspn(text, "\n");
    int now = strncmp(text, "  ", 2) == 0;
    if (now != literal)
      fputs(now ? ".PP\n.EX\n" : ".EE\n", stream);
    if (length == 0 && text[1])
      fputs(now || literal ? "" : ".PP\n", stream);
    else if (length)
      put_bytes(stream, text, length), fputc('\n', stream);
    if (literal && !now && length == 0 && text[1])
      fputs(".PP\n", stream);
    literal = now;
    text += length + (text[length] != '\0');
  }
  if (literal)
    fputs(".EE\n", stream);
}

static void put_option(FILE *stream, const struct argp_option *option) {
  if (option->flags & (OPTION_HIDDEN | OPTION_ALIAS))
    return;
  fputs(".TP\n", stream);
  if (isprint(option->key)) {
    fprintf(stream, "\\fB\\-%c\\fR, ", option->key);
  }
  fputs("\\fB\\-\\-", stream);
  put(stream, option->name);
  fputs("\\fR", stream);
  if (option->arg) {
    fputc('=', stream);
    put_in(stream, 'I', option->arg);
  }
  fputc('\n', stream);
  put_sentence(stream, option->doc);
}

void cw_man_page_command(FILE *stream, const cw_command *command) {
  char name[64];
  const char *after = strchr(command->argp->doc, '\v');
  const size_t before = after ? (size_t)(after - command->argp->doc) : strlen(command->argp->doc);
  snprintf(name, sizeof name, "cellwise-%s", command->name);
  open_page(stream, name, 1, command->text);
  fputs(".SH SYNOPSIS\n\\fBcellwise ", stream);
  put(stream, command->name);
  fputs("\\fR [\\fIOPTION\\fR...]", stream);
  if (*command->argp->args_doc) {
    fputc(' ', stream);
    put(stream, command->argp->args_doc);
  }
  fputs("\n.SH DESCRIPTION\n", stream);
  put_bytes(stream, command->argp->doc, before);
  fputs("\n.SH OPTIONS\n", stream);
  for (const struct argp_option *option = command->argp->options; option->name; option++)
    put_option(stream, option);
  fputs(".TP\n\\fB\\-?\\fR, \\fB\\-\\-help\\fR\nPrint a summary of this.\n", stream);
  if (after) {
    fputs(".SH NOTES\n", stream);
    put_paragraphs(stream, after + 1);
  }
  fputs(".SH SEE ALSO\n.BR cellwise (1),\n.BR cellwise\\-deck (5)\n", stream);
}

void cw_man_page_program(FILE *stream) {
  open_page(stream, "cellwise", 1, "particle kernels that sort by cell");
  fputs(".SH SYNOPSIS\n\\fBcellwise\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.SH DESCRIPTION\n"
        "Particle\\-in\\-cell simulations of plasmas from a deck, and coordination numbers over\n"
        "trajectories of atoms; the same bits on every run and for any number of threads.\n"
        ".SH COMMANDS\n",
        stream);
  for (const cw_command *command = cw_commands; command->name; command++) {
    fputs(".TP\n.BR cellwise\\-", stream);
    put(stream, command->name);
    fputs(" (1)\n", stream);
    put_sentence(stream, command->text);
  }
  fputs(".SH EXIT STATUS\n0: done. 1: failed, or interrupted, while running. 2: the input is "
        "wrong.\n"
        ".SH ENVIRONMENT\n.TP\nCELLWISE_ISA\nThe instruction set of the hot loops: base, avx2 or "
        "avx512; the best one here by default.\n"
        ".TP\nOMP_NUM_THREADS\nCPU threads, where \\fB\\-\\-threads\\fR is not given.\n"
        ".SH EXAMPLES\n.EX\ncellwise run examples/reconnection.toml \\-\\-out reconnection\n"
        "cellwise plot reconnection\n.EE\n.SH SEE ALSO\n.BR cellwise\\-deck (5)\n",
        stream);
}

/* Where the keys of a page go, and the section printed last. */
typedef struct key_list {
  FILE *stream;
  const char *section;
} key_list;

static void put_key(void *user, const cw_key_row *row) {
  key_list *list = user;
  FILE *stream = list->stream;
  if (!list->section || strcmp(list->section, row->section) != 0)
    fprintf(stream, strcmp(row->section, "particles.species") == 0 ? ".SS [[%s]]\n" : ".SS [%s]\n",
            row->section);
  list->section = row->section;
  fputs(".TP\n", stream);
  put_in(stream, 'B', row->name);
  fputs(" (", stream);
  put(stream, row->type);
  if (*row->unit) {
    fputs(", ", stream);
    put(stream, row->unit);
  }
  fputs(")\n", stream);
  put_sentence(stream, row->text);
  if (*row->range) {
    fputs(strchr("<>", row->range[0]) ? "Allowed: " : "One of: ", stream);
    put_sentence(stream, row->range);
  }
  if (strcmp(row->default_value, "required") == 0) {
    fputs("Required.\n", stream);
  } else {
    fputs("Default: ", stream);
    put_sentence(stream, row->default_value);
  }
}

void cw_man_page_deck(FILE *stream) {
  key_list list = {stream, NULL};
  open_page(stream, "cellwise-deck", 5, "the input of a simulation");
  fputs(".SH DESCRIPTION\nA deck is a TOML file that says all of a simulation. An unknown key, a "
        "wrong type and a\nvalue out of range are refused with file, line and column.\n"
        "L is the deck's unit of length, c = 1; n0 = ppc0 / dx\\(haD is the density with ppc0\n"
        "particles a cell, m0 and q0 mass and charge of the reference particle, B0 = 1 / larmor0 "
        "the\nunit of fields.\n.SH KEYS\n",
        stream);
  cw_key_rows_of_deck(NULL, put_key, &list);
  fputs(".SH PROBLEMS\nWhat \\fBproblem\\fR in [setup] may be, and the keys of [setup] that each "
        "takes.\n",
        stream);
  list.section = "setup";
  for (const cw_problem *problem = cw_problems; problem->name; problem++) {
    fputs(".SS ", stream);
    put(stream, problem->name);
    fputc('\n', stream);
    put_sentence(stream, problem->text);
    cw_key_rows_of_setup(problem->keys, put_key, &list);
  }
  fputs(".SS With any problem\n", stream);
  cw_key_rows_of_setup(cw_setup_common_keys, put_key, &list);
  fputs(".SH SEE ALSO\n.BR cellwise\\-run (1),\n.BR cellwise\\-check (1),\n"
        ".BR cellwise\\-keys (1)\n",
        stream);
}
