/* Access to SQLite's own structures, for files that do not include
** `sqlite3.c`. Only `library.c` includes it. */
#ifndef INTERNALS_H
#define INTERNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "full_extension.h"
#include "sqlite3.h"

typedef sqlite_wasm_extension_types_value_t wit_value;
typedef sqlite_wasm_extension_types_sql_error_t wit_error;
typedef full_extension_string_t wit_string;
typedef full_extension_list_u8_t wit_bytes;

/* SQLite's structures for a function, a collation and a module. */
typedef struct FuncDef FuncDef;
typedef struct CollSeq CollSeq;
typedef struct Module Module;

/* One of SQLite's values (`Mem`); an `sqlite3_value *` points to it. */
typedef struct {
  _Alignas(8) unsigned char bytes[40];
} Cell;

#define VALUE_OF(cell) ((sqlite3_value *)(cell))

/* The connection. */

/* The `sqlite3 *` of the extension. It has no database, since SQL goes to the
** host; it holds what the extension registers, limits, and the last error. */
sqlite3 *connection_handle(void);
/* A call begins. Clears a failure for want of memory, and marks a statement as
** running: SQLite then refuses to replace a function. */
void connection_begin_call(void);
/* No statement runs: the entry point may replace functions. */
void connection_set_idle(void);
/* Run the destructors of everything that the connection holds. */
void connection_close(void);
/* Set the connection's error; returns the code as a function of SQLite would. */
int connection_fail(int code, const char *message, size_t length);
/* Set the connection's error without a message: the code of a step, or SQLITE_OK. */
void connection_set_code(int code);

/* Whether memory ran out since the last time. */
bool connection_lacks_memory(void);

/* Cells. A cell borrows the bytes that it is set to. */

void cell_set(Cell *cell, const wit_value *value, int encoding);
void cell_set_null(Cell *cell);
/* Read a row's value, which borrows the bytes. The cell keeps memory that it already has. */
void cell_read_value(Cell *cell, In *in);
void cell_set_text(Cell *cell, const void *text, size_t bytes, uint8_t encoding);
/* A value that is NULL and stays so. */
const Cell *cell_null(void);
void cell_set_subtype(Cell *cell, uint8_t subtype);
/* Mark a column that UPDATE does not change (`sqlite3_value_nochange`). */
void cell_set_unchanged(Cell *cell);
/* A pointer of this component, for `sqlite3_value_pointer`. */
void cell_set_pointer(Cell *cell, void *pointer, const char *type);
/* The pointer that a function returned, and its destructor. */
typedef struct {
  void *pointer;
  const char *type;
  void (*destroy)(void *);
} Pointer;
/* Move the pointer out of a cell, which becomes NULL; false where it has none. */
bool cell_take_pointer(Cell *cell, Pointer *taken);
void cell_clear(Cell *cell);
/* The value in an encoding; it borrows the cell's bytes. */
void cell_get(Cell *cell, int encoding, wit_value *value);
uint8_t cell_subtype(const Cell *cell);

/* Calls of the extension's functions. Each returns 0 with the result in the
** cell, or an error code with the message in the cell. */

int function_call(FuncDef *function, int count, sqlite3_value **arguments, Cell *result);
int aggregate_step(FuncDef *function, Cell *aggregate, bool inverse, int count,
                   sqlite3_value **arguments, Cell *result);
int aggregate_value(FuncDef *function, Cell *aggregate, Cell *result);
/* The aggregate's cell becomes the result. */
int aggregate_finish(FuncDef *function, Cell *aggregate);
int cursor_column(sqlite3_vtab_cursor *cursor, int column, Cell *result);

/* Registrations. Each has an id, which stays when more follow. */

/* Give ids to the registrations that were made since the last call. */
void registry_update(void);
/* Null for an id that is not taken. */
FuncDef *function_at(uint32_t id);
CollSeq *collation_at(uint32_t id);
/* A module's name stays when the module is dropped. */
const char *module_name(uint32_t id);

void function_describe(const FuncDef *function, sqlite_wasm_extension_types_function_t *described);
int function_encoding(const FuncDef *function);
bool function_is_removed(const FuncDef *function);
/* The id of a function that a virtual table overloads. It has no name. */
uint32_t function_overload(void (*call)(sqlite3_context *, int, sqlite3_value **), void *user_data,
                           int arguments);
bool function_is_overload(const FuncDef *function);

void collation_describe(const CollSeq *collation,
                        sqlite_wasm_extension_types_collation_t *described);
int collation_compare(const CollSeq *collation, const wit_bytes *left, const wit_bytes *right);

/* Hold the module that has this name now; null when it was dropped. A table
** holds its module until it is disconnected. */
Module *module_hold(uint32_t id);
void module_release(Module *module);
const sqlite3_module *module_methods(const Module *module);
void *module_data(const Module *module);

#endif
