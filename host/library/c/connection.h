/* The objects of the library. */
#ifndef CONNECTION_H
#define CONNECTION_H

typedef struct Entry Entry;
typedef struct Sandbox Sandbox;
typedef struct Connection Connection;
typedef struct sqlite3_stmt Statement;

/* Most events within each other: the sandbox must not decide how deep the stack of the program's
** thread gets. SQLite needs one more for each callback that runs SQL with callbacks. */
enum { MAX_EVENT_DEPTH = 64 };

/* An instance with the connections in it. More than one only where they share a cache. */
struct Sandbox {
  Sandbox *next;
  Engine *engine;
  /* Recursive, and the mutex of each of its connections. */
  sqlite3_mutex *mutex;
  /* The shared cache; null for an instance of one connection. */
  char *key;
  unsigned uses;
  Connection *connections;
  /* What the sandbox knows by number. */
  Entry **entries;
  uint32_t entry_count, free_entry, cursor_count;
  /* How many tables there were. */
  uint64_t table_serial;
  /* How many events run, each within a call of the one before, and their replies. */
  unsigned depth;
  Out replies[MAX_EVENT_DEPTH];
};

/* A connection. SQLite's own structure has what the program may ask for without the engine: errors,
** limits, counters, hooks. */
struct Connection {
  sqlite3 db;
  Sandbox *sandbox;
  Connection *next;
  /* The number of the connection in the sandbox, and its address there. */
  uint32_t id, address;
  /* Calls that wait for the next one that has a reply. */
  Out work;
  /* The parameter that was bound last, where nothing is behind that in `work`. */
  uint32_t bound_statement, bound_index;
  size_t bound_end;
  Statement *statements;
  /* Open blobs and backups. */
  unsigned open_objects;
  /* Functions, hooks or collations of the program may run in any statement. */
  bool has_callbacks;
  /* Tables of the program may have statements, which end with them. */
  bool has_modules;
  /* During xCreate and xConnect: how many columns were declared. */
  uint32_t *declared;
  /* Closed by sqlite3_close_v2, until its last statement ends. */
  bool is_zombie;
  /* The value of `forks` when it was opened. */
  unsigned forks;
  /* During a trace event, and during a preupdate event. */
  Statement *traced;
  const char *expanded;
  struct PreUpdateEvent *preupdate;
  /* Names that sqlite3_db_filename and sqlite3_db_name gave; they live as long as it. */
  struct KeptText *texts;
  uint32_t text_count;
  size_t text_bytes;
  void (*on_unlock)(void **, int);
};

/* What a statement does. */
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
  /* The rows that were fetched, the next one, and how many follow. */
  uint8_t *block;
  size_t block_room;
  In rows;
  uint32_t rows_left, limit;
  /* The code behind the last of them, other than SQLITE_ROW, and its message. */
  bool is_complete;
  int last_code, last_offset;
  char *last_message;
  /* The result of the last step. */
  int code;
  /* The row, and its width. */
  Mem *row;
  uint32_t row_room, width;
  bool has_row;
  /* Declared types, and origins: fetched on first use. */
  struct Fetched {
    uint8_t *bytes;
    const char **texts;
  } types, origins;
  /* Names, types and origins in UTF-16. */
  Mem *wide;
  uint32_t wide_count;
  bool is_being_traced;
};

static Connection *connection_of(sqlite3 *db) { return (Connection *)db; }

#endif
