/* libFuzzer: any bytes as the expression of a CUSTOM switching function. A refusal names a column;
 * an accepted one can be planned and summed. (Differences of values that random expressions take
 * say too little of slopes: test_expression.c has those.) */
#include <string.h>

#include <cellwise/coordination.h>

#include "fuzz_file.h"

#include "kernels/coordination/expression.h"

enum { ATOMS = 12, LONGEST = 4096 };

/* A pair sum, whose loops run the expression in lanes, in either precision. */
static void check_sum(cw_context *context, const char *text, cw_precision precision) {
  double r[3 * ATOMS];
  const cw_coordination_options options = {
      .switching = {.type = CW_SWITCHING_CUSTOM, .r_0 = 0.3, .function = text, .no_stretch = 1},
      .precision = precision,
      .atoms = ATOMS};
  const cw_coordinates_view view = {CW_DOUBLE, CW_SPACE_HOST, {r, r + 1, r + 2}, 3};
  cw_coordination_result result = {.value = 0};
  cw_coordination *plan = NULL;
  for (int k = 0; k < 3 * ATOMS; k++)
    r[k] = 0.1 * (k * 7 % 11);
  require(cw_coordination_create(context, &options, &plan) == CW_OK, "what compiles is planned");
  const cw_status status = cw_coordination_compute(plan, view, NULL, 0, &result);
  require(status == CW_OK, "what is planned is computed");
  cw_coordination_destroy(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const variables[] = {"x", "x2"};
  char text[LONGEST + 1];
  cw_expression expression;
  double number;
  if (size > LONGEST)
    return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  cw_context *context = begin();
  const cw_status status = cw_expression_compile(context, text, variables, 2, &expression);
  if (status == CW_OK) {
    check_sum(context, text, CW_SINGLE);
    check_sum(context, text, CW_DOUBLE);
  } else {
    require(strstr(cw_context_message(context), "column") != NULL, "a refusal names the column");
  }
  check_refusal(context, cw_expression_number(context, text, &number));
  require(cw_memory_used(context, CW_SPACE_HOST) == 0, "nothing stays allocated");
  cw_context_destroy(context);
  return 0;
}
