/* Memory, copies, time and failures of a device. */
#include <stdlib.h>

#include "base/context_private.h"
#include "base/device.h"
#include "plain_check.h"

static void test_context_has_the_device(cw_context *context) {
  const cw_device_properties *found = cw_device_opened(context);
  plain_check(cw_context_backend(context) == CW_BACKEND_CUDA, "backend %s",
              cw_backend_name(cw_context_backend(context)));
  plain_check(found && found->name[0] && found->multiprocessors > 0 &&
                  found->shared_per_block >= 48 * 1024 &&
                  found->shared_per_multiprocessor >= found->shared_per_block &&
                  found->memory_free > 0 && found->memory_total >= found->memory_free,
              "properties");
  cw_context *automatic = NULL;
  plain_ok(context, cw_context_create(NULL, &automatic, NULL, 0));
  plain_check(automatic && cw_context_backend(automatic) == CW_BACKEND_CUDA, "auto is the CPU");
  cw_context_destroy(automatic);
}

static void test_memory_is_zeroed_and_keeps_what_is_copied(cw_context *context) {
  enum { COUNT = 1000003 };
  uint32_t *host = NULL, *a = NULL, *b = NULL;
  plain_ok(context, CW_NEW(context, COUNT, "host", &host));
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, COUNT, sizeof *a, "a", (void **)&a));
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, COUNT, sizeof *b, "b", (void **)&b));
  plain_check((uintptr_t)a % 256 == 0 && (uintptr_t)b % 256 == 0, "alignment of %p, %p", (void *)a,
              (void *)b);
  size_t bytes = COUNT * sizeof *host, used = cw_memory_used(context, CW_SPACE_DEVICE);
  plain_check(used >= 2 * bytes && used < 2 * bytes + 256, "%zu bytes used", used);
  memset(host, 0xff, bytes);
  plain_ok(context, cw_device_read(context, host, a, bytes));
  int64_t wrong = 0;
  for (int64_t k = 0; k < COUNT; k++)
    wrong += host[k] != 0;
  plain_check(wrong == 0, "%lld values are not zero", (long long)wrong);
  for (int64_t k = 0; k < COUNT; k++)
    host[k] = (uint32_t)k * 2654435761u;
  plain_ok(context, cw_device_copy_to(context, a, host, bytes));
  plain_ok(context, cw_device_copy_within(context, b, a, bytes));
  plain_ok(context, cw_device_zero(context, a, bytes));
  plain_ok(context, cw_device_synchronize(context));
  memset(host, 0, bytes);
  plain_ok(context, cw_device_read(context, host, b, bytes));
  for (int64_t k = 0; k < COUNT; k++)
    wrong += host[k] != (uint32_t)k * 2654435761u;
  plain_ok(context, cw_device_read(context, host, a, bytes));
  for (int64_t k = 0; k < COUNT; k++)
    wrong += host[k] != 0;
  plain_check(wrong == 0, "%lld values are wrong", (long long)wrong);
  cw_memory_free(context, CW_SPACE_DEVICE, a);
  cw_memory_free(context, CW_SPACE_DEVICE, b);
  cw_memory_free(context, CW_SPACE_DEVICE, NULL);
  CW_DELETE(context, host);
  plain_check(cw_memory_used(context, CW_SPACE_DEVICE) == 0, "memory is still held");
  plain_check(cw_memory_peak(context, CW_SPACE_DEVICE) == used, "peak");
}

static void test_absurd_allocation_is_refused_and_nothing_is_lost(cw_context *context) {
  char *small = NULL, byte = 1;
  void *large = &byte;
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, 0, 1, "none", (void **)&small));
  plain_check(small != NULL, "no items give a valid pointer");
  size_t used = cw_memory_used(context, CW_SPACE_DEVICE);
  size_t absurd = cw_device_opened(context)->memory_total + ((size_t)1 << 30);
  plain_refused(context,
                cw_memory_alloc(context, CW_SPACE_DEVICE, absurd, 1, "the current", &large),
                CW_ERROR_MEMORY, "the current: ");
  plain_check(strstr(cw_context_message(context), "are needed") != NULL, "'%s' gives no size",
              cw_context_message(context));
  plain_check(large == NULL && cw_memory_used(context, CW_SPACE_DEVICE) == used, "left behind");
  plain_refused(context,
                cw_memory_alloc(context, CW_SPACE_DEVICE, SIZE_MAX, 8, "the current", &large),
                CW_ERROR_MEMORY, "do not fit");
  cw_memory_free(context, CW_SPACE_DEVICE, small);
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, 1, 1, "one", (void **)&small));
  plain_ok(context, cw_device_read(context, &byte, small, 1));
  plain_check(byte == 0, "byte is %d", byte);
  cw_memory_free(context, CW_SPACE_DEVICE, small);
  plain_check(cw_memory_available(context, CW_SPACE_DEVICE) > 0, "nothing is available");
}

static void test_wrong_device_number_says_how_many_there_are(cw_context *context) {
  static const int numbers[] = {-1, 1000};
  static const cw_backend backends[] = {CW_BACKEND_CUDA, CW_BACKEND_AUTO};
  (void)context;
  for (int k = 0; k < 4; k++) {
    cw_context_options options = {.backend = backends[k / 2], .device = numbers[k % 2]};
    char message[512] = "";
    cw_context *made = context;
    cw_status status = cw_context_create(&options, &made, message, sizeof message);
    plain_check(status == CW_ERROR_ARGUMENT && made == NULL, "%s", cw_status_name(status));
    plain_check(strstr(message, "was asked for; there") != NULL, "'%s'", message);
  }
  cw_device_properties found;
  plain_refused(context, cw_device_describe(context, 1000, &found), CW_ERROR_ARGUMENT, "1000");
}

/* A device that is open is looked at beside what uses it, and let go of again. */
static void test_devices_are_looked_at_and_left_as_they_were(cw_context *context) {
  const size_t before = cw_device_memory_free(context);
  cw_device_entry entry;
  char why[256];
  void *array = NULL;
  for (int open = 0; open < 2; open++) {
    plain_ok(context, cw_device_probe(context, 0, open, &entry));
    plain_check(entry.number == 0 && entry.opened == open && entry.status == CW_OK,
                "device %d, opened %d: %s", entry.number, entry.opened, entry.error);
    plain_check(strcmp(entry.name, cw_device_opened(context)->name) == 0 &&
                    entry.compute_major >= CW_MIN_COMPUTE_MAJOR &&
                    (entry.memory_free > 0) == open && entry.memory_free <= entry.memory_total,
                "%s, %d.%d, %zu of %zu", entry.name, entry.compute_major, entry.compute_minor,
                entry.memory_free, entry.memory_total);
    plain_check(!cw_device_unusable(&entry, why, sizeof why), "%s", why);
    cw_device_unprobe(&entry);
  }
  plain_refused(context, cw_device_probe(context, 1000, 1, &entry), CW_ERROR_ARGUMENT, "1000");
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, 1000, 1, "array", &array));
  plain_ok(context, cw_device_synchronize(context));
  cw_memory_free(context, CW_SPACE_DEVICE, array);
  const size_t after = cw_device_memory_free(context);
  plain_check(after + (size_t)((size_t)64 << 20) > before, "%zu of %zu bytes are free", after,
              before);
}

/* By its number or by choice: the same device, and the message of a wrong number names it. */
static void test_device_by_number_and_by_choice(cw_context *context) {
  for (int only = 0; only < 2; only++) {
    const cw_context_options options = {.backend = CW_BACKEND_CUDA, .only_device = only};
    cw_context *made = NULL;
    plain_ok(context, cw_context_create(&options, &made, NULL, 0));
    plain_check(made && cw_device_opened(made) && (!only || cw_context_device(made) == 0) &&
                    cw_device_opened(made)->memory_free > 0,
                "no device");
    cw_context_destroy(made);
  }
  const cw_context_options wrong = {.backend = CW_BACKEND_CUDA, .device = 1000};
  char message[CW_MESSAGE_SIZE] = "";
  cw_context *made = NULL;
  plain_check(cw_context_create(&wrong, &made, message, sizeof message) == CW_ERROR_ARGUMENT,
              "device 1000 is there");
  plain_check(strstr(message, cw_device_opened(context)->name) != NULL, "'%s'", message);
}

static void test_cpu_context_has_no_device_memory(cw_context *context) {
  cw_context_options options = {.backend = CW_BACKEND_CPU};
  cw_context *host = NULL;
  void *pointer = &options;
  plain_ok(context, cw_context_create(&options, &host, NULL, 0));
  plain_check(cw_context_backend(host) == CW_BACKEND_CPU && !cw_device_opened(host), "backend");
  plain_refused(host, cw_memory_alloc(host, CW_SPACE_DEVICE, 8, 8, "x", &pointer),
                CW_ERROR_UNSUPPORTED, "no device");
  plain_check(pointer == NULL, "a pointer");
  plain_refused(host, cw_device_synchronize(host), CW_ERROR_UNSUPPORTED, "no device");
  cw_context_destroy(host);
}

static void test_events_measure_time_on_the_device(cw_context *context) {
  enum { REPEATS = 20 };
  const size_t bytes = (size_t)64 << 20;
  cw_device_event *begin = NULL, *end = NULL;
  void *array = NULL;
  double seconds = -1;
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, bytes, 1, "array", &array));
  plain_ok(context, cw_device_event_create(context, &begin));
  plain_ok(context, cw_device_event_create(context, &end));
  plain_ok(context, cw_device_event_record(context, begin));
  for (int k = 0; k < REPEATS; k++)
    plain_ok(context, cw_device_zero(context, array, bytes));
  plain_ok(context, cw_device_event_record(context, end));
  plain_ok(context, cw_device_event_seconds(context, begin, end, &seconds));
  double rate = (double)bytes * REPEATS / seconds;
  plain_check(seconds > 0 && rate < 1e14, "%g s: %g bytes/s", seconds, rate);
  cw_device_event_destroy(context, begin);
  cw_device_event_destroy(context, end);
  cw_device_event_destroy(context, NULL);
  cw_memory_free(context, CW_SPACE_DEVICE, array);
}

int main(void) {
  static const plain_case cases[] = {
      PLAIN_CASE(test_context_has_the_device),
      PLAIN_CASE(test_memory_is_zeroed_and_keeps_what_is_copied),
      PLAIN_CASE(test_absurd_allocation_is_refused_and_nothing_is_lost),
      PLAIN_CASE(test_wrong_device_number_says_how_many_there_are),
      PLAIN_CASE(test_devices_are_looked_at_and_left_as_they_were),
      PLAIN_CASE(test_device_by_number_and_by_choice),
      PLAIN_CASE(test_cpu_context_has_no_device_memory),
      PLAIN_CASE(test_events_measure_time_on_the_device),
  };
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
