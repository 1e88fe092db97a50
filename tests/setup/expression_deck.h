/* A valid deck of expressions that the tests change. */
#ifndef CW_TESTS_EXPRESSION_DECK_H
#define CW_TESTS_EXPRESSION_DECK_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setup/setup.h"

/* 64 x 32 cells of 0.1 from (-3.2, 0); line numbers are those in the comments. */
static const char expression_deck[] = "[simulation]\n"                     /* 1 */
                                      "name = \"own\"\n"                   /* 2 */
                                      "engine = \"srpic\"\n"               /* 3 */
                                      "runtime = 1\n"                      /* 4 */
                                      "precision = \"double\"\n"           /* 5 */
                                      "[grid]\n"                           /* 6 */
                                      "resolution = [64, 32]\n"            /* 7 */
                                      "extent = [[-3.2, 3.2], [0, 3.2]]\n" /* 8 */
                                      "metric.metric = \"minkowski\"\n"    /* 9 */
                                      "boundaries.fields = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
                                      "boundaries.particles = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
                                      "[scales]\n"                                /* 12 */
                                      "larmor0 = 2\n"                             /* 13 */
                                      "skindepth0 = 0.5\n"                        /* 14 */
                                      "[particles]\n"                             /* 15 */
                                      "ppc0 = 10\n"                               /* 16 */
                                      "[[particles.species]]\n"                   /* 17 */
                                      "label = \"electrons\"\n"                   /* 18 */
                                      "mass = 1\n"                                /* 19 */
                                      "charge = -1\n"                             /* 20 */
                                      "[[particles.species]]\n"                   /* 21 */
                                      "label = \"ions\"\n"                        /* 22 */
                                      "mass = 25\n"                               /* 23 */
                                      "charge = 1\n"                              /* 24 */
                                      "[setup]\n"                                 /* 25 */
                                      "problem = \"expressions\"\n"               /* 26 */
                                      "B = [0, 0, \"b * sech(x / width)\"]\n"     /* 27 */
                                      "[setup.constants]\n"                       /* 28 */
                                      "b = 0.5\n"                                 /* 29 */
                                      "k = \"2 * pi / Lx\"\n"                     /* 30 */
                                      "width = \"Lx / 8\"\n"                      /* 31 */
                                      "[setup.species.electrons]\n"               /* 32 */
                                      "density = \"1 + 0.5 * cos(k * x)\"\n"      /* 33 */
                                      "velocity = [0, \"0.1 * sin(k * x)\", 0]\n" /* 34 */
                                      "temperature = 0.01\n"                      /* 35 */
                                      "[setup.species.ions]\n"                    /* 36 */
                                      "density = \"1 + 0.5 * cos(k * x)\"\n";     /* 37 */

/* The text with the first `old` replaced; freed by the caller. */
static inline char *expression_deck_with(const char *old, const char *new) {
  const char *at = strstr(expression_deck, old);
  ck_assert_msg(at != NULL, "the deck has no '%s'", old);
  char *made = malloc(sizeof expression_deck + strlen(new));
  ck_assert_ptr_nonnull(made);
  sprintf(made, "%.*s%s%s", (int)(at - expression_deck), expression_deck, new, at + strlen(old));
  return made;
}

#endif
