/* libFuzzer: any bytes as a deck. A refused deck must leave nothing allocated; an accepted one must
 * echo to a deck that is accepted with the same time step. One of expressions on a small grid is
 * checked as a whole: its echo's outcome is the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setup/setup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth, const char *claim) {
  if (truth)
    return;
  fprintf(stderr, "broken claim: %s\n", claim);
  abort();
}

/* Problems of expressions read no file, and on few cells they are checked fast. */
static int is_small_plasma(const cw_deck *deck) {
  double cells = 1;
  for (int a = 0; a < deck->grid.dim; a++)
    cells *= deck->grid.resolution[a];
  return strcmp(deck->setup.problem, "expressions") == 0 && cells <= 256;
}

static void check_echo(cw_context *context, cw_deck *deck) {
  char *text = NULL;
  size_t size = 0;
  cw_deck *again;
  FILE *stream = open_memstream(&text, &size);
  require(stream != NULL, "a stream in memory opens");
  require(cw_deck_echo(context, deck, stream) == CW_OK, "an accepted deck can be echoed");
  fclose(stream);
  if (cw_deck_parse(context, "echo", text, size, NULL, 0, &again) != CW_OK) {
    fprintf(stderr, "%s\n", cw_context_message(context));
    require(0, "an echo is accepted");
  }
  require(again->dt == deck->dt && again->steps == deck->steps, "an echo is the same deck");
  if (is_small_plasma(deck))
    require(cw_setup_check(context, deck) == cw_setup_check(context, again),
            "an echo's expressions are as right or wrong");
  cw_deck_destroy(again);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  cw_context *context;
  cw_deck *deck;
  require(cw_context_create(NULL, &context, NULL, 0) == CW_OK, "a context is made");
  if (cw_deck_parse(context, "fuzz", (const char *)data, size, NULL, 0, &deck) == CW_OK)
    check_echo(context, deck);
  cw_deck_destroy(deck);
  require(cw_memory_used(context, CW_SPACE_HOST) == 0, "nothing stays allocated");
  cw_context_destroy(context);
  return 0;
}
