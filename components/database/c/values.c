/* Values in bytes. */
#include "interface.h"

/* The type of the program's pointers inside the sandbox; each is a Registered. */
static const char pointer_type[] = "sqlite-wasm-pointer";

static void put_plain(Out *out, const PlainValue *plain) {
  switch (plain->type) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT: {
      uint64_t bits;
      memcpy(&bits, &plain->is, 8);
      out_tagged(out, plain->type == SQLITE_INTEGER ? TAG_INTEGER : TAG_REAL, bits);
      break;
    }
    case SQLITE_NULL:
      out_u8(out, TAG_NULL);
      break;
    default:
      out_u8(out, plain->type == SQLITE_TEXT ? TAG_TEXT : TAG_BLOB);
      out_bytes(out, plain->is.bytes, plain->count);
  }
}

void put_value(Out *out, sqlite3_value *value) {
  PlainValue plain;
  if (!value) {
    out_u8(out, TAG_MISSING);
    return;
  }
  if (engine_plain_value(value, &plain)) {
    put_plain(out, &plain);
    return;
  }
  unsigned subtype = sqlite3_value_subtype(value);
  double real;
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      if (subtype) out_raw(out, (uint8_t[]){TAG_SUBTYPE, (uint8_t)subtype}, 2);
      out_tagged(out, TAG_INTEGER, (uint64_t)sqlite3_value_int64(value));
      break;
    case SQLITE_FLOAT: {
      uint64_t bits;
      real = sqlite3_value_double(value);
      memcpy(&bits, &real, 8);
      if (subtype) out_raw(out, (uint8_t[]){TAG_SUBTYPE, (uint8_t)subtype}, 2);
      out_tagged(out, TAG_REAL, bits);
      break;
    }
    case SQLITE_TEXT: {
      const unsigned char *text = sqlite3_value_text(value);
      if (subtype) out_raw(out, (uint8_t[]){TAG_SUBTYPE, (uint8_t)subtype}, 2);
      out_u8(out, TAG_TEXT);
      out_bytes(out, text, text ? sqlite3_value_bytes(value) : 0);
      if (!text) out->is_short = true;
      break;
    }
    case SQLITE_BLOB: {
      const void *blob = sqlite3_value_blob(value);
      if (subtype) out_raw(out, (uint8_t[]){TAG_SUBTYPE, (uint8_t)subtype}, 2);
      out_u8(out, TAG_BLOB);
      out_bytes(out, blob, sqlite3_value_bytes(value));
      break;
    }
    default: {
      Registered *pointer = sqlite3_value_pointer(value, pointer_type);
      if (pointer) {
        out_u8(out, TAG_POINTER);
        out_u32(out, pointer->number);
      } else {
        if (subtype && subtype != 'p') out_raw(out, (uint8_t[]){TAG_SUBTYPE, (uint8_t)subtype}, 2);
        out_u8(out, TAG_NULL);
      }
    }
  }
}

static double real_of(uint64_t bits) {
  double real;
  memcpy(&real, &bits, 8);
  return real;
}

void set_result(sqlite3_context *context, In *in) {
  uint32_t count;
  const void *bytes;
  uint8_t subtype = 0, tag = in_u8(in);
  if (tag == TAG_SUBTYPE) {
    subtype = in_u8(in);
    tag = in_u8(in);
  }
  switch (tag) {
    case TAG_INTEGER:
      sqlite3_result_int64(context, (sqlite3_int64)in_u64(in));
      break;
    case TAG_REAL:
      sqlite3_result_double(context, real_of(in_u64(in)));
      break;
    case TAG_TEXT:
      bytes = in_bytes(in, &count);
      sqlite3_result_text64(context, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
      break;
    case TAG_BLOB:
      bytes = in_bytes(in, &count);
      sqlite3_result_blob64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT);
      break;
    case TAG_ZEROS:
      sqlite3_result_zeroblob64(context, in_u64(in));
      break;
    case TAG_POINTER: {
      Registered *pointer = registered_new(sqlite3_context_db_handle(context), in_u32(in));
      if (pointer) sqlite3_result_pointer(context, pointer, pointer_type, registered_free);
      else sqlite3_result_error_nomem(context);
      return;
    }
    default:
      sqlite3_result_null(context);
  }
  if (subtype) sqlite3_result_subtype(context, subtype);
}

int bind_value(sqlite3_stmt *statement, int index, In *in) {
  uint32_t count;
  const void *bytes;
  switch (in_u8(in)) {
    case TAG_INTEGER:
      return sqlite3_bind_int64(statement, index, (sqlite3_int64)in_u64(in));
    case TAG_REAL:
      return sqlite3_bind_double(statement, index, real_of(in_u64(in)));
    case TAG_TEXT:
      bytes = in_bytes(in, &count);
      return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
    case TAG_BLOB:
      bytes = in_bytes(in, &count);
      return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
    case TAG_ZEROS:
      return sqlite3_bind_zeroblob64(statement, index, in_u64(in));
    case TAG_POINTER: {
      Registered *pointer = registered_new(sqlite3_db_handle(statement), in_u32(in));
      if (!pointer) return SQLITE_NOMEM;
      return sqlite3_bind_pointer(statement, index, pointer, pointer_type, registered_free);
    }
    default:
      return sqlite3_bind_null(statement, index);
  }
}
