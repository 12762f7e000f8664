/* Incremental blobs, on the connection that called the extension. */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "start.h"
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
  uint64_t opened_at;
};

/* Handle and size, in front of the beginning. */
#define HEAD 8

static int opened(sqlite3_blob *blob, Work *work) {
  if (blob->opened.len) free(blob->opened.ptr);
  blob->opened.len = 0;
  int code = work_ask(work, &blob->opened);
  if (code != SQLITE_OK) {
    blob->opened.len = 0;
    return code;
  }
  const uint8_t *at = blob->opened.ptr;
  blob->handle = work_take_u32(&at);
  blob->size = work_take_u32(&at);
  blob->opened_at = work_asked;
  return inside_succeeded();
}

int sqlite3_blob_open(sqlite3 *db, const char *schema, const char *table, const char *column,
                      sqlite3_int64 row_id, int flags, sqlite3_blob **given) {
  (void)db;
  *given = NULL;
  if (!start_has_sql || !table || !column) return SQLITE_MISUSE;
  sqlite3_blob *blob = calloc(1, sizeof(*blob));
  if (!blob) return inside_failed(SQLITE_NOMEM, NULL, 0);
  blob->is_writable = flags != 0;
  Work *work = work_of(WORK_OPEN_BLOB);
  work_u8(work, blob->is_writable);
  work_u64(work, row_id);
  work_text(work, schema ? schema : "main");
  work_text(work, table);
  work_text(work, column);
  int code = opened(blob, work);
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
  int code = opened(blob, work);
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
  bool is_known = blob->opened_at == work_asked && HEAD + offset + count <= blob->opened.len;
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
  return bytes.len == count ? SQLITE_OK : inside_failed(SQLITE_CORRUPT, NULL, 0);
}

int sqlite3_blob_read(sqlite3_blob *blob, void *buffer, int count, int offset) {
  if (!blob) return SQLITE_MISUSE;
  if (!is_inside(blob, count, offset)) return inside_failed(SQLITE_ERROR, NULL, 0);
  if (blob->is_lost) return SQLITE_ABORT;
  int code = inside_succeeded();
  if (read_known(blob, buffer, count, offset)) return code;
  for (int done = 0; code == SQLITE_OK && done < count; done += MOST_BYTES) {
    int part = count - done < MOST_BYTES ? count - done : MOST_BYTES;
    code = read_part(blob, (char *)buffer + done, part, offset + done);
  }
  return code;
}

int sqlite3_blob_write(sqlite3_blob *blob, const void *bytes, int count, int offset) {
  if (!blob) return SQLITE_MISUSE;
  if (!is_inside(blob, count, offset)) return inside_failed(SQLITE_ERROR, NULL, 0);
  if (blob->is_lost) return SQLITE_ABORT;
  Work *work = work_on(WORK_WRITE, blob->handle);
  work_u32(work, offset);
  work_bytes(work, bytes, count);
  /* What cannot be is refused at once. */
  int code = blob->is_writable ? work_later(work) : work_do(work);
  return code == SQLITE_OK ? inside_succeeded() : code;
}
