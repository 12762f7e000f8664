/* See include/linux.h. */
#include <errno.h>
#include <stdlib.h>

#define NUMBER(type, name, parameters, arguments)                      \
  type sqlite_wasm_##name parameters {                                 \
    char *stop;                                                        \
    int before = errno;                                                \
    type number = name arguments;                                      \
    if (stop == text) errno = before;                                  \
    if (end) *end = stop;                                              \
    return number;                                                     \
  }

NUMBER(double, strtod, (const char *text, char **end), (text, &stop))
NUMBER(long, strtol, (const char *text, char **end, int base), (text, &stop, base))
NUMBER(long long, strtoll, (const char *text, char **end, int base), (text, &stop, base))
