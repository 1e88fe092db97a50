/* A valid deck that the tests break, and what they share. */
#ifndef CW_TESTS_DECK_CASE_H
#define CW_TESTS_DECK_CASE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deck/deck.h"

/* Line numbers are those in the comments; every required key is there. */
static const char valid_deck[] =
    "[simulation]\n"                                            /* 1 */
    "name = \"two\"\n"                                          /* 2 */
    "engine = \"srpic\"\n"                                      /* 3 */
    "runtime = 10\n"                                            /* 4 */
    "precision = \"single\"\n"                                  /* 5 */
    "[grid]\n"                                                  /* 6 */
    "resolution = [32, 16]\n"                                   /* 7 */
    "extent = [[-1.6, 1.6], [0, 1.6]]\n"                        /* 8 */
    "[grid.metric]\n"                                           /* 9 */
    "metric = \"minkowski\"\n"                                  /* 10 */
    "[grid.boundaries]\n"                                       /* 11 */
    "fields = [[\"PERIODIC\"], [\"conductor\", \"ABSORB\"]]\n"  /* 12 */
    "particles = [[\"PERIODIC\"], [\"REFLECT\", \"absorb\"]]\n" /* 13 */
    "[scales]\n"                                                /* 14 */
    "larmor0 = 2\n"                                             /* 15 */
    "skindepth0 = 0.5\n"                                        /* 16 */
    "[algorithms.timestep]\n"                                   /* 17 */
    "CFL = 0.5\n"                                               /* 18 */
    "[algorithms.deposit]\n"                                    /* 19 */
    "tiled_deposit_tile_size = 4\n"                             /* 20 */
    "[particles]\n"                                             /* 21 */
    "ppc0 = 16\n"                                               /* 22 */
    "[[particles.species]]\n"                                   /* 23 */
    "label = \"e-\"\n"                                          /* 24 */
    "mass = 1\n"                                                /* 25 */
    "charge = -1.0\n"                                           /* 26 */
    "[[particles.species]]\n"                                   /* 27 */
    "mass = 1836.15\n"                                          /* 28 */
    "charge = 1\n"                                              /* 29 */
    "[setup]\n"                                                 /* 30 */
    "problem = \"thermal\"\n"                                   /* 31 */
    "temperature = 1e-3\n"                                      /* 32 */
    "drift = [0.1, 0, 0]\n"                                     /* 33 */
    "[output.fields]\n"                                         /* 34 */
    "quantities = [\"E\", \"N\"]\n";                            /* 35 */

static inline cw_context *case_context(void) {
  cw_context *context;
  char message[256];
  ck_assert_msg(cw_context_create(NULL, &context, message, sizeof message) == CW_OK, "%s", message);
  return context;
}

/* The text with the first `old` replaced; freed by the caller. */
static inline char *replaced(const char *text, const char *old, const char *new) {
  const char *at = strstr(text, old);
  ck_assert_msg(at != NULL, "the valid deck has no '%s'", old);
  char *made = malloc(strlen(text) + strlen(new) + 1);
  ck_assert_ptr_nonnull(made);
  sprintf(made, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
  return made;
}

static inline cw_deck *parsed(cw_context *context, const char *text) {
  cw_deck *deck;
  cw_status status = cw_deck_parse(context, "t.toml", text, strlen(text), NULL, 0, &deck);
  ck_assert_msg(status == CW_OK, "%s", cw_context_message(context));
  return deck;
}

#endif
