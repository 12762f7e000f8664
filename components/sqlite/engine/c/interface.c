/* Dispatches calls, and sends the callbacks of the program; see interface.h. */
#include "interface.h"

/* The functions, indexed by the opcodes of calls; null for other opcodes. */
static void (*const functions[256])(Call *) = {
#define X(opcode, function) [opcode] = function,
    CALLS(X)
#undef X
};

/* Perform a call, whose parameters are at the beginning of `in`. Returns its code. */
int interface_call(sqlite3 *db, uint8_t opcode, In *in, Out *out) {
  Call call = {.db = db, .in = *in, .out = *out};
  if (functions[opcode]) functions[opcode](&call);
  else call.in.is_bad = true;
  *in = call.in;
  *out = call.out;
  return call.code;
}

/* The program. */

/* Implemented in Rust: call the program's callback with these bytes. Returns the length of the
** reply, which is in `room` or in memory that sqlite3_free frees; below 0 without memory for it. */
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
    reply->code = count < 0 ? SQLITE_NOMEM : count < 4 ? SQLITE_ERROR : (int)in_u32(&reply->in);
  }
  out_free(&spare);
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
