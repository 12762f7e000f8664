/* What the probes share. */
#ifndef PROBES_H
#define PROBES_H

#include "sqlite3ext.h"

typedef sqlite3_context Context;
typedef sqlite3_value Value;

/* A function of SQL. */
typedef struct {
  const char *name;
  int arguments;
  void (*call)(Context *, int, Value **);
} Probe;

/* The lists end with one that has no name. */
extern const Probe process_probes[], statement_probes[];
int probe_pointers(sqlite3 *db);
int probe_numbers(sqlite3 *db);
int probe_tables(sqlite3 *db);

/* A line of `p_log()`. */
void note(const char *format, ...);
/* The class and the text of a value. */
void add_value(sqlite3_str *text, sqlite3_value *value);
/* The text becomes the result. */
void give(Context *context, sqlite3_str *text);
void add_hex(sqlite3_str *text, const void *bytes, int count);
/* A code, and what the connection says of it. */
void add_error(sqlite3_str *text, sqlite3 *db, int code);

#endif
