/* Incremental blobs, on the connection that called the extension. */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "prefetch.h"

/* The most bytes that one request reads. Copies of this size stay in the
** processor's cache on their way through the host; a request costs less than a
** tenth of such a copy. */
#define MAX_READ_BYTES (256 << 10)

struct sqlite3_blob {
  sqlite3_blob *next;
  uint32_t handle, size;
  bool is_writable;
  /* It was moved to a row that does not exist. */
  bool is_lost;
  /* It stays open after the call that opened it. */
  bool is_kept;
  /* The reply to its opening, with the content of a small blob. It is valid until
  ** the next operation. Without it an insertion into vec0 takes a seventh longer:
  ** vec0 reads a small bitmap for each row. */
  wit_bytes reply;
  uint32_t content_bytes;
  uint64_t opened_at;
};

static sqlite3_blob *all_blobs;

/* Handle, size and length precede the content. */
#define CONTENT_OFFSET 12

/* Send the request that opens or moves a blob. */
static int request(sqlite3_blob *blob, Work *work) {
  if (blob->reply.len) free(blob->reply.ptr);
  blob->reply.len = 0;
  int code = work_request(work, &blob->reply);
  if (code != SQLITE_OK) {
    blob->reply.len = 0;
    return code;
  }
  const uint8_t *at = blob->reply.ptr;
  blob->handle = work_take_u32(&at) - 1;
  blob->size = work_take_u32(&at);
  blob->content_bytes = work_take_u32(&at);
  blob->opened_at = work_operations;
  return connection_succeed();
}

static int open_blob(sqlite3_blob *blob, const Location *wanted) {
  OpenBlob found;
  if (prefetch_take(wanted, &found)) {
    blob->handle = found.handle;
    blob->size = found.size;
    return connection_succeed();
  }
  prefetch_drop();
  Work *work = work_of(WORK_OPEN_BLOBS);
  prefetch_put(work, wanted);
  int code = request(blob, work);
  if (code != SQLITE_OK) {
    prefetch_forget();
    return code;
  }
  const uint8_t *content = blob->reply.ptr + CONTENT_OFFSET;
  prefetch_read(content + blob->content_bytes + 1, blob->reply.ptr + blob->reply.len);
  return code;
}

int sqlite3_blob_open(sqlite3 *db, const char *schema, const char *table, const char *column,
                      sqlite3_int64 row_id, int flags, sqlite3_blob **opened) {
  (void)db;
  *opened = NULL;
  if (!table || !column || !work_has_sql()) return SQLITE_MISUSE;
  sqlite3_blob *blob = calloc(1, sizeof(*blob));
  if (!blob) return connection_fail(SQLITE_NOMEM, NULL, 0);
  blob->is_writable = flags != 0;
  static Work wanted;
  wanted.count = 0;
  work_text(&wanted, schema ? schema : "main");
  work_text(&wanted, table);
  work_text(&wanted, column);
  int code = open_blob(blob, &(Location){&wanted, row_id, blob->is_writable});
  if (code != SQLITE_OK) {
    free(blob);
    return code;
  }
  blob->next = all_blobs;
  all_blobs = blob;
  *opened = blob;
  return SQLITE_OK;
}

/* At the end of a call: the host closes blobs then, but for those that the extension
** still has open. */
void blobs_keep(void) {
  for (sqlite3_blob *blob = all_blobs; blob; blob = blob->next) {
    if (!blob->is_kept) work_defer(work_on(WORK_KEEP, blob->handle));
    blob->is_kept = true;
  }
}

int sqlite3_blob_reopen(sqlite3_blob *blob, sqlite3_int64 row_id) {
  if (!blob) return SQLITE_MISUSE;
  if (blob->is_lost) return SQLITE_ABORT;
  Work *work = work_on(WORK_REOPEN_BLOB, blob->handle);
  work_u64(work, row_id);
  int code = request(blob, work);
  blob->is_lost = code != SQLITE_OK;
  return code;
}

int sqlite3_blob_bytes(sqlite3_blob *blob) { return blob && !blob->is_lost ? blob->size : 0; }

int sqlite3_blob_close(sqlite3_blob *blob) {
  if (!blob) return SQLITE_OK;
  if (blob->is_kept) {
    work_defer(work_on(WORK_CLOSE, blob->handle));
  } else {
    work_close_later(blob->handle);
  }
  sqlite3_blob **link = &all_blobs;
  while (*link != blob) link = &(*link)->next;
  *link = blob->next;
  if (blob->reply.len) free(blob->reply.ptr);
  free(blob);
  return SQLITE_OK;
}

static bool is_in_range(const sqlite3_blob *blob, int count, int offset) {
  return count >= 0 && offset >= 0 && (uint64_t)offset + (uint64_t)count <= blob->size;
}

/* Read from the reply to the opening; false where that does not have the bytes. */
static bool read_reply(const sqlite3_blob *blob, void *buffer, int count, int offset) {
  bool is_there = blob->opened_at == work_operations &&
                  (uint64_t)offset + count <= blob->content_bytes;
  if (is_there) memcpy(buffer, blob->reply.ptr + CONTENT_OFFSET + offset, count);
  return is_there;
}

/* The host writes into the caller's buffer. */
static int read_part(sqlite3_blob *blob, void *buffer, uint32_t count, uint32_t offset) {
  wit_bytes bytes;
  Work *work = work_on(WORK_READ, blob->handle);
  work_u32(work, offset);
  work_u32(work, count);
  call_destination = buffer;
  call_destination_bytes = count;
  int code = work_request(work, &bytes);
  call_destination = NULL;
  if (code != SQLITE_OK) return code;
  return bytes.len == count ? SQLITE_OK : connection_fail(SQLITE_CORRUPT, NULL, 0);
}

int sqlite3_blob_read(sqlite3_blob *blob, void *buffer, int count, int offset) {
  if (!blob) return SQLITE_MISUSE;
  if (!is_in_range(blob, count, offset)) return connection_fail(SQLITE_ERROR, NULL, 0);
  if (blob->is_lost) return SQLITE_ABORT;
  int code = connection_succeed();
  if (read_reply(blob, buffer, count, offset)) return code;
  for (int done = 0; code == SQLITE_OK && done < count; done += MAX_READ_BYTES) {
    int part = count - done < MAX_READ_BYTES ? count - done : MAX_READ_BYTES;
    code = read_part(blob, (char *)buffer + done, part, offset + done);
  }
  return code;
}

int sqlite3_blob_write(sqlite3_blob *blob, const void *bytes, int count, int offset) {
  if (!blob) return SQLITE_MISUSE;
  if (!is_in_range(blob, count, offset)) return connection_fail(SQLITE_ERROR, NULL, 0);
  if (blob->is_lost) return SQLITE_ABORT;
  Work *work = work_on(WORK_WRITE, blob->handle);
  work_u32(work, offset);
  work_bytes(work, bytes, count);
  /* A write to a read-only blob fails at once. */
  int code = blob->is_writable ? work_defer(work) : work_run(work);
  return code == SQLITE_OK ? connection_succeed() : code;
}
