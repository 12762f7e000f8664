/* The structures of the library, and what it provides for the client. */
#ifndef CONNECTION_H
#define CONNECTION_H

typedef struct Entry Entry;
typedef struct Sandbox Sandbox;
typedef struct Connection Connection;

/* For the client: a value, and what statements and blobs have only here. */
typedef Mem Cell;
#define VALUE_OF(cell) ((sqlite3_value *)(cell))

/* A result for a mistake of the program, which SQLite logs. */
#define MISUSE SQLITE_MISUSE_BKPT

/* Operations of the client. Objects are named by their addresses. */
enum {
  OP_BIND = CALL_BIND,
  OP_BIND_NEXT = CALL_BIND_NEXT,
  OP_STEP = CALL_STEP,
  OP_FINALIZE = CALL_FINALIZE,
  OP_DESCRIBE = CALL_DESCRIBE,
  OP_TYPES = CALL_DECLARED,
  OP_EXPAND = CALL_EXPANDED_SQL,
  OP_EXECUTE = CALL_EXECUTE,
  OP_READ = CALL_BLOB_READ,
  OP_WRITE = CALL_BLOB_WRITE,
  OP_DATABASE = CALL_DATABASE,
  OP_COLUMN = CALL_COLUMN_METADATA,
  HANDLE_OFFSET = 0,
  EXPLAIN_COMES_WITH_TYPES = false,
  ENGINE_CHECKS_BLOBS = true,
  /* For each column: its name, type, database, table and origin. */
  WIDE_TEXTS = 5,
  LEGACY = PREPARE_LEGACY,
  COUNTED = PREPARE_COUNTED,
};

typedef struct {
  /* How many requests the connection had sent when the rows of the block arrived. */
  uint64_t serial;
  /* A request for the next rows is in progress: only then can a row be traced. */
  bool is_stepping;
  bool is_being_traced;
} StatementOwn;

typedef struct {
} BlobOwn;

#include "client/client.h"

/* Maximum depth of nested events: the sandbox must not decide how deep the stack of the program's
** thread gets. SQLite needs one more level for each callback that runs SQL with callbacks. */
enum { MAX_EVENT_DEPTH = 64 };

/* An instance and its connections. There is more than one only if they share a cache. */
struct Sandbox {
  Sandbox *next;
  Engine *engine;
  /* Recursive; it is also the mutex of each connection. */
  sqlite3_mutex *mutex;
  /* The shared cache; null for an instance of one connection. */
  char *key;
  /* The limits in the URI of the first connection, and its grants. */
  char *limits, *grants;
  unsigned uses;
  Connection *connections;
  /* The objects that the sandbox refers to by id. */
  Entry **entries;
  uint32_t entry_count, free_entry, cursor_count;
  /* How many tables there were so far. */
  uint64_t table_serial;
  /* How many events run, each within a call of the one before, and their replies. */
  unsigned depth;
  Out replies[MAX_EVENT_DEPTH];
};

/* A connection. SQLite's structure has everything that the program can read without the engine:
** errors, limits, counters, hooks. */
struct Connection {
  sqlite3 db;
  Sandbox *sandbox;
  Connection *next;
  /* The id of the connection in the sandbox, and its address there. */
  uint32_t id, address;
  Client client;
  /* Open blobs and backups. */
  unsigned open_objects;
  /* Requests that have not returned: a callback runs inside one. */
  unsigned requests;
  /* How many requests were sent so far. */
  uint64_t serial;
  /* Of the databases, such as SQLITE_UTF8. */
  uint8_t encoding;
  /* The running statements are to end. */
  bool was_interrupted;
  /* Functions, hooks or collations of the program can run in any statement. */
  bool has_callbacks;
  /* Tables of the program can have statements, which end with them. */
  bool has_modules;
  /* During xCreate and xConnect: the count of declared columns. */
  uint32_t *declared;
  /* While it is opened: what the program grants it, ending with a null pointer, or null. */
  const char *const *grants;
  /* Closed by sqlite3_close_v2, until its last statement ends. */
  bool is_zombie;
  /* The value of `forks` when the connection was opened. */
  unsigned forks;
  /* During a trace event, and during a preupdate event. */
  Statement *traced;
  const char *expanded;
  struct PreUpdateEvent *preupdate;
  void (*on_unlock)(void **, int);
};

static Connection *connection_of(sqlite3 *db) { return (Connection *)db; }

#endif
