/* Virtual tables of the program: their methods are callbacks. */
#ifndef TABLES_H
#define TABLES_H

#include "interface.h"

/* A registered module. The library's id comes first, as `registered_free` expects. */
typedef struct {
  Registered registered;
  sqlite3_module methods;
} Module;

/* A function that xFindFunction returned; it lives as long as the table. */
typedef struct Found Found;
struct Found {
  Found *next;
  Registered *function;
};

typedef struct {
  sqlite3_vtab base;
  sqlite3 *db;
  uint32_t number;
  Found *functions;
} Table;

typedef struct {
  sqlite3_vtab_cursor base;
  uint32_t number;
  bool is_at_end;
} Cursor;

/* Begin a call of a method of an object. */
Out method_begin(sqlite3 *db, uint8_t method, uint32_t number);
/* Call a method of a table. The message of a failure goes where SQLite looks for it. The reply must
** be freed. */
int method_send(Out *out, Table *table, EventReply *reply);
/* The same for a method that returns only a code. */
int method_send_for_code(Out *out, Table *table);

/* Set the methods that are set in the library's bits. */
void set_methods(sqlite3_module *methods, uint32_t bits);
int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info);

/* Follows the text of a plan. */
typedef struct {
  uint8_t seal[8];
  uint8_t has_text;
} PlanSeal;

#endif
