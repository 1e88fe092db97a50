#include "molecular/analysis.h"

#include <string.h>

#include "molecular/colvar.h"
#include "molecular/virtual.h"

/* What a variable needs over the frames. */
typedef struct state {
  cw_coordination *plan;
  cw_coordination_result result;
  double *derivatives;       /* [atoms + virtual][3], or NULL */
  double *entry_derivatives; /* [entries][3], or NULL: only where DUMPDERIVATIVES wants them */
  int warned;                /* about lists or images */
} state;

struct cw_analysis {
  cw_context *context;
  const cw_input *input;
  cw_analysis_options options;
  state *states;
  double *positions; /* [atoms + virtual][3], in the input's length unit */
  cw_colvar **files; /* one an output */
  int64_t step;
};

static cw_status create_state(cw_analysis *analysis, int k) {
  cw_context *context = analysis->context;
  const cw_variable *v = &analysis->input->variables[k];
  state *s = &analysis->states[k];
  cw_coordination_options options = v->options;
  if (analysis->options.all_single)
    options.precision = CW_SINGLE;
  cw_status status = cw_coordination_create(context, &options, &s->plan);
  if (status == CW_ERROR_ARGUMENT || status == CW_ERROR_INPUT)
    return cw_fail(context, CW_ERROR_INPUT, "%s:%d: %s: %s", v->words->path, v->words->line,
                   v->words->action, cw_context_message(context));
  if (status != CW_OK)
    return status;
  double range = cw_coordination_range(s->plan);
  if (v->options.list_cutoff > 0 && v->options.list_cutoff < range)
    cw_input_warn(context, v->words,
                  v->options.method == CW_COORDINATION_FROZEN
                      ? "NL_CUTOFF = %g is shorter than the range %g of the switching function: "
                        "pairs beyond it are left out, as NLIST asks"
                      : "NL_CUTOFF = %g is shorter than the range %g of the switching function: "
                        "the sum is complete all the same",
                  v->options.list_cutoff, range);
  if (analysis->options.derivatives) {
    CW_TRY(CW_NEW(context, 3 * options.atoms, "derivatives", &s->derivatives));
    s->result.derivatives = (cw_coordinates_view){
        CW_DOUBLE, CW_SPACE_HOST, {s->derivatives, s->derivatives + 1, s->derivatives + 2}, 3};
  }
  return CW_OK;
}

static cw_status want_entries(cw_analysis *analysis, const cw_output_action *out) {
  for (int k = 0; k < out->count && out->derivatives; k++) {
    const cw_variable *v = &analysis->input->variables[out->variable[k]];
    state *s = &analysis->states[out->variable[k]];
    if (s->entry_derivatives)
      continue;
    CW_TRY(CW_NEW(analysis->context, 3 * (v->a.count + v->b.count), "derivatives of entries",
                  &s->entry_derivatives));
    s->result.entry_derivatives = s->entry_derivatives;
  }
  return CW_OK;
}

static cw_status open_output(cw_analysis *analysis, int k) {
  const cw_output_action *out = &analysis->input->outputs[k];
  const char *names[2] = {"time", "parameter"};
  CW_TRY(want_entries(analysis, out));
  if (analysis->options.no_files)
    return CW_OK;
  CW_TRY(cw_colvar_open(analysis->context, analysis->options.folder, out->file, out->restart,
                        analysis->options.standard_output, &analysis->files[k]));
  const char **fields = NULL;
  int count = 0;
  CW_TRY(CW_NEW(analysis->context, out->count + 2, "field names", &fields));
  for (int j = 0; j < 1 + out->derivatives; j++)
    fields[count++] = names[j];
  for (int j = 0; j < out->count; j++)
    fields[count++] = analysis->input->variables[out->variable[j]].words->label;
  cw_status status = cw_colvar_fields(analysis->files[k], fields, count);
  CW_DELETE(analysis->context, fields);
  return status;
}

static cw_status init(cw_analysis *analysis) {
  const cw_input *input = analysis->input;
  cw_context *context = analysis->context;
  int64_t total = input->atoms + input->virtual_count;
  CW_TRY(CW_NEW(context, 3 * total, "positions", &analysis->positions));
  CW_TRY(CW_NEW(context, input->variable_count, "variables", &analysis->states));
  CW_TRY(CW_NEW(context, input->output_count, "output files", &analysis->files));
  for (int k = 0; k < input->variable_count; k++)
    CW_TRY(create_state(analysis, k));
  for (int k = 0; k < input->output_count; k++)
    CW_TRY(open_output(analysis, k));
  return CW_OK;
}

cw_status cw_analysis_create(const cw_input *input, const cw_analysis_options *options,
                             cw_analysis **analysis) {
  cw_analysis *made = NULL;
  *analysis = NULL;
  CW_TRY(CW_NEW(input->context, 1, "analysis", &made));
  made->context = input->context;
  made->input = input;
  made->options = *options;
  cw_status status = init(made);
  if (status != CW_OK)
    (void)cw_analysis_destroy(made);
  else
    *analysis = made;
  return status;
}

cw_status cw_analysis_destroy(cw_analysis *analysis) {
  cw_status status = CW_OK;
  if (!analysis)
    return status;
  cw_context *context = analysis->context;
  for (int k = 0; analysis->states && k < analysis->input->variable_count; k++) {
    cw_coordination_destroy(analysis->states[k].plan);
    CW_DELETE(context, analysis->states[k].derivatives);
    CW_DELETE(context, analysis->states[k].entry_derivatives);
  }
  for (int k = 0; analysis->files && k < analysis->input->output_count; k++) {
    cw_status closed = cw_colvar_close(analysis->files[k]);
    status = status == CW_OK ? closed : status;
  }
  CW_DELETE(context, analysis->states);
  CW_DELETE(context, analysis->files);
  CW_DELETE(context, analysis->positions);
  CW_DELETE(context, analysis);
  return status;
}

double cw_analysis_time(const cw_analysis *analysis, int64_t step) {
  return (double)step * analysis->options.timestep / analysis->input->time;
}

static void warn_once(cw_analysis *analysis, const cw_variable *v, state *s) {
  if (s->warned)
    return;
  if (s->result.list_may_miss && v->options.list_cutoff >= cw_coordination_range(s->plan)) {
    cw_input_warn(analysis->context, v->words,
                  "step %lld: atoms have moved further than the list "
                  "allows (NL_CUTOFF %g, range %g, NL_STRIDE %d): the sum may miss pairs, as NLIST "
                  "defines it",
                  (long long)analysis->step, v->options.list_cutoff, cw_coordination_range(s->plan),
                  v->list_stride);
    s->warned = 1;
  } else if (s->result.images) {
    cw_input_warn(analysis->context, v->words,
                  "step %lld: the range %g exceeds half the box's "
                  "smallest width: each pair counts once, at its nearest image",
                  (long long)analysis->step, cw_coordination_range(s->plan));
    s->warned = 1;
  }
}

static cw_status compute(cw_analysis *analysis, const cw_box *box, int k) {
  const cw_input *input = analysis->input;
  const cw_variable *v = &input->variables[k];
  state *s = &analysis->states[k];
  double *p = analysis->positions;
  cw_coordinates_view view = {CW_DOUBLE, CW_SPACE_HOST, {p, p + 1, p + 2}, 3};
  int rebuild = v->list_stride > 0 && analysis->step % v->list_stride == 0;
  CW_TRY(cw_coordination_compute(s->plan, view, v->nopbc ? NULL : box, rebuild, &s->result));
  warn_once(analysis, v, s);
  if (!s->derivatives)
    return CW_OK;
  cw_virtual_spread(input, s->derivatives);
  double scale = analysis->options.file_length / input->length;
  for (int64_t j = 0; j < 3 * input->atoms && scale != 1; j++)
    s->derivatives[j] *= scale;
  return CW_OK;
}

static void write_values(cw_analysis *analysis, const cw_output_action *out, FILE *file) {
  fprintf(file, " %f", cw_analysis_time(analysis, analysis->step));
  for (int k = 0; k < out->count; k++)
    fprintf(file, out->format, analysis->states[out->variable[k]].result.value);
  fputc('\n', file);
}

/* A row a parameter: coordinates of the entries of GROUPA and GROUPB, then the nine of the box. */
static void write_derivatives(cw_analysis *analysis, const cw_output_action *out, FILE *file) {
  const cw_variable *v = &analysis->input->variables[out->variable[0]];
  int64_t entries = 3 * (v->a.count + v->b.count);
  for (int64_t row = 0; row < entries + 9; row++) {
    fprintf(file, " %f %lld", cw_analysis_time(analysis, analysis->step), (long long)row);
    for (int k = 0; k < out->count; k++) {
      const state *s = &analysis->states[out->variable[k]];
      int64_t b = row - entries;
      fprintf(file, out->format,
              row < entries ? s->entry_derivatives[row] : s->result.box_derivatives[b / 3][b % 3]);
    }
    fputc('\n', file);
  }
}

static cw_status write_output(cw_analysis *analysis, int k) {
  const cw_output_action *out = &analysis->input->outputs[k];
  if (!analysis->files[k] || analysis->step % out->stride != 0)
    return CW_OK;
  FILE *file = cw_colvar_stream(analysis->files[k]);
  if (out->derivatives)
    write_derivatives(analysis, out, file);
  else
    write_values(analysis, out, file);
  return cw_colvar_check(analysis->files[k]);
}

cw_status cw_analysis_frame(cw_analysis *analysis, const cw_frame *frame, int64_t step) {
  const cw_input *input = analysis->input;
  double scale = analysis->options.file_length / input->length;
  cw_box box = frame->box;
  cw_lattice lattice;
  analysis->step = step;
  for (int64_t k = 0; k < 3 * input->atoms; k++)
    analysis->positions[k] = scale == 1 ? frame->position[k] : frame->position[k] * scale;
  for (int k = 0; k < 9; k++)
    box.vectors[k / 3][k % 3] *= scale;
  cw_status status = cw_lattice_init(analysis->context, &box, &lattice);
  if (status == CW_OK)
    cw_virtual_place(input, &lattice, analysis->positions);
  for (int k = 0; k < input->variable_count && status == CW_OK; k++)
    status = compute(analysis, &box, k);
  for (int k = 0; k < input->output_count && status == CW_OK; k++)
    status = write_output(analysis, k);
  return status;
}

cw_analysis_result cw_analysis_get(const cw_analysis *analysis, int variable) {
  const state *s = &analysis->states[variable];
  cw_analysis_result out = {.label = analysis->input->variables[variable].words->label,
                            .value = s->result.value,
                            .atom_derivatives = s->derivatives,
                            .sums = &s->result};
  memcpy(out.box_derivatives, s->result.box_derivatives, sizeof out.box_derivatives);
  return out;
}
