/* A named array that a file keeps: how engines, readers and writers speak of it. */
#ifndef CW_BASE_ARRAY_H
#define CW_BASE_ARRAY_H

#include <stdint.h>

#include <cellwise/status.h>

enum { CW_ARRAY_NAME = 160 };

typedef enum cw_array_type {
  CW_ARRAY_I32 = 0,
  CW_ARRAY_I64,
  CW_ARRAY_U8,
  CW_ARRAY_U64,
  CW_ARRAY_F32,
  CW_ARRAY_F64
} cw_array_type;

/* Borrowed, on the host. */
typedef struct cw_array {
  char name[CW_ARRAY_NAME]; /* a path of groups: "fields/E/x" */
  cw_array_type type;
  int rank;
  int64_t extent[3]; /* slowest axis first; 0 values are allowed */
  void *data;
} cw_array;

static inline int64_t cw_array_count(const cw_array *array) {
  int64_t count = 1;
  for (int a = 0; a < array->rank; a++)
    count *= array->extent[a];
  return count;
}

static inline int64_t cw_array_value_size(cw_array_type type) {
  return type == CW_ARRAY_U8 ? 1 : type == CW_ARRAY_I32 || type == CW_ARRAY_F32 ? 4 : 8;
}

/* Takes an array for the time of the call. */
typedef cw_status cw_array_visit(void *user, const cw_array *array);

/* Where arrays are read from. */
typedef struct cw_array_source {
  void *user;
  /* Values of a one-dimensional array, or -1: there is none of that name. */
  int64_t (*count)(void *user, const char *name);
  /* Fills array->data. Errors name the array. */
  cw_status (*read)(void *user, const cw_array *array);
} cw_array_source;

#endif
