/* Sending calls to the engine, and reading the head of each reply. */

/* How many forks are between the first process and this one: a connection of the parent cannot be
** used in the child. */
static unsigned forks;

/* Set the connection's error. Returns the code that SQLite's function would return. */
static int fail(Connection *connection, int code, const char *message) {
  sqlite3 *db = &connection->db;
  if (message) sqlite3ErrorWithMsg(db, code, "%s", message);
  else sqlite3Error(db, code);
  return code & db->errMask;
}

/* Set the connection's error without a message: the code of a step, or SQLITE_OK. */
static void set_code(Connection *connection, int code) {
  connection->db.errCode = code;
  connection->db.errByteOffset = -1;
  if (connection->db.pErr) sqlite3ValueSetNull(connection->db.pErr);
}

/* Read the head of a reply, and copy it into SQLite's structure. */
static bool read_head(Connection *connection, Reply *reply, const uint8_t *bytes, size_t count) {
  ReplyHead head;
  sqlite3 *db = &connection->db;
  uint32_t end;
  if (count < 4) return false;
  memcpy(&end, bytes + count - 4, 4);
  if (end > count - 4) return false;
  reply->in = (In){bytes, bytes + end, false};
  if (!in_head(&reply->in, &head)) return false;
  reply->code = head.code;
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

/* Send the calls that wait. Callbacks of the program may write and send others meanwhile. */
static int perform(Connection *connection, Reply *reply, char **message) {
  Client *client = &connection->client;
  Out work = client->work;
  const uint8_t *bytes = NULL;
  size_t count = 0;
  memset(&client->work, 0, sizeof(work));
  connection->requests++;
  connection->serial++;
  int code = engine_perform(connection->sandbox->engine, connection->id, work.bytes, work.count,
                            &bytes, &count, message);
  connection->requests--;
  if (code == SQLITE_OK && !read_head(connection, reply, bytes, count)) code = SQLITE_INTERNAL;
  if (client->work.bytes) {
    sqlite3_free(work.bytes);
  } else {
    client->work = work;
    out_clear(&client->work, MAX_WAITING_BYTES);
    client->bound_end = 0;
  }
  return code;
}

/* Send the calls that wait before a large one: it may not fit in the sandbox, and would take with it
** bindings of statements that run later. */
static int send_waiting_calls(Connection *connection, Reply *reply, char **message) {
  Client *client = &connection->client;
  Out all = client->work;
  if (!all.whole || all.count <= MAX_WAITING_BYTES) return SQLITE_OK;
  /* It stands behind the binding before it, in one request; before a large value bindings are sent anyway. */
  if (all.bytes[all.whole] == OP_BIND_NEXT) return SQLITE_OK;
  client->work = (Out){0};
  out_raw(&client->work, all.bytes, all.whole);
  int code = client->work.is_short ? SQLITE_NOMEM : perform(connection, reply, message);
  if (code == SQLITE_OK) {
    /* Behind what callbacks of the program have left to wait. */
    out_begin(&client->work);
    out_raw(&client->work, all.bytes + all.whole, all.count - all.whole);
    if (!out_end(&client->work)) code = SQLITE_NOMEM;
  }
  sqlite3_free(all.bytes);
  return code;
}

static int send(Connection *connection, Reply *reply) {
  char *message = NULL;
  int code;
  *reply = (Reply){SQLITE_OK, {NULL, NULL, false}};
  if (connection->forks != forks) {
    out_clear(&connection->client.work, MAX_WAITING_BYTES);
    code = SQLITE_MISUSE;
  } else if (!out_end(&connection->client.work)) {
    code = SQLITE_NOMEM;
  } else {
    code = send_waiting_calls(connection, reply, &message);
    if (code == SQLITE_OK) code = perform(connection, reply, &message);
  }
  if (code != SQLITE_OK) {
    fail(connection, code, message);
    reply->code = code;
  }
  if (message) engine_free_text(message);
  return code;
}

/* The result as the program sees it. */
static int masked(Connection *connection, int code) { return code & connection->db.errMask; }

/* The head of a reply has set the connection's error. */
static void succeed(Connection *connection) { (void)connection; }

/* Calls that wait hold nothing that others wait for. */
static void deferred(Connection *connection) { (void)connection; }

#include "client/requests.h"

/* Send the calls; their reply is an integer, not a result code. Returns `none` if the engine has
** failed. */
static int request_number(Connection *connection, int none) {
  Reply reply;
  return send(connection, &reply) == SQLITE_OK ? reply.code : none;
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

static void close_zombie(Connection *connection);

/* The same after an object of the connection has ended: a connection that sqlite3_close_v2 has closed
** ends with its last one. */
static int leave_object(Connection *connection, int code) {
  if (!connection->is_zombie) return leave_with(connection, code);
  close_zombie(connection);
  return code;
}

/* Whether the program passed an open connection. */
static bool is_open(sqlite3 *db) { return db && sqlite3SafetyCheckOk(db); }

static Connection *open_connection(sqlite3 *db) { return is_open(db) ? connection_of(db) : NULL; }

static sqlite3 *handle_of(Connection *connection) { return &connection->db; }
