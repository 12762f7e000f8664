/* Opening, with what a connection is granted. Grants reach the library separately from the name of
** the database: a URI may be a stranger's. */

#define SANDBOX_LIMITS

#include "sandbox.h"

#include "module_functions.h"

/* What the next connection of this thread is granted, if it opens this name: two objects that are held
** until `connect` ends, and read without the interpreter's lock. */
static _Thread_local struct {
  PyObject *name;
  PyObject *words;
} granted;

static int open_granted(const char *name, sqlite3 **db, int flags, const char *vfs) {
  Py_ssize_t count = PyTuple_GET_SIZE(granted.words);
  const char **words = calloc((size_t)count + 1, sizeof(*words));
  *db = NULL;
  if (!words) return SQLITE_NOMEM;
  for (Py_ssize_t i = 0; i < count; i++)
    words[i] = PyBytes_AS_STRING(PyTuple_GET_ITEM(granted.words, i));
  int code = sqlite3_wasm_open(name, db, flags, vfs, words);
  free(words);
  return code;
}

/* Without `uri=True` a name that begins with `file:` is a file of that name: the library takes every
** such name for a URI, which could choose a VFS or a mode. */
static int open_name(const char *name, sqlite3 **db, int flags, const char *vfs) {
  if (granted.name && strcmp(PyBytes_AS_STRING(granted.name), name) == 0)
    return open_granted(name, db, flags, vfs);
  if (flags & SQLITE_OPEN_URI || strncmp(name, "file:", 5) != 0)
    return sqlite3_open_v2(name, db, flags, vfs);
  size_t size = strlen(name) + sizeof("./");
  char *path = malloc(size);
  *db = NULL;
  if (!path) return SQLITE_NOMEM;
  snprintf(path, size, "./%s", name);
  int code = sqlite3_open_v2(path, db, flags, vfs);
  free(path);
  return code;
}

/* Texts in double quotes are texts where no column has the name, as SQLite has it by default: so
** programs know it from the standard module. The library is built as the shell, which takes them for
** names. */
int sandbox_open_v2(const char *name, sqlite3 **db, int flags, const char *vfs) {
  int code = open_name(name, db, flags, vfs);
  if (code == SQLITE_OK) code = sqlite3_db_config(*db, SQLITE_DBCONFIG_DQS_DML, 1, (int *)NULL);
  if (code == SQLITE_OK) code = sqlite3_db_config(*db, SQLITE_DBCONFIG_DQS_DDL, 1, (int *)NULL);
  return code;
}

/* _grant(name, words): bytes, and a tuple of bytes without a null byte. _grant() ends it. */
PyObject *grants_grant(PyObject *module, PyObject *arguments) {
  PyObject *name = NULL, *words = NULL;
  if (!PyArg_ParseTuple(arguments, "|O!O!:_grant", &PyBytes_Type, &name, &PyTuple_Type, &words))
    return NULL;
  if (name && !words) return PyErr_Format(PyExc_TypeError, "_grant needs words for a name");
  for (Py_ssize_t i = 0; words && i < PyTuple_GET_SIZE(words); i++) {
    char *bytes;
    if (PyBytes_AsStringAndSize(PyTuple_GET_ITEM(words, i), &bytes, NULL) < 0) return NULL;
  }
  Py_XINCREF(name);
  Py_XINCREF(words);
  Py_XSETREF(granted.name, name);
  Py_XSETREF(granted.words, words);
  Py_RETURN_NONE;
}
