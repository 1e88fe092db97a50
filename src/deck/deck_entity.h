/* Decks of Entity (entity-toolkit): keys of theirs that the list in deck_keys.c has not.
 *
 * Where a key means the same under another name, it is read; where it means nothing here, it is
 * passed over; both are told as warnings. A value that asks for nothing (a stencil's coefficient of
 * 0) is as good as none. Where it means something that is not here, it is a fault,
 * and every such key of a deck is told, each with its place and with what to write instead.
 * docs/entity.md has the whole map. */
#ifndef CW_DECK_DECK_ENTITY_H
#define CW_DECK_DECK_ENTITY_H

#include "deck/deck_reader.h"

enum {
  CW_ENTITY_NOTES = 64,
  CW_ENTITY_NOTE = 360,
  CW_ENTITY_TIMES = 8,
  CW_ENTITY_SETTINGS = 2 + 3 * CW_DECK_MAX_SPECIES
};

typedef struct cw_entity_note {
  cw_deck_where where;
  int refused;
  char text[CW_ENTITY_NOTE];
} cw_entity_note;

/* What a reader has found of them. Zero-initialise. */
struct cw_deck_entity {
  int count;
  cw_entity_note notes[CW_ENTITY_NOTES];
  int streaming; /* 1: [setup] is that of their problem "streaming", and was translated */
  int times;     /* intervals in time, which become steps when dt is known */
  struct {
    const cw_deck_key *key;
    double time;
    cw_deck_where where;
  } interval[CW_ENTITY_TIMES];
};

/* [setup] of a deck of theirs as settings of ours. */
typedef struct cw_entity_settings {
  int count;
  cw_deck_override items[CW_ENTITY_SETTINGS];
  size_t used;
  char text[CW_ENTITY_SETTINGS * 240];
} cw_entity_settings;

/* Settings that stand for [setup] of their problem generator "streaming"; none where the deck or
 * what is `given` on the command line names a problem, or the lists do not fit the species. *all,
 * to be freed with CW_DELETE, has them and then the `count` given. Errors: CW_ERROR_MEMORY. */
cw_status cw_deck_entity_settings(cw_context *context, const cw_toml_node *root,
                                  const cw_deck_override *given, int count,
                                  cw_entity_settings *settings, cw_deck_override **all);
/* 1 for the names in such a [setup]. */
int cw_deck_entity_is_streaming(const char *name);
/* 1 if a key or table of that name is theirs (and not ours). */
int cw_deck_entity_knows(const char *section, const char *name);
/* Deals with a key of theirs, whose value goes into `base` where it means the same; 0 if it is
 * none. */
int cw_deck_entity_read(cw_deck_reader *reader, const char *section, const char *name,
                        cw_deck_where where, const cw_toml_node *value, void *base);
/* 1 for the path of a table that holds keys of theirs. */
int cw_deck_entity_is_table(const char *path);
/* What a word of theirs that our key does not take stands for, and what to write; NULL: no idea. */
const char *cw_deck_entity_word(const cw_deck_key *key, const cw_toml_node *node);
/* A word of warning that stands at a place of the deck. */
void cw_deck_entity_note(cw_deck_reader *reader, cw_deck_where where, const char *format, ...)
    CW_PRINTF(3, 4);
/* Once dt is known: intervals in time become steps. */
void cw_deck_entity_intervals(cw_deck_reader *reader);
/* Tells what was found, in the file's order. Of several faults each is told, and the reader's own
 * then says how many. */
void cw_deck_entity_tell(cw_deck_reader *reader);

#endif
