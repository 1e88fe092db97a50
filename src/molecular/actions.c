/* The actions of an input, one function each. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "molecular/input.h"

void cw_input_warn(cw_context *context, const cw_words *words, const char *format, ...) {
  char text[CW_MESSAGE_SIZE / 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cw_log(context, CW_LOG_WARNING, "%s:%d: %s: %s", words->path, words->line, words->action, text);
}

static cw_status read_list(cw_input *input, const cw_words *words, const char *key,
                           cw_atom_list *list) {
  char *text = cw_words_value(words, key);
  return text ? cw_selection_read(&input->selection, words, text, list) : CW_OK;
}

/* COORDINATION */

static cw_status read_pairs(cw_input *input, const cw_words *words, cw_variable *v) {
  cw_context *context = input->context;
  int pair = cw_words_flag(words, "PAIR");
  int has_a = cw_words_value(words, "GROUPA") != NULL;
  int has_b = cw_words_value(words, "GROUPB") != NULL;
  if (!has_a && !has_b)
    return cw_words_fail(context, words, "GROUPA is missing: there are no atoms");
  if (!has_a)
    return cw_words_fail(context, words, "GROUPB without GROUPA: there are no pairs");
  if (pair && !has_b)
    return cw_words_fail(context, words, "PAIR needs GROUPB");
  CW_TRY(read_list(input, words, "GROUPA", &v->a));
  CW_TRY(read_list(input, words, "GROUPB", &v->b));
  if (pair && v->a.count != v->b.count)
    return cw_words_fail(context, words,
                         "PAIR needs groups of equal size, but GROUPA has %lld and "
                         "GROUPB %lld atoms",
                         (long long)v->a.count, (long long)v->b.count);
  v->options.pairs = pair ? CW_PAIRS_ZIP : has_b ? CW_PAIRS_PRODUCT : CW_PAIRS_SELF;
  v->options.a = v->a.atom;
  v->options.count_a = v->a.count;
  v->options.b = v->b.atom;
  v->options.count_b = v->b.count;
  return CW_OK;
}

/* NLIST sums over the pairs that its list holds, by definition: pairs within NL_CUTOFF at the last
 * step that rebuilt it. NLISTCELLS and the plugin's actions get the complete sum. */
static cw_status read_neighbour_list(cw_input *input, const cw_words *words, int plugin,
                                     cw_variable *v) {
  cw_context *context = input->context;
  int list = cw_words_flag(words, "NLIST"), cells = cw_words_flag(words, "NLISTCELLS");
  double cutoff = 0;
  v->list_stride = 0;
  CW_TRY(cw_words_real(context, words, "NL_CUTOFF", &cutoff));
  CW_TRY(cw_words_integer(context, words, "NL_STRIDE", &v->list_stride));
  int has_cutoff = cw_words_value(words, "NL_CUTOFF") != NULL;
  int has_stride = cw_words_value(words, "NL_STRIDE") != NULL;
  if (list && cells)
    return cw_words_fail(context, words, "NLIST and NLISTCELLS do not go together");
  if (!list && !cells && !plugin && (has_cutoff || has_stride))
    return cw_words_fail(context, words, "NL_CUTOFF and NL_STRIDE need NLIST or NLISTCELLS");
  if (cells && v->options.pairs == CW_PAIRS_ZIP)
    return cw_words_fail(context, words, "PAIR and NLISTCELLS do not go together");
  if ((list || cells) && !(has_cutoff && has_stride))
    return cw_words_fail(context, words, "%s needs NL_CUTOFF and NL_STRIDE",
                         list ? "NLIST" : "NLISTCELLS");
  if ((has_cutoff && !(cutoff > 0)) || (has_stride && v->list_stride < 1))
    return cw_words_fail(context, words,
                         "NL_CUTOFF is %g and NL_STRIDE %d; expected positive values", cutoff,
                         v->list_stride);
  v->options.method =
      list && v->options.pairs != CW_PAIRS_ZIP ? CW_COORDINATION_FROZEN : CW_COORDINATION_AUTO;
  v->options.list_cutoff = cutoff;
  return CW_OK;
}

static cw_status read_threads(cw_input *input, const cw_words *words) {
  int threads = 1, device = 0;
  CW_TRY(cw_words_integer(input->context, words, "THREADS", &threads));
  CW_TRY(cw_words_integer(input->context, words, "DEVICEID", &device));
  if (threads < 1)
    return cw_words_fail(input->context, words, "THREADS is %d; expected 1 or more", threads);
  return CW_OK;
}

static cw_status read_coordination(cw_input *input, const cw_words *words) {
  cw_context *context = input->context;
  cw_variable *v = &input->variables[input->variable_count++];
  int plugin = strncasecmp(words->action, "CUDA", 4) == 0;
  v->words = words;
  if (!words->label)
    return cw_words_fail(context, words, "the action needs a label");
  CW_TRY(cw_input_read_switching(context, words, plugin, &v->options.switching));
  CW_TRY(read_pairs(input, words, v));
  CW_TRY(read_neighbour_list(input, words, plugin, v));
  if (plugin)
    CW_TRY(read_threads(input, words));
  v->nopbc = cw_words_flag(words, "NOPBC");
  v->options.precision =
      strcasecmp(words->action, "CUDACOORDINATIONFLOAT") == 0 ? CW_SINGLE : CW_DOUBLE;
  return CW_OK;
}

/* Virtual atoms */

static cw_status read_weights(cw_input *input, const cw_words *words, cw_virtual_atom *v) {
  cw_context *context = input->context;
  int64_t count = v->list.count, most = count + 1;
  char **word = NULL;
  double total = 0;
  char *text = cw_words_value(words, "WEIGHTS");
  if (v->by_mass && text)
    return cw_words_fail(context, words, "MASS and WEIGHTS do not go together");
  if (v->by_mass)
    return CW_OK;
  CW_TRY(CW_NEW(context, count, "weights", &v->weight));
  for (int64_t k = 0; k < count; k++)
    v->weight[k] = 1.0 / (double)count;
  if (!text)
    return CW_OK;
  CW_TRY(CW_NEW(context, most, "weights", &word));
  int found = cw_words_split(text, 1, word, (int)most);
  cw_status status = CW_OK;
  if (found != count)
    status =
        cw_words_fail(context, words, "WEIGHTS has not as many numbers as there are atoms (%lld)",
                      (long long)count);
  for (int64_t k = 0; k < count && status == CW_OK; k++) {
    char *end;
    v->weight[k] = strtod(word[k], &end);
    if (*end || end == word[k])
      status = cw_words_fail(context, words, "WEIGHTS: '%.60s' is not a number", word[k]);
    total += v->weight[k];
  }
  CW_DELETE(context, word);
  if (status == CW_OK && !(total > 0 || total < 0))
    status = cw_words_fail(context, words, "the WEIGHTS sum to 0");
  for (int64_t k = 0; k < count && status == CW_OK; k++)
    v->weight[k] /= total;
  return status;
}

static cw_status read_virtual(cw_input *input, const cw_words *words) {
  cw_context *context = input->context;
  cw_virtual_atom *v = &input->virtual_atoms[input->virtual_count++];
  cw_atom_list self = {0};
  v->words = words;
  if (!words->label)
    return cw_words_fail(context, words, "a virtual atom needs a label");
  if (!cw_words_value(words, "ATOMS"))
    return cw_words_fail(context, words, "ATOMS is missing");
  CW_TRY(read_list(input, words, "ATOMS", &v->list));
  if (v->list.count >= INT32_MAX)
    return cw_words_fail(context, words, "ATOMS has too many atoms");
  v->by_mass = strcasecmp(words->action, "COM") == 0;
  if (!v->by_mass)
    v->by_mass = cw_words_flag(words, "MASS");
  v->nopbc = cw_words_flag(words, "NOPBC");
  if (cw_words_flag(words, "PHASES") || cw_words_flag(words, "SAFE_PHASES"))
    return cw_words_fail(context, words, "PHASES is not implemented");
  CW_TRY(read_weights(input, words, v));
  uint32_t number = (uint32_t)(input->atoms + input->selection.virtual_atoms++);
  CW_TRY(cw_atom_list_add(context, &self, number));
  cw_status status = cw_selection_name(&input->selection, words->label, &self);
  cw_atom_list_clear(context, &self);
  return status;
}

/* GROUP */

static int compare_atoms(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static cw_status remove_atoms(cw_input *input, cw_atom_list *list, const cw_atom_list *removed) {
  cw_context *context = input->context;
  uint8_t *drop = NULL;
  int64_t kept = 0;
  CW_TRY(CW_NEW(context, input->atoms + input->selection.virtual_atoms, "removed atoms", &drop));
  for (int64_t k = 0; k < removed->count; k++)
    drop[removed->atom[k]] = 1;
  for (int64_t k = 0; k < list->count; k++)
    if (!drop[list->atom[k]])
      list->atom[kept++] = list->atom[k];
  list->count = kept;
  CW_DELETE(context, drop);
  return CW_OK;
}

static void sort_atoms(cw_atom_list *list, int unique) {
  int64_t kept = 0;
  if (list->count)
    qsort(list->atom, (size_t)list->count, sizeof *list->atom, compare_atoms);
  for (int64_t k = 0; unique && k < list->count; k++)
    if (kept == 0 || list->atom[kept - 1] != list->atom[k])
      list->atom[kept++] = list->atom[k];
  if (unique)
    list->count = kept;
}

static cw_status fill_group(cw_input *input, const cw_words *words, cw_atom_list *list,
                            cw_atom_list *removed) {
  cw_context *context = input->context;
  const char *file = cw_words_value(words, "NDX_FILE"), *group = cw_words_value(words, "NDX_GROUP");
  if (!file && group)
    return cw_words_fail(context, words, "NDX_GROUP needs NDX_FILE");
  if (!file && !cw_words_value(words, "ATOMS"))
    return cw_words_fail(context, words, "ATOMS or NDX_FILE is missing");
  CW_TRY(read_list(input, words, "ATOMS", list));
  if (file)
    CW_TRY(cw_selection_read_index(&input->selection, words, file, group, list));
  CW_TRY(read_list(input, words, "REMOVE", removed));
  if (removed->count)
    CW_TRY(remove_atoms(input, list, removed));
  int unique = cw_words_flag(words, "UNIQUE");
  if (cw_words_flag(words, "SORT") || unique)
    sort_atoms(list, unique);
  return cw_selection_name(&input->selection, words->label, list);
}

static cw_status read_group(cw_input *input, const cw_words *words) {
  cw_atom_list list = {0}, removed = {0};
  if (!words->label)
    return cw_words_fail(input->context, words, "a group needs a label");
  cw_status status = fill_group(input, words, &list, &removed);
  cw_atom_list_clear(input->context, &list);
  cw_atom_list_clear(input->context, &removed);
  return status;
}

static const struct {
  const char *name;
  cw_status (*read)(cw_input *input, const cw_words *words);
} actions[] = {{"COORDINATION", read_coordination},
               {"CUDACOORDINATION", read_coordination},
               {"CUDACOORDINATIONFLOAT", read_coordination},
               {"GROUP", read_group},
               {"CENTER", read_virtual},
               {"COM", read_virtual},
               {"PRINT", cw_action_output},
               {"DUMPDERIVATIVES", cw_action_output},
               {"UNITS", cw_action_units},
               {"RESTART", cw_action_restart},
               {"FLUSH", cw_action_flush}};

cw_status cw_input_read_action(cw_input *input, const cw_words *words) {
  for (size_t k = 0; k < sizeof actions / sizeof *actions; k++)
    if (strcasecmp(words->action, actions[k].name) == 0) {
      CW_TRY(actions[k].read(input, words));
      return cw_words_check_used(input->context, words);
    }
  return cw_fail(
      input->context, CW_ERROR_INPUT,
      "%s:%d: the action %.100s is not implemented (COORDINATION, CUDACOORDINATION, "
      "CUDACOORDINATIONFLOAT, GROUP, CENTER, COM, PRINT, DUMPDERIVATIVES, UNITS, RESTART, "
      "FLUSH and INCLUDE are)",
      words->path, words->line, words->action);
}
