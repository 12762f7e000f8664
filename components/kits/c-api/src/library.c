/* SQLite's own code, and ours that needs SQLite's structures.
**
** Values, results, printf formats, memory and registration are SQLite's, so
** they behave exactly as in SQLite. All of its routines are renamed and static
** here (`inner.h`), so the compiler drops those that ROUTINES.md replaces and
** whatever only they call. `exports.h` exports the others under their names, and
** the linker drops those that the extension does not call. */

#define SQLITE_CORE 1
#define SQLITE_OS_OTHER 1
#define SQLITE_THREADSAFE 0
#define SQLITE_DEFAULT_MEMSTATUS 0
#define SQLITE_OMIT_AUTOINIT 1
#define SQLITE_OMIT_LOAD_EXTENSION 1

#define SQLITE_API static
#define SQLITE_EXTERN

#define sqlite3_version own_sqlite3_version
#include "inner.h"
#include "sqlite3.c"
#include "exports.h"
#undef sqlite3_version

/* `sqlite3.h` declares it for everybody. */
const char sqlite3_version[] = SQLITE_VERSION;

#include "destructors.h"
#include "internals.h"
#include "pointers.h"

_Static_assert(sizeof(Cell) == sizeof(Mem), "Cell has the room of Mem");

#define MEM_OF(cell) ((Mem *)(cell))

static sqlite3 *connection;

sqlite3 *connection_handle(void) {
  if (connection) return connection;
  sqlite3MallocInit();
  connection = sqlite3MallocZero(sizeof(sqlite3));
  if (!connection) abort();
  connection->errMask = 0xff;
  connection->errByteOffset = -1;
  connection->eOpenState = SQLITE_STATE_OPEN;
  connection->aDb = connection->aDbStatic;
  connection->lookaside.bDisable = 1;
  connection->enc = SQLITE_UTF8;
  connection->nFpDigit = 17;
  connection->autoCommit = 1;
  /* The shell's limits, for `sqlite3_limit`. */
  memcpy(connection->aLimit, aHardLimit, sizeof(connection->aLimit));
  sqlite3HashInit(&connection->aFunc);
  sqlite3HashInit(&connection->aCollSeq);
  sqlite3HashInit(&connection->aModule);
  return connection;
}

void connection_begin_call(void) {
  connection->nVdbeActive = 1;
  if (connection->mallocFailed) sqlite3OomClear(connection);
}

void connection_set_idle(void) { connection->nVdbeActive = 0; }

#include "client/mem.c"
#include "library/cells.c"
#include "library/calls.c"
#include "library/registry.c"
#include "library/registrations.c"

/* The end of the connection: destructors run in SQLite's order. */

static void destroy_collations(void) {
  for (HashElem *element = sqliteHashFirst(&connection->aCollSeq); element;
       element = sqliteHashNext(element)) {
    CollSeq *collations = sqliteHashData(element);
    for (int i = 0; i < 3; i++) {
      if (collations[i].xDel) collations[i].xDel(collations[i].pUser);
      collations[i].xDel = 0;
    }
  }
}

static void destroy_functions(void) {
  for (HashElem *element = sqliteHashFirst(&connection->aFunc); element;
       element = sqliteHashNext(element)) {
    FuncDef *function = sqliteHashData(element);
    for (; function; function = function->pNext) {
      functionDestroy(connection, function);
      function->u.pDestructor = 0;
    }
  }
}

void connection_close(void) {
  pointers_close();
  auxiliary_free_all();
  while (connection->pDbData) {
    own_sqlite3_set_clientdata(connection, connection->pDbData->zName, 0, 0);
  }
  destroy_functions();
  destroy_collations();
  own_sqlite3_drop_modules(connection, 0);
}

/* Errors. */

int connection_fail(int code, const char *message, size_t length) {
  if (length) {
    sqlite3ErrorWithMsg(connection, code, "%.*s", (int)length, message);
  } else {
    sqlite3Error(connection, code);
  }
  return code & connection->errMask;
}

void connection_set_code(int code) {
  connection->errCode = code;
  connection->errByteOffset = -1;
  if (connection->pErr) sqlite3ValueSetNull(connection->pErr);
}

bool connection_lacks_memory(void) {
  if (!connection->mallocFailed) return false;
  sqlite3OomClear(connection);
  return true;
}
