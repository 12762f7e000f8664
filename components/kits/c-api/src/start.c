/* Runs the entry point, and describes to the host what it registered. */
#include "start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "unsupported.h"

bool start_has_sql;
bool start_wanted_sql;

static bool is_started;
/* Functions that the host knows: by the manifest, or by `sql_register`. */
static uint32_t reported;

/* The host shows the last line that an extension prints. */
static _Noreturn void refuse(const char *why, const char *what) {
  fprintf(stderr, "%s%s\n", why, what);
  exit(1);
}

static void refuse_unsupported(void) {
  for (const Unsupported *routine = unsupported_routines(); routine->name; routine++) {
    if (routine->is_linked) {
      refuse(routine->name, ": extensions are not offered this function of SQLite");
    }
  }
}

static int run(char **error) {
  const Definition *definition = sqlite_wasm_definition();
  sqlite3 *connection = connection_handle();
  connection_set_idle();
  int code = definition->start(connection, error, definition->routines);
  registry_update();
  return code == SQLITE_OK_LOAD_PERMANENTLY ? SQLITE_OK : code;
}

static uint32_t count_functions(void) {
  uint32_t count = 0;
  while (function_at(count)) count++;
  return count;
}

void start_extension(void) {
  if (is_started) return;
  is_started = true;
  refuse_unsupported();
  char *error = NULL;
  int code = run(&error);
  /* An entry point that needs SQL runs again on a connection. */
  if (code != SQLITE_OK && !start_wanted_sql) {
    refuse("its entry point failed: ", error ? error : sqlite3_errstr(code));
  }
  sqlite3_free(error);
  reported = count_functions();
  start_has_sql = true;
}

/* Report functions that the manifest does not have. */
static bool report_new(wit_error *error) {
  for (; function_at(reported); reported++) {
    if (function_is_overload(function_at(reported))) continue;
    if (!sql_register) {
      return call_fails(error, SQLITE_MISUSE, "a function was registered after the start");
    }
    if (!sql_register(reported, error)) return false;
  }
  return true;
}

int start_registered(int code) {
  if (code != SQLITE_OK || !start_has_sql) return code;
  registry_update();
  wit_error error;
  if (report_new(&error)) return SQLITE_OK;
  return connection_fail(error.code, (const char *)error.message.ptr, error.message.len);
}

bool exports_sqlite_wasm_extension_extension_connect(wit_error *error) {
  call_begin();
  if (!start_wanted_sql) return true;
  char *why = NULL;
  int code = run(&why);
  if (code != SQLITE_OK) {
    return call_fails(error, code, why ? why : sqlite3_errmsg(connection_handle()));
  }
  sqlite3_free(why);
  return report_new(error);
}

void exports_sqlite_wasm_extension_extension_disconnect(void) {
  call_begin();
  /* The host closes the connection and drops this instance. */
  start_has_sql = false;
  connection_close();
}

/* The manifest. */

static void describe_functions(sqlite_wasm_extension_types_list_function_t *list) {
  list->len = reported;
  list->ptr = call_room(reported * sizeof(*list->ptr));
  for (uint32_t i = 0; i < reported; i++) {
    function_describe(function_at(i), &list->ptr[i]);
    list->ptr[i].flags |= SQLITE_WASM_EXTENSION_TYPES_FUNCTION_FLAGS_POINTERS;
    /* SQLite passes subtypes to every function, whatever its flags. */
    if (sqlite3_value_subtype) {
      list->ptr[i].flags |= SQLITE_WASM_EXTENSION_TYPES_FUNCTION_FLAGS_ARGUMENT_SUBTYPES;
    }
  }
}

static void describe_collations(sqlite_wasm_extension_types_list_collation_t *list) {
  list->len = 0;
  while (collation_at(list->len)) list->len++;
  list->ptr = call_room(list->len * sizeof(*list->ptr));
  for (uint32_t i = 0; i < list->len; i++) {
    collation_describe(collation_at(i), &list->ptr[i]);
  }
}

static uint8_t module_kind(const sqlite3_module *methods) {
  if (!methods->xCreate) return SQLITE_WASM_EXTENSION_TYPES_MODULE_KIND_EPONYMOUS_ONLY;
  return methods->xCreate == methods->xConnect ? SQLITE_WASM_EXTENSION_TYPES_MODULE_KIND_EPONYMOUS
                                               : SQLITE_WASM_EXTENSION_TYPES_MODULE_KIND_CREATED;
}

static uint16_t module_flags(const sqlite3_module *methods) {
  uint16_t flags = 0;
  if (methods->xUpdate) flags |= SQLITE_WASM_EXTENSION_TYPES_MODULE_FLAGS_WRITABLE;
  /* An extension that calls it can handle unchanged columns. */
  if (sqlite3_vtab_nochange) flags |= SQLITE_WASM_EXTENSION_TYPES_MODULE_FLAGS_UNCHANGED_COLUMNS;
  if (methods->xBegin) flags |= SQLITE_WASM_EXTENSION_TYPES_MODULE_FLAGS_TRANSACTIONS;
  if (methods->xRename) flags |= SQLITE_WASM_EXTENSION_TYPES_MODULE_FLAGS_RENAME;
  if (methods->xFindFunction) flags |= SQLITE_WASM_EXTENSION_TYPES_MODULE_FLAGS_OVERLOADS;
  if (methods->iVersion >= 2 && methods->xSavepoint) {
    flags |= SQLITE_WASM_EXTENSION_TYPES_MODULE_FLAGS_SAVEPOINTS;
  }
  if (methods->iVersion >= 4 && methods->xIntegrity) {
    flags |= SQLITE_WASM_EXTENSION_TYPES_MODULE_FLAGS_INTEGRITY;
  }
  return flags;
}

/* Limits of the search for shadow names. */
#define MAX_SHADOW_NAMES 256
#define MAX_SHADOW_NAME 64

extern const char __global_base[], __data_end[];

static size_t name_length(const char *text) {
  size_t length = 0;
  while (text + length < __data_end && length <= MAX_SHADOW_NAME &&
         (text[length] == '_' || (text[length] >= '0' && text[length] <= '9') ||
          (text[length] >= 'a' && text[length] <= 'z') ||
          (text[length] >= 'A' && text[length] <= 'Z'))) {
    length++;
  }
  return length;
}

static bool has_name(const full_extension_list_string_t *names, const char *name) {
  for (size_t i = 0; i < names->len; i++) {
    if (strcmp((const char *)names->ptr[i].ptr, name) == 0) return true;
  }
  return false;
}

/* xShadowName checks one name, and the manifest lists all of them. The module
** compares the name with its own constants, so this tries every text in the
** component's data. It tries the ends of texts too, since the linker merges a
** text with the end of another one. */
static void find_shadow_names(const sqlite3_module *methods, full_extension_list_string_t *names) {
  names->len = 0;
  names->ptr = call_room(MAX_SHADOW_NAMES * sizeof(*names->ptr));
  if (methods->iVersion < 3 || !methods->xShadowName) return;
  for (const char *text = __global_base; text < __data_end; text++) {
    size_t length = name_length(text);
    if (length && length <= MAX_SHADOW_NAME && text + length < __data_end && !text[length] &&
        names->len < MAX_SHADOW_NAMES && methods->xShadowName(text) && !has_name(names, text)) {
      full_extension_string_set(&names->ptr[names->len++], text);
    }
  }
}

static void describe_modules(sqlite_wasm_extension_types_list_module_t *list) {
  list->len = 0;
  while (module_name(list->len)) list->len++;
  list->ptr = call_room(list->len * sizeof(*list->ptr));
  for (uint32_t i = 0; i < list->len; i++) {
    Module *module = module_hold(i);
    const sqlite3_module *methods = module_methods(module);
    full_extension_string_set(&list->ptr[i].name, module_name(i));
    list->ptr[i].kind = module_kind(methods);
    list->ptr[i].flags = module_flags(methods);
    list->ptr[i].risk = SQLITE_WASM_EXTENSION_TYPES_RISK_ORDINARY;
    find_shadow_names(methods, &list->ptr[i].shadow_names);
    module_release(module);
  }
}

void exports_sqlite_wasm_extension_extension_describe(
    sqlite_wasm_extension_types_manifest_t *manifest) {
  call_begin();
  const Definition *definition = sqlite_wasm_definition();
  full_extension_string_set(&manifest->name, definition->name);
  full_extension_string_set(&manifest->version, definition->version);
  full_extension_string_set(&manifest->description, definition->description);
  describe_functions(&manifest->functions);
  describe_collations(&manifest->collations);
  describe_modules(&manifest->modules);
  manifest->needs.ptr = call_room(sizeof(*manifest->needs.ptr));
  manifest->needs.ptr[0].tag = SQLITE_WASM_EXTENSION_TYPES_NEED_SQL;
  manifest->needs.len = sql_register ? 1 : 0;
  manifest->connects = start_wanted_sql ? SQLITE_WASM_EXTENSION_TYPES_CONNECTING_AT_LOAD
                                        : SQLITE_WASM_EXTENSION_TYPES_CONNECTING_NEVER;
}

/* Makes the linker keep the generated exports, and so everything that they call. */
extern void __component_type_object_force_link_full_extension_public_use_in_this_compilation_unit(
    void);

void sqlite_wasm_c_api(void) {
  __component_type_object_force_link_full_extension_public_use_in_this_compilation_unit();
}
