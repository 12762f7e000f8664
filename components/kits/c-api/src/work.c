/* Sends operations, and receives replies; see face.h. */
#include "call.h"
#include "face.h"
#include "start.h"

/* A larger buffer is freed after use. */
#define MAX_REUSED_BYTES (64 << 10)

Connection work_connection;

/* SQL cannot run while the host describes the extension. */
static int no_sql(Connection *connection) {
  Out *work = &connection->client.work;
  work->count = work->whole;
  /* The entry point runs again on a connection. */
  start_wanted_sql = true;
  return fail(connection, SQLITE_MISUSE, "no SQL while an extension is described");
}

static int failed(Connection *connection, wit_error *error) {
  int code = connection_fail(error->code, (const char *)error->message.ptr, error->message.len);
  /* A short message may be in the buffer for the reply. */
  if (error->message.len && error->message.ptr != call_destination) free(error->message.ptr);
  return code;
}

static void forget_reply(Connection *connection) {
  if (connection->reply.len) free(connection->reply.ptr);
  connection->reply = (wit_bytes){NULL, 0};
}

/* Close blobs that were opened with another one and not taken: before the last operation, the one
** that has a reply. */
static void close_prefetched(Connection *connection) {
  Out *work = &connection->client.work;
  uint8_t last[MAX_PREFETCHED_BYTES];
  size_t start = work->whole, end = work->count;
  prefetch_drop();
  size_t count = work->count - end;
  if (!count) return;
  memcpy(last, work->bytes + end, count);
  memmove(work->bytes + start + count, work->bytes + start, end - start);
  memcpy(work->bytes + start, last, count);
}

int work_send(Connection *connection, Reply *reply) {
  Out *work = &connection->client.work;
  wit_error error;
  *reply = (Reply){SQLITE_OK, {NULL, NULL, false}};
  if (!start_has_sql) return reply->code = no_sql(connection);
  if (!out_end(work)) return reply->code = fail_no_memory(connection);
  if (prefetch_drop) close_prefetched(connection);
  connection->requests++;
  connection->operations++;
  connection->is_due = false;
  forget_reply(connection);
  full_extension_list_u8_t operations = {work->bytes, work->count};
  bool is_done = sqlite_wasm_extension_sql_work_perform(&operations, &connection->reply, &error);
  out_clear(work, MAX_REUSED_BYTES);
  if (!is_done) {
    connection->reply.len = 0;
    return reply->code = failed(connection, &error);
  }
  if (connection->reply.len) {
    const uint8_t *bytes = connection->reply.ptr;
    reply->in = (In){bytes, bytes + connection->reply.len, false};
  }
  return SQLITE_OK;
}

int work_send_into(Connection *connection, Reply *reply, void *bytes, size_t count) {
  call_destination = bytes;
  call_destination_bytes = count;
  int code = work_send(connection, reply);
  call_destination = NULL;
  /* The buffer is the caller's. */
  if (connection->reply.ptr == bytes) connection->reply.len = 0;
  return code;
}

void work_flush(void) {
  Connection *connection = &work_connection;
  Out *work = &connection->client.work;
  wit_error error;
  if (prefetch_drop) prefetch_drop();
  if (blobs_keep) blobs_keep();
  if (!work->count || !connection->is_due) return;
  full_extension_list_u8_t operations = {work->bytes, work->count};
  bool is_taken = sqlite_wasm_extension_sql_work_perform_later(&operations, &error);
  out_clear(work, MAX_REUSED_BYTES);
  connection->is_due = false;
  if (!is_taken) failed(connection, &error);
}

bool sql_register(uint32_t id, wit_error *error) {
  sqlite_wasm_extension_types_function_t described;
  function_describe(function_at(id), &described);
  return sqlite_wasm_extension_sql_work_register_function(id, &described, error);
}
