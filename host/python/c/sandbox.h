/* What each source file of CPython's module includes first: SQLite's functions become pointers into
** the sandboxed library, and limits are checked around some of them.
**
** The module does not link the library. The process may already have another libsqlite3.so.0, whose
** functions the dynamic linker would find first. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include "Python.h"
#include "sqlite3.h"

/* An attribute of a module, which is imported. */
static inline PyObject *sandbox_module_attribute(const char *name, const char *attribute) {
  PyObject *module = PyImport_ImportModule(name);
  PyObject *found = module ? PyObject_GetAttrString(module, attribute) : NULL;
  Py_XDECREF(module);
  return found;
}

#include "compat.h"

/* Of host/library/c/open.c. */
int sqlite3_wasm_open(const char *name, sqlite3 **db, int flags, const char *vfs,
                      const char *const *grants);

/* The functions of SQLite that the module uses. The build lists them in functions.h: FUNCTION(step)
** for each of them, or with SANDBOX_REDIRECT a macro that replaces its name. */
typedef struct {
#define FUNCTION(name) __typeof__(&sqlite3_##name) name##_;
#include "functions.h"
#undef FUNCTION
} Library;

extern Library sandbox_library;

#define SANDBOX_REDIRECT
#include "functions.h"
#undef SANDBOX_REDIRECT

/* grants.c. */
int sandbox_open_v2(const char *name, sqlite3 **db, int flags, const char *vfs);

/* limits.c, instead of functions that a limit can end. */
int sandbox_prepare_v2(sqlite3 *db, const char *sql, int count, sqlite3_stmt **statement,
                       const char **tail);
int sandbox_step(sqlite3_stmt *statement);
int sandbox_reset(sqlite3_stmt *statement);
int sandbox_finalize(sqlite3_stmt *statement);

/* These two define them and call the library's own. */
#ifndef SANDBOX_LIMITS
#undef sqlite3_open_v2
#undef sqlite3_prepare_v2
#undef sqlite3_step
#undef sqlite3_reset
#undef sqlite3_finalize
#define sqlite3_open_v2 sandbox_open_v2
#define sqlite3_prepare_v2 sandbox_prepare_v2
#define sqlite3_step sandbox_step
#define sqlite3_reset sandbox_reset
#define sqlite3_finalize sandbox_finalize
#endif

/* util.c defines the function that makes an exception of SQLite's error. All others call limits.c,
** which replaces the exception if a limit was reached. */
#if defined(SANDBOX_LIMITS)
#elif defined(SANDBOX_UTIL)
#define _pysqlite_seterror module_seterror
#else
#define _pysqlite_seterror sandbox_seterror
#endif

#endif
