/* Lists of atoms as PLUMED inputs write them. */
#ifndef CW_MOLECULAR_SELECTION_H
#define CW_MOLECULAR_SELECTION_H

#include "molecular/words.h"

/* Atom numbers from 0; numbers from `atoms` on are virtual atoms in the order of their definition.
 */
typedef struct cw_atom_list {
  uint32_t *atom;
  int64_t count;
  size_t capacity;
} cw_atom_list;

typedef struct cw_named_list {
  const char *label; /* borrowed from the script */
  cw_atom_list list;
} cw_named_list;

/* What a list may refer to. */
typedef struct cw_selection {
  cw_context *context;
  int64_t atoms;         /* of the trajectory */
  int64_t virtual_atoms; /* defined so far */
  cw_named_list *named;  /* groups, and virtual atoms as lists of one */
  int named_count;
  size_t named_capacity;
} cw_selection;

/* Appends what `text` names ("1-64:3,g,@mdatoms,{@ndx:{FILE GROUP}}"); text is taken apart.
 * Errors: CW_ERROR_INPUT with the place of `words`, CW_ERROR_IO, CW_ERROR_MEMORY. */
cw_status cw_selection_read(const cw_selection *selection, const cw_words *words, char *text,
                            cw_atom_list *list);
/* Appends a group of an index file; group NULL: the first. */
cw_status cw_selection_read_index(const cw_selection *selection, const cw_words *words,
                                  const char *file, const char *group, cw_atom_list *list);
cw_status cw_selection_name(cw_selection *selection, const char *label, const cw_atom_list *list);
cw_status cw_atom_list_add(cw_context *context, cw_atom_list *list, uint32_t atom);
void cw_atom_list_clear(cw_context *context, cw_atom_list *list);
void cw_selection_clear(cw_selection *selection);

#endif
