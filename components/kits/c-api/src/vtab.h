/* Virtual tables. */
#ifndef VTAB_H
#define VTAB_H

#include "call.h"

/* A connected table; its address is the host's handle. */
typedef struct {
  sqlite3_vtab *vtab;
  const sqlite3_module *methods;
  /* Held until the table is disconnected. */
  Module *module;
} Table;

#define TABLE(handle) ((Table *)(handle))

/* xColumn called `sqlite3_vtab_nochange` for the column that it reads: UPDATE may leave its value out. */
extern bool column_may_be_left_out;

/* The error of a method, with the table's `zErrMsg` as the message. */
bool table_fails(Table *table, int code, wit_error *error);

#endif
