/* Writing and reading the bytes of operations and their replies, on both sides. */
#ifndef BYTES_H
#define BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sqlite3.h"
#include "wire.h"

/* Bytes to be written. If memory runs out, no more are added and `is_short` is set. `whole` counts
** the bytes before the last operation. */
typedef struct {
  uint8_t *bytes;
  size_t count, room, whole;
  bool is_short;
} Out;

/* Bytes to be read, which can be malformed. `is_bad` is set when they end too early. */
typedef struct {
  const uint8_t *at, *end;
  bool is_bad;
} In;

#define NO_TEXT 0xffffffffu

/* Resize the buffer of bytes, or free it if `size` is 0; null then, and without memory. */
#ifndef OUT_RESIZE
#define OUT_RESIZE(out, size) sqlite3_realloc64((out)->bytes, size)
#endif

static bool out_grow(Out *out, size_t count) {
  size_t room = 2 * out->room + count + 128;
  uint8_t *bytes = OUT_RESIZE(out, room);
  if (!bytes) {
    out->is_short = true;
    return false;
  }
  out->bytes = bytes;
  out->room = room;
  return true;
}

static inline void out_free(Out *out) {
  OUT_RESIZE(out, 0);
  memset(out, 0, sizeof(*out));
}

static inline uint8_t *out_room(Out *out, size_t count) {
  if (out->room - out->count < count && !out_grow(out, count)) return NULL;
  uint8_t *start = out->bytes + out->count;
  out->count += count;
  return start;
}

/* Empty the buffer, which keeps at most so much room. */
static inline void out_clear(Out *out, size_t most) {
  out->count = out->whole = 0;
  out->is_short = false;
  if (out->room <= most) return;
  uint8_t *smaller = OUT_RESIZE(out, most);
  if (!smaller) return;
  out->bytes = smaller;
  out->room = most;
}

/* Begin an operation. */
static inline void out_begin(Out *out) {
  if (!out->is_short) out->whole = out->count;
}

/* End an operation: without memory it is dropped as a whole, and this returns false. */
static inline bool out_end(Out *out) {
  if (!out->is_short) return true;
  out->count = out->whole;
  out->is_short = false;
  return false;
}

static inline void out_raw(Out *out, const void *bytes, size_t count) {
  uint8_t *start = out_room(out, count);
  if (start && count) memcpy(start, bytes, count);
}

static inline void out_u8(Out *out, uint8_t number) {
  uint8_t *start = out_room(out, 1);
  if (start) *start = number;
}

static inline void out_u32(Out *out, uint32_t number) { out_raw(out, &number, 4); }

static inline void out_u64(Out *out, uint64_t number) { out_raw(out, &number, 8); }

static inline void out_tagged(Out *out, uint8_t tag, uint64_t number) {
  uint8_t *start = out_room(out, 9);
  if (!start) return;
  *start = tag;
  memcpy(start + 1, &number, 8);
}

static inline void out_bytes(Out *out, const void *bytes, size_t count) {
  if (count >= NO_TEXT) {
    out->is_short = true;
    return;
  }
  uint8_t *start = out_room(out, count + 5);
  if (!start) return;
  uint32_t length = (uint32_t)count;
  memcpy(start, &length, 4);
  if (count) memcpy(start + 4, bytes, count);
  start[4 + count] = 0;
}

static inline void out_text(Out *out, const char *text) {
  if (text) out_bytes(out, text, strlen(text));
  else out_u32(out, NO_TEXT);
}

static inline void out_optional(Out *out, const void *bytes, size_t count) {
  if (bytes) out_bytes(out, bytes, count);
  else out_u32(out, NO_TEXT);
}

/* A value of one of SQLite's classes; text becomes UTF-8. */
static inline void out_value(Out *out, sqlite3_value *value) {
  double real;
  uint64_t bits;
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: out_tagged(out, TAG_INTEGER, (uint64_t)sqlite3_value_int64(value)); break;
    case SQLITE_FLOAT:
      real = sqlite3_value_double(value);
      memcpy(&bits, &real, 8);
      out_tagged(out, TAG_REAL, bits);
      break;
    case SQLITE_TEXT: {
      const unsigned char *text = sqlite3_value_text(value);
      if (!text) out->is_short = true;
      out_u8(out, TAG_TEXT);
      out_bytes(out, text, text ? (size_t)sqlite3_value_bytes(value) : 0);
      break;
    }
    case SQLITE_BLOB: {
      const void *blob = sqlite3_value_blob(value);
      size_t count = (size_t)sqlite3_value_bytes(value);
      if (!blob && count) out->is_short = true;
      out_u8(out, TAG_BLOB);
      out_bytes(out, blob, blob ? count : 0);
      break;
    }
    default: out_u8(out, TAG_NULL);
  }
}

static inline size_t in_left(const In *in) { return (size_t)(in->end - in->at); }

static inline const uint8_t *in_raw(In *in, size_t count) {
  if (in_left(in) < count) {
    in->is_bad = true;
    in->at = in->end;
    return NULL;
  }
  const uint8_t *start = in->at;
  in->at += count;
  return start;
}

static inline uint8_t in_u8(In *in) {
  const uint8_t *start = in_raw(in, 1);
  return start ? *start : 0;
}

static inline uint32_t in_u32(In *in) {
  uint32_t number = 0;
  const uint8_t *start = in_raw(in, 4);
  if (start) memcpy(&number, start, 4);
  return number;
}

static inline uint64_t in_u64(In *in) {
  uint64_t number = 0;
  const uint8_t *start = in_raw(in, 8);
  if (start) memcpy(&number, start, 8);
  return number;
}

/* Bytes followed by a zero byte; null for a null pointer and for malformed bytes. */
static inline const uint8_t *in_bytes(In *in, uint32_t *count) {
  uint32_t length = in_u32(in);
  *count = 0;
  if (in->is_bad || length == NO_TEXT) return NULL;
  const uint8_t *start = in_raw(in, (size_t)length + 1);
  if (!start) return NULL;
  if (start[length]) {
    in->is_bad = true;
    return NULL;
  }
  *count = length;
  return start;
}

static inline const char *in_text(In *in) {
  uint32_t count;
  return (const char *)in_bytes(in, &count);
}

#endif
