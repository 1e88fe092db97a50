/* Decks for tests of the engine, made from text; failures end the test with the library's message. */
#ifndef CW_TESTS_ENGINE_DECK_H
#define CW_TESTS_ENGINE_DECK_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "setup/setup.h"

/* ck_assert_msg on a status, with the context's message. */
#define CW_CHECK_OK(context, call)                                                                 \
  do {                                                                                             \
    cw_status cw_check_status = (call);                                                            \
    ck_assert_msg(cw_check_status == CW_OK, "%s: %s", cw_status_name(cw_check_status),             \
                  cw_context_message(context));                                                    \
  } while (0)

typedef struct engine_fixture {
  cw_context *context;
  cw_deck *deck;
  cw_engine *engine;
} engine_fixture;

static inline engine_fixture engine_from_text(const char *text, int threads) {
  engine_fixture made = {0};
  cw_context_options options = {.backend = CW_BACKEND_CPU, .threads = threads};
  char message[512];
  ck_assert_msg(cw_context_create(&options, &made.context, message, sizeof message) == CW_OK, "%s",
                message);
  CW_CHECK_OK(made.context,
              cw_deck_parse(made.context, "test deck", text, strlen(text), NULL, 0, &made.deck));
  CW_CHECK_OK(made.context, cw_setup_check(made.context, made.deck));
  CW_CHECK_OK(made.context, cw_engine_create(made.context, made.deck, &made.engine));
  return made;
}

static inline engine_fixture engine_from_file(const char *path, const cw_deck_override *overrides,
                                              int override_count, int threads) {
  engine_fixture made = {0};
  cw_context_options options = {.backend = CW_BACKEND_CPU, .threads = threads};
  char message[512];
  ck_assert_msg(cw_context_create(&options, &made.context, message, sizeof message) == CW_OK, "%s",
                message);
  CW_CHECK_OK(made.context,
              cw_deck_read(made.context, path, overrides, override_count, &made.deck));
  CW_CHECK_OK(made.context, cw_setup_check(made.context, made.deck));
  CW_CHECK_OK(made.context, cw_engine_create(made.context, made.deck, &made.engine));
  return made;
}

static inline void engine_steps(engine_fixture *fixture, int64_t steps) {
  for (int64_t k = 0; k < steps; k++)
    CW_CHECK_OK(fixture->context, cw_engine_step(fixture->engine));
}

static inline cw_vector_view engine_vector(engine_fixture *fixture, cw_engine_quantity quantity) {
  double position[3][3];
  cw_vector_view view;
  CW_CHECK_OK(fixture->context, cw_engine_vector(fixture->engine, quantity, position, &view));
  return view;
}

static inline void engine_clear(engine_fixture *fixture) {
  cw_engine_destroy(fixture->engine);
  cw_deck_destroy(fixture->deck);
  cw_context_destroy(fixture->context);
  *fixture = (engine_fixture){0};
}

#endif
