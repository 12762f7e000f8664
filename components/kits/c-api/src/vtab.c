/* Virtual tables: connect, update and transactions. */
#include "vtab.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The schema that xConnect declares. */
static char *declaration;

int sqlite3_declare_vtab(sqlite3 *db, const char *sql) {
  (void)db;
  sqlite3_free(declaration);
  declaration = sqlite3_mprintf("%s", sql);
  if (!declaration) return SQLITE_NOMEM;
  connection_set_code(SQLITE_OK);
  return SQLITE_OK;
}

/* The options that xConnect sets. */
static uint8_t config;

static void set_config(uint8_t option, bool is_set) {
  config = is_set ? config | option : config & ~option;
}

int sqlite3_vtab_config(sqlite3 *db, int operation, ...) {
  (void)db;
  va_list arguments;
  va_start(arguments, operation);
  int code = SQLITE_OK;
  switch (operation) {
    case SQLITE_VTAB_CONSTRAINT_SUPPORT:
      set_config(SQLITE_WASM_EXTENSION_TABLE_TYPES_TABLE_CONFIG_CONSTRAINT_SUPPORT,
                 va_arg(arguments, int));
      break;
    case SQLITE_VTAB_INNOCUOUS:
      set_config(SQLITE_WASM_EXTENSION_TABLE_TYPES_TABLE_CONFIG_DIRECT_ONLY, false);
      set_config(SQLITE_WASM_EXTENSION_TABLE_TYPES_TABLE_CONFIG_INNOCUOUS, true);
      break;
    case SQLITE_VTAB_DIRECTONLY:
      set_config(SQLITE_WASM_EXTENSION_TABLE_TYPES_TABLE_CONFIG_INNOCUOUS, false);
      set_config(SQLITE_WASM_EXTENSION_TABLE_TYPES_TABLE_CONFIG_DIRECT_ONLY, true);
      break;
    case SQLITE_VTAB_USES_ALL_SCHEMAS:
      set_config(SQLITE_WASM_EXTENSION_TABLE_TYPES_TABLE_CONFIG_ALL_SCHEMAS, true);
      break;
    default: code = SQLITE_MISUSE;
  }
  va_end(arguments);
  return code;
}

bool table_fails(Table *table, int code, wit_error *error) {
  call_fails(error, code, table->vtab->zErrMsg);
  sqlite3_free(table->vtab->zErrMsg);
  table->vtab->zErrMsg = NULL;
  return false;
}

/* Module, schema and table, then the arguments in the parentheses. */
static const char **module_arguments(const char *module, const wit_string *schema,
                                     const wit_string *name,
                                     const full_extension_list_string_t *arguments) {
  const char **texts = call_room((3 + arguments->len) * sizeof(char *));
  texts[0] = module;
  texts[1] = call_text(schema);
  texts[2] = call_text(name);
  call_own_bytes(arguments->ptr, arguments->len);
  for (size_t i = 0; i < arguments->len; i++) texts[3 + i] = call_text(&arguments->ptr[i]);
  return texts;
}

static bool fails_by(char *message, int code, wit_error *error) {
  call_fails(error, code, message);
  sqlite3_free(message);
  return false;
}

/* Return the new table to the host. It must have declared its schema. */
static bool return_table(sqlite3_vtab *vtab, Module *module, const char *name,
                         sqlite_wasm_extension_table_types_connected_t *connected,
                         wit_error *error) {
  const sqlite3_module *methods = module_methods(module);
  if (!declaration) {
    methods->xDisconnect(vtab);
    module_release(module);
    return fails_by(sqlite3_mprintf("vtable constructor did not declare schema: %s", name),
                    SQLITE_ERROR, error);
  }
  memset(vtab, 0, sizeof(*vtab));
  vtab->pModule = methods;
  vtab->nRef = 1;
  Table *table = malloc(sizeof(Table));
  if (!table) abort();
  *table = (Table){vtab, methods, module};
  connected->table = (uint32_t)table;
  connected->config = config;
  call_give_text(&connected->declaration, declaration);
  return true;
}

bool exports_sqlite_wasm_extension_table_connect(
    uint32_t module_id, uint8_t mode, wit_string *schema, wit_string *name,
    full_extension_list_string_t *arguments,
    sqlite_wasm_extension_table_types_connected_t *connected, wit_error *error) {
  call_begin();
  const char **argv = module_arguments(module_name(module_id), schema, name, arguments);
  Module *module = module_hold(module_id);
  if (!module) return fails_by(sqlite3_mprintf("no such module: %s", argv[0]), SQLITE_ERROR, error);
  const sqlite3_module *methods = module_methods(module);
  bool creates = mode == SQLITE_WASM_EXTENSION_TABLE_TYPES_CONNECT_MODE_CREATE && methods->xCreate;
  sqlite3_free(declaration);
  declaration = NULL;
  config = 0;
  sqlite3_vtab *vtab = NULL;
  char *message = NULL;
  int code = (creates ? methods->xCreate : methods->xConnect)(
      connection_handle(), module_data(module), 3 + arguments->len, argv, &vtab, &message);
  if (code == SQLITE_OK) return return_table(vtab, module, argv[2], connected, error);
  module_release(module);
  return fails_by(message, code, error);
}

static void free_table(Table *table) {
  module_release(table->module);
  free(table);
}

bool exports_sqlite_wasm_extension_table_disconnect(uint32_t handle, wit_error *error) {
  call_begin();
  Table *table = TABLE(handle);
  int code = table->methods->xDisconnect(table->vtab);
  free_table(table);
  return code == SQLITE_OK || call_fails(error, code, NULL);
}

bool exports_sqlite_wasm_extension_table_destroy(uint32_t handle, wit_error *error) {
  call_begin();
  Table *table = TABLE(handle);
  int (*destroy)(sqlite3_vtab *) = table->methods->xDestroy;
  int code = (destroy ? destroy : table->methods->xDisconnect)(table->vtab);
  /* The table stays where xDestroy fails. */
  if (code != SQLITE_OK) return table_fails(table, code, error);
  free_table(table);
  return true;
}

/* Updates. */

static int conflict;

int sqlite3_vtab_on_conflict(sqlite3 *db) {
  (void)db;
  return conflict;
}

static int conflict_code(uint8_t mode) {
  switch (mode) {
    case SQLITE_WASM_EXTENSION_TABLE_TYPES_CONFLICT_ROLLBACK: return SQLITE_ROLLBACK;
    case SQLITE_WASM_EXTENSION_TABLE_TYPES_CONFLICT_IGNORE: return SQLITE_IGNORE;
    case SQLITE_WASM_EXTENSION_TABLE_TYPES_CONFLICT_FAIL: return SQLITE_FAIL;
    case SQLITE_WASM_EXTENSION_TABLE_TYPES_CONFLICT_REPLACE: return SQLITE_REPLACE;
  }
  return SQLITE_ABORT;
}

static sqlite3_value *argument(const wit_value *value) {
  Cell *cell = call_cell();
  cell_set(cell, value, SQLITE_UTF8);
  call_own_value(value);
  return VALUE_OF(cell);
}

/* The subtypes of the columns that are not yet read. */
static wit_bytes subtypes;

static sqlite3_value *changed_column(wit_value *value) {
  sqlite3_value *given = argument(value);
  if (subtypes.len) cell_set_subtype((Cell *)given, *subtypes.ptr++);
  return given;
}

static sqlite3_value *column(sqlite_wasm_extension_table_types_option_value_t *value) {
  if (value->is_some) return changed_column(&value->val);
  if (subtypes.len) subtypes.ptr++;
  Cell *cell = call_cell();
  cell_set_unchanged(cell);
  return VALUE_OF(cell);
}

static size_t insertion(sqlite_wasm_extension_table_types_insertion_t *change,
                        sqlite3_value ***values) {
  size_t count = change->columns.len;
  call_own_bytes(change->columns.ptr, count);
  *values = call_room((2 + count) * sizeof(sqlite3_value *));
  (*values)[0] = VALUE_OF(call_cell());
  (*values)[1] = argument(&change->row_id);
  for (size_t i = 0; i < count; i++) (*values)[2 + i] = changed_column(&change->columns.ptr[i]);
  return 2 + count;
}

static size_t modification(sqlite_wasm_extension_table_types_modification_t *change,
                           sqlite3_value ***values) {
  size_t count = change->columns.len;
  call_own_bytes(change->columns.ptr, count);
  *values = call_room((2 + count) * sizeof(sqlite3_value *));
  (*values)[0] = argument(&change->old);
  (*values)[1] = argument(&change->new_);
  for (size_t i = 0; i < count; i++) (*values)[2 + i] = column(&change->columns.ptr[i]);
  return 2 + count;
}

/* The arguments of xUpdate. */
static size_t changed(sqlite_wasm_extension_table_types_change_t *change, sqlite3_value ***values) {
  switch (change->tag) {
    case SQLITE_WASM_EXTENSION_TABLE_TYPES_CHANGE_INSERT:
      return insertion(&change->val.insert, values);
    case SQLITE_WASM_EXTENSION_TABLE_TYPES_CHANGE_UPDATE:
      return modification(&change->val.update, values);
  }
  *values = call_arguments(&change->val.delete_, 1, NULL, SQLITE_UTF8);
  return 1;
}

bool exports_sqlite_wasm_extension_table_update(uint32_t handle,
                                                sqlite_wasm_extension_table_types_change_t *change,
                                                wit_bytes *given_subtypes, uint8_t mode,
                                                int64_t *row_id, wit_error *error) {
  call_begin();
  Table *table = TABLE(handle);
  sqlite3_value **values;
  call_own_bytes(given_subtypes->ptr, given_subtypes->len);
  subtypes = *given_subtypes;
  size_t count = changed(change, &values);
  conflict = conflict_code(mode);
  sqlite3_int64 given = 0;
  int code = table->methods->xUpdate(table->vtab, count, values, &given);
  *row_id = given;
  return code == SQLITE_OK || table_fails(table, code, error);
}

/* Transactions. */

typedef int step_method(sqlite3_vtab *);
typedef int savepoint_method(sqlite3_vtab *, int);

static int run(Table *table, const sqlite_wasm_extension_table_types_transaction_t *step) {
  const sqlite3_module *methods = table->methods;
  step_method *plain = NULL;
  savepoint_method *numbered = NULL;
  switch (step->tag) {
    case SQLITE_WASM_EXTENSION_TABLE_TYPES_TRANSACTION_BEGIN: plain = methods->xBegin; break;
    case SQLITE_WASM_EXTENSION_TABLE_TYPES_TRANSACTION_SYNC: plain = methods->xSync; break;
    case SQLITE_WASM_EXTENSION_TABLE_TYPES_TRANSACTION_COMMIT: plain = methods->xCommit; break;
    case SQLITE_WASM_EXTENSION_TABLE_TYPES_TRANSACTION_ROLLBACK: plain = methods->xRollback; break;
    case SQLITE_WASM_EXTENSION_TABLE_TYPES_TRANSACTION_SAVEPOINT:
      numbered = methods->xSavepoint;
      break;
    case SQLITE_WASM_EXTENSION_TABLE_TYPES_TRANSACTION_RELEASE: numbered = methods->xRelease; break;
    case SQLITE_WASM_EXTENSION_TABLE_TYPES_TRANSACTION_ROLLBACK_TO:
      numbered = methods->xRollbackTo;
      break;
  }
  if (plain) return plain(table->vtab);
  return numbered ? numbered(table->vtab, step->val.savepoint) : SQLITE_OK;
}

bool exports_sqlite_wasm_extension_table_transact(
    uint32_t handle, sqlite_wasm_extension_table_types_transaction_t *step, wit_error *error) {
  call_begin();
  int code = run(TABLE(handle), step);
  return code == SQLITE_OK || table_fails(TABLE(handle), code, error);
}

bool exports_sqlite_wasm_extension_table_rename(uint32_t handle, wit_string *name,
                                                wit_error *error) {
  call_begin();
  int code = TABLE(handle)->methods->xRename(TABLE(handle)->vtab, call_text(name));
  return code == SQLITE_OK || table_fails(TABLE(handle), code, error);
}

bool exports_sqlite_wasm_extension_table_integrity(uint32_t handle, wit_string *schema,
                                                   wit_string *name, bool quick,
                                                   full_extension_option_string_t *found,
                                                   wit_error *error) {
  call_begin();
  Table *table = TABLE(handle);
  char *text = NULL;
  int code =
      table->methods->xIntegrity(table->vtab, call_text(schema), call_text(name), quick, &text);
  found->is_some = text != NULL;
  if (text) call_give_text(&found->val, text);
  sqlite3_free(text);
  return code == SQLITE_OK || table_fails(table, code, error);
}

bool exports_sqlite_wasm_extension_table_find_function(
    uint32_t handle, uint32_t arguments, wit_string *name,
    sqlite_wasm_extension_table_types_overload_t *overload) {
  call_begin();
  Table *table = TABLE(handle);
  void (*call)(sqlite3_context *, int, sqlite3_value **) = NULL;
  void *data = NULL;
  int found = table->methods->xFindFunction(table->vtab, arguments, call_text(name), &call, &data);
  if (!found) return false;
  overload->function = function_overload(call, data, arguments);
  overload->operator_ = found >= SQLITE_INDEX_CONSTRAINT_FUNCTION ? found : 0;
  return true;
}
