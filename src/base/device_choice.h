/* Which device a context takes: a decision over a table of the devices that are here, without any
 * call to a driver. The table comes from cw_device_probe (base/device.h) or from a test. */
#ifndef CW_BASE_DEVICE_CHOICE_H
#define CW_BASE_DEVICE_CHOICE_H

#include <stddef.h>

#include <cellwise/context.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CW_MIN_COMPUTE_MAJOR = 8 }; /* the oldest code in a binary is for compute capability 8.0 */
enum { CW_DEVICES = 64 };          /* more are not looked at */

typedef enum cw_compute_mode {
  CW_COMPUTE_SHARED = 0,
  CW_COMPUTE_EXCLUSIVE, /* one process at a time */
  CW_COMPUTE_PROHIBITED /* none */
} cw_compute_mode;

typedef struct cw_device_entry {
  int number;
  char name[128];
  int compute_major, compute_minor; /* compute capability */
  cw_compute_mode mode;
  size_t memory_free, memory_total; /* bytes; free: 0 where it couldn't be opened */
  int opened;                       /* 1: cw_device_unprobe has to let go of it */
  cw_status status;                 /* of opening it */
  char error[160];                  /* what opening it said; "" where it went well */
} cw_device_entry;

/* 1 where the device can't be used: `why` (of `size` bytes) receives the reason; else 0 and "". */
int cw_device_unusable(const cw_device_entry *entry, char *why, size_t size);

/* Chooses from table[0..count): the device whose number is *wanted and no other, or, with wanted
 * NULL, of those that can be used the one with the most free memory; of those within 1/64 of the
 * most, the lowest number, so that two idle devices are not chosen between by chance. *chosen is
 * its index. Logs (CW_LOG_INFO) which was taken and why others were not, where there are others.
 * Errors, with a message that lists the devices there are: CW_ERROR_ARGUMENT (no such number);
 * CW_ERROR_UNSUPPORTED, or the status of opening it (the wanted one, or every one, can't be
 * used). */
cw_status cw_device_choose(cw_context *context, const cw_device_entry *table, int count,
                           const int *wanted, int *chosen);

#ifdef __cplusplus
}
#endif
#endif
