/* The table of Entity's keys that are not ours. */
#ifndef CW_DECK_DECK_ENTITY_KEYS_H
#define CW_DECK_DECK_ENTITY_KEYS_H

typedef enum cw_entity_kind {
  CW_ENTITY_PASSED = 0, /* means nothing here, whatever its value */
  CW_ENTITY_RENAMED,    /* the same as our key `other` of that section */
  CW_ENTITY_TIMED,      /* a time between outputs, in place of our `interval` of that section */
  CW_ENTITY_REFUSED     /* another meaning, unless its value is `other` */
} cw_entity_kind;

typedef struct cw_entity_key {
  const char *section, *name;
  cw_entity_kind kind;
  const char *other;
  const char *text; /* why, or "...; expected ..." what to write */
} cw_entity_key;

/* A word that a key of that name takes there and not here. */
typedef struct cw_entity_word {
  const char *key, *word, *text;
} cw_entity_word;

/* Both end with a row of NULL. */
extern const cw_entity_key cw_entity_keys[];
extern const cw_entity_word cw_entity_words[];

#endif
