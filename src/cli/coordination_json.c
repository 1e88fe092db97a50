#include "cli/coordination_json.h"

static void write_text(FILE *stream, const char *text) {
  fputc('"', stream);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fprintf(stream, "\\%c", c);
    else if (c < 32)
      fprintf(stream, "\\u%04x", c);
    else
      fputc(c, stream);
  }
  fputc('"', stream);
}

void cw_coordination_json_begin(FILE *stream) {
  fputs("{\"frames\":[", stream);
}

void cw_coordination_json_end(FILE *stream) {
  fputs("]}\n", stream);
}

static void write_variable(FILE *stream, const cw_analysis_result *result, int64_t atoms) {
  write_text(stream, result->label);
  fprintf(stream, ":{\"value\":%.17g", result->value);
  if (result->atom_derivatives) {
    const double *d = result->atom_derivatives;
    fputs(",\"atom_derivatives\":[", stream);
    for (int64_t k = 0; k < atoms; k++, d += 3)
      fprintf(stream, "%s[%.17g,%.17g,%.17g]", k ? "," : "", d[0], d[1], d[2]);
    fputs("],\"box_derivatives\":[", stream);
    for (int k = 0; k < 9; k++)
      fprintf(stream, "%s%.17g", k ? "," : "", result->box_derivatives[k]);
    fputc(']', stream);
  }
  fputc('}', stream);
}

void cw_coordination_json_frame(FILE *stream, const cw_analysis *analysis, const cw_input *input,
                                int64_t step, int first) {
  fprintf(stream, "%s\n{\"step\":%lld,\"time\":%.17g,\"variables\":{", first ? "" : ",",
          (long long)step, cw_analysis_time(analysis, step));
  for (int k = 0; k < input->variable_count; k++) {
    cw_analysis_result result = cw_analysis_get(analysis, k);
    if (k)
      fputc(',', stream);
    write_variable(stream, &result, input->atoms);
  }
  fputs("}}", stream);
}

/* Atoms from 1, runs of neighbours as ranges. */
static void explain_list(FILE *stream, const char *name, const cw_atom_list *list, int64_t atoms) {
  enum { MOST = 40 };
  int written = 0;
  fprintf(stream, "  %s: %lld atoms:", name, (long long)list->count);
  for (int64_t k = 0; k < list->count && written < MOST; written++) {
    int64_t last = k;
    while (last + 1 < list->count && list->atom[last + 1] == list->atom[last] + 1)
      last++;
    int is_virtual = list->atom[k] >= atoms;
    long long from = is_virtual ? list->atom[k] - atoms + 1 : list->atom[k] + 1LL;
    fprintf(stream, " %s%lld", is_virtual ? "virtual " : "", from);
    if (last > k)
      fprintf(stream, "-%lld", from + (long long)(last - k));
    k = last + 1;
    if (k < list->count && written == MOST - 1)
      fputs(" ...", stream);
  }
  fputc('\n', stream);
}

void cw_coordination_explain_input(FILE *stream, const cw_input *input, double range_of_unit) {
  static const char *const pairs[] = {"each pair of GROUPA once", "every GROUPA with every GROUPB",
                                      "k-th of GROUPA with k-th of GROUPB"};
  fprintf(stream, "%lld atoms in the trajectory, %d virtual atoms, lengths in units of %g nm\n",
          (long long)input->atoms, input->virtual_count, range_of_unit);
  for (int k = 0; k < input->variable_count; k++) {
    const cw_variable *v = &input->variables[k];
    fprintf(stream, "%s (%s:%d): %s%s\n", v->words->label, v->words->path, v->words->line,
            pairs[v->options.pairs], v->nopbc ? ", without the box" : "");
    explain_list(stream, "GROUPA", &v->a, input->atoms);
    if (v->options.pairs != CW_PAIRS_SELF)
      explain_list(stream, "GROUPB", &v->b, input->atoms);
  }
}

void cw_coordination_explain_frame(FILE *stream, const cw_analysis *analysis, const cw_input *input,
                                   int64_t step) {
  for (int k = 0; k < input->variable_count; k++) {
    cw_analysis_result result = cw_analysis_get(analysis, k);
    const cw_coordination_result *sums = result.sums;
    fprintf(
        stream, "step %lld: %s = %.10g from %lld pairs in range, %lld x %lld x %lld cells%s%s\n",
        (long long)step, result.label, result.value, (long long)sums->pairs_in_range,
        (long long)sums->cells[0], (long long)sums->cells[1], (long long)sums->cells[2],
        sums->images ? ", images pair by pair" : "", sums->list_rebuilt ? ", list rebuilt" : "");
  }
}
