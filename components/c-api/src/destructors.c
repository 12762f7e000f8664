/* Destructors that are functions of another type.
**
** C code casts what gives something back and returns a number, such as `fclose`,
** and a processor does not mind. WebAssembly compares the types when it calls. So
** those that are known are called by their own. They are weak: what an extension
** does not link is not brought by this list. */
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
