/* Decks as objects: from a file or from memory, and their end. */
#include "deck/deck.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/context_private.h"
#include "deck/deck_reader.h"

enum { MAX_BYTES = 16 * 1024 * 1024 };

void cw_deck_destroy(cw_deck *deck) {
  if (!deck)
    return;
  cw_context *context = deck->context;
  CW_DELETE(context, deck->source);
  CW_DELETE(context, deck->overrides);
  CW_DELETE(context, deck->setup.texts);
  CW_DELETE(context, deck);
}

cw_status cw_deck_parse(cw_context *context, const char *name, const char *text, size_t length,
                        const cw_deck_override *overrides, int override_count, cw_deck **deck) {
  cw_status status = CW_OK;
  cw_deck *made = NULL;
  *deck = NULL;
  if (length > MAX_BYTES)
    return cw_fail(context, CW_ERROR_INPUT,
                   "%.300s: found %zu bytes; expected a deck of at most 16 MB", name, length);
  CW_TRY_CLEANUP(status, CW_NEW(context, 1, "deck", &made));
  made->context = context;
  snprintf(made->path, sizeof made->path, "%s", name);
  CW_TRY_CLEANUP(status, CW_NEW(context, length + 1, "text of the deck", &made->source));
  if (length)
    memcpy(made->source, text, length);
  CW_TRY_CLEANUP(status, cw_deck_read_source(context, made, length, overrides, override_count));
  *deck = made;
  made = NULL;
cleanup:
  cw_deck_destroy(made);
  return status;
}

static cw_status check_file(cw_context *context, const char *path) {
  struct stat file;
  if (strlen(path) >= sizeof((cw_deck *)0)->path)
    return cw_fail(context, CW_ERROR_IO, "%.300s...: the path of the deck is too long", path);
  if (stat(path, &file) != 0)
    return cw_fail(context, CW_ERROR_IO, "%.300s: the deck cannot be read: %s", path,
                   strerror(errno));
  if (S_ISDIR(file.st_mode))
    return cw_fail(context, CW_ERROR_IO, "%.300s: found a directory; expected a deck in TOML",
                   path);
  if (S_ISREG(file.st_mode) && file.st_size > MAX_BYTES)
    return cw_fail(context, CW_ERROR_INPUT,
                   "%.300s: found %lld bytes; expected a deck of at most 16 MB", path,
                   (long long)file.st_size);
  return CW_OK;
}

/* All bytes of a stream, up to one more than is allowed (pipes do not tell their size). */
static cw_status read_stream(cw_context *context, FILE *stream, char **text, size_t *length) {
  size_t room = 64 * 1024;
  *length = 0;
  CW_TRY(CW_NEW(context, room, "text of the deck", text));
  for (;;) {
    size_t got = fread(*text + *length, 1, room - *length, stream);
    *length += got;
    if (*length < room || *length > MAX_BYTES)
      return CW_OK;
    char *larger = NULL;
    CW_TRY(CW_NEW(context, 2 * room, "text of the deck", &larger));
    memcpy(larger, *text, *length);
    CW_DELETE(context, *text);
    *text = larger;
    room *= 2;
  }
}

cw_status cw_deck_read(cw_context *context, const char *path, const cw_deck_override *overrides,
                       int override_count, cw_deck **deck) {
  cw_status status = CW_OK;
  FILE *stream = NULL;
  char *text = NULL;
  size_t length = 0;
  *deck = NULL;
  CW_TRY(check_file(context, path));
  stream = fopen(path, "rb");
  if (!stream)
    return cw_fail(context, CW_ERROR_IO, "%.300s: the deck cannot be read: %s", path,
                   strerror(errno));
  CW_TRY_CLEANUP(status, read_stream(context, stream, &text, &length));
  if (ferror(stream)) {
    status = cw_fail(context, CW_ERROR_IO, "%.300s: the deck cannot be read", path);
    goto cleanup;
  }
  status = cw_deck_parse(context, path, text, length, overrides, override_count, deck);
cleanup:
  fclose(stream);
  CW_DELETE(context, text);
  return status;
}
