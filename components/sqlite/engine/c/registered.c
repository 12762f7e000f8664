/* Functions and collations of the program. */
#include "interface.h"

static void put_arguments(Out *out, int count, sqlite3_value **arguments) {
  out_u32(out, (uint32_t)count);
  for (int i = 0; i < count; i++) put_value(out, arguments[i]);
}

/* Auxiliary data, which lives as long as SQLite keeps it; negative indexes are possible. */

#define FIRST_AUXILIARY (-2)

static void put_auxiliary(Out *out, sqlite3_context *context, int count) {
  size_t start = out->count;
  uint32_t found = 0;
  out_u32(out, 0);
  for (int i = FIRST_AUXILIARY; i < count; i++) {
    Registered *auxiliary = sqlite3_get_auxdata(context, i);
    if (!auxiliary) continue;
    out_u32(out, (uint32_t)i);
    out_u32(out, auxiliary->number);
    found++;
  }
  if (!out->is_short) memcpy(out->bytes + start, &found, 4);
}

static void set_auxiliary(sqlite3_context *context, Registered *function, In *in) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  for (uint32_t left = in_u32(in); left && !in->is_bad; left--) {
    int index = (int)in_u32(in);
    Registered *auxiliary = registered_new(db, in_u32(in));
    if (!auxiliary) return;
    function->has_auxiliary = true;
    sqlite3_set_auxdata(context, index, auxiliary, registered_free);
  }
}

void set_failure(sqlite3_context *context, int code, In *in) {
  uint32_t count;
  const char *message = (const char *)in_bytes(in, &count);
  if (message) sqlite3_result_error(context, message, (int)count);
  sqlite3_result_error_code(context, code);
}

void call_scalar(sqlite3_context *context, int count, sqlite3_value **arguments) {
  Registered *function = sqlite3_user_data(context);
  EventReply reply;
  Out out = event_begin(function->db, EVENT_SCALAR);
  out_u32(&out, function->number);
  put_arguments(&out, count, arguments);
  if (function->has_auxiliary) put_auxiliary(&out, context, count);
  else out_u32(&out, 0);
  event_send(&out, &reply);
  if (reply.code) {
    set_failure(context, reply.code, &reply.in);
  } else {
    set_result(context, &reply.in);
  }
  if (in_left(&reply.in) >= 4) set_auxiliary(context, function, &reply.in);
  reply_free(&reply);
}

static void step(uint8_t event, sqlite3_context *context, int count, sqlite3_value **arguments) {
  Registered *function = sqlite3_user_data(context);
  uint32_t *group = sqlite3_aggregate_context(context, sizeof(*group));
  EventReply reply;
  if (!group) {
    sqlite3_result_error_nomem(context);
    return;
  }
  Out out = event_begin(function->db, event);
  out_u32(&out, function->number);
  out_u32(&out, *group);
  put_arguments(&out, count, arguments);
  event_send(&out, &reply);
  *group = in_u32(&reply.in);
  if (reply.code) set_failure(context, reply.code, &reply.in);
  reply_free(&reply);
}

static void on_step(sqlite3_context *context, int count, sqlite3_value **arguments) {
  step(EVENT_AGGREGATE_STEP, context, count, arguments);
}

static void on_inverse(sqlite3_context *context, int count, sqlite3_value **arguments) {
  step(EVENT_AGGREGATE_INVERSE, context, count, arguments);
}

static void result(uint8_t event, sqlite3_context *context) {
  Registered *function = sqlite3_user_data(context);
  uint32_t *group = sqlite3_aggregate_context(context, 0);
  EventReply reply;
  Out out = event_begin(function->db, event);
  out_u32(&out, function->number);
  out_u32(&out, group ? *group : 0);
  event_send(&out, &reply);
  if (reply.code) set_failure(context, reply.code, &reply.in);
  else set_result(context, &reply.in);
  reply_free(&reply);
}

static void on_value(sqlite3_context *context) { result(EVENT_AGGREGATE_VALUE, context); }

static void on_final(sqlite3_context *context) { result(EVENT_AGGREGATE_FINAL, context); }

/* Name, count of arguments, flags, kind, id. */
void call_create_function(Call *call) {
  const char *name = in_text(&call->in);
  int arguments = (int)in_u32(&call->in), flags = (int)in_u32(&call->in);
  uint8_t kind = in_u8(&call->in);
  Registered *data = registered_new(call->db, in_u32(&call->in));
  if (!data) {
    call->code = SQLITE_NOMEM;
    return;
  }
  if (kind == KIND_NONE) {
    sqlite3_free(data);
    call->code = sqlite3_create_function_v2(call->db, name, arguments, flags, 0, 0, 0, 0, 0);
  } else if (kind == KIND_SCALAR) {
    call->code = sqlite3_create_function_v2(call->db, name, arguments, flags, data, call_scalar, 0,
                                            0, registered_free);
  } else if (kind == KIND_AGGREGATE) {
    call->code = sqlite3_create_function_v2(call->db, name, arguments, flags, data, 0, on_step,
                                            on_final, registered_free);
  } else {
    call->code = sqlite3_create_window_function(call->db, name, arguments, flags, data, on_step,
                                                on_final, on_value, on_inverse, registered_free);
  }
}

static int compare(void *data, int left_count, const void *left, int right_count,
                   const void *right) {
  Registered *collation = data;
  Out out = event_begin(collation->db, EVENT_COMPARE);
  out_u32(&out, collation->number);
  out_bytes(&out, left, (size_t)left_count);
  out_bytes(&out, right, (size_t)right_count);
  return event_send_for_code(&out);
}

/* Name, encoding, whether there is one, id. */
void call_create_collation(Call *call) {
  const char *name = in_text(&call->in);
  int encoding = (int)in_u32(&call->in);
  bool is_set = in_u8(&call->in);
  Registered *data = registered_new(call->db, in_u32(&call->in));
  if (!data) {
    call->code = SQLITE_NOMEM;
  } else if (!is_set) {
    sqlite3_free(data);
    call->code = sqlite3_create_collation_v2(call->db, name, encoding, 0, 0, 0);
  } else {
    call->code =
        sqlite3_create_collation_v2(call->db, name, encoding, data, compare, registered_free);
    /* SQLite does not call the destructor on failure. */
    if (call->code) sqlite3_free(data);
  }
}
