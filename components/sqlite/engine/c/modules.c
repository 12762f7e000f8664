/* Modules of the program. */
#include "tables.h"

Out method_begin(sqlite3 *db, uint8_t method, uint32_t number) {
  Out out = event_begin(db, EVENT_METHOD);
  out_u8(&out, method);
  out_u32(&out, number);
  return out;
}

int method_send(Out *out, Table *table, EventReply *reply) {
  event_send(out, reply);
  const char *message = reply->code ? in_text(&reply->in) : NULL;
  if (message) {
    sqlite3_free(table->base.zErrMsg);
    table->base.zErrMsg = sqlite3_mprintf("%s", message);
  }
  return reply->code;
}

int method_send_for_code(Out *out, Table *table) {
  EventReply reply;
  int code = method_send(out, table, &reply);
  reply_free(&reply);
  return code;
}

/* xShadowName has no parameter for the module, so each of these modules has a separate function.
** Any further modules have no shadow tables. */

#define EIGHT(X, a, b, c, d, e, f, g, h) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h)
#define SHADOWS(X) \
  EIGHT(X, 0, 1, 2, 3, 4, 5, 6, 7) \
  EIGHT(X, 8, 9, 10, 11, 12, 13, 14, 15) \
  EIGHT(X, 16, 17, 18, 19, 20, 21, 22, 23) \
  EIGHT(X, 24, 25, 26, 27, 28, 29, 30, 31)

enum { SHADOW_COUNT = 32 };

static Module *shadowed[SHADOW_COUNT];

static int is_shadow_name(const Module *module, const char *ending) {
  if (!module) return 0;
  Out out = method_begin(module->registered.db, METHOD_SHADOW_NAME, module->registered.number);
  out_text(&out, ending);
  return event_send_for_code(&out) == 1;
}

#define X(index) \
  static int shadow_##index(const char *ending) { return is_shadow_name(shadowed[index], ending); }
SHADOWS(X)
#undef X

static int (*const shadows[SHADOW_COUNT])(const char *) = {
#define X(index) shadow_##index,
    SHADOWS(X)
#undef X
};

static void set_shadow(Module *module) {
  for (int i = 0; i < SHADOW_COUNT; i++) {
    if (shadowed[i]) continue;
    shadowed[i] = module;
    module->methods.xShadowName = shadows[i];
    return;
  }
}

static void module_free(void *data) {
  for (int i = 0; i < SHADOW_COUNT; i++) {
    if (shadowed[i] == data) shadowed[i] = NULL;
  }
  registered_free(data);
}

/* Name, version, methods (u32, 0 for no module), id. */
void call_create_module(Call *call) {
  const char *name = in_text(&call->in);
  int version = (int)in_u32(&call->in);
  uint32_t bits = in_u32(&call->in), number = in_u32(&call->in);
  if (!bits) {
    call->code = sqlite3_create_module_v2(call->db, name, NULL, NULL, NULL);
    return;
  }
  Module *module = sqlite3_malloc(sizeof(*module));
  if (!module) {
    call->code = SQLITE_NOMEM;
    return;
  }
  memset(module, 0, sizeof(*module));
  module->registered = (Registered){number, call->db, false};
  module->methods.iVersion = version;
  set_methods(&module->methods, bits);
  if (bits & 1u << METHOD_SHADOW_NAME) set_shadow(module);
  call->code = sqlite3_create_module_v2(call->db, name, &module->methods, module, module_free);
}

void call_declare_vtab(Call *call) {
  call->code = sqlite3_declare_vtab(call->db, in_text(&call->in));
}

/* Option, value. */
void call_vtab_config(Call *call) {
  int option = (int)in_u32(&call->in);
  call->code = sqlite3_vtab_config(call->db, option, (int)in_u32(&call->in));
}

void call_vtab_on_conflict(Call *call) { call->code = sqlite3_vtab_on_conflict(call->db); }

/* Disconnect tables as sqlite3_close does before it looks for statements. */
void call_disconnect_tables(Call *call) {
  sqlite3_stmt *statement = NULL;
  sqlite3_prepare_v2(call->db, "SELECT 1", -1, &statement, NULL);
  if (statement) sqlite3_close(call->db);
  sqlite3_finalize(statement);
}
