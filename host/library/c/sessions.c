/* Sessions. */

struct sqlite3_session {
  Connection *connection;
  uint32_t handle;
  /* The filter of the program. */
  Entry *filter;
};

/* A connection in memory, for change sets that belong to no connection. */
static sqlite3 *service_connection(void) {
  static sqlite3 *db;
  sqlite3_mutex *mutex = static_mutex();
  sqlite3_mutex_enter(mutex);
  if (db && connection_of(db)->forks != forks) db = NULL;
  if (!db &&
      sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_PRIVATECACHE, NULL)) {
    sqlite3_close(db);
    db = NULL;
  }
  sqlite3_mutex_leave(mutex);
  return db;
}

/* Copy bytes of a reply to memory that sqlite3_free frees. */
static int take_bytes(Reply *reply, int code, int *count, void **bytes) {
  uint32_t length;
  const uint8_t *found = in_bytes(&reply->in, &length);
  *count = 0;
  *bytes = NULL;
  if (code || !found) return code;
  *bytes = sqlite3_malloc64((sqlite3_uint64)length + 1);
  if (!*bytes) return SQLITE_NOMEM_BKPT;
  memcpy(*bytes, found, length);
  *count = (int)length;
  return SQLITE_OK;
}

/* Streams are collected into one buffer. */

typedef int Input(void *, void *, int *);
typedef int Output(void *, const void *, int);

/* Maximum size of a collected stream: SQLite's longest blob. */
#define MAX_STREAM_BYTES SQLITE_MAX_LENGTH

static int read_stream(Input *input, void *data, Out *gathered) {
  enum { PIECE = 4096 };
  for (;;) {
    uint8_t piece[PIECE];
    int count = PIECE, code = input(data, piece, &count);
    if (code) return code;
    if (count <= 0) return SQLITE_OK;
    out_raw(gathered, piece, (size_t)count);
    if (gathered->is_short || gathered->count > MAX_STREAM_BYTES) return SQLITE_NOMEM_BKPT;
  }
}

static int write_stream(Output *output, void *data, int code, void *bytes, int count) {
  if (code == SQLITE_OK && count > 0) code = output(data, bytes, count);
  sqlite3_free(bytes);
  return code;
}

EXPORT int sqlite3session_create(sqlite3 *db, const char *schema, sqlite3_session **created) {
  Reply reply;
  *created = NULL;
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  sqlite3_session *session = sqlite3MallocZero(sizeof(*session));
  if (!session) return SQLITE_NOMEM_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  out_text(call(connection, CALL_SESSION_CREATE), schema);
  int code = request(connection, &reply);
  session->connection = connection;
  session->handle = in_u32(&reply.in);
  if (code == SQLITE_OK && session->handle) *created = session;
  else sqlite3_free(session);
  return leave_with(connection, code);
}

EXPORT void sqlite3session_delete(sqlite3_session *session) {
  Connection *connection = session->connection;
  enter(connection);
  call_on(connection, CALL_SESSION_DELETE, session->handle);
  request_code(connection);
  if (session->filter) entry_free(connection->sandbox, session->filter);
  sqlite3_free(session);
  leave(connection);
}

static sqlite3_int64 session_number(sqlite3_session *session, uint8_t which, int argument,
                                    int *code, uint8_t option) {
  Reply reply;
  Connection *connection = session->connection;
  enter(connection);
  Out *work = call_on(connection, CALL_SESSION_NUMBER, session->handle);
  out_u8(work, which);
  out_u32(work, (uint32_t)argument);
  if (which > 4) out_u8(work, option);
  int result = request(connection, &reply);
  if (code) *code = result;
  sqlite3_int64 number = (sqlite3_int64)in_u64(&reply.in);
  leave(connection);
  return number;
}

EXPORT int sqlite3session_enable(sqlite3_session *session, int on) {
  return (int)session_number(session, 0, on, NULL, 0);
}

EXPORT int sqlite3session_indirect(sqlite3_session *session, int on) {
  return (int)session_number(session, 1, on, NULL, 0);
}

EXPORT int sqlite3session_isempty(sqlite3_session *session) {
  return (int)session_number(session, 2, 0, NULL, 0);
}

EXPORT sqlite3_int64 sqlite3session_memory_used(sqlite3_session *session) {
  return session_number(session, 3, 0, NULL, 0);
}

EXPORT sqlite3_int64 sqlite3session_changeset_size(sqlite3_session *session) {
  return session_number(session, 4, 0, NULL, 0);
}

EXPORT int sqlite3session_object_config(sqlite3_session *session, int option, void *argument) {
  int code;
  int *number = argument;
  *number = (int)session_number(session, 5, *number, &code, (uint8_t)option);
  return code;
}

/* The size of the pieces of streams, which are collected here. */
EXPORT int sqlite3session_config(int option, void *argument) {
  return option == SQLITE_SESSION_CONFIG_STRMSIZE && argument ? SQLITE_OK : SQLITE_MISUSE_BKPT;
}

EXPORT int sqlite3session_attach(sqlite3_session *session, const char *table) {
  enter(session->connection);
  out_text(call_on(session->connection, CALL_SESSION_ATTACH, session->handle), table);
  return leave_with(session->connection, request_code(session->connection));
}

EXPORT void sqlite3session_table_filter(sqlite3_session *session,
                                        int (*filter)(void *, const char *), void *data) {
  Connection *connection = session->connection;
  enter(connection);
  if (!session->filter) session->filter = entry_new(connection->sandbox, HANDLER);
  if (session->filter) {
    session->filter->data = data;
    session->filter->handler.filter = filter;
    Out *work = call_on(connection, CALL_SESSION_TABLE_FILTER, session->handle);
    out_u8(work, filter != NULL);
    out_u32(work, session->filter->number);
    request_code(connection);
  }
  leave(connection);
}

EXPORT int sqlite3session_diff(sqlite3_session *session, const char *schema, const char *table,
                               char **message) {
  Reply reply;
  if (message) *message = NULL;
  enter(session->connection);
  Out *work = call_on(session->connection, CALL_SESSION_DIFF, session->handle);
  out_text(work, schema);
  out_text(work, table);
  int code = request(session->connection, &reply);
  const char *text = in_text(&reply.in);
  if (message && text) *message = sqlite3_mprintf("%s", text);
  return leave_with(session->connection, code);
}

static int session_bytes(sqlite3_session *session, bool is_patch, int *count, void **bytes) {
  Reply reply;
  enter(session->connection);
  out_u8(call_on(session->connection, CALL_SESSION_CHANGESET, session->handle), is_patch);
  int code = request(session->connection, &reply);
  return leave_with(session->connection, take_bytes(&reply, code, count, bytes));
}

EXPORT int sqlite3session_changeset(sqlite3_session *session, int *count, void **bytes) {
  return session_bytes(session, false, count, bytes);
}

EXPORT int sqlite3session_patchset(sqlite3_session *session, int *count, void **bytes) {
  return session_bytes(session, true, count, bytes);
}

static int session_stream(sqlite3_session *session, bool is_patch, Output *output, void *data) {
  int count;
  void *bytes;
  int code = session_bytes(session, is_patch, &count, &bytes);
  return write_stream(output, data, code, bytes, count);
}

EXPORT int sqlite3session_changeset_strm(sqlite3_session *session, Output *output, void *data) {
  return session_stream(session, false, output, data);
}

EXPORT int sqlite3session_patchset_strm(sqlite3_session *session, Output *output, void *data) {
  return session_stream(session, true, output, data);
}
