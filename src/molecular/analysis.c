#include "molecular/analysis.h"

#include <string.h>

/* A frame in flight. */
typedef struct slot {
  cw_context *context; /* the analysis' own where there is one slot */
  cw_evaluator evaluator;
  char *due; /* [output_count] which outputs this frame is written to */
  int64_t step;
  cw_status status;
} slot;

struct cw_analysis {
  cw_context *context;
  const cw_input *input;
  cw_analysis_options options;
  slot *slots;
  int slot_count, last; /* last: the slot written last */
  cw_colvar **files;    /* one an output */
  int64_t *held;        /* [output_count] records of this run that a file held, not yet passed */
  char *warned;         /* [variable_count] about lists or images */
};

/* Frames at a time share memory: at most this many atoms in flight. On a device a few frames keep
 * copies and kernels going at the same time. */
enum { ATOMS_IN_FLIGHT = 1 << 22, FRAMES_ON_DEVICE = 4 };

static int has_lists(const cw_input *input) {
  for (int k = 0; k < input->variable_count; k++)
    if (input->variables[k].options.method == CW_COORDINATION_FROZEN ||
        input->variables[k].options.method == CW_COORDINATION_LIST)
      return 1;
  return 0;
}

static int count_slots(const cw_analysis *analysis) {
  const cw_input *input = analysis->input;
  int threads = cw_context_threads(analysis->context);
  int most = analysis->options.slots > 0 ? analysis->options.slots : threads;
  if (has_lists(input))
    return 1;
  if (cw_context_backend(analysis->context) == CW_BACKEND_CUDA && most > FRAMES_ON_DEVICE)
    most = FRAMES_ON_DEVICE;
  return threads > 1 && input->atoms * most > ATOMS_IN_FLIGHT ? 1 : most;
}

static cw_status own_context(cw_analysis *analysis, slot *s) {
  char message[CW_MESSAGE_SIZE];
  const cw_context *context = analysis->context;
  cw_context_options options = {.backend = cw_context_backend(context),
                                .device = cw_context_device(context),
                                .only_device = 1,
                                .threads = 1,
                                .isa = cw_context_isa(context),
                                .log = context->log,
                                .log_user = context->log_user};
  cw_status status = cw_context_create(&options, &s->context, message, sizeof message);
  return status == CW_OK ? CW_OK : cw_fail(analysis->context, status, "%s", message);
}

/* Says in the analysis' context what went wrong in a slot's own. */
static cw_status hand_up(cw_analysis *analysis, const slot *s, cw_status status) {
  if (status != CW_OK && s->context != analysis->context)
    cw_fail(analysis->context, status, "%s", cw_context_message(s->context));
  return status;
}

static cw_status create_slot(cw_analysis *analysis, slot *s) {
  const cw_evaluator_options options = {.file_length = analysis->options.file_length,
                                        .derivatives = analysis->options.derivatives,
                                        .entry_values = analysis->options.entry_values,
                                        .all_single = analysis->options.all_single};
  CW_TRY(CW_NEW(analysis->context, analysis->input->output_count, "output files", &s->due));
  if (analysis->slot_count == 1)
    s->context = analysis->context;
  else
    CW_TRY(own_context(analysis, s));
  return hand_up(analysis, s,
                 cw_evaluator_init(s->context, analysis->input, &options, &s->evaluator));
}

static void warn_of_cutoffs(const cw_analysis *analysis) {
  for (int k = 0; k < analysis->input->variable_count; k++) {
    const cw_variable *v = &analysis->input->variables[k];
    double cutoff = v->options.list_cutoff;
    double range = cw_coordination_range(analysis->slots[0].evaluator.variables[k].plan);
    if (cutoff > 0 && cutoff < range)
      cw_input_warn(analysis->context, v->words,
                    v->options.method == CW_COORDINATION_FROZEN
                        ? "NL_CUTOFF = %g is shorter than the range %g of the switching function: "
                          "pairs beyond it are left out, as NLIST asks"
                        : "NL_CUTOFF = %g is shorter than the range %g of the switching function: "
                          "the sum is complete all the same",
                    cutoff, range);
  }
}

static int64_t rows_of(const cw_analysis *analysis, const cw_output_action *out) {
  const cw_variable *v = &analysis->input->variables[out->variable[0]];
  return out->derivatives ? 3 * (v->a.count + v->b.count) + 9 : 1;
}

static cw_status open_output(cw_analysis *analysis, int k) {
  const cw_output_action *out = &analysis->input->outputs[k];
  const char *names[2] = {"time", "parameter"}, **fields = NULL;
  int count = 0;
  if (analysis->options.resume && out->restart)
    return cw_words_fail(analysis->context, out->words,
                         "RESTART does not go with --resume: rows of the run before and of this "
                         "one could not be told apart");
  CW_TRY(CW_NEW(analysis->context, out->count + 2, "field names", &fields));
  for (int j = 0; j < 1 + out->derivatives; j++)
    fields[count++] = names[j];
  for (int j = 0; j < out->count; j++)
    fields[count++] = analysis->input->variables[out->variable[j]].words->label;
  const cw_colvar_options options = {.mode = analysis->options.resume ? CW_COLVAR_RESUME
                                             : out->restart           ? CW_COLVAR_APPEND
                                                                      : CW_COLVAR_NEW,
                                     .folder = analysis->options.folder,
                                     .name = out->file,
                                     .other = analysis->options.standard_output,
                                     .fields = fields,
                                     .count = count,
                                     .record = rows_of(analysis, out)};
  cw_status status = cw_colvar_open(analysis->context, &options, &analysis->files[k]);
  CW_DELETE(analysis->context, fields);
  if (status == CW_OK && out->file)
    analysis->held[k] = cw_colvar_records(analysis->files[k]);
  return status;
}

static cw_status init(cw_analysis *analysis) {
  const cw_input *input = analysis->input;
  cw_context *context = analysis->context;
  int files = 0, slots = count_slots(analysis);
  CW_TRY(CW_NEW(context, slots, "frames in flight", &analysis->slots));
  CW_TRY(CW_NEW(context, input->output_count, "output files", &analysis->files));
  CW_TRY(CW_NEW(context, input->output_count, "output files", &analysis->held));
  CW_TRY(CW_NEW(context, input->variable_count, "variables", &analysis->warned));
  analysis->slot_count = slots;
  for (int k = 0; k < slots; k++)
    CW_TRY(create_slot(analysis, &analysis->slots[k]));
  warn_of_cutoffs(analysis);
  for (int k = 0; k < input->output_count; k++)
    files += input->outputs[k].file != NULL;
  if (analysis->options.resume && files == 0)
    return cw_fail(context, CW_ERROR_INPUT,
                   "there is nothing to resume: the input writes no file by PRINT or "
                   "DUMPDERIVATIVES");
  for (int k = 0; k < input->output_count && !analysis->options.no_files; k++)
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

static void destroy_slot(cw_analysis *analysis, slot *s) {
  if (s->evaluator.context)
    cw_evaluator_clear(&s->evaluator);
  if (s->context != analysis->context)
    cw_context_destroy(s->context);
  CW_DELETE(analysis->context, s->due);
}

cw_status cw_analysis_destroy(cw_analysis *analysis) {
  cw_status status = CW_OK;
  if (!analysis)
    return status;
  cw_context *context = analysis->context;
  for (int k = 0; k < analysis->slot_count; k++)
    destroy_slot(analysis, &analysis->slots[k]);
  for (int k = 0; analysis->files && k < analysis->input->output_count; k++) {
    cw_status closed = cw_colvar_close(analysis->files[k]);
    status = status == CW_OK ? closed : status;
  }
  CW_DELETE(context, analysis->slots);
  CW_DELETE(context, analysis->files);
  CW_DELETE(context, analysis->held);
  CW_DELETE(context, analysis->warned);
  CW_DELETE(context, analysis);
  return status;
}

int cw_analysis_slots(const cw_analysis *analysis) {
  return analysis->slot_count;
}

double cw_analysis_time(const cw_analysis *analysis, int64_t step) {
  return (double)step * analysis->options.timestep / analysis->input->time;
}

/* The frame's record stands in the file already; of the last one the time is compared. */
static cw_status pass_record(cw_analysis *analysis, int k, int64_t step) {
  char time[64];
  const cw_colvar *file = analysis->files[k];
  if (--analysis->held[k] > 0)
    return CW_OK;
  snprintf(time, sizeof time, "%f", cw_analysis_time(analysis, step));
  if (strcmp(time, cw_colvar_last_time(file)) == 0)
    return CW_OK;
  return cw_fail(analysis->context, CW_ERROR_FORMAT,
                 "%s cannot be resumed: its last record is of time %s, but this run has %s there",
                 cw_colvar_path(file), cw_colvar_last_time(file), time);
}

cw_status cw_analysis_begin(cw_analysis *analysis, int number, int64_t step, int *needed) {
  const cw_input *input = analysis->input;
  slot *s = &analysis->slots[number];
  int passed = 0, due = 0;
  s->step = step;
  s->status = CW_OK;
  for (int k = 0; k < input->output_count; k++) {
    s->due[k] = analysis->files[k] && step % input->outputs[k].stride == 0;
    if (s->due[k] && analysis->held[k] > 0) {
      CW_TRY(pass_record(analysis, k, step));
      s->due[k] = 0;
      passed++;
    }
    due += s->due[k];
  }
  *needed = passed == 0 || due > 0 || has_lists(input) || analysis->options.entry_values;
  return CW_OK;
}

void cw_analysis_compute(cw_analysis *analysis, int number, const cw_frame *frame) {
  slot *s = &analysis->slots[number];
  s->status = cw_evaluator_frame(&s->evaluator, frame, s->step);
}

static void warn_once(cw_analysis *analysis, const slot *s, int k) {
  const cw_variable *v = &analysis->input->variables[k];
  const cw_evaluated *e = &s->evaluator.variables[k];
  double range = cw_coordination_range(e->plan);
  if (analysis->warned[k])
    return;
  if (e->result.list_may_miss && v->options.list_cutoff >= range) {
    cw_input_warn(analysis->context, v->words,
                  "step %lld: atoms have moved further than the list "
                  "allows (NL_CUTOFF %g, range %g, NL_STRIDE %d): the sum may miss pairs, as NLIST "
                  "defines it",
                  (long long)s->step, v->options.list_cutoff, range, v->list_stride);
    analysis->warned[k] = 1;
  } else if (e->result.images) {
    cw_input_warn(analysis->context, v->words,
                  "step %lld: the range %g exceeds half the box's "
                  "smallest width: each pair counts once, at its nearest image",
                  (long long)s->step, range);
    analysis->warned[k] = 1;
  }
}

static void write_values(const cw_analysis *analysis, const cw_output_action *out, const slot *s,
                         FILE *file) {
  fprintf(file, " %f", cw_analysis_time(analysis, s->step));
  for (int k = 0; k < out->count; k++)
    fprintf(file, out->format, s->evaluator.variables[out->variable[k]].result.value);
  fputc('\n', file);
}

/* A row a parameter: coordinates of the entries of GROUPA and GROUPB, then the nine of the box. */
static void write_derivatives(const cw_analysis *analysis, const cw_output_action *out,
                              const slot *s, FILE *file) {
  int64_t rows = rows_of(analysis, out), entries = rows - 9;
  for (int64_t row = 0; row < rows; row++) {
    fprintf(file, " %f %lld", cw_analysis_time(analysis, s->step), (long long)row);
    for (int k = 0; k < out->count; k++) {
      const cw_evaluated *e = &s->evaluator.variables[out->variable[k]];
      int64_t b = row - entries;
      fprintf(file, out->format,
              row < entries ? e->entry_derivatives[row] : e->result.box_derivatives[b / 3][b % 3]);
    }
    fputc('\n', file);
  }
}

cw_status cw_analysis_write(cw_analysis *analysis, int number) {
  const cw_input *input = analysis->input;
  const slot *s = &analysis->slots[number];
  CW_TRY(hand_up(analysis, s, s->status));
  analysis->last = number;
  for (int k = 0; k < input->variable_count; k++)
    warn_once(analysis, s, k);
  for (int k = 0; k < input->output_count; k++) {
    const cw_output_action *out = &input->outputs[k];
    if (s->due[k] && out->derivatives)
      write_derivatives(analysis, out, s, cw_colvar_stream(analysis->files[k]));
    else if (s->due[k])
      write_values(analysis, out, s, cw_colvar_stream(analysis->files[k]));
    if (s->due[k])
      CW_TRY(cw_colvar_check(analysis->files[k]));
  }
  int flush = input->flush_stride > 0 && s->step % input->flush_stride == 0;
  for (int k = 0; k < input->output_count && flush; k++)
    if (analysis->files[k])
      CW_TRY(cw_colvar_flush(analysis->files[k]));
  return CW_OK;
}

cw_status cw_analysis_frame(cw_analysis *analysis, const cw_frame *frame, int64_t step) {
  int needed;
  CW_TRY(cw_analysis_begin(analysis, 0, step, &needed));
  if (!needed)
    return CW_OK;
  cw_analysis_compute(analysis, 0, frame);
  return cw_analysis_write(analysis, 0);
}

cw_status cw_analysis_finish(cw_analysis *analysis) {
  for (int k = 0; k < analysis->input->output_count; k++)
    if (analysis->held[k] > 0)
      return cw_fail(analysis->context, CW_ERROR_FORMAT,
                     "%s cannot be resumed: it has %lld records more than this run has frames for",
                     cw_colvar_path(analysis->files[k]), (long long)analysis->held[k]);
  return CW_OK;
}

cw_analysis_result cw_analysis_get(const cw_analysis *analysis, int variable) {
  const cw_evaluated *e = &analysis->slots[analysis->last].evaluator.variables[variable];
  cw_analysis_result out = {.label = analysis->input->variables[variable].words->label,
                            .value = e->result.value,
                            .atom_derivatives = e->derivatives,
                            .entry_values = e->entry_values,
                            .sums = &e->result};
  memcpy(out.box_derivatives, e->result.box_derivatives, sizeof out.box_derivatives);
  return out;
}
