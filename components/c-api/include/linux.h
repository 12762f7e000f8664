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

/* Files have no permissions here. `fchmod` fails with ENOSYS, and so does `chmod`
** but for 0666 and 0777: nothing is withheld, which is how files are made. */
int sqlite_wasm_chmod(const char *path, mode_t mode);
int fchmod(int file, mode_t mode);
#define chmod sqlite_wasm_chmod

/* `long` has 64 bits there, and here 32. */
#define __builtin_popcountl __builtin_popcountll

#endif
