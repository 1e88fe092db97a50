/* The one list of deck keys, and what can be asked of it. */
#ifndef CW_DECK_DECK_KEYS_H
#define CW_DECK_DECK_KEYS_H

#include <stddef.h>

#include "deck/deck.h"

/* How a key is written in the deck and what it fills. */
typedef enum cw_deck_type {
  CW_DECK_BOOL = 0, /* int, 0 or 1 */
  CW_DECK_INT32,    /* int */
  CW_DECK_INT64,    /* int64_t */
  CW_DECK_COUNT,    /* int64_t; 1e8 is allowed too */
  CW_DECK_FLOAT,    /* double */
  CW_DECK_TEXT,     /* char[CW_DECK_NAME] */
  CW_DECK_PATH,     /* char[CW_DECK_PATH_SIZE], may be empty */
  CW_DECK_FORMULA,  /* the same, of an expression */
  CW_DECK_DURATION, /* double, seconds; written "HH:MM:SS" */
  CW_DECK_LABEL,    /* char[CW_DECK_NAME] of characters that file and column names can hold */
  CW_DECK_CHOICE,   /* an enum, written as one of a list of words */
  CW_DECK_RESOLUTION,
  CW_DECK_EXTENT,
  CW_DECK_FIELD_SIDES,
  CW_DECK_PARTICLE_SIDES,
  CW_DECK_WORDS,  /* cw_deck_words: a list of strings, or of numbers that stand for them */
  CW_DECK_FACTORS /* int32_t[3]: an integer for all axes, or a list of one an axis */
} cw_deck_type;

/* A word (or, for numbers, one of the numbers allowed) and its value. A value's first word is the
 * one that is printed; later ones are accepted too. */
typedef struct cw_deck_choice {
  const char *word; /* NULL ends a list */
  int value;
} cw_deck_choice;

typedef struct cw_deck_key {
  const char *section; /* "grid.boundaries"; "particles.species": of each entry of that list */
  const char *name;
  cw_deck_type type;
  const char *default_value; /* as TOML; NULL: required, unless `computed` */
  const char *computed;      /* how a default follows from other keys */
  const char *unit;          /* "" for numbers without one */
  const char *text;
  double low, high; /* allowed range, ends included */
  int low_open;     /* 1: `low` itself is not allowed */
  const cw_deck_choice *choices;
  size_t offset; /* of the member in cw_deck, or in cw_deck_species */
} cw_deck_key;

/* All keys, section by section, ending with a NULL section. [setup] takes further, free ones. */
extern const cw_deck_key cw_deck_keys[];
int cw_deck_key_count(void);
/* 0 for a key without effect in the deck's engine: it is refused where written, and not echoed. */
int cw_deck_key_applies(const cw_deck *deck, const cw_deck_key *key);
int cw_deck_key_is_required(const cw_deck_key *key);
int cw_deck_key_is_species(const cw_deck_key *key);
/* NULL if there is none of that name in that section. */
const cw_deck_key *cw_deck_key_find(const char *section, const char *name);
/* 1 if `path` is a section or holds sections. */
int cw_deck_key_is_table(const char *path);
/* "float", "one of ...": for help and messages. */
const char *cw_deck_type_name(const cw_deck_key *key);
/* "> 0 and <= 1", or the words allowed; "" if anything goes. */
void cw_deck_key_range(const cw_deck_key *key, char *text, size_t size);
/* Value of a word (case does not matter), or -1. */
int cw_deck_choice_value(const cw_deck_choice *choices, const char *word);
const char *cw_deck_choice_word(const cw_deck_choice *choices, int value);

#endif
