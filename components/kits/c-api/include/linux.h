/* Features of Linux that C code relies on and WASI's libc lacks. Extensions are
** compiled with `-include linux.h`. */
#ifndef SQLITE_WASM_LINUX_H
#define SQLITE_WASM_LINUX_H

#include <stdlib.h>
#include <sys/types.h>

/* As in glibc, a text that does not begin with digits leaves `errno` unchanged. */
double sqlite_wasm_strtod(const char *text, char **end);
long sqlite_wasm_strtol(const char *text, char **end, int base);
long long sqlite_wasm_strtoll(const char *text, char **end, int base);
#define strtod sqlite_wasm_strtod
#define strtol sqlite_wasm_strtol
#define strtoll sqlite_wasm_strtoll

/* Files have no permissions here. `fchmod` fails with ENOSYS. `chmod` does too,
** except for the modes with which files and directories are created: 0666, 0777. */
int sqlite_wasm_chmod(const char *path, mode_t mode);
int fchmod(int file, mode_t mode);
#define chmod sqlite_wasm_chmod

/* `long` has 64 bits on Linux, and 32 here. */
#define __builtin_popcountl __builtin_popcountll

#endif
