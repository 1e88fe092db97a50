/* libFuzzer: any bytes as an index file, of which the group "OW" and the first group are read. */
#include "fuzz_file.h"

#include "molecular/selection.h"

enum { ATOMS = 1000 };

static void read_group(cw_context *context, const char *path, const char *group) {
  char source[] = "input.dat", action[] = "GROUP";
  const cw_words words = {.path = source, .line = 1, .action = action};
  const cw_selection selection = {.context = context, .atoms = ATOMS};
  cw_atom_list list = {0};
  check_refusal(context, cw_selection_read_index(&selection, &words, path, group, &list));
  for (int64_t k = 0; k < list.count; k++)
    require(list.atom[k] < ATOMS, "an entry is an atom");
  cw_atom_list_clear(context, &list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = as_file(data, size);
  cw_context *context = begin();
  read_group(context, path, "OW");
  read_group(context, path, NULL);
  end(context, path);
  return 0;
}
