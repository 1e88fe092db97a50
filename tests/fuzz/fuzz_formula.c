/* libFuzzer: any bytes as an expression of [setup]. A refusal points into the text; what the syntax
 * check accepts muParser compiles, and it evaluates without a fault, to the same value twice. */
#include <math.h>
#include <string.h>

#include "fuzz_file.h"
#include "setup/expression.h"

static void evaluate(const cw_expression *expression, int variables) {
  static const double places[3][3] = {{0, 0, 0}, {0.7, -1.3, 1e3}, {-1e300, 5e-324, 2}};
  for (int k = 0; k < 3; k++) {
    const double first = cw_expression_at(expression, places[k], k);
    const double again = cw_expression_at(expression, places[k], k);
    require(first == again || (isnan(first) && isnan(again)), "a value is a function of the place");
    if (!variables)
      require(first == cw_expression_at(expression, places[0], 0) || isnan(first),
              "a constant is one");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const cw_expression_scope scope = {
      .count = 3, .name = {"pi", "width", "B_0"}, .value = {3.141592653589793, 0.25, -2}};
  const int allowed = CW_EXPRESSION_X | CW_EXPRESSION_Y | CW_EXPRESSION_T;
  char text[CW_EXPRESSION_LENGTH + 8];
  cw_expression *expression = NULL;
  cw_expression_fault fault = {.at = 0};
  int variables;
  if (size >= sizeof text)
    return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  cw_context *context = begin();
  const cw_status checked = cw_expression_check(text, &scope, allowed, &variables, &fault);
  if (checked != CW_OK)
    require(fault.at <= strlen(text) && fault.message[0] != '\0', "a refusal points into the text");
  const cw_status status =
      cw_expression_create(context, text, &scope, allowed, &fault, &expression);
  require(status == checked, "what the check accepts muParser compiles");
  if (status == CW_OK) {
    require(cw_expression_variables(expression) == variables && !(variables & ~allowed),
            "what it depends on is allowed");
    evaluate(expression, variables);
  }
  cw_expression_destroy(expression);
  require(cw_memory_used(context, CW_SPACE_HOST) == 0, "nothing stays allocated");
  cw_context_destroy(context);
  return 0;
}
