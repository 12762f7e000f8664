/* What an extension provides for the client in components/shared/wire/c: operations of `sql-work`, and the
** one connection that called it. */
#ifndef FACE_H
#define FACE_H

#include <stdlib.h>

#include "bytes.h"
#include "destructors.h"
#include "internals.h"

/* All functions are exported. */
#define EXPORT
#define MISUSE SQLITE_MISUSE

/* WebAssembly is little-endian. */
#define SQLITE_UTF16NATIVE SQLITE_UTF16LE

/* Operations of the client. */
enum {
  OP_BIND = WORK_BIND,
  OP_BIND_NEXT = WORK_BIND_NEXT,
  OP_STEP = WORK_STEP,
  OP_FINALIZE = WORK_CLOSE,
  OP_DESCRIBE = WORK_DESCRIBE,
  OP_TYPES = WORK_DESCRIBE,
  OP_EXPAND = WORK_EXPAND,
  OP_EXECUTE = WORK_EXECUTE,
  OP_READ = WORK_READ,
  OP_WRITE = WORK_WRITE,
  OP_DATABASE = WORK_DATABASE,
  OP_COLUMN = WORK_COLUMN,
  /* A reply has the handle plus one. */
  HANDLE_OFFSET = 1,
  EXPLAIN_COMES_WITH_TYPES = true,
  /* Writes wait. */
  ENGINE_CHECKS_BLOBS = false,
  /* For each column: its name and type. */
  WIDE_TEXTS = 2,
  /* `prepare` has no flags. */
  LEGACY = 0,
  COUNTED = 0,
};

typedef struct Connection Connection;

typedef struct {
  /* Bindings wait here for the step: a failure of one must not be that of another statement. */
  Out bindings;
} StatementOwn;

typedef struct {
  sqlite3_blob *next;
  bool is_writable;
  /* It stays open after the call that opened it. */
  bool is_kept;
  /* The reply to its opening, with the content of a small blob. It is valid until the next
  ** operation. Without it an insertion into vec0 takes a seventh longer: vec0 reads a small bitmap
  ** for each row. */
  uint8_t *opening;
  const uint8_t *content;
  uint32_t content_bytes;
  uint64_t opened_at;
} BlobOwn;

#include "client/client.h"

struct Connection {
  Client client;
  /* The reply to the last request, unless it was taken. */
  wit_bytes reply;
  /* Some of the operations that wait cannot do so until after the call. */
  bool is_due;
  /* How many requests were sent; and the same with the operations that wait: the content of blobs is
  ** valid while the latter count stays the same. */
  uint64_t requests, operations;
  sqlite3_blob *blobs;
};

extern Connection work_connection;

/* Send the operations, and read the reply. */
int work_send(Connection *connection, Reply *reply);
/* The same for a reply of `count` bytes, which go to a buffer. */
int work_send_into(Connection *connection, Reply *reply, void *bytes, size_t count);
/* Send operations at the end of a call. Null where nothing links SQL. */
void work_flush(void) __attribute__((weak));
/* Have the host keep the blobs that are open at the end of a call; close those that were opened with
** another one and not taken. Null where nothing opens blobs. */
void blobs_keep(void) __attribute__((weak));
void prefetch_drop(void) __attribute__((weak));

/* The most blobs that are opened with another one, and the bytes that close them. */
#define MAX_COMPANIONS 16
#define MAX_PREFETCHED_BYTES (5 * MAX_COMPANIONS)

static inline Connection *open_connection(sqlite3 *db) {
  (void)db;
  return &work_connection;
}

static inline sqlite3 *handle_of(Connection *connection) {
  (void)connection;
  return connection_handle();
}

static inline int send(Connection *connection, Reply *reply) {
  return work_send(connection, reply);
}

static inline int fail(Connection *connection, int code, const char *message) {
  (void)connection;
  return connection_fail(code, message, message ? strlen(message) : 0);
}

static inline void set_code(Connection *connection, int code) {
  (void)connection;
  connection_set_code(code);
}

static inline void succeed(Connection *connection) { set_code(connection, SQLITE_OK); }

/* `connection_fail` has masked the code. */
static inline int masked(Connection *connection, int code) {
  (void)connection;
  return code;
}

static inline void deferred(Connection *connection) {
  connection->is_due = true;
  connection->operations++;
}

/* A component has one thread. */
static inline void enter(Connection *connection) { (void)connection; }
static inline void leave(Connection *connection) { (void)connection; }

static inline int leave_with(Connection *connection, int code) {
  (void)connection;
  return code;
}

static inline int leave_object(Connection *connection, int code) {
  return leave_with(connection, code);
}

static inline bool is_interrupted(Connection *connection) {
  (void)connection;
  return false;
}

static inline void cell_init(Cell *cell, Connection *connection) {
  (void)connection;
  cell_set_null(cell);
}

static inline void cell_read(Connection *connection, Cell *cell, In *in) {
  (void)connection;
  cell_read_value(cell, in);
}

static inline bool memory_failed(Connection *connection) {
  (void)connection;
  return connection_lacks_memory();
}

/* Take over the bytes of a reply. */
static inline bool keep_reply(Connection *connection, Kept *kept, Reply *reply) {
  (void)reply;
  free(kept->bytes);
  kept->bytes = connection->reply.len ? connection->reply.ptr : NULL;
  connection->reply.len = 0;
  return true;
}

static inline void kept_free(Kept *kept) {
  free(kept->bytes);
  kept->bytes = NULL;
}

/* Texts that need not be there are values. */

static inline void out_optional_text(Out *out, const char *text) {
  out_u8(out, text ? TAG_TEXT : TAG_NULL);
  if (text) out_text(out, text);
}

static inline const char *in_optional_text(In *in) {
  return in_u8(in) == TAG_TEXT ? in_text(in) : NULL;
}

static inline void put_database(Out *out, int position, const char *schema) {
  if (position >= 0) out_tagged(out, TAG_INTEGER, (uint64_t)position);
  else out_optional_text(out, schema);
}

/* The routines that require more than the text are unsupported. */
static inline char *file_name(const char *text) { return sqlite3_mprintf("%s", text); }

#include "client/requests.h"

#endif
