/* libsqlite3.so.0: SQLite's C interface, with the engine in a sandbox.
**
** Values, results, texts, formats, memory and mutexes are SQLite's own code, compiled natively
** here. The build renames the functions that the files below replace (`EXPORT`), so that SQLite's
** own code calls ours too. What is not exported and not used is dropped by the linker. */

#define _GNU_SOURCE
#define SQLITE_CORE 1
#define SQLITE_API
#define SQLITE_PRIVATE static

#include "sqlite3_patched.c"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include "bytes.h"
#include "engine.h"
#include "head.h"

/* A function that replaces SQLite's. */
#define EXPORT

#include "connection.h"

#include "entries.c"
#include "request.c"
#include "client/mem.c"
#include "values.c"
#include "initialize.c"
#include "statements.c"
#include "blobs.c"

#include "client/statements.c"
#include "client/rows.c"
#include "client/bindings.c"
#include "client/metadata.c"
#include "client/blobs.c"
#include "client/exec.c"
#include "client/databases.c"

#include "pointers.c"
#include "metadata.c"
#include "database.c"
#include "functions.c"
#include "hooks.c"
#include "preupdate.c"
#include "arguments.c"
#include "events.c"
#include "modules.c"
#include "plans.c"
#include "filtering.c"
#include "tables.c"
#include "transactions.c"
#include "shapes.c"
#include "backups.c"
#include "images.c"
#include "sessions.c"
#include "changesets.c"
#include "changegroups.c"
#include "extensions.c"
#include "sharing.c"
#include "open.c"
#include "refused.c"
#include "helper.c"
