/* A little fuzzing in every test run: mutated decks are refused with a place, or resolve to decks
 * whose echo reads back. The mutations are the same every time. */
#include <math.h>

#include <cellwise/random.h>

#include "deck_case.h"
#include "setup/expression_deck.h"

/* Fewer under sanitizers, where the fuzzers run besides. */
enum { MUTANTS = CW_SANITIZED ? 4000 : 20000, ROOM = 4096, SEED = 20 };

static const char *const fragments[] = {"nan",
                                        "-inf",
                                        "1e999",
                                        "-9223372036854775808",
                                        "9223372036854775807",
                                        "0",
                                        "-1",
                                        "[",
                                        "]",
                                        "[[",
                                        "{",
                                        "}",
                                        "\"",
                                        "'''",
                                        "\"\"\"",
                                        "=",
                                        ".",
                                        ",",
                                        "\n",
                                        "true",
                                        "0x7f",
                                        "\\u0000",
                                        "\xff",
                                        "\xc3\xa9",
                                        "#",
                                        "[setup]\n",
                                        "[[particles.species]]\n",
                                        "[[[[[[[[[[",
                                        "a.b.c.d.e",
                                        "1979-05-27",
                                        "PERIODIC",
                                        "resolution = [1]\n",
                                        "{a={a={a=1}}}"};
enum { FRAGMENTS = (int)(sizeof fragments / sizeof *fragments) };

/* Replaces up to `span` bytes at a random place by a fragment, a random byte, or nothing. */
static size_t mutate(char *text, size_t length, const uint32_t bits[4]) {
  char byte[2] = {(char)(' ' + (bits[3] >> 24) % 95), 0}; /* printable */
  const char *new = bits[1] % 3 == 0   ? ""
                    : bits[1] % 3 == 1 ? byte
                                       : fragments[bits[2] % FRAGMENTS];
  size_t size = bits[1] % 3 == 1 ? 1 : strlen(new);
  size_t at = bits[0] % (length + 1), span = (bits[3] >> 8) % 8;
  if (bits[3] % 16 == 0)
    span = (bits[3] >> 8) % 256; /* now and then a whole line or more */
  if (span > length - at)
    span = length - at;
  if (length - span + size > ROOM)
    return length;
  memmove(text + at + size, text + at + span, length - at - span);
  memcpy(text + at, new, size);
  return length - span + size;
}

static void expect_place(const char *message) {
  int line = 0, column = 0;
  ck_assert_msg(sscanf(message, "m.toml:%d:%d: ", &line, &column) == 2 && line >= 1 && column >= 1,
                "no place: %s", message);
  for (const char *c = message; *c; c++)
    ck_assert_msg((unsigned char)*c >= 0x20, "a control character in the message");
}

static void expect_sound(cw_context *context, const cw_deck *deck) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  cw_deck *again;
  ck_assert_int_eq(cw_deck_echo(context, deck, stream), CW_OK);
  fclose(stream);
  ck_assert_msg(cw_deck_parse(context, "echo", text, size, NULL, 0, &again) == CW_OK, "%s\n%s",
                cw_context_message(context), text);
  ck_assert(again->dt == deck->dt && again->dt > 0 && isfinite(deck->n0));
  ck_assert_int_eq(again->steps, deck->steps);
  ck_assert_int_eq(again->setup.parameter_count, deck->setup.parameter_count);
  cw_deck_destroy(again);
  free(text);
}

START_TEST(test_mutated_decks_are_refused_or_sound) {
  cw_context *context = case_context();
  static char text[ROOM + 1];
  int refused = 0;
  for (uint32_t k = 0; k < MUTANTS; k++) {
    uint32_t bits[4];
    cw_deck *deck;
    size_t length = strlen(valid_deck);
    memcpy(text, valid_deck, length);
    for (uint32_t m = 0; m <= k % 3; m++) {
      cw_random_bits(SEED, 0, k, m, bits);
      length = mutate(text, length, bits);
    }
    cw_status status = cw_deck_parse(context, "m.toml", text, length, NULL, 0, &deck);
    ck_assert_int_eq(deck == NULL, status != CW_OK);
    if (status == CW_OK)
      expect_sound(context, deck);
    if (status != CW_OK)
      expect_place(cw_context_message(context));
    refused += status != CW_OK;
    cw_deck_destroy(deck);
  }
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  /* both outcomes must be common, or the mutations test nothing */
  ck_assert_int_gt(refused, MUTANTS / 2);
  ck_assert_int_lt(refused, MUTANTS * 98 / 100);
  cw_context_destroy(context);
}
END_TEST

/* The same for a deck of Entity, whose [setup] is translated. */
START_TEST(test_mutated_decks_of_entity_are_refused_or_sound) {
  cw_context *context = case_context();
  static char base[ROOM + 1], text[ROOM + 1];
  FILE *file = fopen(CW_SOURCE_DIR "/tests/deck/entity/streaming.toml", "r");
  ck_assert_ptr_nonnull(file);
  const size_t whole = fread(base, 1, ROOM, file);
  fclose(file);
  int refused = 0;
  for (uint32_t k = 0; k < MUTANTS / 4; k++) {
    uint32_t bits[4];
    cw_deck *deck;
    size_t length = whole;
    memcpy(text, base, length);
    cw_random_bits(SEED, 3, k, 0, bits);
    length = mutate(text, length, bits);
    cw_status status = cw_deck_parse(context, "m.toml", text, length, NULL, 0, &deck);
    if (status == CW_OK)
      expect_sound(context, deck);
    else
      expect_place(cw_context_message(context));
    refused += status != CW_OK;
    cw_deck_destroy(deck);
  }
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  ck_assert_int_gt(refused, MUTANTS / 16);
  ck_assert_int_lt(refused, MUTANTS / 4 * 98 / 100);
  cw_context_destroy(context);
}
END_TEST

/* The same for decks of expressions, whose check reads every character of them. */
START_TEST(test_mutated_expressions_are_refused_or_sound) {
  cw_context *context = case_context();
  static const char cells[] = "[64, 32]", few[] = "[ 4,  2]";
  static char base[ROOM + 1], text[ROOM + 1];
  int refused = 0, checked = 0;
  strcpy(base, expression_deck);
  memcpy(strstr(base, cells), few, strlen(few));
  const size_t setup = (size_t)(strstr(base, "[setup]") - base);
  for (uint32_t k = 0; k < MUTANTS / 4; k++) {
    uint32_t bits[4];
    cw_deck *deck;
    memcpy(text, base, setup);
    char *part = text + setup; /* what is mutated */
    size_t length = strlen(base) - setup;
    memcpy(part, base + setup, length);
    for (uint32_t m = 0; m <= k % 2; m++) {
      cw_random_bits(SEED, 2, k, m, bits);
      if (length + setup + 256 < ROOM)
        length = mutate(part, length, bits);
    }
    cw_status status = cw_deck_parse(context, "m.toml", text, setup + length, NULL, 0, &deck);
    if (status == CW_OK) {
      expect_sound(context, deck);
      status = cw_setup_check(context, deck);
      checked++;
      refused += status != CW_OK;
      if (status != CW_OK)
        expect_place(cw_context_message(context));
    }
    cw_deck_destroy(deck);
  }
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  ck_assert_int_gt(checked, MUTANTS / 20); /* so many were TOML, and so many of them wrong */
  ck_assert_int_gt(refused, MUTANTS / 50);
  ck_assert_int_lt(refused, checked * 98 / 100);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_mutated_overrides_are_refused_or_sound) {
  cw_context *context = case_context();
  static const char *const keys[] = {
      "simulation.runtime",         "grid.resolution", "grid.extent", "setup.drift",
      "particles.species.e-.label", "output.interval"};
  for (uint32_t k = 0; k < MUTANTS / 20; k++) {
    uint32_t bits[4];
    char key[ROOM + 1] = "", value[ROOM + 1] = "[32, 16]";
    cw_deck *deck;
    cw_random_bits(SEED, 1, k, 0, bits);
    snprintf(key, sizeof key, "%s", keys[bits[0] % 6]);
    value[mutate(value, strlen(value), bits)] = '\0';
    cw_random_bits(SEED, 1, k, 1, bits);
    if (bits[0] % 4 == 0)
      key[mutate(key, strlen(key), bits)] = '\0';
    cw_deck_override override = {key, value};
    cw_status status =
        cw_deck_parse(context, "m.toml", valid_deck, strlen(valid_deck), &override, 1, &deck);
    ck_assert_int_eq(deck == NULL, status != CW_OK);
    if (status == CW_OK)
      expect_sound(context, deck);
    cw_deck_destroy(deck);
  }
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("deck mutations");
  TCase *tests = tcase_create("deck mutations");
  tcase_set_timeout(tests, 300);
  tcase_add_test(tests, test_mutated_decks_are_refused_or_sound);
  tcase_add_test(tests, test_mutated_decks_of_entity_are_refused_or_sound);
  tcase_add_test(tests, test_mutated_expressions_are_refused_or_sound);
  tcase_add_test(tests, test_mutated_overrides_are_refused_or_sound);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
