/* What an extension in C is, for the C interface. */
#ifndef DEFINITION_H
#define DEFINITION_H

#include "sqlite3.h"

typedef int entry_point(sqlite3 *db, char **error, const sqlite3_api_routines *routines);

/* Made by the macro `extension!`, or by `tooling/build/c-extension`. */
typedef struct {
  const char *name;
  const char *version;
  const char *description;
  entry_point *start;
  /* Null for code that calls SQLite's functions by name. */
  const sqlite3_api_routines *routines;
} Definition;

extern const Definition *sqlite_wasm_definition(void);

#endif
