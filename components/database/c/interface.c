/* Performs calls, and sends the callbacks of the program; see interface.h. */
#include "interface.h"

/* The functions, indexed by the opcodes of calls; null for other opcodes. */
static void (*const functions[256])(Call *) = {
#define X(opcode, function) [opcode] = function,
    CALLS(X)
#undef X
};

static void put_head(Call *call, Out *out) {
  sqlite3 *db = call->db;
  ReplyHead head = {.code = call->code, .error = sqlite3_extended_errcode(db)};
  head.autocommit = (unsigned char)sqlite3_get_autocommit(db);
  head.encoding = (unsigned char)engine_encoding(db);
  head.has_message =
      head.error != SQLITE_OK && head.error != SQLITE_ROW && head.error != SQLITE_DONE;
  if (head.has_message) head.offset = sqlite3_error_offset(db);
  head.changes = sqlite3_changes64(db);
  head.total_changes = sqlite3_total_changes64(db);
  head.last_insert_rowid = sqlite3_last_insert_rowid(db);
  memcpy(out->bytes, &head, sizeof(head));
}

/* The message comes last, since the functions have already written behind the head. */
static void put_message(Call *call, Out *out) {
  ReplyHead *head = (ReplyHead *)out->bytes;
  if (head->has_message) out_text(out, sqlite3_errmsg(call->db));
}

/* The buffer of the last reply. Nested calls have separate buffers. */
static Out last_reply;

/* A longer buffer is freed and not reused. */
#define MAX_KEPT_BYTES (256 << 10)

static Out take_buffer(void) {
  Out out = last_reply;
  memset(&last_reply, 0, sizeof(last_reply));
  out.count = 0;
  out.is_short = false;
  if (out.room > MAX_KEPT_BYTES) {
    sqlite3_free(out.bytes);
    memset(&out, 0, sizeof(out));
  }
  return out;
}

/* Perform calls on a connection. Returns the reply, which stays valid until the next calls; null
** without memory. Its last four bytes are the position of the message. */
const uint8_t *interface_perform(sqlite3 *db, const uint8_t *bytes, size_t count,
                                 size_t *reply_count) {
  Call call = {.db = db, .in = {bytes, bytes + count, false}, .out = take_buffer()};
  if (!out_room(&call.out, sizeof(ReplyHead))) return NULL;
  while (call.in.at < call.in.end) {
    uint8_t opcode = in_u8(&call.in);
    call.out.count = sizeof(ReplyHead);
    call.code = SQLITE_OK;
    if (functions[opcode]) functions[opcode](&call);
    else call.in.is_bad = true;
    if (call.in.is_bad) {
      call.code = SQLITE_MISUSE;
      break;
    }
  }
  if (call.out.is_short) {
    call.code = SQLITE_NOMEM;
    call.out.count = sizeof(ReplyHead);
    call.out.is_short = false;
  }
  put_head(&call, &call.out);
  uint32_t end = (uint32_t)call.out.count;
  put_message(&call, &call.out);
  out_u32(&call.out, end);
  *reply_count = call.out.count;
  sqlite3_free(last_reply.bytes);
  last_reply = call.out;
  return call.out.is_short ? NULL : call.out.bytes;
}

/* The program. */

/* Implemented in Rust: call the program's callback with these bytes. Returns the length of the
** reply, which is in `room` or in memory that sqlite3_free frees; below 0 after a failure. */
extern int32_t interface_call_program(uint32_t callback, const uint8_t *bytes, size_t count,
                                      uint8_t *room, void **owned);

/* The host's id of the library's one callback, and the library's id of the connection. */
typedef struct {
  uint32_t callback, connection;
} Identity;

static const char identity[] = "sqlite-wasm-library";

/* That of the connection which called last: SQLite finds it by comparing names. */
static struct {
  sqlite3 *db;
  Identity *given;
} last_caller;

static const Identity *identity_of(sqlite3 *db) {
  if (last_caller.db != db) {
    last_caller.given = sqlite3_get_clientdata(db, identity);
    last_caller.db = last_caller.given ? db : NULL;
  }
  return last_caller.given;
}

static void free_identity(void *given) {
  if (last_caller.given == given) memset(&last_caller, 0, sizeof(last_caller));
  sqlite3_free(given);
}

void call_connect(Call *call) {
  Identity *given = sqlite3_malloc(sizeof(*given));
  if (!given) {
    call->code = SQLITE_NOMEM;
    return;
  }
  given->callback = in_u32(&call->in);
  given->connection = in_u32(&call->in);
  sqlite3_extended_result_codes(call->db, 1);
  out_u32(&call->out, (uint32_t)(uintptr_t)call->db);
  call->code = sqlite3_set_clientdata(call->db, identity, given, free_identity);
}

/* A buffer for arguments that is not in use. */
static Out spare;

Out event_begin(sqlite3 *db, uint8_t event) {
  Out out = spare;
  memset(&spare, 0, sizeof(spare));
  out.count = 0;
  out.is_short = false;
  const Identity *given = identity_of(db);
  out_u32(&out, given ? given->callback : 0);
  out_u8(&out, event);
  out_u32(&out, given ? given->connection : 0);
  return out;
}

void event_send(Out *out, EventReply *reply) {
  reply->owned = NULL;
  reply->code = SQLITE_NOMEM;
  reply->in = (In){reply->room, reply->room, false};
  if (!out->is_short) {
    uint32_t callback;
    memcpy(&callback, out->bytes, 4);
    int32_t count = interface_call_program(callback, out->bytes + 4, out->count - 4, reply->room,
                                           &reply->owned);
    const uint8_t *start = reply->owned ? reply->owned : reply->room;
    reply->in = (In){start, start + (count < 0 ? 0 : count), false};
    reply->code = count < 4 ? SQLITE_ERROR : (int)in_u32(&reply->in);
  }
  sqlite3_free(spare.bytes);
  spare = *out;
}

void reply_free(EventReply *reply) { sqlite3_free(reply->owned); }

int event_send_for_code(Out *out) {
  EventReply reply;
  event_send(out, &reply);
  reply_free(&reply);
  return reply.code;
}

Registered *registered_new(sqlite3 *db, uint32_t number) {
  Registered *registered = sqlite3_malloc(sizeof(*registered));
  if (registered) *registered = (Registered){number, db, false};
  return registered;
}

void registered_free(void *data) {
  Registered *registered = data;
  Out out = event_begin(registered->db, EVENT_DESTROY);
  out_u32(&out, registered->number);
  event_send_for_code(&out);
  sqlite3_free(registered);
}
