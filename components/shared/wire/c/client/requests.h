/* Operations of a connection: writing them, and sending them with one that has a reply. */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "client.h"

static inline bool is_error(int code) {
  return code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE;
}

static inline int fail_no_memory(Connection *connection) {
  return fail(connection, SQLITE_NOMEM, NULL);
}

/* Begin an operation: its arguments follow. */
static inline Out *call(Connection *connection, uint8_t opcode) {
  Out *work = &connection->client.work;
  out_begin(work);
  out_u8(work, opcode);
  return work;
}

static inline Out *call_on(Connection *connection, uint8_t opcode, uint32_t handle) {
  Out *work = call(connection, opcode);
  out_u32(work, handle);
  return work;
}

/* Send the operations, and read the reply. Returns the result of the last one, masked. */
static inline int request(Connection *connection, Reply *reply) {
  if (send(connection, reply) == SQLITE_OK) succeed(connection);
  return masked(connection, reply->code);
}

static inline int request_code(Connection *connection) {
  Reply reply;
  return request(connection, &reply);
}

/* Let an operation wait for the next one with a reply. */
static inline int call_later(Connection *connection) {
  Out *work = &connection->client.work;
  if (!out_end(work)) return fail_no_memory(connection);
  deferred(connection);
  return work->count > MAX_WAITING_BYTES ? request_code(connection) : SQLITE_OK;
}

/* Release an object, later. Without memory the waiting operations are sent before: their buffer
** has room for this one. */
static inline void call_to_release(Connection *connection, uint8_t opcode, uint32_t handle) {
  call_on(connection, opcode, handle);
  if (connection->client.work.is_short) {
    out_end(&connection->client.work);
    request_code(connection);
    call_on(connection, opcode, handle);
  }
  call_later(connection);
}

#endif
