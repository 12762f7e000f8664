/* Incremental blobs, on the connection that called the extension. */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "work.h"

/* Most bytes read at once: copies of this size stay in the processor's cache on
** their way through the host, and a crossing costs less than a tenth of one. */
#define MOST_BYTES (256 << 10)

struct sqlite3_blob {
  uint32_t handle, size;
  bool is_writable;
  /* It went to another row, and there was none. */
  bool is_lost;
  /* What the host said of it: how a small one begins, until something else is
  ** asked. */
  wit_bytes opened;
  uint32_t head;
  uint64_t opened_at;
};

/* Handle, size and length, in front of the beginning. */
#define HEAD 12

/* Blobs are opened one after the other, for each row again. Those that followed
** the first one the last time, with nothing asked in between, are opened
** together with it; they are what they would be if they were opened later,
** as nothing is asked in between this time either. */

/* Followers of one blob, and first blobs that are remembered. */
#define MOST_FOLLOWERS 16
#define MOST_CHAINS 4

/* Where a blob is, but for its row: schema, table and column as they are
** asked for. */
typedef struct {
  uint8_t *bytes;
  size_t count;
} Column;

typedef struct {
  Column first, followers[MOST_FOLLOWERS];
  size_t count;
} Chain;

static Chain chains[MOST_CHAINS];

/* The chain that goes on when the next question opens a blob of this row. */
static Chain *current;
static sqlite3_int64 current_row;
static bool current_is_writable;
static uint64_t current_at;

/* Open already, for the followers of `current` from `ahead_from` on; a handle
** plus one, 0 for what is not there or was taken. */
static struct {
  uint32_t number, size;
} ahead[MOST_FOLLOWERS];
static size_t ahead_count;

static bool is_same(const Column *column, const Work *wanted) {
  return column->count == wanted->count && memcmp(column->bytes, wanted->bytes, wanted->count) == 0;
}

static void remember(Column *column, const Work *wanted) {
  free(column->bytes);
  column->bytes = malloc(wanted->count);
  if (!column->bytes) abort();
  memcpy(column->bytes, wanted->bytes, wanted->count);
  column->count = wanted->count;
}

static Chain *chain_of(const Work *wanted) {
  static size_t oldest;
  for (size_t i = 0; i < MOST_CHAINS; i++) {
    if (is_same(&chains[i].first, wanted)) return &chains[i];
  }
  Chain *chain = &chains[oldest++ % MOST_CHAINS];
  remember(&chain->first, wanted);
  chain->count = 0;
  return chain;
}

void blobs_drop_ahead(void) {
  static Work closed;
  size_t count = ahead_count;
  ahead_count = 0;
  for (size_t i = 0; i < count; i++) {
    if (!ahead[i].number) continue;
    work_u8(&closed, WORK_CLOSE);
    work_u32(&closed, ahead[i].number - 1);
  }
  if (!closed.count) return;
  /* This time it went another way. */
  current->count = 0;
  work_later(&closed);
}

/* Take a blob that is open already. */
static bool take_ahead(sqlite3_blob *blob, const Work *wanted, sqlite3_int64 row_id) {
  if (row_id != current_row || blob->is_writable != current_is_writable) return false;
  for (size_t i = 0; i < ahead_count; i++) {
    if (!ahead[i].number || !is_same(&current->followers[i], wanted)) continue;
    blob->handle = ahead[i].number - 1;
    blob->size = ahead[i].size;
    ahead[i].number = 0;
    return true;
  }
  return false;
}

/* What is asked to open a blob, and its followers with it. */
static void put_places(Work *work, const sqlite3_blob *blob, const Work *wanted,
                       sqlite3_int64 row_id) {
  bool goes_on = current && current_at == work_asked && current_row == row_id &&
                 current_is_writable == blob->is_writable;
  if (goes_on && current->count < MOST_FOLLOWERS) {
    remember(&current->followers[current->count++], wanted);
    current_at++;
  } else {
    current = chain_of(wanted);
    current_row = row_id;
    current_is_writable = blob->is_writable;
    current_at = work_asked + 1;
    goes_on = false;
  }
  size_t followers = goes_on ? 0 : current->count;
  work_u32(work, followers + 1);
  for (size_t i = 0; i <= followers; i++) {
    const Column *follower = i ? &current->followers[i - 1] : NULL;
    work_u8(work, blob->is_writable);
    work_u64(work, row_id);
    work_raw(work, i ? follower->bytes : wanted->bytes, i ? follower->count : wanted->count);
  }
}

/* What is said of the followers. */
static void take_followers(const uint8_t *at, const uint8_t *end) {
  for (ahead_count = 0; at < end && ahead_count < current->count; ahead_count++) {
    ahead[ahead_count].number = work_take_u32(&at);
    ahead[ahead_count].size = work_take_u32(&at);
    work_take_text(&at);
  }
}

static int asked(sqlite3_blob *blob, Work *work, Ahead possible) {
  if (blob->opened.len) free(blob->opened.ptr);
  blob->opened.len = 0;
  int code = work_ask_ahead(work, &blob->opened, NULL, possible);
  if (code != SQLITE_OK) {
    blob->opened.len = 0;
    current->count = 0;
    return code;
  }
  const uint8_t *at = blob->opened.ptr;
  blob->handle = work_take_u32(&at) - 1;
  blob->size = work_take_u32(&at);
  blob->head = work_take_u32(&at);
  blob->opened_at = work_changed;
  take_followers(at + blob->head + 1, blob->opened.ptr + blob->opened.len);
  return connection_succeed();
}

int sqlite3_blob_open(sqlite3 *db, const char *schema, const char *table, const char *column,
                      sqlite3_int64 row_id, int flags, sqlite3_blob **given) {
  (void)db;
  *given = NULL;
  if (!table || !column || !work_has_sql()) return SQLITE_MISUSE;
  sqlite3_blob *blob = calloc(1, sizeof(*blob));
  if (!blob) return connection_fail(SQLITE_NOMEM, NULL, 0);
  blob->is_writable = flags != 0;
  static Work wanted;
  wanted.count = 0;
  work_text(&wanted, schema ? schema : "main");
  work_text(&wanted, table);
  work_text(&wanted, column);
  int code = connection_succeed();
  if (!take_ahead(blob, &wanted, row_id)) {
    blobs_drop_ahead();
    Work *work = work_of(WORK_OPEN_BLOBS);
    put_places(work, blob, &wanted, row_id);
    code = asked(blob, work, AHEAD_POSSIBLE);
  }
  if (code != SQLITE_OK) {
    free(blob);
    return code;
  }
  *given = blob;
  return SQLITE_OK;
}

int sqlite3_blob_reopen(sqlite3_blob *blob, sqlite3_int64 row_id) {
  if (!blob) return SQLITE_MISUSE;
  if (blob->is_lost) return SQLITE_ABORT;
  Work *work = work_on(WORK_REOPEN_BLOB, blob->handle);
  work_u64(work, row_id);
  int code = asked(blob, work, AHEAD_NEVER);
  blob->is_lost = code != SQLITE_OK;
  return code;
}

int sqlite3_blob_bytes(sqlite3_blob *blob) { return blob && !blob->is_lost ? blob->size : 0; }

int sqlite3_blob_close(sqlite3_blob *blob) {
  if (!blob) return SQLITE_OK;
  work_later(work_on(WORK_CLOSE, blob->handle));
  if (blob->opened.len) free(blob->opened.ptr);
  free(blob);
  return SQLITE_OK;
}

static bool is_inside(const sqlite3_blob *blob, int count, int offset) {
  return count >= 0 && offset >= 0 && (uint64_t)offset + (uint64_t)count <= blob->size;
}

/* Whether it is known already. */
static bool read_known(const sqlite3_blob *blob, void *buffer, int count, int offset) {
  bool is_known = blob->opened_at == work_changed && (uint64_t)offset + count <= blob->head;
  if (is_known) memcpy(buffer, blob->opened.ptr + HEAD + offset, count);
  return is_known;
}

/* Straight into the reader's memory. */
static int read_part(sqlite3_blob *blob, void *buffer, uint32_t count, uint32_t offset) {
  wit_bytes bytes;
  Work *work = work_on(WORK_READ, blob->handle);
  work_u32(work, offset);
  work_u32(work, count);
  call_destination = buffer;
  call_destination_bytes = count;
  int code = work_ask(work, &bytes);
  call_destination = NULL;
  if (code != SQLITE_OK) return code;
  return bytes.len == count ? SQLITE_OK : connection_fail(SQLITE_CORRUPT, NULL, 0);
}

int sqlite3_blob_read(sqlite3_blob *blob, void *buffer, int count, int offset) {
  if (!blob) return SQLITE_MISUSE;
  if (!is_inside(blob, count, offset)) return connection_fail(SQLITE_ERROR, NULL, 0);
  if (blob->is_lost) return SQLITE_ABORT;
  int code = connection_succeed();
  if (read_known(blob, buffer, count, offset)) return code;
  for (int done = 0; code == SQLITE_OK && done < count; done += MOST_BYTES) {
    int part = count - done < MOST_BYTES ? count - done : MOST_BYTES;
    code = read_part(blob, (char *)buffer + done, part, offset + done);
  }
  return code;
}

int sqlite3_blob_write(sqlite3_blob *blob, const void *bytes, int count, int offset) {
  if (!blob) return SQLITE_MISUSE;
  if (!is_inside(blob, count, offset)) return connection_fail(SQLITE_ERROR, NULL, 0);
  if (blob->is_lost) return SQLITE_ABORT;
  Work *work = work_on(WORK_WRITE, blob->handle);
  work_u32(work, offset);
  work_bytes(work, bytes, count);
  /* What cannot be is refused at once. */
  int code = blob->is_writable ? work_later(work) : work_do(work);
  return code == SQLITE_OK ? connection_succeed() : code;
}
