/* The module's start: the sandboxed library is loaded by its path. */

#include <dlfcn.h>

#include "sandbox.h"

#include "connection.h"
#include "module_functions.h"
#include "module.h"

Library sandbox_library;

/* CPython's own function of this name, which module.c defines. */
PyObject *module_init(void);

static int no_library(const char *path) {
  PyErr_Format(
      PyExc_ImportError,
      "sqlite_sandbox: cannot load SQLite in the sandbox: %s; install the package again, or "
      "build `%s`",
      dlerror(), path);
  return -1;
}

/* Find each function in this library. `dlsym` with a handle searches no other library that the
** process has loaded. */
static int load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return no_library(path);
  int (*is_used)(const char *) =
      (int (*)(const char *))dlsym(library, "sqlite3_compileoption_used");
  if (!is_used || !is_used("WASM_SANDBOX")) {
    PyErr_Format(PyExc_ImportError, "sqlite_sandbox: `%s` is not the sandboxed library", path);
    return -1;
  }
#define FUNCTION(name) \
  *(void **)&sandbox_library.name##_ = dlsym(library, "sqlite3_" #name); \
  if (!sandbox_library.name##_) return no_library(path);
#include "functions.h"
#undef FUNCTION
  return 0;
}

static int load_library(void) {
  PyObject *path = sandbox_module_attribute("sqlite_sandbox._location", "LIBRARY"), *bytes = NULL;
  int code = path && PyUnicode_FSConverter(path, &bytes) ? load(PyBytes_AS_STRING(bytes)) : -1;
  Py_XDECREF(path);
  Py_XDECREF(bytes);
  return code;
}

/* CPython's slots, and the functions of limits.c. */
static int add_functions(PyObject *module) {
  return PyModule_AddFunctions(module, sandbox_functions);
}

enum { MAX_SLOTS = 8 };

static void set_slots(struct PyModuleDef *definition) {
  static PyModuleDef_Slot slots[MAX_SLOTS + 2];
  int count = 0;
  if (definition->m_slots == slots) return;
  for (PyModuleDef_Slot *slot = definition->m_slots; slot->slot && count < MAX_SLOTS; slot++) {
#ifdef SANDBOX_UNKNOWN_SLOT
    if (slot->slot == SANDBOX_UNKNOWN_SLOT) continue;
#endif
    slots[count++] = *slot;
  }
  slots[count++] = (PyModuleDef_Slot){Py_mod_exec, add_functions};
  slots[count] = (PyModuleDef_Slot){0, NULL};
  definition->m_slots = slots;
}

PyMODINIT_FUNC PyInit__sqlite3(void) {
  /* Interpreters of one process share the library. */
  if (!sandbox_library.initialize_ && load_library() < 0) return NULL;
  set_slots(&_sqlite3module);
  return module_init();
}
