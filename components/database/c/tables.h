/* Virtual tables of the program: their methods are callbacks. */
#ifndef TABLES_H
#define TABLES_H

#include "interface.h"

/* A registered module. The library's number comes first, as `registered_free` expects. */
typedef struct {
  Registered registered;
  sqlite3_module methods;
} Module;

/* A function that xFindFunction gave; it lives as long as the table. */
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
/* The code of a method of a table, with its message where SQLite looks for it. The reply must be
** freed. */
int method_send(Out *out, Table *table, EventReply *reply);
/* The same for a method that returns nothing else. */
int method_send_for_code(Out *out, Table *table);

/* The methods, by the bits of the library's. */
void set_methods(sqlite3_module *methods, uint32_t bits);
int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info);

/* What follows the text of a plan. */
typedef struct {
  uint8_t seal[8];
  uint8_t has_text;
} PlanSeal;

#endif
