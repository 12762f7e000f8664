/* What the module did on older Pythons: see older.h. */

#include "sandbox.h"

#include "cursor.h"
#include "module_functions.h"

void older_end_cursors(PyObject *cursors) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(cursors); i++) {
    PyObject *object;
    if (PyWeakref_GetRef(PyList_GET_ITEM(cursors, i), &object) <= 0) {
      PyErr_Clear();
      continue;
    }
    pysqlite_Cursor *cursor = (pysqlite_Cursor *)object;
    /* A locked cursor is inside a step, or converts a row that it must keep. */
    if (cursor->statement && !cursor->locked) sqlite3_reset(cursor->statement->st);
    cursor->was_rolled_back = 1;
    Py_DECREF(object);
  }
}

int older_collation_name(pysqlite_Connection *connection, PyObject *name) {
  for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(name); i++) {
    Py_UCS4 character = PyUnicode_READ_CHAR(name, i);
    if (character < 128 && (Py_ISALNUM(character) || character == '_')) continue;
    PyErr_SetString(connection->ProgrammingError, "invalid character in collation name");
    return 0;
  }
  return 1;
}

PyObject *older_enable_shared_cache(PyObject *module, PyObject *enable) {
  int is_enabled = PyObject_IsTrue(enable);
  if (is_enabled < 0) return NULL;
  sqlite3_enable_shared_cache(is_enabled);
  Py_RETURN_NONE;
}
