/* Destructors that are functions of another type.
**
** C code casts functions such as `fclose`, which returns an `int`, to a destructor. Native code can
** call them that way; WebAssembly compares the types and traps. So wrappers of the right type call
** the known ones. They are weak symbols: this list does not link them into the extension. */
#include "destructors.h"

#include <dirent.h>
#include <stdio.h>

#include "sqlite3.h"

#pragma weak fclose
#pragma weak closedir
#pragma weak sqlite3_finalize
#pragma weak sqlite3_blob_close

#define RETURNING(name, type) \
  static void call_##name(void *data) { name((type *)data); }

RETURNING(fclose, FILE)
RETURNING(closedir, DIR)
RETURNING(sqlite3_finalize, sqlite3_stmt)
RETURNING(sqlite3_blob_close, sqlite3_blob)

destructor *destructor_of(destructor *given) {
  if (!given) return given;
#define KNOWN(name) \
  if (given == (destructor *)name) return call_##name;
  KNOWN(fclose)
  KNOWN(closedir)
  KNOWN(sqlite3_finalize)
  KNOWN(sqlite3_blob_close)
  return given;
}

bool destructor_closes_file(destructor *given) { return given == call_fclose; }
