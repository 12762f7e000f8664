/* Values from the program. */
#include "interface.h"

/* The type of the program's pointers inside the sandbox, as in src/sqlite/value.rs; each is a
** Registered. */
static const char pointer_type[] = "sqlite-wasm-pointer";

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
    case TAG_INTEGER: sqlite3_result_int64(context, (sqlite3_int64)in_u64(in)); break;
    case TAG_REAL: sqlite3_result_double(context, real_of(in_u64(in))); break;
    case TAG_TEXT:
      bytes = in_bytes(in, &count);
      sqlite3_result_text64(context, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
      break;
    case TAG_BLOB:
      bytes = in_bytes(in, &count);
      sqlite3_result_blob64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT);
      break;
    case TAG_ZEROS: sqlite3_result_zeroblob64(context, in_u64(in)); break;
    case TAG_POINTER: {
      Registered *pointer = registered_new(sqlite3_context_db_handle(context), in_u32(in));
      if (pointer) sqlite3_result_pointer(context, pointer, pointer_type, registered_free);
      else sqlite3_result_error_nomem(context);
      return;
    }
    default: sqlite3_result_null(context);
  }
  if (subtype) sqlite3_result_subtype(context, subtype);
}

int interface_bind_pointer(sqlite3_stmt *statement, int index, uint32_t number) {
  Registered *pointer = registered_new(sqlite3_db_handle(statement), number);
  if (!pointer) return SQLITE_NOMEM;
  return sqlite3_bind_pointer(statement, index, pointer, pointer_type, registered_free);
}
