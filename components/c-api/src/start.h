/* The extension itself: what it is called, and its entry point. */
#ifndef START_H
#define START_H

#include "internals.h"

typedef int entry_point(sqlite3 *db, char **error, const sqlite3_api_routines *routines);

/* Made by the macro `extension!`. */
typedef struct {
  const char *name;
  const char *version;
  const char *description;
  entry_point *start;
  /* Null for code that is linked with the functions themselves. */
  const sqlite3_api_routines *routines;
} Definition;

extern const Definition *sqlite_wasm_definition(void);

/* Run the entry point once in each instance. Ends the component, and says why,
** when it fails. */
void start_extension(void);

/* Whether SQL may be asked for: not while the extension is described. */
extern bool start_has_sql;
/* The entry point asked for SQL when there was none. */
extern bool start_wanted_sql;

/* Offered by what runs SQL; null where the extension does not link it. */
bool sql_register(uint32_t number, wit_error *error) __attribute__((weak));

/* Linked only where the extension refers to them. */
int sqlite3_vtab_nochange(sqlite3_context *context) __attribute__((weak));
unsigned int sqlite3_value_subtype(sqlite3_value *value) __attribute__((weak));

/* A registration; after the start it is told to the host. */
int start_registered(int code);

#endif
