/* CW_API marks what the shared library exports. */
#ifndef CELLWISE_EXPORT_H
#define CELLWISE_EXPORT_H

#if defined(__GNUC__)
#define CW_API                __attribute__((visibility("default")))
#define CW_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define CW_API
#define CW_PRINTF(fmt, first)
#endif

#endif
