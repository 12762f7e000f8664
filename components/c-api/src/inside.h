/* What reaches into SQLite's own structures, for the files that do not
** include them. `library.c` has all of it. */
#ifndef INSIDE_H
#define INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "full_extension.h"
#include "sqlite3.h"

typedef sqlite_wasm_extension_types_value_t wit_value;
typedef sqlite_wasm_extension_types_sql_error_t wit_error;
typedef full_extension_string_t wit_string;
typedef full_extension_list_u8_t wit_bytes;

/* A function or collation of the guest's connection. */
typedef struct FuncDef inside_function;
typedef struct CollSeq inside_collation;
typedef struct Module inside_module;

/* Room for one of SQLite's values; an `sqlite3_value *` points to it. */
typedef struct {
  _Alignas(8) unsigned char bytes[40];
} inside_cell;

#define VALUE_OF(cell) ((sqlite3_value *)(cell))

/* The connection that extensions see: what they register is kept in it, as
** are errors. It has no database; SQL goes to the host. */
sqlite3 *inside_connection(void);
/* A call begins: what failed for want of memory is over, and a statement runs,
** which replaces no function that it may be in. */
void inside_begin(void);
/* No statement runs: the extension is being loaded. */
void inside_idle(void);

/* Values. A cell borrows the bytes that it is set to. */
void inside_set(inside_cell *cell, const wit_value *value, int encoding);
void inside_set_null(inside_cell *cell);
void inside_set_subtype(inside_cell *cell, uint8_t subtype);
/* The mark of a column that UPDATE does not change. */
void inside_set_unchanged(inside_cell *cell);
/* A pointer that only this component knows, for `sqlite3_value_pointer`. */
void inside_set_pointer(inside_cell *cell, void *pointer, const char *type);
/* What a function gave as a pointer, with the destructor that is to be called. */
typedef struct {
  void *pointer;
  const char *type;
  void (*destroy)(void *);
} inside_pointer;
/* Take the pointer out of a cell, which is NULL then; false where it has none. */
bool inside_take_pointer(inside_cell *cell, inside_pointer *taken);
void inside_clear(inside_cell *cell);
/* The value in an encoding; it borrows the cell's bytes. */
void inside_get(inside_cell *cell, int encoding, wit_value *value);
uint8_t inside_subtype(const inside_cell *cell);

/* What a call left: a result in the cell, or an error, which it makes. */
int inside_scalar(inside_function *function, int count, sqlite3_value **arguments,
                  inside_cell *result);
int inside_step(inside_function *function, inside_cell *aggregate, bool inverse, int count,
                sqlite3_value **arguments, inside_cell *result);
int inside_current(inside_function *function, inside_cell *aggregate, inside_cell *result);
/* The aggregate becomes the result. */
int inside_finish(inside_function *function, inside_cell *aggregate);
int inside_column(sqlite3_vtab_cursor *cursor, int column, inside_cell *result);
/* A function that a table overloads, callable like one that is registered: its
** number. */
uint32_t inside_overload(void (*call)(sqlite3_context *, int, sqlite3_value **),
                         void *user_data, int arguments);

/* What is registered; null at the end. Numbers stay, also when more follow. */
inside_function *inside_function_at(uint32_t number);
inside_collation *inside_collation_at(uint32_t number);
/* A module may be dropped: its name stays. */
const char *inside_module_name(uint32_t number);
/* Number what was registered since the last call. */
void inside_collect(void);

/* A registration as the contract describes it. */
void inside_describe_function(const inside_function *function,
                              sqlite_wasm_extension_types_function_t *described);
void inside_describe_collation(const inside_collation *collation,
                               sqlite_wasm_extension_types_collation_t *described);
int inside_encoding(const inside_function *function);
bool inside_is_overload(const inside_function *function);
bool inside_is_removed(const inside_function *function);
int inside_compare(const inside_collation *collation, const wit_bytes *left,
                   const wit_bytes *right);
/* The module as it is registered now, for as long as a table has it; null when it
** was dropped. */
inside_module *inside_module_hold(uint32_t number);
void inside_module_release(inside_module *module);
const sqlite3_module *inside_module_methods(const inside_module *module);
void *inside_module_data(const inside_module *module);

/* The connection is closed: the destructors of all that it has run. */
void inside_close(void);

/* Put an error into the connection, and the code as a function returns it. */
int inside_failed(int code, const char *message, size_t length);
int inside_succeeded(void);

#endif
