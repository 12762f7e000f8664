/* Connections: one or two lines for each function of SQLite. */
#include "interface.h"

void call_limit(Call *call) {
  int limit = (int)in_u32(&call->in);
  call->code = sqlite3_limit(call->db, limit, (int)in_u32(&call->in));
}

/* Option, value. Reply: the state. */
void call_db_config(Call *call) {
  int option = (int)in_u32(&call->in), state = 0;
  call->code = sqlite3_db_config(call->db, option, (int)in_u32(&call->in), &state);
  out_u32(&call->out, (uint32_t)state);
}

void call_db_status(Call *call) {
  int option = (int)in_u32(&call->in);
  sqlite3_int64 now = 0, highest = 0;
  call->code = sqlite3_db_status64(call->db, option, &now, &highest, (int)in_u32(&call->in));
  out_u64(&call->out, (uint64_t)now);
  out_u64(&call->out, (uint64_t)highest);
}

void call_checkpoint(Call *call) {
  const char *schema = in_text(&call->in);
  int mode = (int)in_u32(&call->in), frames = -1, done = -1;
  call->code = sqlite3_wal_checkpoint_v2(call->db, schema, mode, &frames, &done);
  out_u32(&call->out, (uint32_t)frames);
  out_u32(&call->out, (uint32_t)done);
}

void call_autocheckpoint(Call *call) {
  call->code = sqlite3_wal_autocheckpoint(call->db, (int)in_u32(&call->in));
}

/* Schema, operation, and its argument: an integer of 4 or 8 bytes, or a text. Reply: the argument
** after the operation. A text that SQLite returns is freed here. */
void call_file_control(Call *call) {
  const char *schema = in_text(&call->in);
  int operation = (int)in_u32(&call->in), number;
  sqlite3_int64 large;
  char *text = NULL;
  switch (in_u8(&call->in)) {
    case 4:
      number = (int)in_u32(&call->in);
      call->code = sqlite3_file_control(call->db, schema, operation, &number);
      out_u32(&call->out, (uint32_t)number);
      break;
    case 8:
      large = (sqlite3_int64)in_u64(&call->in);
      call->code = sqlite3_file_control(call->db, schema, operation, &large);
      out_u64(&call->out, (uint64_t)large);
      break;
    case 1:
      call->code = sqlite3_file_control(call->db, schema, operation, &text);
      out_text(&call->out, text);
      sqlite3_free(text);
      break;
    default: call->code = sqlite3_file_control(call->db, schema, operation, NULL);
  }
}

void call_cacheflush(Call *call) { call->code = sqlite3_db_cacheflush(call->db); }

void call_release_memory(Call *call) { call->code = sqlite3_db_release_memory(call->db); }

void call_serialize(Call *call) {
  const char *schema = in_text(&call->in);
  sqlite3_int64 size = 0;
  unsigned char *image = sqlite3_serialize(call->db, schema, &size, in_u32(&call->in));
  /* An empty database has no image, and 0 bytes. */
  if (size < 0) call->code = sqlite3_extended_errcode(call->db);
  else if (!image && size > 0) call->code = SQLITE_NOMEM;
  out_u64(&call->out, (uint64_t)size);
  out_optional(&call->out, image, image ? (size_t)size : 0);
  sqlite3_free(image);
}

/* Schema, content, size of the buffer, flags. */
void call_deserialize(Call *call) {
  const char *schema = in_text(&call->in);
  uint32_t count;
  const uint8_t *content = in_bytes(&call->in, &count);
  uint64_t room = in_u64(&call->in);
  uint32_t flags = in_u32(&call->in) | SQLITE_DESERIALIZE_FREEONCLOSE;
  if (!(flags & SQLITE_DESERIALIZE_RESIZEABLE) && room < count) room = count;
  unsigned char *copy =
      content ? sqlite3_malloc64(room > count ? room : (uint64_t)count + 1) : NULL;
  if (content && !copy) {
    call->code = SQLITE_NOMEM;
    return;
  }
  if (count) memcpy(copy, content, count);
  call->code = sqlite3_deserialize(call->db, schema, copy, count, (sqlite3_int64)room, flags);
}

void call_overload_function(Call *call) {
  const char *name = in_text(&call->in);
  call->code = sqlite3_overload_function(call->db, name, (int)in_u32(&call->in));
}

/* Count of names to keep, the names. */
void call_drop_modules(Call *call) {
  const char *keep[64];
  uint32_t count = in_u32(&call->in);
  if (count > 63) {
    call->in.is_bad = true;
    return;
  }
  for (uint32_t i = 0; i < count; i++) keep[i] = in_text(&call->in);
  keep[count] = NULL;
  call->code = sqlite3_drop_modules(call->db, count ? keep : NULL);
}

void call_system_errno(Call *call) { call->code = sqlite3_system_errno(call->db); }

void call_busy_timeout(Call *call) {
  call->code = sqlite3_busy_timeout(call->db, (int)in_u32(&call->in));
}

void call_interrupt(Call *call) { sqlite3_interrupt(call->db); }
