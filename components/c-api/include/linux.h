/* What C written on Linux takes for granted and WASI's libc does not have;
** extensions are compiled with `-include linux.h`. */
#ifndef SQLITE_WASM_LINUX_H
#define SQLITE_WASM_LINUX_H

#include <stdlib.h>
#include <sys/types.h>

/* `errno` stays as it is where there is no number, as in glibc. */
double sqlite_wasm_strtod(const char *text, char **end);
long sqlite_wasm_strtol(const char *text, char **end, int base);
long long sqlite_wasm_strtoll(const char *text, char **end, int base);
#define strtod sqlite_wasm_strtod
#define strtol sqlite_wasm_strtol
#define strtoll sqlite_wasm_strtoll

/* `long` has 64 bits there, and here 32. */
#define __builtin_popcountl __builtin_popcountll

#endif
