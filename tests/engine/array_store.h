/* A state's arrays in memory, as a file would keep them. Without libcheck, for device tests too. */
#ifndef CW_TESTS_ARRAY_STORE_H
#define CW_TESTS_ARRAY_STORE_H

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { STORE_MOST = 64 };

typedef struct store {
  int count;
  cw_array array[STORE_MOST];
} store;

static inline size_t array_bytes(const cw_array *array) {
  return (size_t)(cw_array_count(array) * cw_array_value_size(array->type));
}

static inline cw_status keep(void *user, const cw_array *array) {
  store *kept = user;
  if (kept->count == STORE_MOST)
    return CW_ERROR_MEMORY;
  cw_array *copy = &kept->array[kept->count++];
  *copy = *array;
  copy->data = malloc(array_bytes(array) + 1);
  memcpy(copy->data, array->data, array_bytes(array));
  return CW_OK;
}

static inline cw_array *find(store *kept, const char *name) {
  for (int k = 0; k < kept->count; k++)
    if (strcmp(kept->array[k].name, name) == 0)
      return &kept->array[k];
  return NULL;
}

static inline int64_t count_of(void *user, const char *name) {
  const cw_array *found = find(user, name);
  return found ? cw_array_count(found) : -1;
}

/* CW_ERROR_FORMAT: not kept, or with another type or count. */
static inline cw_status give(void *user, const cw_array *array) {
  const cw_array *found = find(user, array->name);
  if (!found || found->type != array->type || cw_array_count(found) != cw_array_count(array))
    return CW_ERROR_FORMAT;
  memcpy(array->data, found->data, array_bytes(array));
  return CW_OK;
}

static inline void forget(store *kept) {
  for (int k = 0; k < kept->count; k++)
    free(kept->array[k].data);
  kept->count = 0;
}

#endif
