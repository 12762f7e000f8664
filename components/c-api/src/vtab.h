/* Virtual tables, as the host and the extension's modules know them. */
#ifndef VTAB_H
#define VTAB_H

#include "call.h"

/* A connected table; the host knows it by its address. */
typedef struct {
  sqlite3_vtab *vtab;
  const sqlite3_module *methods;
  /* Held, with its data, until the table is gone. */
  Module *module;
} Table;

#define TABLE(number) ((Table *)(number))

/* Begins the text of a plan that is given in hexadecimal digits; in no text that
** a person writes. */
#define PLAN_TEXT_IS_HEX '\x01'

/* The error of a method, by the text that the table has for it. */
bool table_fails(Table *table, int code, wit_error *error);
/* An `IN` list as a whole, as a value that `sqlite3_vtab_in_first` takes. */
sqlite3_value *scan_list(wit_value *values, size_t count);

#endif
