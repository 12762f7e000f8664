/* The session extension. The library collects streams. */
#include "interface.h"

/* A filter or conflict handler of the program: the library's id. */
typedef struct {
  sqlite3 *db;
  uint32_t number;
} Handler;

/* A session with its filter. */
typedef struct {
  sqlite3_session *session;
  Handler filter;
} Session;

/* An open change set: SQLite does not copy its bytes. */
typedef struct {
  sqlite3_changeset_iter *iterator;
  uint8_t bytes[];
} Changes;

void call_session_create(Call *call) {
  Session *session = sqlite3_malloc(sizeof(*session));
  if (!session) {
    call->code = SQLITE_NOMEM;
    return;
  }
  session->session = NULL;
  call->code = sqlite3session_create(call->db, in_text(&call->in), &session->session);
  if (call->code) sqlite3_free(session);
  out_u32(&call->out, call->code ? 0 : (uint32_t)(uintptr_t)session);
}

void call_session_delete(Call *call) {
  Session *session = HANDLE(Session, call);
  sqlite3session_delete(session->session);
  sqlite3_free(session);
}

/* Session, which function, the argument. Reply: the result. */
void call_session_number(Call *call) {
  sqlite3_session *session = HANDLE(Session, call)->session;
  uint8_t which = in_u8(&call->in);
  int argument = (int)in_u32(&call->in);
  sqlite3_int64 number = 0;
  switch (which) {
    case 0: number = sqlite3session_enable(session, argument); break;
    case 1: number = sqlite3session_indirect(session, argument); break;
    case 2: number = sqlite3session_isempty(session); break;
    case 3: number = sqlite3session_memory_used(session); break;
    case 4: number = sqlite3session_changeset_size(session); break;
    default:
      call->code = sqlite3session_object_config(session, in_u8(&call->in), &argument);
      number = argument;
  }
  out_u64(&call->out, (uint64_t)number);
}

void call_session_attach(Call *call) {
  sqlite3_session *session = HANDLE(Session, call)->session;
  call->code = sqlite3session_attach(session, in_text(&call->in));
}

void call_session_diff(Call *call) {
  sqlite3_session *session = HANDLE(Session, call)->session;
  const char *schema = in_text(&call->in);
  char *message = NULL;
  call->code = sqlite3session_diff(session, schema, in_text(&call->in), &message);
  out_text(&call->out, message);
  sqlite3_free(message);
}

static void put_owned(Call *call, int count, void *bytes) {
  out_optional(&call->out, bytes, bytes ? (size_t)count : 0);
  sqlite3_free(bytes);
}

void call_session_changeset(Call *call) {
  sqlite3_session *session = HANDLE(Session, call)->session;
  int count = 0;
  void *bytes = NULL;
  call->code = in_u8(&call->in) ? sqlite3session_patchset(session, &count, &bytes)
                                : sqlite3session_changeset(session, &count, &bytes);
  put_owned(call, count, bytes);
}

static int on_filter(void *data, const char *table) {
  Handler *handler = data;
  Out out = event_begin(handler->db, EVENT_TABLE_FILTER);
  out_u32(&out, handler->number);
  out_text(&out, table);
  return event_send_for_code(&out);
}

void call_session_table_filter(Call *call) {
  Session *session = HANDLE(Session, call);
  bool on = in_u8(&call->in);
  session->filter = (Handler){call->db, in_u32(&call->in)};
  sqlite3session_table_filter(session->session, on ? on_filter : NULL, &session->filter);
}

/* Reading. */

void call_changeset_start(Call *call) {
  int flags = (int)in_u32(&call->in);
  uint32_t count;
  const uint8_t *bytes = in_bytes(&call->in, &count);
  Changes *changes = sqlite3_malloc64(sizeof(*changes) + count + 1);
  if (!changes) {
    call->code = SQLITE_NOMEM;
    return;
  }
  if (count) memcpy(changes->bytes, bytes, count);
  call->code = sqlite3changeset_start_v2(&changes->iterator, (int)count, changes->bytes, flags);
  if (call->code) sqlite3_free(changes);
  out_u32(&call->out, call->code ? 0 : (uint32_t)(uintptr_t)changes);
}

/* Table, operation, whether it is indirect, columns, which of them are in the primary key, old
** values, new values. */
static void put_change(Out *out, sqlite3_changeset_iter *iterator) {
  const char *table = NULL;
  int columns = 0, operation = 0, is_indirect = 0, keys = 0;
  unsigned char *is_key = NULL;
  sqlite3changeset_op(iterator, &table, &columns, &operation, &is_indirect);
  out_text(out, table);
  out_u32(out, (uint32_t)operation);
  out_u32(out, (uint32_t)is_indirect);
  out_u32(out, (uint32_t)columns);
  sqlite3changeset_pk(iterator, &is_key, &keys);
  for (int i = 0; i < columns; i++) out_u8(out, is_key && i < keys ? is_key[i] : 0);
  for (int i = 0; i < 2 * columns; i++) {
    sqlite3_value *value = NULL;
    int code = SQLITE_MISUSE;
    if (i < columns && operation != SQLITE_INSERT) {
      code = sqlite3changeset_old(iterator, i, &value);
    } else if (i >= columns && operation != SQLITE_DELETE) {
      code = sqlite3changeset_new(iterator, i - columns, &value);
    }
    put_value(out, code ? NULL : value);
  }
}

void call_changeset_next(Call *call) {
  Changes *changes = HANDLE(Changes, call);
  call->code = sqlite3changeset_next(changes->iterator);
  if (call->code == SQLITE_ROW) put_change(&call->out, changes->iterator);
}

void call_changeset_finalize(Call *call) {
  Changes *changes = HANDLE(Changes, call);
  call->code = sqlite3changeset_finalize(changes->iterator);
  sqlite3_free(changes);
}

void call_changeset_invert(Call *call) {
  uint32_t count;
  const uint8_t *bytes = in_bytes(&call->in, &count);
  int inverted = 0;
  void *result = NULL;
  call->code = sqlite3changeset_invert((int)count, bytes, &inverted, &result);
  put_owned(call, inverted, result);
}

static int on_conflict(void *data, int kind, sqlite3_changeset_iter *iterator) {
  Handler *handler = data;
  Out out = event_begin(handler->db, EVENT_CONFLICT);
  int columns = 0, operation, is_indirect, violations = 0;
  const char *table;
  out_u32(&out, handler->number);
  out_u32(&out, (uint32_t)kind);
  if (kind == SQLITE_CHANGESET_FOREIGN_KEY) {
    sqlite3changeset_fk_conflicts(iterator, &violations);
    out_u32(&out, (uint32_t)violations);
  } else {
    out_u32(&out, 0);
    put_change(&out, iterator);
    sqlite3changeset_op(iterator, &table, &columns, &operation, &is_indirect);
    for (int i = 0; i < columns; i++) {
      sqlite3_value *value = NULL;
      int code = sqlite3changeset_conflict(iterator, i, &value);
      put_value(&out, code ? NULL : value);
    }
  }
  return event_send_for_code(&out);
}

/* Change set, id of the handler, whether it filters, flags, whether a rebase buffer is wanted.
** Reply: the rebase buffer. */
void call_changeset_apply(Call *call) {
  uint32_t count;
  const uint8_t *bytes = in_bytes(&call->in, &count);
  Handler handler = {call->db, in_u32(&call->in)};
  bool filters = in_u8(&call->in);
  int flags = (int)in_u32(&call->in), size = 0;
  bool wants = in_u8(&call->in);
  void *rebase = NULL;
  call->code = sqlite3changeset_apply_v2(call->db, (int)count, (void *)bytes,
                                         filters ? on_filter : NULL, on_conflict, &handler,
                                         wants ? &rebase : NULL, wants ? &size : NULL, flags);
  put_owned(call, size, rebase);
}

/* Groups and rebasers. */

void call_group_new(Call *call) {
  sqlite3_changegroup *group = NULL;
  call->code = sqlite3changegroup_new(&group);
  out_u32(&call->out, (uint32_t)(uintptr_t)group);
}

void call_group_add(Call *call) {
  sqlite3_changegroup *group = HANDLE(sqlite3_changegroup, call);
  uint32_t count;
  const uint8_t *bytes = in_bytes(&call->in, &count);
  call->code = sqlite3changegroup_add(group, (int)count, (void *)bytes);
}

void call_group_add_change(Call *call) {
  sqlite3_changegroup *group = HANDLE(sqlite3_changegroup, call);
  call->code = sqlite3changegroup_add_change(group, HANDLE(Changes, call)->iterator);
}

void call_group_schema(Call *call) {
  sqlite3_changegroup *group = HANDLE(sqlite3_changegroup, call);
  call->code = sqlite3changegroup_schema(group, call->db, in_text(&call->in));
}

void call_group_output(Call *call) {
  int count = 0;
  void *bytes = NULL;
  call->code = sqlite3changegroup_output(HANDLE(sqlite3_changegroup, call), &count, &bytes);
  put_owned(call, count, bytes);
}

void call_group_delete(Call *call) { sqlite3changegroup_delete(HANDLE(sqlite3_changegroup, call)); }

void call_rebaser_create(Call *call) {
  sqlite3_rebaser *rebaser = NULL;
  call->code = sqlite3rebaser_create(&rebaser);
  out_u32(&call->out, (uint32_t)(uintptr_t)rebaser);
}

void call_rebaser_configure(Call *call) {
  sqlite3_rebaser *rebaser = HANDLE(sqlite3_rebaser, call);
  uint32_t count;
  const uint8_t *bytes = in_bytes(&call->in, &count);
  call->code = sqlite3rebaser_configure(rebaser, (int)count, bytes);
}

void call_rebaser_rebase(Call *call) {
  sqlite3_rebaser *rebaser = HANDLE(sqlite3_rebaser, call);
  uint32_t count;
  const uint8_t *bytes = in_bytes(&call->in, &count);
  int size = 0;
  void *rebased = NULL;
  call->code = sqlite3rebaser_rebase(rebaser, (int)count, bytes, &size, &rebased);
  put_owned(call, size, rebased);
}

void call_rebaser_delete(Call *call) { sqlite3rebaser_delete(HANDLE(sqlite3_rebaser, call)); }
