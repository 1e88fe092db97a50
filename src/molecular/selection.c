#include "molecular/selection.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "molecular/lines.h"

/* Groups of groups can multiply what a few lines name. */
enum { MAX_ENTRIES = 1 << 27 };

cw_status cw_atom_list_add(cw_context *context, cw_atom_list *list, uint32_t atom) {
  if (list->count >= MAX_ENTRIES)
    return cw_fail(context, CW_ERROR_INPUT, "a list of atoms has more than %d entries",
                   MAX_ENTRIES);
  if ((size_t)list->count == list->capacity) {
    uint32_t *larger = NULL;
    size_t capacity = 2 * list->capacity + 64;
    CW_TRY(CW_NEW(context, capacity, "list of atoms", &larger));
    if (list->atom)
      memcpy(larger, list->atom, (size_t)list->count * sizeof *larger);
    CW_DELETE(context, list->atom);
    list->atom = larger;
    list->capacity = capacity;
  }
  list->atom[list->count++] = atom;
  return CW_OK;
}

void cw_atom_list_clear(cw_context *context, cw_atom_list *list) {
  CW_DELETE(context, list->atom);
  *list = (cw_atom_list){0};
}

cw_status cw_selection_name(cw_selection *selection, const char *label, const cw_atom_list *list) {
  cw_context *context = selection->context;
  if ((size_t)selection->named_count == selection->named_capacity) {
    cw_named_list *larger = NULL;
    size_t capacity = 2 * selection->named_capacity + 16;
    CW_TRY(CW_NEW(context, capacity, "named groups", &larger));
    if (selection->named)
      memcpy(larger, selection->named, (size_t)selection->named_count * sizeof *larger);
    CW_DELETE(context, selection->named);
    selection->named = larger;
    selection->named_capacity = capacity;
  }
  cw_named_list *made = &selection->named[selection->named_count++];
  *made = (cw_named_list){.label = label};
  for (int64_t k = 0; k < list->count; k++)
    CW_TRY(cw_atom_list_add(context, &made->list, list->atom[k]));
  return CW_OK;
}

void cw_selection_clear(cw_selection *selection) {
  for (int k = 0; k < selection->named_count; k++)
    cw_atom_list_clear(selection->context, &selection->named[k].list);
  CW_DELETE(selection->context, selection->named);
  *selection = (cw_selection){.context = selection->context};
}

/* Reads a whole number; *text moves behind it. Numbers too long for any system saturate. */
static int read_integer(const char **text, int64_t *value) {
  int negative = **text == '-';
  const char *at = *text + negative;
  if (!isdigit((unsigned char)*at))
    return 0;
  *value = 0;
  for (; isdigit((unsigned char)*at); at++)
    if (*value < INT64_C(1000000000000))
      *value = 10 * *value + (*at - '0');
  if (negative)
    *value = -*value;
  *text = at;
  return 1;
}

/* "5", "1-64", "1-64:3", "64-2:-4". */
static cw_status add_range(const cw_selection *selection, const cw_words *words, const char *text,
                           cw_atom_list *list) {
  cw_context *context = selection->context;
  const char *at = text;
  int64_t first, last, stride = 1;
  int fine = read_integer(&at, &first) && first >= 0;
  last = first;
  if (fine && *at == '-')
    at++, fine = read_integer(&at, &last) && last >= 0;
  if (fine && *at == ':')
    at++, fine = read_integer(&at, &stride);
  if (!fine || *at)
    return cw_words_fail(context, words,
                         "'%.100s' is neither an atom, a range (1-64 or 1-64:3), "
                         "a group nor a virtual atom defined above",
                         text);
  if (stride == 0 || (stride > 0 && last < first) || (stride < 0 && last > first))
    return cw_words_fail(context, words,
                         "the range %.100s holds no atom: it goes from %lld to %lld "
                         "in steps of %lld",
                         text, (long long)first, (long long)last, (long long)stride);
  int64_t low = stride > 0 ? first : last, high = stride > 0 ? last : first;
  if (low < 1 || high > selection->atoms)
    return cw_words_fail(context, words,
                         "'%.100s' names atom %lld, but the trajectory has atoms 1 "
                         "to %lld",
                         text, (long long)(low < 1 ? low : high), (long long)selection->atoms);
  for (int64_t k = first; stride > 0 ? k <= last : k >= last; k += stride)
    CW_TRY(cw_atom_list_add(context, list, (uint32_t)(k - 1)));
  return CW_OK;
}

static cw_status add_all(const cw_selection *selection, int64_t count, cw_atom_list *list) {
  for (int64_t k = 0; k < count; k++)
    CW_TRY(cw_atom_list_add(selection->context, list, (uint32_t)k));
  return CW_OK;
}

/* One word of a list. */
static cw_status add_word(const cw_selection *selection, const cw_words *words, char *word,
                          cw_atom_list *list) {
  cw_context *context = selection->context;
  if (strcasecmp(word, "@mdatoms") == 0)
    return add_all(selection, selection->atoms, list);
  if (strcasecmp(word, "@allatoms") == 0)
    return add_all(selection, selection->atoms + selection->virtual_atoms, list);
  if (strncasecmp(word, "@ndx:", 5) == 0) {
    char *part[2];
    int parts = cw_words_split(word + 5, 0, part, 2);
    if (parts < 1)
      return cw_words_fail(context, words, "@ndx: expected {@ndx:{FILE GROUP}} or @ndx:FILE");
    return cw_selection_read_index(selection, words, part[0], parts > 1 ? part[1] : NULL, list);
  }
  if (word[0] == '@')
    return cw_words_fail(context, words,
                         "the selection %.100s is not implemented (@mdatoms, "
                         "@allatoms and @ndx are)",
                         word);
  for (int k = 0; k < selection->named_count; k++) {
    const cw_named_list *named = &selection->named[k];
    if (strcmp(named->label, word) != 0)
      continue;
    for (int64_t j = 0; j < named->list.count; j++)
      CW_TRY(cw_atom_list_add(context, list, named->list.atom[j]));
    return CW_OK;
  }
  return add_range(selection, words, word, list);
}

cw_status cw_selection_read(const cw_selection *selection, const cw_words *words, char *text,
                            cw_atom_list *list) {
  cw_context *context = selection->context;
  int most = (int)strlen(text) / 2 + 1;
  char **word = NULL;
  CW_TRY(CW_NEW(context, most, "list of atoms", &word));
  int count = cw_words_split(text, 1, word, most);
  cw_status status = CW_OK;
  if (count < 0)
    status = cw_words_fail(context, words, "braces { } do not match");
  if (count == 0)
    status = cw_words_fail(context, words, "the list of atoms is empty");
  for (int k = 0; k < count && status == CW_OK; k++)
    status = add_word(selection, words, word[k], list);
  CW_DELETE(context, word);
  return status;
}

/* "[ name ]": 1 and the name cut out in place. */
static int heading(char *text, char **name) {
  while (isspace((unsigned char)*text))
    text++;
  if (*text != '[')
    return 0;
  text++;
  while (isspace((unsigned char)*text))
    text++;
  char *end = strchr(text, ']');
  if (!end)
    return 0;
  while (end > text && isspace((unsigned char)end[-1]))
    end--;
  *end = '\0';
  *name = text;
  return 1;
}

static cw_status add_numbers(const cw_selection *selection, const cw_lines *lines,
                             cw_atom_list *list) {
  const char *at = lines->text;
  for (;;) {
    int64_t atom;
    while (isspace((unsigned char)*at))
      at++;
    if (!*at || *at == ';')
      return CW_OK;
    if (!read_integer(&at, &atom) || (*at && !isspace((unsigned char)*at)))
      return cw_lines_fail(lines, "an atom number is expected");
    if (atom < 1 || atom > selection->atoms)
      return cw_lines_fail(lines, "atom %lld: the trajectory has atoms 1 to %lld", (long long)atom,
                           (long long)selection->atoms);
    CW_TRY(cw_atom_list_add(selection->context, list, (uint32_t)(atom - 1)));
  }
}

static cw_status read_group(const cw_selection *selection, cw_lines *lines, const char *group,
                            cw_atom_list *list, int *found) {
  int more = 1, inside = 0;
  while (more) {
    char *name;
    CW_TRY(cw_lines_next(lines, &more));
    if (!more)
      break;
    if (heading(lines->text, &name)) {
      if (inside)
        break;
      inside = !group || strcmp(name, group) == 0;
      *found |= inside;
    } else if (inside) {
      CW_TRY(add_numbers(selection, lines, list));
    }
  }
  return CW_OK;
}

cw_status cw_selection_read_index(const cw_selection *selection, const cw_words *words,
                                  const char *file, const char *group, cw_atom_list *list) {
  cw_context *context = selection->context;
  char *path = NULL;
  cw_lines lines;
  int found = 0;
  CW_TRY(cw_lines_find(context, file, words->path, &path));
  cw_status status = cw_lines_open(context, path, &lines);
  CW_DELETE(context, path);
  if (status != CW_OK)
    return status;
  status = read_group(selection, &lines, group, list, &found);
  cw_lines_close(&lines);
  if (status == CW_OK && !found)
    status =
        cw_words_fail(context, words, "%.100s has no group [ %.60s ]", file, group ? group : "");
  return status;
}
