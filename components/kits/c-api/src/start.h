/* The extension's definition, entry point and manifest. */
#ifndef START_H
#define START_H

#include "definition.h"
#include "internals.h"

/* Run the entry point, once in each instance. If it fails, print the reason and
** end the component. */
void start_extension(void);

/* Whether SQL can run. It cannot while the host describes the extension. */
extern bool start_has_sql;
/* The entry point tried to run SQL when it could not. */
extern bool start_wanted_sql;

/* In `work.c`; null where the extension links no routine that runs SQL. */
bool sql_register(uint32_t id, wit_error *error) __attribute__((weak));

/* Null where the extension does not call them. */
int sqlite3_vtab_nochange(sqlite3_context *context) __attribute__((weak));
unsigned int sqlite3_value_subtype(sqlite3_value *value) __attribute__((weak));

/* After a registration with this result code: report it to the host, unless the
** entry point runs. */
int start_registered(int code);

#endif
