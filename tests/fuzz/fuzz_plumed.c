/* libFuzzer: any bytes as a PLUMED input for 60 atoms. An accepted input has variables whose groups
 * name atoms that are there, and its plans are made or refused with a message. */
#include "fuzz_file.h"

#include "molecular/input.h"

enum { ATOMS = 60 };

static void check_list(const cw_input *input, const cw_atom_list *list) {
  for (int64_t k = 0; k < list->count; k++)
    require(list->atom[k] < input->atoms + input->virtual_count, "an entry is an atom");
}

static void check_variable(cw_context *context, const cw_input *input, const cw_variable *v) {
  cw_coordination *plan = NULL;
  check_list(input, &v->a);
  check_list(input, &v->b);
  if (v->a.count > 1000 || v->b.count > 1000)
    return;
  check_refusal(context, cw_coordination_create(context, &v->options, &plan));
  cw_coordination_destroy(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = as_file(data, size);
  cw_context *context = begin();
  cw_input input;
  cw_status status = cw_input_read(context, path, ATOMS, &input);
  check_refusal(context, status);
  if (status == CW_OK) {
    require(input.variable_count > 0, "an accepted input defines a variable");
    for (int k = 0; k < input.variable_count; k++)
      check_variable(context, &input, &input.variables[k]);
    cw_input_clear(&input);
  }
  end(context, path);
  return 0;
}
