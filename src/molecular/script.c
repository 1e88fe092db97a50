/* Logical lines of an input: comments, continuations and INCLUDE. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "molecular/lines.h"
#include "molecular/words.h"

enum { MAX_DEPTH = 8, MAX_WORDS = 1 << 20, MAX_FILES = 1024 };

/* One file being read, with the continuation that is open. */
typedef struct reader {
  cw_script *script;
  cw_lines lines;
  const char *path;
  int depth, ended;
  char *joined; /* text of the continuation so far; NULL when none is open */
  size_t length, capacity;
  int first_line;
} reader;

static cw_status read_file(cw_script *script, const char *path, int depth, int *ended);

static cw_status line_fail(const reader *r, int line, const char *what) {
  return cw_fail(r->script->context, CW_ERROR_INPUT, "%s:%d: %s", r->path, line, what);
}

static cw_status append(reader *r, const char *text) {
  size_t more = strlen(text) + 2;
  if (r->length + more > r->capacity) {
    char *larger = NULL;
    size_t capacity = 2 * (r->capacity + more);
    CW_TRY(CW_NEW(r->script->context, capacity, "input line", &larger));
    if (r->joined)
      memcpy(larger, r->joined, r->length + 1);
    CW_DELETE(r->script->context, r->joined);
    r->joined = larger;
    r->capacity = capacity;
  }
  if (r->length)
    r->joined[r->length++] = ' ';
  strcpy(r->joined + r->length, text);
  r->length += strlen(text);
  return CW_OK;
}

static void clear_words(cw_context *context, cw_words *words) {
  CW_DELETE(context, words->word);
  CW_DELETE(context, words->used);
  CW_DELETE(context, words->storage);
}

/* Takes "label:" and LABEL=, and the name, out of the words. */
static cw_status take_name(reader *r, cw_words *words) {
  int first = 0;
  size_t length = strlen(words->word[0]);
  if (length > 1 && words->word[0][length - 1] == ':') {
    words->word[0][length - 1] = '\0';
    words->label = words->word[0];
    first = 1;
  }
  if (first >= words->count)
    return line_fail(r, words->line, "a label without an action");
  words->action = words->word[first];
  words->count -= first + 1;
  memmove(words->word, words->word + first + 1, (size_t)words->count * sizeof *words->word);
  char *label = cw_words_value(words, "LABEL");
  if (label && words->label)
    return line_fail(r, words->line, "the action has two labels");
  if (label)
    words->label = label;
  if (words->label &&
      (!words->label[0] || words->label[0] == '@' || strpbrk(words->label, " \t,{}()")))
    return line_fail(r, words->line, "a label must be a word without @ , { } ( )");
  return CW_OK;
}

static cw_status include(reader *r, cw_words *words) {
  cw_context *context = r->script->context;
  char *file = cw_words_value(words, "FILE"), *found = NULL;
  if (!file || !*file)
    return cw_words_fail(context, words, "FILE= is missing");
  CW_TRY(cw_words_check_used(context, words));
  if (r->depth + 1 > MAX_DEPTH)
    return cw_words_fail(context, words, "files include each other more than %d deep", MAX_DEPTH);
  CW_TRY(cw_lines_find(context, file, r->path, &found));
  cw_status status = read_file(r->script, found, r->depth + 1, &r->ended);
  CW_DELETE(context, found);
  return status;
}

static cw_status keep(cw_script *script, const cw_words *words) {
  if ((size_t)script->count == script->capacity) {
    cw_words *larger = NULL;
    size_t capacity = 2 * script->capacity + 16;
    CW_TRY(CW_NEW(script->context, capacity, "input", &larger));
    if (script->lines)
      memcpy(larger, script->lines, script->capacity * sizeof *larger);
    CW_DELETE(script->context, script->lines);
    script->lines = larger;
    script->capacity = capacity;
  }
  script->lines[script->count++] = *words;
  return CW_OK;
}

static int count_blanks(const char *text) {
  int blanks = 0;
  for (; *text; text++)
    blanks += isspace((unsigned char)*text) != 0;
  return blanks;
}

static cw_status fill_words(reader *r, const char *text, cw_words *words) {
  cw_context *context = r->script->context;
  int most = count_blanks(text) + 1;
  CW_TRY(CW_NEW(context, strlen(text) + 1, "input line", &words->storage));
  CW_TRY(CW_NEW(context, most, "words", &words->word));
  CW_TRY(CW_NEW(context, most, "words", &words->used));
  strcpy(words->storage, text);
  words->count = cw_words_split(words->storage, 0, words->word, most);
  if (words->count < 0)
    return line_fail(r, words->line, "braces { } do not match");
  return take_name(r, words);
}

/* A whole logical line. */
static cw_status finish(reader *r, const char *text, int line) {
  cw_context *context = r->script->context;
  cw_words words = {.path = r->path, .line = line};
  int kept = 0;
  cw_status status = fill_words(r, text, &words);
  if (status == CW_OK && strcasecmp(words.action, "ENDPLUMED") == 0)
    r->ended = 1;
  else if (status == CW_OK && strcasecmp(words.action, "INCLUDE") == 0)
    status = include(r, &words);
  else if (status == CW_OK) {
    status = keep(r->script, &words);
    kept = status == CW_OK;
  }
  if (!kept)
    clear_words(context, &words);
  return status;
}

/* "..." ends a continuation; the name or label of the action may follow. */
static cw_status close_continuation(reader *r, const char *after) {
  while (isspace((unsigned char)*after))
    after++;
  size_t length = strlen(after);
  const char *start = r->joined;
  int known = length == 0;
  for (int k = 0; k < 3 && !known && *start; k++) {
    size_t word = strcspn(start, " \t"), bare = word;
    if (bare && start[bare - 1] == ':')
      bare--;
    if (strncasecmp(start, "LABEL=", 6) == 0)
      start += 6, word -= 6, bare -= 6;
    known = bare == length && strncasecmp(start, after, length) == 0;
    start += word;
    start += strspn(start, " \t");
  }
  if (!known)
    return cw_fail(r->script->context, CW_ERROR_INPUT,
                   "%s:%lld: '... %.60s' does not name the action that began in line %d", r->path,
                   (long long)r->lines.number, after, r->first_line);
  char *text = r->joined;
  r->joined = NULL;
  cw_status status = finish(r, text, r->first_line);
  CW_DELETE(r->script->context, text);
  r->length = r->capacity = 0;
  return status;
}

static char *trim(char *text) {
  char *comment = strchr(text, '#');
  if (comment)
    *comment = '\0';
  while (isspace((unsigned char)*text))
    text++;
  size_t length = strlen(text);
  while (length && isspace((unsigned char)text[length - 1]))
    text[--length] = '\0';
  return text;
}

static cw_status take_line(reader *r, char *text) {
  size_t length = strlen(text);
  int dots_first = strncmp(text, "...", 3) == 0 && (!text[3] || isspace((unsigned char)text[3]));
  if (r->joined)
    return dots_first ? close_continuation(r, text + 3) : append(r, text);
  if (dots_first)
    return line_fail(r, (int)r->lines.number, "'...' ends nothing");
  if (length > 3 && strcmp(text + length - 3, "...") == 0 &&
      isspace((unsigned char)text[length - 4])) {
    text[length - 3] = '\0';
    r->first_line = (int)r->lines.number;
    return append(r, trim(text));
  }
  return finish(r, text, (int)r->lines.number);
}

static cw_status read_lines(reader *r) {
  int more = 1;
  while (!r->ended) {
    CW_TRY(cw_lines_next(&r->lines, &more));
    if (!more)
      break;
    char *text = trim(r->lines.text);
    if (!*text)
      continue;
    if (r->script->count >= MAX_WORDS)
      return line_fail(r, (int)r->lines.number, "the input has too many actions");
    CW_TRY(take_line(r, text));
  }
  if (r->joined)
    return line_fail(r, r->first_line,
                     "the action that goes on with '...' is never ended by '...'");
  return CW_OK;
}

static cw_status read_file(cw_script *script, const char *path, int depth, int *ended) {
  reader r = {.script = script, .depth = depth};
  if (script->path_count == MAX_FILES)
    return cw_fail(script->context, CW_ERROR_INPUT, "more than %d files are included", MAX_FILES);
  CW_TRY(cw_lines_open(script->context, path, &r.lines));
  r.path = script->paths[script->path_count++] = r.lines.path;
  cw_status status = read_lines(&r);
  r.lines.path = NULL; /* the script owns it: its words point at it */
  cw_lines_close(&r.lines);
  CW_DELETE(script->context, r.joined);
  *ended = r.ended;
  return status;
}

cw_status cw_script_read(cw_context *context, const char *path, cw_script *script) {
  int ended;
  *script = (cw_script){.context = context};
  CW_TRY(CW_NEW(context, MAX_FILES, "names of input files", &script->paths));
  cw_status status = read_file(script, path, 0, &ended);
  if (status != CW_OK)
    cw_script_clear(script);
  return status;
}

void cw_script_clear(cw_script *script) {
  for (int k = 0; k < script->count; k++)
    clear_words(script->context, &script->lines[k]);
  for (int k = 0; k < script->path_count; k++)
    CW_DELETE(script->context, script->paths[k]);
  CW_DELETE(script->context, script->lines);
  CW_DELETE(script->context, script->paths);
  *script = (cw_script){.context = script->context};
}
