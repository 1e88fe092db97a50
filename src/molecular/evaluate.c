#include "molecular/evaluate.h"

#include "molecular/virtual.h"

static cw_status plan(cw_evaluator *evaluator, int k) {
  cw_context *context = evaluator->context;
  const cw_variable *v = &evaluator->input->variables[k];
  cw_evaluated *e = &evaluator->variables[k];
  cw_coordination_options options = v->options;
  if (evaluator->options.all_single)
    options.precision = CW_SINGLE;
  cw_status status = cw_coordination_create(context, &options, &e->plan);
  if (status == CW_ERROR_ARGUMENT || status == CW_ERROR_INPUT)
    return cw_fail(context, CW_ERROR_INPUT, "%s:%d: %s: %s", v->words->path, v->words->line,
                   v->words->action, cw_context_message(context));
  if (status != CW_OK)
    return status;
  if (evaluator->options.derivatives) {
    CW_TRY(CW_NEW(context, 3 * options.atoms, "derivatives", &e->derivatives));
    e->result.derivatives = (cw_coordinates_view){
        CW_DOUBLE, CW_SPACE_HOST, {e->derivatives, e->derivatives + 1, e->derivatives + 2}, 3};
  }
  if (evaluator->options.entry_values) {
    CW_TRY(CW_NEW(context, v->a.count, "coordination of entries", &e->entry_values));
    e->result.entry_values = e->entry_values;
  }
  return CW_OK;
}

static cw_status want_entries(cw_evaluator *evaluator, const cw_output_action *out) {
  for (int k = 0; k < out->count && out->derivatives; k++) {
    const cw_variable *v = &evaluator->input->variables[out->variable[k]];
    cw_evaluated *e = &evaluator->variables[out->variable[k]];
    if (e->entry_derivatives)
      continue;
    CW_TRY(CW_NEW(evaluator->context, 3 * (v->a.count + v->b.count), "derivatives of entries",
                  &e->entry_derivatives));
    e->result.entry_derivatives = e->entry_derivatives;
  }
  return CW_OK;
}

cw_status cw_evaluator_init(cw_context *context, const cw_input *input,
                            const cw_evaluator_options *options, cw_evaluator *evaluator) {
  int64_t total = input->atoms + input->virtual_count;
  *evaluator = (cw_evaluator){.context = context, .input = input, .options = *options};
  CW_TRY(CW_NEW(context, 3 * total, "positions", &evaluator->positions));
  CW_TRY(CW_NEW(context, input->variable_count, "variables", &evaluator->variables));
  for (int k = 0; k < input->variable_count; k++)
    CW_TRY(plan(evaluator, k));
  for (int k = 0; k < input->output_count; k++)
    CW_TRY(want_entries(evaluator, &input->outputs[k]));
  return CW_OK;
}

void cw_evaluator_clear(cw_evaluator *evaluator) {
  cw_context *context = evaluator->context;
  for (int k = 0; evaluator->variables && k < evaluator->input->variable_count; k++) {
    cw_coordination_destroy(evaluator->variables[k].plan);
    CW_DELETE(context, evaluator->variables[k].derivatives);
    CW_DELETE(context, evaluator->variables[k].entry_derivatives);
    CW_DELETE(context, evaluator->variables[k].entry_values);
  }
  CW_DELETE(context, evaluator->variables);
  CW_DELETE(context, evaluator->positions);
  *evaluator = (cw_evaluator){0};
}

static cw_status compute(cw_evaluator *evaluator, const cw_box *box, int k) {
  const cw_input *input = evaluator->input;
  const cw_variable *v = &input->variables[k];
  cw_evaluated *e = &evaluator->variables[k];
  double *p = evaluator->positions;
  cw_coordinates_view view = {CW_DOUBLE, CW_SPACE_HOST, {p, p + 1, p + 2}, 3};
  int rebuild = v->list_stride > 0 && evaluator->step % v->list_stride == 0;
  CW_TRY(cw_coordination_compute(e->plan, view, v->nopbc ? NULL : box, rebuild, &e->result));
  if (!e->derivatives)
    return CW_OK;
  cw_virtual_spread(input, e->derivatives);
  double scale = evaluator->options.file_length / input->length;
  for (int64_t j = 0; j < 3 * input->atoms && scale != 1; j++)
    e->derivatives[j] *= scale;
  return CW_OK;
}

cw_status cw_evaluator_frame(cw_evaluator *evaluator, const cw_frame *frame, int64_t step) {
  const cw_input *input = evaluator->input;
  double scale = evaluator->options.file_length / input->length;
  cw_box box = frame->box;
  cw_lattice lattice;
  evaluator->step = step;
  for (int64_t k = 0; k < 3 * input->atoms; k++)
    evaluator->positions[k] = scale == 1 ? frame->position[k] : frame->position[k] * scale;
  for (int k = 0; k < 9; k++)
    box.vectors[k / 3][k % 3] *= scale;
  CW_TRY(cw_lattice_init(evaluator->context, &box, &lattice));
  cw_virtual_place(input, &lattice, evaluator->positions);
  for (int k = 0; k < input->variable_count; k++)
    CW_TRY(compute(evaluator, &box, k));
  return CW_OK;
}
