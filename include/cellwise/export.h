/* CW_API marks what the shared library exports. */
#ifndef CELLWISE_EXPORT_H
#define CELLWISE_EXPORT_H

#if defined(__GNUC__)
/* Marks what the library exports. */
#define CW_API __attribute__((visibility("default")))
/* Lets the compiler check a format and its arguments, of which `first` is the first. */
#define CW_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define CW_API
#define CW_PRINTF(fmt, first)
#endif

#endif
