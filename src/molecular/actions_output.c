/* The actions that say where results go and in which units. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "kernels/coordination/expression.h"
#include "molecular/input.h"

/* Accepts one floating-point conversion with optional flags, width and precision, and any other
 * text without '%': the format goes to printf. */
static int safe_format(const char *format) {
  int conversions = 0;
  for (const char *at = format; *at; at++) {
    if (*at != '%')
      continue;
    at++;
    at += strspn(at, "-+ 0#");
    for (int part = 0; part < 2; part++) {
      size_t digits = strspn(at, "0123456789");
      if (digits > 2)
        return 0;
      at += digits;
      if (part == 0 && *at == '.')
        at++;
      else
        break;
    }
    if (!*at || !strchr("fFeEgG", *at))
      return 0;
    conversions++;
  }
  return conversions == 1;
}

static cw_status read_format(cw_context *context, const cw_words *words, cw_output_action *out) {
  const char *format = cw_words_value(words, "FMT");
  if (!format)
    format = out->derivatives ? "%15.10f" : "%f";
  if (strlen(format) + 2 > sizeof out->format || !safe_format(format))
    return cw_words_fail(context, words, "FMT=%.60s is not one conversion like %%12.6f", format);
  snprintf(out->format, sizeof out->format, " %s", format);
  return CW_OK;
}

static int find_variable(const cw_input *input, const char *name) {
  for (int k = 0; k < input->variable_count; k++)
    if (strcmp(input->variables[k].words->label, name) == 0)
      return k;
  return -1;
}

static cw_status read_arguments(cw_input *input, const cw_words *words, cw_output_action *out) {
  cw_context *context = input->context;
  char *text = cw_words_value(words, "ARG"), **word = NULL;
  if (!text)
    return cw_words_fail(context, words, "ARG is missing");
  int most = (int)strlen(text) / 2 + 1;
  CW_TRY(CW_NEW(context, most + input->variable_count, "arguments", &out->variable));
  CW_TRY(CW_NEW(context, most, "arguments", &word));
  int count = cw_words_split(text, 1, word, most);
  cw_status status = count < 1 ? cw_words_fail(context, words, "ARG names nothing") : CW_OK;
  for (int k = 0; k < count && status == CW_OK; k++) {
    if (strcmp(word[k], "*") == 0 && count == 1) {
      for (int v = 0; v < input->variable_count; v++)
        out->variable[out->count++] = v;
      continue;
    }
    int v = find_variable(input, word[k]);
    if (v < 0)
      status = cw_words_fail(context, words,
                             "ARG=%.60s: no variable of that label is defined above", word[k]);
    else
      out->variable[out->count++] = v;
  }
  CW_DELETE(context, word);
  return status;
}

/* Entries differ between variables, so their derivatives have no common rows. */
static cw_status check_rows(cw_input *input, const cw_words *words, const cw_output_action *out) {
  for (int k = 1; k < out->count; k++) {
    const cw_variable *first = &input->variables[out->variable[0]];
    const cw_variable *other = &input->variables[out->variable[k]];
    if (first->a.count + first->b.count != other->a.count + other->b.count)
      return cw_words_fail(input->context, words,
                           "%s and %s have different numbers of derivatives: "
                           "use one DUMPDERIVATIVES each",
                           first->words->label, other->words->label);
  }
  return CW_OK;
}

/* Two actions that write one file would each move the other's aside. */
static cw_status check_file(const cw_input *input, const cw_words *words,
                            const cw_output_action *out) {
  for (int k = 0; k < input->output_count; k++) {
    const cw_output_action *other = &input->outputs[k];
    if (other != out && out->file && other->file && strcmp(out->file, other->file) == 0)
      return cw_words_fail(input->context, words, "FILE=%.100s is written by %s in line %d already",
                           out->file, other->words->action, other->words->line);
  }
  return CW_OK;
}

cw_status cw_action_output(cw_input *input, const cw_words *words) {
  cw_context *context = input->context;
  cw_output_action *out = &input->outputs[input->output_count++];
  *out = (cw_output_action){.words = words, .stride = 1, .restart = input->restart};
  out->derivatives = strcasecmp(words->action, "DUMPDERIVATIVES") == 0;
  CW_TRY(read_arguments(input, words, out));
  CW_TRY(cw_words_integer(context, words, "STRIDE", &out->stride));
  if (out->stride < 1)
    return cw_words_fail(context, words, "STRIDE is %d; expected 1 or more", out->stride);
  out->file = cw_words_value(words, "FILE");
  if (out->derivatives && !out->file)
    return cw_words_fail(context, words, "FILE is missing");
  if (out->derivatives)
    CW_TRY(check_rows(input, words, out));
  CW_TRY(check_file(input, words, out));
  const char *restart = cw_words_value(words, "RESTART");
  if (restart && strcasecmp(restart, "AUTO") != 0) {
    out->restart = strcasecmp(restart, "YES") == 0;
    if (!out->restart && strcasecmp(restart, "NO") != 0)
      return cw_words_fail(context, words, "RESTART=%.30s; expected YES, NO or AUTO", restart);
  }
  return read_format(context, words, out);
}

typedef struct unit {
  const char *name;
  double value;
} unit;

static const unit lengths[] = {{"nm", 1}, {"A", 0.1}, {"um", 1000}, {"Bohr", 0.052917721067}, {0}};
static const unit times[] = {
    {"ps", 1}, {"fs", 0.001}, {"ns", 1000}, {"atomic", 2.418884326509e-5}, {0}};

static cw_status read_unit(cw_context *context, const unit *units, const char *text,
                           double *value) {
  for (; units->name; units++)
    if (strcasecmp(units->name, text) == 0) {
      *value = units->value;
      return CW_OK;
    }
  CW_TRY(cw_expression_number(context, text, value));
  return *value > 0 ? CW_OK : cw_fail(context, CW_ERROR_INPUT, "a unit must be positive");
}

cw_status cw_input_length_unit(cw_context *context, const char *text, double *nm) {
  if (read_unit(context, lengths, text, nm) == CW_OK)
    return CW_OK;
  return cw_fail(context, CW_ERROR_INPUT,
                 "length unit '%.60s'; expected nm, A, um, Bohr or a positive number of nm", text);
}

/* Energies, masses and charges have no part in a coordination number. */
cw_status cw_action_units(cw_input *input, const cw_words *words) {
  cw_context *context = input->context;
  static const char *const idle[] = {"ENERGY", "MASS", "CHARGE"};
  if (input->variable_count || input->virtual_count || input->output_count)
    return cw_words_fail(context, words, "UNITS must stand before the actions that it is for");
  const char *length = cw_words_value(words, "LENGTH"), *time = cw_words_value(words, "TIME");
  if (length && cw_input_length_unit(context, length, &input->length) != CW_OK)
    return cw_words_fail(context, words,
                         "LENGTH=%.60s; expected nm, A, um, Bohr or a positive number "
                         "of nm",
                         length);
  if (time && read_unit(context, times, time, &input->time) != CW_OK)
    return cw_words_fail(context, words,
                         "TIME=%.60s; expected ps, fs, ns, atomic or a positive "
                         "number of ps",
                         time);
  for (size_t k = 0; k < sizeof idle / sizeof *idle; k++)
    (void)cw_words_value(words, idle[k]);
  cw_words_flag(words, "NATURAL");
  return CW_OK;
}

cw_status cw_action_restart(cw_input *input, const cw_words *words) {
  input->restart = !cw_words_flag(words, "NO");
  return CW_OK;
}

cw_status cw_action_flush(cw_input *input, const cw_words *words) {
  int stride = 0;
  if (!cw_words_value(words, "STRIDE"))
    return cw_words_fail(input->context, words, "STRIDE is missing");
  CW_TRY(cw_words_integer(input->context, words, "STRIDE", &stride));
  if (stride < 1)
    return cw_words_fail(input->context, words, "STRIDE is %d; expected 1 or more", stride);
  input->flush_stride = stride;
  return CW_OK;
}
