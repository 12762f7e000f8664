/* Calls of the engine: writing them, sending them, and reading the head of each reply. */

/* Calls are sent when more than this many bytes wait. */
#define MAX_WAITING_BYTES (256 << 10)

/* The number of forks between the first process and this one: a connection of the parent cannot be
** used in the child. */
static unsigned forks;

/* A reply without its head. The bytes stay valid until the next request. */
typedef struct {
  int code;
  In in;
} Reply;

/* Set the connection's error. Returns the code that SQLite's function would return. */
static int fail(Connection *connection, int code, const char *message) {
  sqlite3 *db = &connection->db;
  if (message) sqlite3ErrorWithMsg(db, code, "%s", message);
  else sqlite3Error(db, code);
  return code & db->errMask;
}

static int fail_no_memory(Connection *connection) { return fail(connection, SQLITE_NOMEM, NULL); }

/* Set the connection's error without a message: the code of a step, or SQLITE_OK. */
static void set_code(Connection *connection, int code) {
  connection->db.errCode = code;
  connection->db.errByteOffset = -1;
  if (connection->db.pErr) sqlite3ValueSetNull(connection->db.pErr);
}

/* Begin a call: its arguments follow. */
static Out *call(Connection *connection, uint8_t opcode) {
  Out *work = &connection->work;
  out_u8(work, opcode);
  return work;
}

static Out *call_on(Connection *connection, uint8_t opcode, uint32_t handle) {
  Out *work = call(connection, opcode);
  out_u32(work, handle);
  return work;
}

/* Read the head of a reply, and copy it into SQLite's structure. */
static bool read_head(Connection *connection, Reply *reply, const uint8_t *bytes, size_t count) {
  ReplyHead head;
  sqlite3 *db = &connection->db;
  uint32_t end;
  if (count < sizeof(head) + 4) return false;
  memcpy(&head, bytes, sizeof(head));
  memcpy(&end, bytes + count - 4, 4);
  if (end < sizeof(head) || end > count - 4) return false;
  reply->code = head.code;
  reply->in = (In){bytes + sizeof(head), bytes + end, false};
  if (head.encoding < SQLITE_UTF8 || head.encoding > SQLITE_UTF16BE) return false;
  db->autoCommit = head.autocommit != 0;
  connection->encoding = head.encoding;
  db->nChange = head.changes;
  db->nTotalChange = head.total_changes;
  db->lastRowid = head.last_insert_rowid;
  if (head.has_message) {
    In message = {bytes + end, bytes + count - 4, false};
    const char *text = in_text(&message);
    sqlite3ErrorWithMsg(db, head.error, text ? "%s" : 0, text);
    db->errByteOffset = head.offset;
  } else {
    set_code(connection, head.error);
  }
  return true;
}

static int send(Connection *connection, Reply *reply) {
  Out work = connection->work;
  char *message = NULL;
  const uint8_t *bytes = NULL;
  size_t count = 0;
  int code;
  memset(&connection->work, 0, sizeof(work));
  reply->in = (In){NULL, NULL, false};
  if (connection->forks != forks) {
    code = SQLITE_MISUSE;
  } else if (work.is_short) {
    code = SQLITE_NOMEM;
  } else {
    connection->requests++;
    connection->serial++;
    code = engine_perform(connection->sandbox->engine, connection->id, work.bytes, work.count,
                          &bytes, &count, &message);
    connection->requests--;
  }
  if (code == SQLITE_OK && !read_head(connection, reply, bytes, count)) {
    code = SQLITE_INTERNAL;
  }
  if (code != SQLITE_OK) {
    fail(connection, code, message);
    reply->code = code;
  }
  if (message) engine_free_text(message);
  if (connection->work.bytes || work.room > MAX_WAITING_BYTES) {
    sqlite3_free(work.bytes);
  } else {
    connection->work = work;
    connection->work.count = 0;
    connection->work.is_short = false;
  }
  return code;
}

/* Send the calls, and read the reply. Returns the result of the last call, masked. */
static int request(Connection *connection, Reply *reply) {
  send(connection, reply);
  return reply->code & connection->db.errMask;
}

/* The same if the reply is a number, not a result code; returns `none` if the engine has failed. */
static int request_number(Connection *connection, int none) {
  Reply reply;
  return send(connection, &reply) == SQLITE_OK ? reply.code : none;
}

static int request_code(Connection *connection) {
  Reply reply;
  return request(connection, &reply);
}

/* Let a call wait for the next one with a reply. */
static void call_later(Connection *connection) {
  Reply reply;
  if (connection->work.count > MAX_WAITING_BYTES) send(connection, &reply);
}

/* In the child of a fork, the mutex may appear to be held by another thread of the parent. */
static void enter(Connection *connection) {
  if (connection->forks == forks) sqlite3_mutex_enter(connection->db.mutex);
}

static void leave(Connection *connection) {
  if (connection->db.mallocFailed) sqlite3OomClear(&connection->db);
  if (connection->forks == forks) sqlite3_mutex_leave(connection->db.mutex);
}

/* Leave with a result. */
static int leave_with(Connection *connection, int code) {
  leave(connection);
  return code;
}

/* Whether the program passed an open connection. */
static bool is_open(sqlite3 *db) { return db && sqlite3SafetyCheckOk(db); }
