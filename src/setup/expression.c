/* Compiled expressions: a muParser for each thread, since one holds its variables. */
#include "setup/expression.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include <muParserDLL.h>

#include "base/context_private.h"
#include "setup/expression_program.h"

enum { VARIABLES = 8 };
static const char *const variable_names[VARIABLES] = {"x",  "y",  "z",  "t",
                                                      "ux", "uy", "uz", "gamma"};

/* A thread's own, on cache lines of its own. */
typedef struct slot {
  muParserHandle_t parser;
  double variable[VARIABLES];
  char apart[128 - sizeof(muParserHandle_t) - VARIABLES * sizeof(double)];
} slot;

struct cw_expression {
  cw_context *context;
  int variables, slots;
  double value; /* of a constant */
  slot *slot;
  cw_expression_program program;
  cw_expression_instruction *code; /* its own */
};

static double least(const double *x, int count) {
  double value = x[0];
  for (int k = 1; k < count; k++)
    value = cw_expression_least(value, x[k]);
  return value;
}
static double most(const double *x, int count) {
  double value = x[0];
  for (int k = 1; k < count; k++)
    value = cw_expression_most(value, x[k]);
  return value;
}

static const struct {
  const char *name;
  double (*one)(double);
  double (*two)(double, double);
  double (*many)(const double *, int);
} bodies[] = {
#define CW_BODY_OF(name, function) {#name, function, NULL, NULL},
    CW_EXPRESSION_ONE(CW_BODY_OF)
#undef CW_BODY_OF
#define CW_BODY_OF(name, function) {#name, NULL, function, NULL},
        CW_EXPRESSION_TWO(CW_BODY_OF)
#undef CW_BODY_OF
            {"min", NULL, NULL, least},
    {"max", NULL, NULL, most},
};

/* muParser tells an error by calling back; it is looked at afterwards. */
static void ignore(muParserHandle_t parser) {
  (void)parser;
}

/* A constant that has the name of a variable that is allowed is hidden by it. */
static int is_hidden(const char *name, int allowed) {
  for (int v = 0; v < VARIABLES; v++)
    if (allowed >> v & 1 && strcmp(variable_names[v], name) == 0)
      return 1;
  return 0;
}

/* x, y, z and t are known wherever they stand, the others where they are allowed. */
static int compile(slot *slot, const char *text, const cw_expression_scope *scope, int allowed) {
  const muParserHandle_t parser = slot->parser = mupCreate(muBASETYPE_FLOAT);
  if (!parser)
    return 0;
  mupSetErrorHandler(parser, ignore);
  mupClearFun(parser); /* ours are libm's; muParser's constants have 12 digits */
  mupClearConst(parser);
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    if (bodies[k].one)
      mupDefineFun1(parser, bodies[k].name, bodies[k].one, 1);
    else if (bodies[k].two)
      mupDefineFun2(parser, bodies[k].name, bodies[k].two, 1);
    else
      mupDefineMultFun(parser, bodies[k].name, bodies[k].many, 1);
  }
  for (int k = 0; k < scope->count; k++)
    if (!is_hidden(scope->name[k], allowed))
      mupDefineConst(parser, scope->name[k], scope->value[k]);
  for (int v = 0; v < VARIABLES; v++)
    if (v < 4 || allowed >> v & 1)
      mupDefineVar(parser, variable_names[v], &slot->variable[v]);
  char tight[CW_EXPRESSION_LENGTH + 1]; /* muParser wants no space between a name and its ( */
  size_t length = 0;
  for (const char *c = text; *c; c++)
    if (!strchr(" \t\r\n", *c))
      tight[length++] = *c;
  tight[length] = '\0';
  mupSetExpr(parser, tight);
  mupEval(parser); /* compiles, too */
  return !mupError(parser);
}

static cw_status make(cw_context *context, int variables, cw_expression **expression) {
  cw_expression *made = NULL;
  *expression = NULL;
  CW_TRY(CW_NEW(context, 1, "expression", &made));
  made->context = context;
  made->variables = variables;
  *expression = made;
  return CW_OK;
}

cw_status cw_expression_create_number(cw_context *context, double value,
                                      cw_expression **expression) {
  CW_TRY(make(context, 0, expression));
  cw_expression *made = *expression;
  const cw_status status = CW_NEW(context, 1, "expression", &made->code);
  if (status != CW_OK) {
    CW_DELETE(context, made);
    *expression = NULL;
    return status;
  }
  made->value = value;
  made->code[0] = (cw_expression_instruction){CW_CODE_NUMBER, 0, value};
  made->program = (cw_expression_program){made->code, 1, 1};
  return CW_OK;
}

cw_status cw_expression_create(cw_context *context, const char *text,
                               const cw_expression_scope *scope, int allowed,
                               cw_expression_fault *fault, cw_expression **expression) {
  cw_expression *made = NULL;
  cw_status status = CW_OK;
  int variables;
  *expression = NULL;
  CW_TRY(cw_expression_check(text, scope, allowed, &variables, fault));
  CW_TRY(make(context, variables, &made));
  const int threads = scope->threads ? scope->threads : cw_context_threads(context);
  made->slots = variables ? threads : 1;
  CW_TRY_CLEANUP(status, CW_NEW(context, made->slots, "expression", &made->slot));
  for (int k = 0; k < made->slots; k++)
    if (!compile(&made->slot[k], text, scope, allowed)) {
      fault->at = 0;
      memcpy(fault->message, "muParser refuses it", sizeof "muParser refuses it");
      status = CW_ERROR_INPUT;
      goto cleanup;
    }
  made->value = mupEval(made->slot[0].parser);
  CW_TRY_CLEANUP(status, CW_NEW(context, strlen(text) + 1, "expression", &made->code));
  made->program = cw_expression_translate(text, scope, made->code);
  *expression = made;
  made = NULL;
cleanup:
  cw_expression_destroy(made);
  return status;
}

void cw_expression_destroy(cw_expression *expression) {
  if (!expression)
    return;
  for (int k = 0; k < expression->slots; k++)
    if (expression->slot[k].parser)
      mupRelease(expression->slot[k].parser);
  CW_DELETE(expression->context, expression->slot);
  CW_DELETE(expression->context, expression->code);
  CW_DELETE(expression->context, expression);
}

int cw_expression_variables(const cw_expression *expression) {
  return expression->variables;
}

cw_expression_program cw_expression_get_program(const cw_expression *expression) {
  return expression->program;
}

double cw_expression_at(const cw_expression *expression, const double x[3], double t) {
  if (!expression->variables)
    return expression->value;
  slot *slot = &expression->slot[omp_get_thread_num() % expression->slots];
  memcpy(slot->variable, x, 3 * sizeof *x);
  slot->variable[3] = t;
  return mupEval(slot->parser);
}

double cw_expression_of_particle(const cw_expression *expression, const double x[3],
                                 const double u[3], double gamma) {
  if (!expression->variables)
    return expression->value;
  slot *slot = &expression->slot[omp_get_thread_num() % expression->slots];
  memcpy(slot->variable, x, 3 * sizeof *x);
  slot->variable[3] = 0;
  memcpy(slot->variable + 4, u, 3 * sizeof *u);
  slot->variable[7] = gamma;
  return mupEval(slot->parser);
}
