/* What the module did on older Pythons, and programs for these rely on. CPython's sources include this
** behind cursor.h. */
#ifndef OLDER_H
#define OLDER_H

/* The first for Python 3.10, the second since 3.11, which changed classes and texts of errors. */
#if PY_VERSION_HEX < 0x030B0000
#define BEFORE_3_11(before, since) before
#else
#define BEFORE_3_11(before, since) since
#endif

/* Reset the cursors of a connection. They fetch nothing until they execute the next statement. */
void older_end_cursors(PyObject *cursors);

/* Whether a collation can have this name: letters and digits of ASCII. Sets the exception if not. */
int older_collation_name(pysqlite_Connection *connection, PyObject *name);

/* What fetches of such a cursor raise. */
#define ENDED_BY_ROLLBACK \
  "Cursor needed to be reset because of commit/rollback and can no longer be fetched from."

#endif
