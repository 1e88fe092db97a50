/* Checks for programs that libcheck can't run (it forks; a device must not be touched in a parent).
 * A failed check is printed and counted, and the case goes on; plain_main's result is the exit
 * status. Comparisons fail on NaN. */
#ifndef TESTS_PLAIN_CHECK_H
#define TESTS_PLAIN_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cellwise/context.h>

enum { PLAIN_SKIPPED = 77, PLAIN_PRINTED = 10 };

typedef struct plain_case {
  const char *name;
  void (*run)(cw_context *context);
} plain_case;

static int plain_failures;

#define plain_check(condition, ...)                                                                \
  do {                                                                                             \
    if (!(condition) && plain_failures++ < PLAIN_PRINTED) {                                        \
      printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                       \
      printf(__VA_ARGS__);                                                                         \
      printf("\n");                                                                                \
    }                                                                                              \
  } while (0)

#define plain_ok(context, call)                                                                    \
  do {                                                                                             \
    cw_status plain_status = (call);                                                               \
    plain_check(plain_status == CW_OK, "%s: %s", cw_status_name(plain_status),                     \
                cw_context_message(context));                                                      \
  } while (0)

#define plain_near(found, expected, tolerance)                                                     \
  do {                                                                                             \
    double plain_found = (found), plain_expected = (expected);                                     \
    plain_check(fabs(plain_found - plain_expected) <= (tolerance),                                 \
                "found %.17g, expected %.17g, tolerance %g", plain_found, plain_expected,          \
                (double)(tolerance));                                                              \
  } while (0)

/* The call fails with `expected` and a message that contains `part`. */
#define plain_refused(context, call, expected, part)                                               \
  do {                                                                                             \
    cw_status plain_status = (call);                                                               \
    plain_check(plain_status == (expected), "%s instead of %s", cw_status_name(plain_status),      \
                cw_status_name(expected));                                                         \
    plain_check(strstr(cw_context_message(context), (part)) != NULL, "'%s' lacks '%s'",            \
                cw_context_message(context), (part));                                              \
  } while (0)

/* CELLWISE_TEST_SHORT=1 in the environment: a few cases of each kind, for tools under which a device
 * is a hundred times slower. */
static inline int plain_short(void) {
  const char *text = getenv("CELLWISE_TEST_SHORT");
  return text && strcmp(text, "1") == 0;
}

/* A context on a device for each case; without a device the program says why and skips.
 * CELLWISE_CASE in the environment: only the cases whose names contain it (sanitizers are slow);
 * CELLWISE_LIST=1: the names alone, a line each. */
static inline int plain_main(const plain_case *cases, int count) {
  char message[512] = "";
  const char *only = getenv("CELLWISE_CASE");
  int run = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (getenv("CELLWISE_LIST")) {
    for (int k = 0; k < count; k++)
      printf("%s\n", cases[k].name);
    return 0;
  }
  for (int k = 0; k < count; k++) {
    if (only && !strstr(cases[k].name, only))
      continue;
    run++;
    cw_context_options options = {CW_BACKEND_CUDA, 0, CW_ISA_AUTO, 0, 0, NULL, NULL};
    cw_context *context = NULL;
    cw_status status = cw_context_create(&options, &context, message, (int)sizeof message);
    if (status == CW_ERROR_UNSUPPORTED) {
      printf("skipped: %s\n", message);
      return PLAIN_SKIPPED;
    }
    int before = plain_failures;
    if (status == CW_OK)
      cases[k].run(context);
    else
      plain_check(status == CW_OK, "%s", message);
    cw_context_destroy(context);
    printf("%s %s\n", plain_failures == before ? "ok  " : "FAIL", cases[k].name);
  }
  plain_check(run > 0, "no case is named like '%s'", only ? only : "");
  printf("%d cases, %d failed checks\n", run, plain_failures);
  return plain_failures != 0;
}

#define PLAIN_CASE(name)                                                                           \
  { #name, name }

#endif
