/* Incremental blobs: the client's, and what it does in a way of extensions. */
#include "face.h"

#include "prefetch.h"

/* Read the reply to opening or moving a blob, and keep it: it has the content of a small one. */
static int read_opening(sqlite3_blob *blob, Reply *reply) {
  Connection *connection = blob->connection;
  In *in = &reply->in;
  Kept opening = {blob->own.opening};
  blob->handle = in_u32(in) - HANDLE_OFFSET;
  blob->size = in_u32(in);
  blob->own.content = in_bytes(in, &blob->own.content_bytes);
  blob->own.opened_at = connection->operations;
  if (in->is_bad) return fail(connection, SQLITE_INTERNAL, "malformed blob");
  keep_reply(connection, &opening, reply);
  blob->own.opening = opening.bytes;
  return SQLITE_OK;
}

static int open_blob(sqlite3_blob *blob, const char *schema, const char *table, const char *column,
                     sqlite3_int64 row, int flags) {
  Connection *connection = blob->connection;
  Reply reply;
  Out place = {0};
  blob->own.is_writable = flags != 0;
  out_text(&place, schema ? schema : "main");
  out_text(&place, table);
  out_text(&place, column);
  Location wanted = {&place, row, blob->own.is_writable};
  int code = place.is_short ? fail_no_memory(connection) : SQLITE_OK;
  if (code == SQLITE_OK && prefetch_take(&wanted, &blob->handle, &blob->size)) {
    set_code(connection, SQLITE_OK);
  } else if (code == SQLITE_OK) {
    prefetch_drop();
    prefetch_put(call(connection, WORK_OPEN_BLOBS), &wanted);
    code = request(connection, &reply);
    if (code == SQLITE_OK) code = read_opening(blob, &reply);
    if (code == SQLITE_OK) prefetch_read(&reply.in);
    else prefetch_forget();
  }
  sqlite3_free(place.bytes);
  return code;
}

static int move_blob(sqlite3_blob *blob, sqlite3_int64 row) {
  Reply reply;
  out_u64(call_on(blob->connection, WORK_REOPEN_BLOB, blob->handle), (uint64_t)row);
  int code = request(blob->connection, &reply);
  return code == SQLITE_OK ? read_opening(blob, &reply) : code;
}

static void blob_opened(sqlite3_blob *blob) {
  blob->own.next = blob->connection->blobs;
  blob->connection->blobs = blob;
}

static int close_blob(sqlite3_blob *blob) {
  Connection *connection = blob->connection;
  bool was_due = connection->is_due;
  call_to_release(connection, WORK_CLOSE, blob->handle);
  /* The host closes it at the end of the call. */
  if (!blob->own.is_kept) connection->is_due = was_due;
  sqlite3_blob **link = &connection->blobs;
  while (*link != blob) link = &(*link)->own.next;
  *link = blob->own.next;
  free(blob->own.opening);
  return SQLITE_OK;
}

/* Take the bytes from the reply to the opening, if that has them. */
static bool has_content(const sqlite3_blob *blob, void *bytes, size_t count, size_t offset) {
  bool is_there = blob->own.opened_at == blob->connection->operations &&
                  offset + count <= blob->own.content_bytes;
  if (is_there) memcpy(bytes, blob->own.content + offset, count);
  return is_there;
}

static int request_into(Connection *connection, Reply *reply, void *bytes, size_t count) {
  int code = work_send_into(connection, reply, bytes, count);
  if (code == SQLITE_OK) succeed(connection);
  return code;
}

/* A write to a blob that is not writable fails at once. */
static int send_write(sqlite3_blob *blob) {
  if (!blob->own.is_writable) return request_code(blob->connection);
  int code = call_later(blob->connection);
  if (code == SQLITE_OK) set_code(blob->connection, SQLITE_OK);
  return code;
}

void blobs_keep(void) {
  for (sqlite3_blob *blob = work_connection.blobs; blob; blob = blob->own.next) {
    if (!blob->own.is_kept) {
      call_on(blob->connection, WORK_KEEP, blob->handle);
      call_later(blob->connection);
    }
    blob->own.is_kept = true;
  }
}

#include "client/blobs.c"
