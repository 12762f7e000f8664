/* A client of SQLite in another sandbox: statements, blobs and metadata over bytes, for the two
** libraries with SQLite's C interface. ARCHITECTURE.md says what each of these, a *face*, provides.
**
** There is no static data here, each reply is checked where it is read, and memory that runs out is
** an error of the function that needed it. */
#ifndef CLIENT_H
#define CLIENT_H

#include "bytes.h"

/* More columns than SQLite can have prove that a reply is malformed. */
#define MAX_COLUMNS 32767

/* Operations are sent when more than this many bytes wait. */
#define MAX_WAITING_BYTES (256 << 10)

typedef struct sqlite3_stmt Statement;
typedef struct KeptText KeptText;

/* A reply. The bytes stay valid until the next request. */
typedef struct {
  int code;
  In in;
} Reply;

/* Bytes of a reply that stay longer. */
typedef struct {
  uint8_t *bytes;
  size_t room;
} Kept;

/* What the client has for each connection. */
typedef struct {
  /* Operations that are sent with the next one that has a reply. */
  Out work;
  Statement *statements;
  /* The parameter of the last binding, and where its operation ends. */
  const Statement *bound;
  uint32_t bound_index;
  size_t bound_end;
  /* Results of sqlite3_db_filename and similar functions; they live as long as the connection. */
  KeptText *texts;
  uint32_t text_count;
  size_t text_bytes;
} Client;

/* The state of a statement. */
typedef enum { READY, RUNNING, HALTED } State;

/* Texts that are fetched on first use. */
typedef struct {
  Kept bytes;
  const char **texts;
} Fetched;

struct sqlite3_stmt {
  Connection *connection;
  Statement *next, *previous;
  uint32_t handle;
  char *sql;
  /* The description, and its texts. */
  Kept description;
  const char **parameters, **columns;
  uint32_t parameter_count, column_count;
  bool is_read_only, is_stale;
  int explain;
  State state;
  /* The fetched rows, the next one, and how many rows follow. */
  Kept block;
  In rows;
  uint32_t rows_left, limit;
  /* The code after the last of them, other than SQLITE_ROW, and its message. */
  bool is_complete;
  int last_code, last_offset;
  char *last_message;
  /* The result of the last step. */
  int code;
  /* The row, and its width. */
  Cell *row;
  uint32_t row_room, width;
  bool has_row;
  /* A column could not be converted. */
  bool lacks_memory;
  Fetched types, origins;
  /* Names, types and origins in UTF-16. */
  Cell *wide;
  uint32_t wide_count;
  /* What only the face has. */
  StatementOwn own;
};

/* A batch of rows, as the reply to a step says. */
typedef struct {
  /* That of the last step: SQLITE_ROW if more rows may follow. */
  int code;
  uint32_t rows, width;
  /* The columns of the statement may have changed. */
  bool is_stale;
} Batch;

struct sqlite3_blob {
  Connection *connection;
  uint32_t handle, size;
  /* The blob is at no row, since it was moved to a missing one or its row was changed. */
  bool is_lost;
  BlobOwn own;
};

#endif
