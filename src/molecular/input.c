#include "molecular/input.h"

#include <string.h>

static cw_status check_labels(const cw_script *script) {
  for (int k = 0; k < script->count; k++)
    for (int j = 0; j < k && script->lines[k].label; j++)
      if (script->lines[j].label && strcmp(script->lines[j].label, script->lines[k].label) == 0)
        return cw_words_fail(script->context, &script->lines[k],
                             "the label %.60s is taken already, in line %d of %s",
                             script->lines[k].label, script->lines[j].line, script->lines[j].path);
  return CW_OK;
}

static cw_status read(cw_input *input, const char *path) {
  cw_context *context = input->context;
  CW_TRY(cw_script_read(context, path, &input->script));
  int count = input->script.count;
  CW_TRY(check_labels(&input->script));
  CW_TRY(CW_NEW(context, count, "variables", &input->variables));
  CW_TRY(CW_NEW(context, count, "virtual atoms", &input->virtual_atoms));
  CW_TRY(CW_NEW(context, count, "outputs", &input->outputs));
  for (int k = 0; k < count; k++)
    CW_TRY(cw_input_read_action(input, &input->script.lines[k]));
  if (input->variable_count == 0)
    return cw_fail(context, CW_ERROR_INPUT, "%s: the input defines no COORDINATION", path);
  for (int k = 0; k < input->variable_count; k++)
    input->variables[k].options.atoms = input->atoms + input->selection.virtual_atoms;
  return CW_OK;
}

cw_status cw_input_read(cw_context *context, const char *path, int64_t atoms, cw_input *input) {
  *input = (cw_input){.context = context, .atoms = atoms, .length = 1, .time = 1};
  input->selection = (cw_selection){.context = context, .atoms = atoms};
  cw_status status = read(input, path);
  if (status != CW_OK)
    cw_input_clear(input);
  return status;
}

void cw_input_clear(cw_input *input) {
  cw_context *context = input->context;
  for (int k = 0; k < input->variable_count; k++) {
    cw_atom_list_clear(context, &input->variables[k].a);
    cw_atom_list_clear(context, &input->variables[k].b);
  }
  for (int k = 0; k < input->virtual_count; k++) {
    cw_atom_list_clear(context, &input->virtual_atoms[k].list);
    CW_DELETE(context, input->virtual_atoms[k].weight);
  }
  for (int k = 0; k < input->output_count; k++)
    CW_DELETE(context, input->outputs[k].variable);
  CW_DELETE(context, input->variables);
  CW_DELETE(context, input->virtual_atoms);
  CW_DELETE(context, input->outputs);
  cw_selection_clear(&input->selection);
  cw_script_clear(&input->script);
  *input = (cw_input){.context = context};
}
