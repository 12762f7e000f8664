/* Incremental blobs, on the connection that called the extension. */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "start.h"

/* Most bytes read at once: copies of this size stay in the processor's cache on
** their way through the host, and a crossing costs less than a tenth of one. */
#define MOST_BYTES (256 << 10)

struct sqlite3_blob {
  sqlite_wasm_extension_sql_own_blob_t handle;
  uint32_t size;
  /* It went to another row, and there was none. */
  bool is_lost;
};

#define BORROWED(blob) sqlite_wasm_extension_sql_borrow_blob((blob)->handle)

static int failed(wit_error *error) {
  int code = inside_failed(error->code, (const char *)error->message.ptr, error->message.len);
  if (error->message.len) free(error->message.ptr);
  return code;
}

int sqlite3_blob_open(sqlite3 *db, const char *schema, const char *table, const char *column,
                      sqlite3_int64 row_id, int flags, sqlite3_blob **given) {
  (void)db;
  *given = NULL;
  if (!schema) schema = "main";
  if (!start_has_sql || !table || !column) return SQLITE_MISUSE;
  wit_string names[] = {{(uint8_t *)schema, strlen(schema)},
                        {(uint8_t *)table, strlen(table)},
                        {(uint8_t *)column, strlen(column)}};
  wit_error error;
  sqlite3_blob *blob = calloc(1, sizeof(*blob));
  if (!blob) return inside_failed(SQLITE_NOMEM, NULL, 0);
  if (!sqlite_wasm_extension_sql_open_blob(&names[0], &names[1], &names[2], row_id, flags != 0,
                                           &blob->handle, &error)) {
    free(blob);
    return failed(&error);
  }
  blob->size = sqlite_wasm_extension_sql_method_blob_size(BORROWED(blob));
  *given = blob;
  return inside_succeeded();
}

int sqlite3_blob_reopen(sqlite3_blob *blob, sqlite3_int64 row_id) {
  wit_error error;
  if (!blob) return SQLITE_MISUSE;
  if (blob->is_lost) return SQLITE_ABORT;
  if (!sqlite_wasm_extension_sql_method_blob_reopen(BORROWED(blob), row_id, &error)) {
    blob->is_lost = true;
    return failed(&error);
  }
  blob->size = sqlite_wasm_extension_sql_method_blob_size(BORROWED(blob));
  return inside_succeeded();
}

int sqlite3_blob_bytes(sqlite3_blob *blob) { return blob && !blob->is_lost ? blob->size : 0; }

int sqlite3_blob_close(sqlite3_blob *blob) {
  if (!blob) return SQLITE_OK;
  sqlite_wasm_extension_sql_blob_drop_own(blob->handle);
  free(blob);
  return SQLITE_OK;
}

static bool is_inside(const sqlite3_blob *blob, int count, int offset) {
  return count >= 0 && offset >= 0 && (uint64_t)offset + (uint64_t)count <= blob->size;
}

/* Straight into the reader's memory. */
static int read_part(sqlite3_blob *blob, void *buffer, uint32_t count, uint32_t offset) {
  wit_error error;
  wit_bytes bytes;
  call_destination = buffer;
  call_destination_bytes = count;
  bool is_read = sqlite_wasm_extension_sql_method_blob_read(BORROWED(blob), offset, count, &bytes,
                                                            &error);
  call_destination = NULL;
  if (is_read) return bytes.len == count ? SQLITE_OK : inside_failed(SQLITE_CORRUPT, NULL, 0);
  /* The message went to the same memory when it is no longer than that. */
  if (error.message.ptr != buffer) return failed(&error);
  return inside_failed(error.code, buffer, error.message.len);
}

int sqlite3_blob_read(sqlite3_blob *blob, void *buffer, int count, int offset) {
  if (!blob) return SQLITE_MISUSE;
  if (!is_inside(blob, count, offset)) return inside_failed(SQLITE_ERROR, NULL, 0);
  if (blob->is_lost) return SQLITE_ABORT;
  int code = inside_succeeded();
  for (int done = 0; code == SQLITE_OK && done < count; done += MOST_BYTES) {
    int part = count - done < MOST_BYTES ? count - done : MOST_BYTES;
    code = read_part(blob, (char *)buffer + done, part, offset + done);
  }
  return code;
}

int sqlite3_blob_write(sqlite3_blob *blob, const void *bytes, int count, int offset) {
  wit_error error;
  if (!blob) return SQLITE_MISUSE;
  if (!is_inside(blob, count, offset)) return inside_failed(SQLITE_ERROR, NULL, 0);
  if (blob->is_lost) return SQLITE_ABORT;
  wit_bytes data = {(uint8_t *)bytes, count};
  if (!sqlite_wasm_extension_sql_method_blob_write(BORROWED(blob), offset, &data, &error)) {
    return failed(&error);
  }
  return inside_succeeded();
}
