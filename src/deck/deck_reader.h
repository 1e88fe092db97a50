/* What the files that read a deck share: the fault found so far, and typed readers. */
#ifndef CW_DECK_DECK_READER_H
#define CW_DECK_DECK_READER_H

#include "deck/deck_keys.h"
#include "deck/toml_adaptor.h"

enum { CW_DECK_MESSAGE = 700, CW_DECK_QUOTE = 64 };

/* Faults are reported one at a time: what is written wrong before what is missing, and of those the
 * first in the file (overrides before the file). */
typedef enum cw_deck_rank { CW_RANK_NONE = 0, CW_RANK_MISSING, CW_RANK_WRITTEN } cw_deck_rank;

typedef struct cw_deck_reader {
  cw_deck *deck;
  const cw_toml_node *root;
  cw_deck_rank rank; /* of the fault held */
  cw_deck_where where;
  char message[CW_DECK_MESSAGE];
  struct cw_deck_entity *entity; /* what was found of another code; NULL: nobody asks */
} cw_deck_reader;

/* Fills a deck whose path and source (of `length` bytes) are set. */
cw_status cw_deck_read_source(cw_context *context, cw_deck *deck, size_t length,
                              const cw_deck_override *overrides, int override_count);
/* Keeps the fault if it comes before the one held. */
void cw_deck_fault(cw_deck_reader *reader, cw_deck_rank rank, cw_deck_where where,
                   const char *format, ...) CW_PRINTF(4, 5);
cw_deck_where cw_deck_place(const cw_toml_node *node);
/* Place of the value at a path of tables, or of the nearest table above it. */
cw_deck_where cw_deck_place_of(const cw_deck_reader *reader, const char *path);

/* Reads `node` into the key's member of `base` (a cw_deck or cw_deck_species); faults are kept. */
void cw_deck_read_value(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                        void *base);
void cw_deck_read_list(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                       void *member);
/* Fills the key's member from its default. */
void cw_deck_set_default(const cw_deck_key *key, void *base);
/* A member of [setup] that is no key of the list: a parameter, or a table of parameters:
 * "constants", "antenna", or "species" or "injectors" with tables in them. */
void cw_deck_read_parameter(cw_deck_reader *reader, const char *name, cw_deck_where where,
                            const cw_toml_node *node);
/* 1 for the sections that such parameters may be in: "setup", "setup.constants",
 * "setup.species.LABEL", ... */
int cw_deck_is_parameter_section(const char *section);
/* 1 for a table of [setup] that has tables in it. */
int cw_deck_table_has_entries(const char *table);
/* A number, 1 on success; on failure the fault is kept. `what` opens the message. */
int cw_deck_get_number(cw_deck_reader *reader, const char *what, const cw_toml_node *node,
                       double *number);
/* The value of a node that is one of the words, or -1. */
int cw_deck_choice_of(const cw_deck_choice *choices, const cw_toml_node *node);
/* "string \"abc\"", "integer 3", "table": what a node is, for messages. */
const char *cw_deck_describe(const cw_toml_node *node, char text[CW_DECK_QUOTE + 32]);

/* What no key can check alone: cubes, periodic sides, labels, pushers; then the derived members. */
void cw_deck_check_grid(cw_deck_reader *reader);
void cw_deck_check_species(cw_deck_reader *reader);
void cw_deck_derive(cw_deck_reader *reader);
/* What engine ecsim asks of the keys, and that no other engine has its keys. */
void cw_deck_check_ecsim(cw_deck_reader *reader);

/* What output.fields.quantities and the like mean, once the species and the grid are known. */
void cw_deck_check_output(cw_deck_reader *reader);

void cw_deck_check_particle_output(cw_deck_reader *reader);
/* Bits of the species in "A_B" beside `before`, labels or numbers from 1, each once; 0: not such a
 * list. */
uint32_t cw_deck_species_bits(const cw_deck *deck, const char *text, uint32_t before);
/* "A, B": all labels. */
const char *cw_deck_list_labels(const cw_deck *deck, char *text, size_t size);

/* A key's value as TOML; `base` is the deck or one of its species. */
void cw_deck_put_value(FILE *stream, const cw_deck_key *key, const cw_deck *deck, const void *base);
/* "name = value" and a line break. */
void cw_deck_put_parameter(FILE *stream, const cw_deck_parameter *parameter);

/* Printable form of foreign text: control characters as '?', shortened with "..." to fit. */
void cw_deck_quote(const char *source, size_t length, char *text, size_t size);
/* The shortest decimal form that reads back as the same number; a float if `as_float`. */
void cw_deck_format_number(double number, int as_float, char text[32]);

#endif
