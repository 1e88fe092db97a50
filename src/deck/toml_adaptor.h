/* TOML text as a tree that C can walk: the only door to toml++ (TOML 1.0). */
#ifndef CW_DECK_TOML_ADAPTOR_H
#define CW_DECK_TOML_ADAPTOR_H

#include <stddef.h>
#include <stdint.h>

#include <cellwise/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A parsed text; owns its nodes. */
typedef struct cw_toml cw_toml;
/* A table, list or value; borrowed from its tree. */
typedef struct cw_toml_node cw_toml_node;

typedef enum cw_toml_type {
  CW_TOML_TABLE = 0,
  CW_TOML_ARRAY,
  CW_TOML_STRING,
  CW_TOML_INTEGER,
  CW_TOML_FLOAT,
  CW_TOML_BOOL,
  CW_TOML_DATE /* date, time or both */
} cw_toml_type;

/* Lines and columns count from 1. line -1: the value came from override number `column`. */
typedef struct cw_toml_place {
  int line, column;
} cw_toml_place;

typedef struct cw_toml_fault {
  cw_toml_place place;
  char message[400];
} cw_toml_fault;

/* No part of a dotted key or [header] may nest deeper: trees are freed recursively. */
enum { CW_TOML_MAX_DEPTH = 32 };

/* Parses UTF-8 text. On failure *tree is NULL and *fault says what and where.
 * Errors: CW_ERROR_INPUT (not TOML), CW_ERROR_MEMORY. */
cw_status cw_toml_parse(const char *text, size_t length, cw_toml **tree, cw_toml_fault *fault);
void cw_toml_destroy(cw_toml *tree);

/* Sets the value at `path` (names joined by dots; in a list of tables a table is named by its
 * `label`, or by "sN", counted from 1, where it has none), making tables on the way. `value` is
 * TOML; a word that is not TOML counts as a string. Nodes made so have the place (-1, number).
 * Errors: CW_ERROR_INPUT (the tree may hold new, empty tables), CW_ERROR_MEMORY. */
cw_status cw_toml_override(cw_toml *tree, int number, const char *path, const char *value,
                           cw_toml_fault *fault);

const cw_toml_node *cw_toml_root(const cw_toml *tree);
cw_toml_type cw_toml_node_type(const cw_toml_node *node);
cw_toml_place cw_toml_node_place(const cw_toml_node *node);
/* Members of a table or items of a list; 0 for values. */
size_t cw_toml_count(const cw_toml_node *node);
/* Item of a list, or NULL. */
const cw_toml_node *cw_toml_item(const cw_toml_node *list, size_t index);
/* Node at a path of tables ("grid.boundaries"), or NULL. */
const cw_toml_node *cw_toml_find(const cw_toml_node *table, const char *path);
/* Calls `visit` for every member of a table, in the order of their names; `name` may hold any
 * character but ends with a NUL; `place` is the name's. */
typedef void cw_toml_visit(void *user, const char *name, cw_toml_place place,
                           const cw_toml_node *value);
void cw_toml_each(const cw_toml_node *table, cw_toml_visit *visit, void *user);

/* Values; the node must have the type. */
const char *cw_toml_string(const cw_toml_node *node, size_t *length);
int64_t cw_toml_integer(const cw_toml_node *node);
double cw_toml_float(const cw_toml_node *node);
int cw_toml_bool(const cw_toml_node *node);

#ifdef __cplusplus
}
#endif
#endif
