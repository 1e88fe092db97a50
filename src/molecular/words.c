#include "molecular/words.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernels/coordination/expression.h"

int cw_words_split(char *text, int commas, char **word, int most) {
  int count = 0, depth = 0;
  char *from = text;
  while (*from) {
    while (isspace((unsigned char)*from) || (commas && *from == ','))
      from++;
    if (!*from)
      break;
    if (count == most)
      return -2;
    char *to = from;
    word[count++] = to;
    int end = 0;
    while (!end) {
      char c = *from;
      if (c == '\0') {
        if (depth)
          return -1;
        end = 1;
      } else if (depth == 0 && (isspace((unsigned char)c) || (commas && c == ','))) {
        from++, end = 1;
      } else {
        from++;
        if (c == '}' && --depth < 0)
          return -1;
        int outermost = (c == '{' || c == '}') && depth == 0;
        if (c == '{')
          depth++;
        if (!outermost)
          *to++ = c;
      }
    }
    *to = '\0';
  }
  return count;
}

cw_status cw_words_fail(cw_context *context, const cw_words *words, const char *format, ...) {
  char text[CW_MESSAGE_SIZE / 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return cw_fail(context, CW_ERROR_INPUT, "%s:%d: %s: %s", words->path, words->line, words->action,
                 text);
}

char *cw_words_value(const cw_words *words, const char *key) {
  size_t length = strlen(key);
  for (int k = 0; k < words->count; k++)
    if (strncasecmp(words->word[k], key, length) == 0 && words->word[k][length] == '=') {
      words->used[k] = 1;
      return words->word[k] + length + 1;
    }
  return NULL;
}

int cw_words_flag(const cw_words *words, const char *flag) {
  int found = 0;
  for (int k = 0; k < words->count; k++)
    if (strcasecmp(words->word[k], flag) == 0)
      words->used[k] = 1, found = 1;
  return found;
}

cw_status cw_words_check_used(cw_context *context, const cw_words *words) {
  for (int k = 0; k < words->count; k++) {
    const char *word = words->word[k];
    size_t key = strcspn(word, "=");
    if (word[key] != '=')
      key = 0;
    for (int j = 0; j < k && key; j++)
      if (strncasecmp(word, words->word[j], key + 1) == 0)
        return cw_words_fail(context, words, "%.*s is given twice", (int)key, word);
    if (!words->used[k])
      return cw_words_fail(context, words,
                           "'%.100s' is not known here, or does not go with the "
                           "other keywords",
                           word);
    if (key && word[key + 1] == '\0')
      return cw_words_fail(context, words, "%.*s has no value", (int)key, word);
  }
  return CW_OK;
}

cw_status cw_words_real(cw_context *context, const cw_words *words, const char *key,
                        double *value) {
  const char *text = cw_words_value(words, key);
  if (!text)
    return CW_OK;
  if (cw_expression_number(context, text, value) == CW_OK)
    return CW_OK;
  char reason[CW_MESSAGE_SIZE / 4];
  snprintf(reason, sizeof reason, "%s", cw_context_message(context));
  return cw_words_fail(context, words, "%s=%.100s is not a number: %s", key, text, reason);
}

cw_status cw_words_integer(cw_context *context, const cw_words *words, const char *key,
                           int *value) {
  double number = *value;
  CW_TRY(cw_words_real(context, words, key, &number));
  if (number != floor(number) || fabs(number) > INT_MAX)
    return cw_words_fail(context, words, "%s=%g is not a whole number", key, number);
  *value = (int)number;
  return CW_OK;
}
