/* SQLite's header switches load_extension() and shared memory off where
** __wasi__ is defined, so the components are compiled without it; the libc's
** own header insists on it. Both are right here: `wasi-clang` puts this file
** first. */
#define __wasi__ 1
#include_next <wasi/api.h>
#undef __wasi__
