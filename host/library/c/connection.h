/* The structures of the library. */
#ifndef CONNECTION_H
#define CONNECTION_H

typedef struct Entry Entry;
typedef struct Sandbox Sandbox;
typedef struct Connection Connection;
typedef struct sqlite3_stmt Statement;

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
  /* The limits in the URI of the first connection. */
  char *limits;
  unsigned uses;
  Connection *connections;
  /* The objects that the sandbox refers to by number. */
  Entry **entries;
  uint32_t entry_count, free_entry, cursor_count;
  /* The number of tables so far. */
  uint64_t table_serial;
  /* The number of running events, each within a call of the one before, and their replies. */
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
  /* Calls that are sent with the next one that has a reply. */
  Out work;
  /* The parameter of the last binding, if it is the last call in `work`. */
  uint32_t bound_statement, bound_index;
  size_t bound_end;
  Statement *statements;
  /* Open blobs and backups. */
  unsigned open_objects;
  /* Requests that have not returned: a callback runs inside one. */
  unsigned requests;
  /* The number of requests so far. */
  uint64_t serial;
  /* Of the databases, such as SQLITE_UTF8. */
  uint8_t encoding;
  /* The running statements are to end. */
  bool was_interrupted;
  /* Functions, hooks or collations of the program can run in any statement. */
  bool has_callbacks;
  /* Tables of the program can have statements, which end with them. */
  bool has_modules;
  /* During xCreate and xConnect: the number of declared columns. */
  uint32_t *declared;
  /* Closed by sqlite3_close_v2, until its last statement ends. */
  bool is_zombie;
  /* The value of `forks` when the connection was opened. */
  unsigned forks;
  /* During a trace event, and during a preupdate event. */
  Statement *traced;
  const char *expanded;
  struct PreUpdateEvent *preupdate;
  /* Results of sqlite3_db_filename and sqlite3_db_name; they live as long as the connection. */
  struct KeptText *texts;
  uint32_t text_count;
  size_t text_bytes;
  void (*on_unlock)(void **, int);
};

/* The state of a statement. */
typedef enum { READY, RUNNING, HALTED } State;

struct sqlite3_stmt {
  Connection *connection;
  Statement *next, *previous;
  uint32_t handle;
  char *sql;
  unsigned flags;
  /* Texts of the description. */
  uint8_t *description;
  const char **parameters, **columns;
  uint32_t parameter_count, column_count;
  bool is_read_only, is_stale;
  int explain;
  State state;
  /* The fetched rows, the next one, and the number of further rows. */
  uint8_t *block;
  size_t block_room;
  In rows;
  uint32_t rows_left, limit;
  /* The number of requests of the connection after those rows. */
  uint64_t serial;
  /* The code after the last of them, other than SQLITE_ROW, and its message. */
  bool is_complete;
  int last_code, last_offset;
  char *last_message;
  /* The result of the last step. */
  int code;
  /* The row, and its width. */
  Mem *row;
  uint32_t row_room, width;
  bool has_row;
  /* Declared types and origins, fetched on first use. */
  struct Fetched {
    uint8_t *bytes;
    const char **texts;
  } types, origins;
  /* Names, types and origins in UTF-16. */
  Mem *wide;
  uint32_t wide_count;
  bool is_being_traced;
  /* The engine is asked for its next rows: only then can a row be traced. */
  bool is_stepping;
};

static Connection *connection_of(sqlite3 *db) { return (Connection *)db; }

#endif
