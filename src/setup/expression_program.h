/* Expressions as programs for the stack machine of expression_body.h: what a device evaluates. */
#ifndef CW_SETUP_EXPRESSION_PROGRAM_H
#define CW_SETUP_EXPRESSION_PROGRAM_H

#include "setup/expression.h"
#include "setup/expression_body.h"

typedef struct cw_expression_program {
  const cw_expression_instruction *code; /* on the host, borrowed */
  int length, depth;                     /* instructions; values on the stack at most */
} cw_expression_program;

/* Translates `text`, which cw_expression_check has accepted, with the scope's numbers in place of
 * their names; what does not depend on variables is evaluated here. `code` has room for
 * strlen(text) + 1 instructions and must outlive the program. */
cw_expression_program cw_expression_translate(const char *text, const cw_expression_scope *scope,
                                              cw_expression_instruction *code);

/* That of a compiled expression, which owns it. */
cw_expression_program cw_expression_get_program(const cw_expression *expression);
#endif
