/* Runs that are saved and go on elsewhere. */
#ifndef CW_TESTS_RESTORE_CASE_H
#define CW_TESTS_RESTORE_CASE_H

#include "engine/array_store.h"
#include "engine/engine_deck.h"

/* The state that was kept after `step` steps in place of the fixture's own. */
static inline void restore_into(engine_fixture *f, store *kept, int64_t step) {
  const cw_array_source source = {.user = kept, .count = count_of, .read = give};
  cw_engine_destroy(f->engine);
  f->engine = NULL;
  CW_CHECK_OK(f->context, cw_engine_restore(f->context, f->deck, step, &source, &f->engine));
}

/* Two runs of a deck that end after before + after steps with the same bits: an unbroken one with one
 * thread, whose state after `before` steps is kept, and one with three that goes on from there. */
typedef struct resumed_pair {
  engine_fixture unbroken, resumed;
  store kept;
} resumed_pair;

static inline resumed_pair resumed_pair_of(const char *deck, int before, int after) {
  char hash[2][65];
  resumed_pair made = {.unbroken = engine_from_text(deck, 1)};
  engine_steps(&made.unbroken, before);
  CW_CHECK_OK(made.unbroken.context, cw_engine_save(made.unbroken.engine, keep, &made.kept));
  engine_steps(&made.unbroken, after);
  made.resumed = engine_from_text(deck, 3);
  restore_into(&made.resumed, &made.kept, before);
  engine_steps(&made.resumed, after);
  CW_CHECK_OK(made.unbroken.context, cw_engine_sha256(made.unbroken.engine, hash[0]));
  CW_CHECK_OK(made.resumed.context, cw_engine_sha256(made.resumed.engine, hash[1]));
  ck_assert_str_eq(hash[1], hash[0]);
  return made;
}

static inline void resumed_pair_clear(resumed_pair *pair) {
  engine_clear(&pair->unbroken);
  engine_clear(&pair->resumed);
  forget(&pair->kept);
}

#endif
