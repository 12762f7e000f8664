/* Encodes and sends operations, and decodes replies; see work.h. */
#include "work.h"

#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "start.h"

/* Deferred operations are sent when they have more bytes. */
#define MAX_DEFERRED_BYTES (1 << 20)

/* A larger buffer is freed after use. */
#define MAX_REUSED_BYTES (64 << 10)

uint64_t work_requests, work_operations;

/* Operations that wait for the next request. */
static Work deferred;

/* Some of them cannot wait until after the call. */
static bool is_due;

static uint8_t *room_for(Work *work, size_t count) {
  if (work->room - work->count < count) {
    work->room = 2 * work->room + count + 64;
    work->bytes = realloc(work->bytes, work->room);
    if (!work->bytes) abort();
  }
  uint8_t *start = work->bytes + work->count;
  work->count += count;
  return start;
}

static void add(Work *work, const void *bytes, size_t count) {
  uint8_t *start = room_for(work, count);
  if (count) memcpy(start, bytes, count);
}

void work_u8(Work *work, uint8_t number) { *room_for(work, 1) = number; }

/* WebAssembly is little-endian. */
void work_u32(Work *work, uint32_t number) { add(work, &number, sizeof(number)); }

void work_u64(Work *work, uint64_t number) { add(work, &number, sizeof(number)); }

void work_bytes(Work *work, const void *bytes, size_t count) {
  work_u32(work, count);
  add(work, bytes, count);
  work_u8(work, 0);
}

void work_raw(Work *work, const void *bytes, size_t count) { add(work, bytes, count); }

void work_text(Work *work, const char *text) { work_bytes(work, text, strlen(text)); }

void work_value(Work *work, const wit_value *value) {
  work_u8(work, value->tag);
  switch (value->tag) {
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_NULL:
      break;
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER:
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_REAL:
      add(work, &value->val, sizeof(uint64_t));
      break;
    default:
      work_bytes(work, value->val.blob.ptr, value->val.blob.len);
  }
}

void work_optional_text(Work *work, const char *text) {
  work_u8(work, text ? SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT
                     : SQLITE_WASM_EXTENSION_TYPES_VALUE_NULL);
  if (text) work_text(work, text);
}

void work_free(Work *work) {
  free(work->bytes);
  memset(work, 0, sizeof(*work));
}

Work *work_of(uint8_t code) {
  static Work single;
  single.count = 0;
  work_u8(&single, code);
  return &single;
}

Work *work_on(uint8_t code, uint32_t handle) {
  Work *work = work_of(code);
  work_u32(work, handle);
  return work;
}

static void clear(Work *work) {
  work->count = 0;
  if (work->room > MAX_REUSED_BYTES) work_free(work);
}

static int failed(wit_error *error) {
  int code = connection_fail(error->code, (const char *)error->message.ptr, error->message.len);
  /* A short message may be in the buffer for the reply. */
  if (error->message.len && error->message.ptr != call_destination) free(error->message.ptr);
  return code;
}

static bool send(Work *work, wit_bytes *reply, wit_error *error) {
  full_extension_list_u8_t operations = {work->bytes, work->count};
  bool is_done = sqlite_wasm_extension_sql_work_perform(&operations, reply, error);
  clear(work);
  return is_done;
}

/* The operations with the deferred ones before them. */
static Work *after_deferred(Work *work) {
  is_due = false;
  if (!deferred.count || work == &deferred) return work;
  add(&deferred, work->bytes, work->count);
  clear(work);
  return &deferred;
}

int work_request(Work *work, wit_bytes *reply) {
  wit_error error;
  if (prefetch_drop) prefetch_drop();
  work_requests++;
  work_operations++;
  return send(after_deferred(work), reply, &error) ? SQLITE_OK : failed(&error);
}

int work_run(Work *work) {
  wit_bytes reply;
  int code = work_request(work, &reply);
  if (code == SQLITE_OK && reply.len) free(reply.ptr);
  return code;
}

int work_defer(Work *work) {
  if (!deferred.count) {
    Work empty = deferred;
    deferred = *work;
    *work = empty;
  } else {
    add(&deferred, work->bytes, work->count);
    clear(work);
  }
  work_operations++;
  is_due = true;
  return deferred.count > MAX_DEFERRED_BYTES ? work_run(&deferred) : SQLITE_OK;
}

void work_close_later(uint32_t handle) {
  static Work closed;
  bool was_due = is_due;
  work_u8(&closed, WORK_CLOSE);
  work_u32(&closed, handle);
  work_defer(&closed);
  is_due = was_due;
}

void work_flush(void) {
  if (prefetch_drop) prefetch_drop();
  if (blobs_keep) blobs_keep();
  if (!deferred.count || !is_due) return;
  full_extension_list_u8_t operations = {deferred.bytes, deferred.count};
  wit_error error;
  bool is_taken = sqlite_wasm_extension_sql_work_perform_later(&operations, &error);
  clear(&deferred);
  is_due = false;
  if (!is_taken) failed(&error);
}

bool work_has_sql(void) {
  if (start_has_sql) return true;
  /* The entry point runs again on a connection. */
  start_wanted_sql = true;
  connection_fail(SQLITE_MISUSE, "no SQL while an extension is described", 38);
  return false;
}

bool sql_register(uint32_t id, wit_error *error) {
  sqlite_wasm_extension_types_function_t described;
  function_describe(function_at(id), &described);
  return sqlite_wasm_extension_sql_work_register_function(id, &described, error);
}

uint8_t work_take_u8(const uint8_t **at) { return *(*at)++; }

uint32_t work_take_u32(const uint8_t **at) {
  uint32_t number;
  memcpy(&number, *at, sizeof(number));
  *at += sizeof(number);
  return number;
}

uint64_t work_take_u64(const uint8_t **at) {
  uint64_t number;
  memcpy(&number, *at, sizeof(number));
  *at += sizeof(number);
  return number;
}

const char *work_take_text(const uint8_t **at) {
  uint32_t length = work_take_u32(at);
  const char *text = (const char *)*at;
  *at += length + 1;
  return text;
}

const char *work_take_optional_text(const uint8_t **at) {
  return work_take_u8(at) == SQLITE_WASM_EXTENSION_TYPES_VALUE_NULL ? NULL : work_take_text(at);
}

void work_take_value(const uint8_t **at, wit_value *value) {
  uint64_t number;
  value->tag = work_take_u8(at);
  switch (value->tag) {
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_NULL:
      break;
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER:
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_REAL:
      number = work_take_u64(at);
      memcpy(&value->val, &number, sizeof(number));
      break;
    default:
      value->val.blob.len = work_take_u32(at);
      value->val.blob.ptr = (uint8_t *)*at;
      *at += value->val.blob.len + 1;
  }
}
