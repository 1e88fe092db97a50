/* The switching function of an action: R_0, NN, MM, D_0, or SWITCH={TYPE ...}. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "molecular/input.h"

enum { MAX_SWITCH_WORDS = 32 };

static const struct {
  const char *name;
  cw_switching_type type;
} types[] = {{"RATIONAL", CW_SWITCHING_RATIONAL},
             {"EXP", CW_SWITCHING_EXP},
             {"GAUSSIAN", CW_SWITCHING_GAUSSIAN},
             {"SMAP", CW_SWITCHING_SMAP},
             {"Q", CW_SWITCHING_Q},
             {"CUBIC", CW_SWITCHING_CUBIC},
             {"TANH", CW_SWITCHING_TANH},
             {"COSINUS", CW_SWITCHING_COSINUS},
             {"CUSTOM", CW_SWITCHING_CUSTOM},
             {"MATHEVAL", CW_SWITCHING_CUSTOM}};

static cw_status find_type(cw_context *context, const cw_words *words, const char *name,
                           cw_switching_type *type) {
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (strcasecmp(name, types[k].name) == 0) {
      *type = types[k].type;
      return CW_OK;
    }
  return cw_words_fail(context, words,
                       "SWITCH: the type '%.60s' is not known (RATIONAL, EXP, "
                       "GAUSSIAN, SMAP, Q, CUBIC, TANH, COSINUS, CUSTOM and MATHEVAL are)",
                       name);
}

/* Warnings about what is legal but seldom meant. */
static void warn(cw_context *context, const cw_words *words, const cw_switching_options *o) {
  if (o->d_0 < 0)
    cw_input_warn(context, words, "D_0 = %g is negative: the function is below 1 at distance 0",
                  o->d_0);
  if (o->d_max > 0 && o->r_0 > 0 && o->d_max < o->r_0)
    cw_input_warn(context, words, "D_MAX = %g is smaller than R_0 = %g", o->d_max, o->r_0);
}

static cw_status read_type(cw_context *context, const cw_words *s, cw_switching_options *o) {
  switch (o->type) {
  case CW_SWITCHING_RATIONAL:
    CW_TRY(cw_words_integer(context, s, "NN", &o->nn));
    return cw_words_integer(context, s, "MM", &o->mm);
  case CW_SWITCHING_SMAP:
    CW_TRY(cw_words_integer(context, s, "A", &o->a));
    return cw_words_integer(context, s, "B", &o->b);
  case CW_SWITCHING_Q:
    CW_TRY(cw_words_real(context, s, "BETA", &o->beta));
    CW_TRY(cw_words_real(context, s, "LAMBDA", &o->lambda));
    return cw_words_real(context, s, "REF", &o->ref);
  case CW_SWITCHING_CUSTOM:
    o->function = cw_words_value(s, "FUNC");
    return CW_OK;
  default:
    return CW_OK;
  }
}

/* Explicit values that the options would take as "default". */
static cw_status check_zeros(cw_context *context, const cw_words *s,
                             const cw_switching_options *o) {
  if (cw_words_value(s, "NN") && o->nn < 1)
    return cw_words_fail(context, s, "NN is %d; expected a whole number from 1 on", o->nn);
  if (cw_words_value(s, "MM") && o->mm < 0)
    return cw_words_fail(context, s, "MM is %d; expected 0 (2 NN) or more than NN", o->mm);
  if (cw_words_value(s, "D_MAX") && !(o->d_max > 0))
    return cw_words_fail(context, s, "D_MAX is %g; expected a positive length", o->d_max);
  if (o->type != CW_SWITCHING_CUBIC && !cw_words_value(s, "R_0"))
    return cw_words_fail(context, s, "R_0 is missing");
  if (cw_words_value(s, "BETA") && !(o->beta > 0))
    return cw_words_fail(context, s, "BETA is %g; expected a positive number", o->beta);
  if (cw_words_value(s, "LAMBDA") && !(o->lambda > 0))
    return cw_words_fail(context, s, "LAMBDA is %g; expected a positive number", o->lambda);
  if (o->type == CW_SWITCHING_SMAP && (!cw_words_value(s, "A") || !cw_words_value(s, "B")))
    return cw_words_fail(context, s, "SMAP needs A and B");
  if (o->type == CW_SWITCHING_Q && !cw_words_value(s, "REF"))
    return cw_words_fail(context, s, "Q needs REF");
  if (o->type == CW_SWITCHING_CUBIC && !cw_words_value(s, "D_MAX"))
    return cw_words_fail(context, s, "CUBIC needs D_MAX: without it there is no function");
  if (o->type == CW_SWITCHING_CUSTOM && !o->function)
    return cw_words_fail(context, s, "CUSTOM needs FUNC");
  if (o->function && strstr(o->function, "x2") && o->d_0 != 0)
    return cw_words_fail(context, s,
                         "FUNC in x2 with D_0: PLUMED ignores D_0 there; write x^2 for "
                         "((r - D_0)/R_0)^2, or leave D_0 out");
  return CW_OK;
}

static cw_status read_switch(cw_context *context, const cw_words *words, char *text,
                             cw_switching_options *o) {
  char *word[MAX_SWITCH_WORDS], used[MAX_SWITCH_WORDS] = {0}, name[128];
  int count = cw_words_split(text, 0, word, MAX_SWITCH_WORDS);
  if (count == -1)
    return cw_words_fail(context, words, "SWITCH: braces { } do not match");
  if (count == -2)
    return cw_words_fail(context, words, "SWITCH: too many words");
  if (count == 0)
    return cw_words_fail(context, words, "SWITCH: the type is missing");
  CW_TRY(find_type(context, words, word[0], &o->type));
  snprintf(name, sizeof name, "%.60s: SWITCH %.40s", words->action, word[0]);
  const cw_words s = {.path = words->path,
                      .line = words->line,
                      .action = name,
                      .count = count - 1,
                      .word = word + 1,
                      .used = used};
  if (o->type != CW_SWITCHING_CUBIC)
    CW_TRY(cw_words_real(context, &s, "R_0", &o->r_0));
  CW_TRY(cw_words_real(context, &s, "D_0", &o->d_0));
  CW_TRY(cw_words_real(context, &s, "D_MAX", &o->d_max));
  o->no_stretch = cw_words_flag(&s, "NOSTRETCH");
  if (cw_words_flag(&s, "STRETCH") && o->no_stretch)
    return cw_words_fail(context, &s, "STRETCH and NOSTRETCH contradict each other");
  CW_TRY(read_type(context, &s, o));
  CW_TRY(cw_words_check_used(context, &s));
  return check_zeros(context, &s, o);
}

static cw_status read_plain(cw_context *context, const cw_words *words, int d_max_keyword,
                            cw_switching_options *o) {
  o->implicit_d_max = 1;
  CW_TRY(cw_words_real(context, words, "R_0", &o->r_0));
  CW_TRY(cw_words_real(context, words, "D_0", &o->d_0));
  CW_TRY(cw_words_integer(context, words, "NN", &o->nn));
  CW_TRY(cw_words_integer(context, words, "MM", &o->mm));
  if (d_max_keyword)
    CW_TRY(cw_words_real(context, words, "D_MAX", &o->d_max));
  else if (cw_words_value(words, "D_MAX"))
    return cw_words_fail(context, words,
                         "D_MAX stands only inside SWITCH={RATIONAL R_0=... "
                         "D_MAX=...}");
  return check_zeros(context, words, o);
}

cw_status cw_input_read_switching(cw_context *context, const cw_words *words, int d_max_keyword,
                                  cw_switching_options *options) {
  static const char *const plain[] = {"R_0", "D_0", "NN", "MM", "D_MAX"};
  *options = (cw_switching_options){0};
  char *text = cw_words_value(words, "SWITCH");
  for (size_t k = 0; text && k < sizeof plain / sizeof *plain; k++)
    if (cw_words_value(words, plain[k]))
      return cw_words_fail(context, words, "SWITCH and %s do not go together", plain[k]);
  if (text)
    CW_TRY(read_switch(context, words, text, options));
  else
    CW_TRY(read_plain(context, words, d_max_keyword, options));
  warn(context, words, options);
  return CW_OK;
}
