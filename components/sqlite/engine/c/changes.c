/* What each transaction changes in `main`: which rows of which tables. They are collected here, so that a row
** costs no call out of the sandbox, and reported once before the commit. What a savepoint or a statement undoes
** is forgotten: SQLite calls virtual tables for both, and this takes part in transactions as one. */
#include "interface.h"

/* Which step of a transaction is reported. */
enum { BEFORE_COMMIT, AFTER_COMMIT, UNDONE };

/* Tables of a transaction by name; what changes more may have changed any. */
#define MOST_TABLES 256

/* An index that no table has: anything may have changed. */
#define ANY MOST_TABLES

/* Bytes of the primary keys of a transaction, as the wire has them: those of a thousand rows whose key is a UUID in
** text fit. A table whose keys take more may have changed anywhere. */
#define MOST_KEY_BYTES (64 << 10)

typedef struct {
  char *name;
  /* Where in the list all its rows are, if that is in the list. */
  uint32_t whole;
} ChangedTable;

/* What is known of a change: its table, a row id, or the primary key of a table without row ids. */
typedef enum { WHOLE, ROW, KEY } Kind;

typedef struct {
  uint32_t table;
  Kind kind;
  union {
    sqlite3_int64 row_id;
    /* Where its values are in the feed's `keys`. */
    struct {
      size_t start, count;
    } key;
  } of;
} Change;

/* Of a connection. */
typedef struct {
  sqlite3_vtab vtab;
  sqlite3 *db;
  Participant *participant;
  /* Rows by their ids at most; 0 while nobody listens. */
  uint32_t most;
  ChangedTable tables[MOST_TABLES + 1];
  uint32_t table_count, last_table;
  Change *changes;
  uint32_t count, room, rows;
  /* The values of primary keys, in the order of the changes. */
  Out keys;
  /* How many changes there were before each savepoint. */
  uint32_t *marks;
  uint32_t mark_room;
  bool takes_part;
  /* Something changed that could not be collected. */
  bool is_lost;
  bool is_reported;
} Feed;

static const char identity[] = "sqlite-wasm changes";

static void forget(Feed *feed) {
  for (uint32_t i = 0; i < feed->table_count; i++) sqlite3_free(feed->tables[i].name);
  feed->table_count = feed->last_table = feed->count = feed->rows = 0;
  out_clear(&feed->keys, MOST_KEY_BYTES);
  feed->takes_part = feed->is_lost = false;
}

/* Rows that can be undone are no longer counted. */
static void shorten(Feed *feed, uint32_t count) {
  while (feed->count > count) {
    const Change *last = &feed->changes[--feed->count];
    feed->rows -= last->kind != WHOLE;
    if (last->kind == KEY) feed->keys.count = last->of.key.start;
  }
}

static void add(Feed *feed, Change change) {
  if (feed->count == feed->room) {
    uint32_t room = 2 * feed->room + 16;
    Change *changes = sqlite3_realloc64(feed->changes, room * sizeof(*changes));
    if (!changes) {
      feed->is_lost = true;
      return;
    }
    feed->changes = changes;
    feed->room = room;
  }
  if (change.kind == WHOLE) feed->tables[change.table].whole = feed->count;
  feed->rows += change.kind != WHOLE;
  feed->changes[feed->count++] = change;
}

static bool is_whole(const Feed *feed, uint32_t table) {
  uint32_t place = feed->tables[table].whole;
  return place < feed->count && feed->changes[place].kind == WHOLE &&
         feed->changes[place].table == table;
}

static void add_whole(Feed *feed, uint32_t table) {
  if (!is_whole(feed, table)) add(feed, (Change){table, WHOLE, {0}});
}

/* The last change, if it is of this kind and table. */
static const Change *last_change(const Feed *feed, Kind kind, uint32_t table) {
  const Change *last = feed->count ? &feed->changes[feed->count - 1] : NULL;
  return last && last->kind == kind && last->table == table ? last : NULL;
}

static void add_row(Feed *feed, uint32_t table, sqlite3_int64 row_id) {
  const Change *last = last_change(feed, ROW, table);
  if (last && last->of.row_id == row_id) return;
  if (feed->rows < feed->most) {
    add(feed, (Change){table, ROW, {.row_id = row_id}});
  } else {
    add_whole(feed, table);
  }
}

/* Write a value of a key, unless it is too long or there is no memory for it. */
static bool put_key_value(Out *keys, sqlite3_value *value) {
  if (!value) return false;
  int type = sqlite3_value_type(value);
  bool has_bytes = type == SQLITE_TEXT || type == SQLITE_BLOB;
  /* Before SQLite writes out the zeros of a BLOB. */
  if (has_bytes && sqlite3_value_bytes(value) > MOST_KEY_BYTES) return false;
  out_value(keys, value);
  return !keys->is_short && keys->count <= MOST_KEY_BYTES;
}

/* Write the key of the row that is about to change, before or after the change. */
static bool put_key(Feed *feed, ChangedKey key, bool is_new) {
  for (int i = 0; i < key.count; i++) {
    /* Stays null where SQLite has no memory for the old row, and reports success. */
    sqlite3_value *value = NULL;
    int code = is_new ? sqlite3_preupdate_new(feed->db, key.columns[i], &value)
                      : sqlite3_preupdate_old(feed->db, key.columns[i], &value);
    if (code || !put_key_value(&feed->keys, value)) return false;
  }
  return true;
}

static void add_key(Feed *feed, uint32_t table, ChangedKey key, bool is_new) {
  if (is_whole(feed, table)) return;
  Out *keys = &feed->keys;
  size_t start = keys->count;
  bool is_known = feed->rows < feed->most && put_key(feed, key, is_new);
  size_t count = keys->count - start;
  const Change *last = last_change(feed, KEY, table);
  bool is_last = is_known && last && last->of.key.count == count &&
                 memcmp(keys->bytes + last->of.key.start, keys->bytes + start, count) == 0;
  if (!is_known || is_last) {
    keys->count = start;
    keys->is_short = false;
  }
  if (!is_known) {
    add_whole(feed, table);
  } else if (!is_last) {
    add(feed, (Change){table, KEY, {.key = {start, count}}});
  }
}

static uint32_t find_table(Feed *feed, const char *name) {
  if (feed->last_table < feed->table_count &&
      strcmp(feed->tables[feed->last_table].name, name) == 0) {
    return feed->last_table;
  }
  uint32_t at = 0;
  while (at < feed->table_count && strcmp(feed->tables[at].name, name) != 0) at++;
  if (at == feed->table_count) {
    char *copy = at < MOST_TABLES ? sqlite3_mprintf("%s", name) : NULL;
    if (!copy) return ANY;
    feed->tables[at] = (ChangedTable){copy, 0};
    feed->table_count++;
  }
  feed->last_table = at;
  return at;
}

/* Before the first change of a transaction. */
static bool take_part(Feed *feed) {
  if (feed->takes_part) return true;
  int savepoints = 0;
  if (engine_participate(feed->participant, &savepoints)) return false;
  feed->takes_part = true;
  if ((uint32_t)savepoints > feed->mark_room) {
    uint32_t *marks = sqlite3_realloc64(feed->marks, savepoints * sizeof(*marks));
    /* What they undo is then reported, too. */
    if (!marks) return true;
    feed->marks = marks;
    feed->mark_room = (uint32_t)savepoints;
  }
  memset(feed->marks, 0, savepoints * sizeof(*feed->marks));
  return true;
}

static void on_change(void *data, sqlite3 *db, int action, const char *schema, const char *name,
                      sqlite3_int64 old_row, sqlite3_int64 new_row) {
  Feed *feed = data;
  if (strcmp(schema, "main") != 0) return;
  if (!take_part(feed)) {
    feed->is_lost = true;
    return;
  }
  uint32_t table = find_table(feed, name);
  if (table == ANY) {
    add_whole(feed, table);
    return;
  }
  ChangedKey key = engine_changed_key(db);
  bool has_old = action != SQLITE_INSERT, has_new = action != SQLITE_DELETE;
  if (key.count) {
    if (has_old) add_key(feed, table, key, false);
    if (has_new) add_key(feed, table, key, true);
  } else {
    if (has_old) add_row(feed, table, old_row);
    if (has_new) add_row(feed, table, new_row);
  }
}

static int on_savepoint(sqlite3_vtab *vtab, int number) {
  Feed *feed = (Feed *)vtab;
  if ((uint32_t)number >= feed->mark_room) {
    uint32_t room = 2 * feed->mark_room + (uint32_t)number + 1;
    uint32_t *marks = sqlite3_realloc64(feed->marks, room * sizeof(*marks));
    if (!marks) return SQLITE_NOMEM;
    feed->marks = marks;
    feed->mark_room = room;
  }
  feed->marks[number] = feed->count;
  return SQLITE_OK;
}

static int on_rollback_to(sqlite3_vtab *vtab, int number) {
  Feed *feed = (Feed *)vtab;
  /* A negative savepoint is the start of the transaction. */
  if (number < 0) {
    shorten(feed, 0);
  } else if ((uint32_t)number < feed->mark_room) {
    shorten(feed, feed->marks[number]);
  }
  return SQLITE_OK;
}

static void report_end(Feed *feed, uint8_t step) {
  forget(feed);
  if (!feed->is_reported) return;
  feed->is_reported = false;
  Out out = event_begin(feed->db, EVENT_CHANGES);
  out_u8(&out, step);
  event_send_for_code(&out);
}

static int on_end(sqlite3_vtab *vtab) {
  report_end((Feed *)vtab, AFTER_COMMIT);
  return SQLITE_OK;
}

static int on_undone(sqlite3_vtab *vtab) {
  report_end((Feed *)vtab, UNDONE);
  return SQLITE_OK;
}

static void report_change(const Feed *feed, const Change *change, Out *out) {
  out_u32(out, change->table);
  out_u8(out, (uint8_t)change->kind);
  switch (change->kind) {
    case WHOLE: break;
    case ROW: out_u64(out, (uint64_t)change->of.row_id); break;
    case KEY: out_bytes(out, feed->keys.bytes + change->of.key.start, change->of.key.count); break;
  }
}

/* Called while no other connection can commit. */
static int before_commit(void *data) {
  Feed *feed = data;
  if (sqlite3_txn_state(feed->db, "main") != SQLITE_TXN_WRITE) return 0;
  take_part(feed);
  Out out = event_begin(feed->db, EVENT_CHANGES);
  out_u8(&out, BEFORE_COMMIT);
  bool is_any = feed->is_lost;
  for (uint32_t i = 0; i < feed->count; i++) is_any |= feed->changes[i].table == ANY;
  out_u8(&out, is_any);
  out_u8(&out, (uint8_t)engine_has_changed_schema(feed->db));
  out_u32(&out, is_any ? 0 : feed->table_count);
  for (uint32_t i = 0; !is_any && i < feed->table_count; i++) out_text(&out, feed->tables[i].name);
  out_u32(&out, is_any ? 0 : feed->count);
  for (uint32_t i = 0; !is_any && i < feed->count; i++)
    report_change(feed, &feed->changes[i], &out);
  feed->is_reported = true;
  event_send_for_code(&out);
  return 0;
}

static const sqlite3_module methods = {
    .iVersion = 2,
    .xCommit = on_end,
    .xRollback = on_undone,
    .xSavepoint = on_savepoint,
    .xRollbackTo = on_rollback_to,
};

static void free_feed(void *data) {
  Feed *feed = data;
  forget(feed);
  sqlite3_free(feed->participant);
  sqlite3_free(feed->changes);
  sqlite3_free(feed->marks);
  out_free(&feed->keys);
  sqlite3_free(feed);
}

static Feed *new_feed(sqlite3 *db) {
  Feed *feed = sqlite3_malloc(sizeof(*feed));
  if (!feed) return NULL;
  memset(feed, 0, sizeof(*feed));
  feed->db = db;
  feed->participant = engine_participant(db, &methods, &feed->vtab);
  if (!feed->participant) {
    free_feed(feed);
    return NULL;
  }
  /* Where that fails it has been freed. */
  return sqlite3_set_clientdata(db, identity, feed, free_feed) ? NULL : feed;
}

int set_changes_hook(sqlite3 *db, uint32_t most) {
  Feed *feed = sqlite3_get_clientdata(db, identity);
  if (!feed && !most) return SQLITE_OK;
  if (!feed && !(feed = new_feed(db))) return SQLITE_NOMEM;
  if (!feed->most == !most) {
    feed->most = most;
    return SQLITE_OK;
  }
  feed->most = most;
  sqlite3_preupdate_hook(db, most ? on_change : NULL, most ? feed : NULL);
  sqlite3_commit_hook(db, most ? before_commit : NULL, most ? feed : NULL);
  /* A DELETE of all rows is prepared differently. */
  if (most) engine_expire_statements(db);
  /* What the transaction has changed before. */
  if (most && sqlite3_txn_state(db, "main") == SQLITE_TXN_WRITE) feed->is_lost = true;
  return SQLITE_OK;
}
