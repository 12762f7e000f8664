/* What reaches into SQLite's own structures, for the files that do not
** include them. `library.c` has all of it. */
#ifndef INTERNALS_H
#define INTERNALS_H

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
typedef struct FuncDef FuncDef;
typedef struct CollSeq CollSeq;
typedef struct Module Module;

/* Room for one of SQLite's values; an `sqlite3_value *` points to it. */
typedef struct {
  _Alignas(8) unsigned char bytes[40];
} Cell;

#define VALUE_OF(cell) ((sqlite3_value *)(cell))

/* The connection that extensions see: what they register is kept in it, as
** are errors. It has no database; SQL goes to the host. */
sqlite3 *connection_handle(void);
/* A call begins: what failed for want of memory is over, and a statement runs,
** which replaces no function that it may be in. */
void connection_begin_call(void);
/* No statement runs: the extension is being loaded. */
void connection_set_idle(void);

/* Values. A cell borrows the bytes that it is set to. */
void cell_set(Cell *cell, const wit_value *value, int encoding);
void cell_set_null(Cell *cell);
void cell_set_subtype(Cell *cell, uint8_t subtype);
/* The mark of a column that UPDATE does not change. */
void cell_set_unchanged(Cell *cell);
/* A pointer that only this component knows, for `sqlite3_value_pointer`. */
void cell_set_pointer(Cell *cell, void *pointer, const char *type);
/* What a function gave as a pointer, with the destructor that is to be called. */
typedef struct {
  void *pointer;
  const char *type;
  void (*destroy)(void *);
} Pointer;
/* Take the pointer out of a cell, which is NULL then; false where it has none. */
bool cell_take_pointer(Cell *cell, Pointer *taken);
void cell_clear(Cell *cell);
/* The value in an encoding; it borrows the cell's bytes. */
void cell_get(Cell *cell, int encoding, wit_value *value);
uint8_t cell_subtype(const Cell *cell);

/* What a call left: a result in the cell, or an error, which it makes. */
int function_call(FuncDef *function, int count, sqlite3_value **arguments,
                  Cell *result);
int aggregate_step(FuncDef *function, Cell *aggregate, bool inverse, int count,
                sqlite3_value **arguments, Cell *result);
int aggregate_value(FuncDef *function, Cell *aggregate, Cell *result);
/* The aggregate becomes the result. */
int aggregate_finish(FuncDef *function, Cell *aggregate);
int cursor_column(sqlite3_vtab_cursor *cursor, int column, Cell *result);
/* A function that a table overloads, callable like one that is registered: its
** number. */
uint32_t function_overload(void (*call)(sqlite3_context *, int, sqlite3_value **),
                         void *user_data, int arguments);

/* What is registered; null at the end. Numbers stay, also when more follow. */
FuncDef *function_at(uint32_t number);
CollSeq *collation_at(uint32_t number);
/* A module may be dropped: its name stays. */
const char *module_name(uint32_t number);
/* Number what was registered since the last call. */
void registry_update(void);

/* A registration as the contract describes it. */
void function_describe(const FuncDef *function,
                              sqlite_wasm_extension_types_function_t *described);
void collation_describe(const CollSeq *collation,
                               sqlite_wasm_extension_types_collation_t *described);
int function_encoding(const FuncDef *function);
bool function_is_overload(const FuncDef *function);
bool function_is_removed(const FuncDef *function);
int collation_compare(const CollSeq *collation, const wit_bytes *left,
                   const wit_bytes *right);
/* The module as it is registered now, for as long as a table has it; null when it
** was dropped. */
Module *module_hold(uint32_t number);
void module_release(Module *module);
const sqlite3_module *module_methods(const Module *module);
void *module_data(const Module *module);

/* The connection is closed: the destructors of all that it has run. */
void connection_close(void);

/* Put an error into the connection, and the code as a function returns it. */
int connection_fail(int code, const char *message, size_t length);
int connection_succeed(void);

#endif
