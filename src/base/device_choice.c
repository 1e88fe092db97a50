#include "base/device_choice.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/context_private.h"

enum { LIST_SIZE = 768, WHY_SIZE = 256 };

int cw_device_unusable(const cw_device_entry *entry, char *why, size_t size) {
  why[0] = '\0';
  if (entry->compute_major < CW_MIN_COMPUTE_MAJOR)
    snprintf(why, size, "it has compute capability %d.%d; this build needs %d.0 or later",
             entry->compute_major, entry->compute_minor, (int)CW_MIN_COMPUTE_MAJOR);
  else if (entry->mode == CW_COMPUTE_PROHIBITED)
    snprintf(why, size, "its compute mode prohibits programs");
  else if (entry->status != CW_OK && entry->mode == CW_COMPUTE_EXCLUSIVE)
    snprintf(why, size, "its compute mode is exclusive, another program may have it (%s)",
             entry->error);
  else if (entry->status != CW_OK)
    snprintf(why, size, "%s", entry->error);
  return why[0] != '\0';
}

static cw_status status_of(const cw_device_entry *entry) {
  return entry->status != CW_OK ? entry->status : CW_ERROR_UNSUPPORTED;
}

static void append(char list[LIST_SIZE], size_t *length, const char *format, ...) CW_PRINTF(3, 4);

static void append(char list[LIST_SIZE], size_t *length, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int written =
      *length < LIST_SIZE ? vsnprintf(list + *length, LIST_SIZE - *length, format, arguments) : 0;
  va_end(arguments);
  *length += written > 0 ? (size_t)written : 0;
}

/* "device 0 (NAME): WHY; device 1 (NAME): 139000 of 143000 MB free", but for the one at `left_out`
 * (-1: none). */
static void list_devices(const cw_device_entry *table, int count, int left_out,
                         char list[LIST_SIZE]) {
  size_t length = 0;
  list[0] = '\0';
  for (int k = 0; k < count; k++) {
    char why[WHY_SIZE];
    if (k == left_out)
      continue;
    append(list, &length, "%sdevice %d (%s): ", length ? "; " : "", table[k].number, table[k].name);
    if (cw_device_unusable(&table[k], why, sizeof why))
      append(list, &length, "%s", why);
    else
      append(list, &length, "%.0f of %.0f MB free", (double)table[k].memory_free / 1048576.0,
             (double)table[k].memory_total / 1048576.0);
  }
}

static cw_status choose_wanted(cw_context *context, const cw_device_entry *table, int count,
                               int wanted, int *chosen) {
  char list[LIST_SIZE], why[WHY_SIZE];
  int found = -1;
  for (int k = 0; k < count; k++)
    if (table[k].number == wanted)
      found = k;
  list_devices(table, count, found, list);
  if (found < 0)
    return cw_fail(context, CW_ERROR_ARGUMENT, "device %d was asked for; there %s %d here: %s",
                   wanted, count == 1 ? "is" : "are", count, list);
  if (cw_device_unusable(&table[found], why, sizeof why))
    return cw_fail(context, status_of(&table[found]), "device %d (%s) can't be used: %s; %s%s",
                   wanted, table[found].name, why,
                   count == 1 ? "there is no other" : "others: ", list);
  *chosen = found;
  return CW_OK;
}

cw_status cw_device_choose(cw_context *context, const cw_device_entry *table, int count,
                           const int *wanted, int *chosen) {
  char list[LIST_SIZE], why[WHY_SIZE];
  size_t most = 0;
  int best = -1;
  *chosen = -1;
  if (wanted)
    return choose_wanted(context, table, count, *wanted, chosen);
  for (int k = 0; k < count; k++)
    if (!cw_device_unusable(&table[k], why, sizeof why) && table[k].memory_free >= most)
      most = table[k].memory_free;
  for (int k = count - 1; k >= 0; k--)
    if (!cw_device_unusable(&table[k], why, sizeof why) && table[k].memory_free >= most - most / 64)
      best = k;
  list_devices(table, count, best, list);
  if (best < 0)
    return cw_fail(context, count > 0 ? status_of(&table[0]) : CW_ERROR_UNSUPPORTED,
                   "no device can be used: %s", count > 0 ? list : "there is none");
  if (count > 1)
    cw_log(context, CW_LOG_INFO, "device %d (%s) is taken, with %.0f MB free; %s",
           table[best].number, table[best].name, (double)table[best].memory_free / 1048576.0, list);
  *chosen = best;
  return CW_OK;
}
