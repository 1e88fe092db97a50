/* Text: nearest names, foreign text made printable, numbers. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deck/deck_reader.h"

static int lower(char c) {
  return tolower((unsigned char)c);
}

static int min3(int a, int b, int c) {
  int least = a < b ? a : b;
  return least < c ? least : c;
}

/* Levenshtein distance without regard to case; a swap of neighbours counts as one edit
 * (optimal string alignment). Both names are shorter than CW_DECK_NAME. */
static int edit_distance(const char *a, const char *b) {
  int before[CW_DECK_NAME + 1] = {0}, last[CW_DECK_NAME + 1], row[CW_DECK_NAME + 1];
  int length_a = (int)strlen(a), length_b = (int)strlen(b);
  for (int j = 0; j <= length_b; j++)
    last[j] = j;
  for (int i = 1; i <= length_a; i++) {
    row[0] = i;
    for (int j = 1; j <= length_b; j++) {
      int differ = lower(a[i - 1]) != lower(b[j - 1]);
      row[j] = min3(last[j] + 1, row[j - 1] + 1, last[j - 1] + differ);
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = min3(row[j], before[j - 2] + 1, row[j]);
    }
    memcpy(before, last, sizeof last);
    memcpy(last, row, sizeof row);
  }
  return last[length_b];
}

const char *cw_deck_nearest(const char *name, const char *const *names, int count) {
  size_t length = strlen(name);
  if (length == 0 || length >= CW_DECK_NAME)
    return NULL;
  const char *nearest = NULL;
  int least = (int)length / 3 + 2; /* one edit in short names, up to a third of longer ones */
  for (int k = 0; k < count; k++) {
    if (strlen(names[k]) >= CW_DECK_NAME)
      continue;
    int distance = edit_distance(name, names[k]);
    int longest = (int)(length > strlen(names[k]) ? length : strlen(names[k]));
    if (distance < least && distance < longest)
      least = distance, nearest = names[k];
  }
  return nearest;
}

void cw_deck_quote(const char *source, size_t length, char *text, size_t size) {
  size_t used = 0, room = size - 4;
  size_t k = 0;
  for (; k < length && used < room; k++, used++) {
    unsigned char c = (unsigned char)source[k];
    text[used] = source[k];
    if (c < 0x20 || c == 0x7f)
      text[used] = '?';
  }
  if (k < length) {
    while (used > 0 && ((unsigned char)source[used] & 0xc0) == 0x80)
      used--; /* not in the middle of a character of several bytes */
    memcpy(text + used, "...", 3);
    used += 3;
  }
  text[used] = '\0';
}

void cw_deck_format_number(double number, int as_float, char text[32]) {
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, 32, "%.*g", digits, number);
    if (strtod(text, NULL) == number)
      break;
  }
  if (isfinite(number) && fabs(number) >= 1 && fabs(number) < 1e15 && number == floor(number))
    snprintf(text, 32, "%.0f", number); /* 100, not 1e+02 */
  if (as_float && !strpbrk(text, ".en"))
    strcat(text, ".0");
}
