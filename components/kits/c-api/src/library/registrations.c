/* Registrations. SQLite's own code stores them in the extension's connection;
** `start_registered` reports later ones to the host. */
#include "destructors.h"
#include "start.h"

typedef void function(sqlite3_context *, int, sqlite3_value **);
typedef void last(sqlite3_context *);
typedef int comparison(void *, int, const void *, int, const void *);

int sqlite3_create_function(sqlite3 *db, const char *name, int arguments, int encoding, void *data,
                            function *call, function *step, last *final) {
  return start_registered(
      own_sqlite3_create_function(db, name, arguments, encoding, data, call, step, final));
}

int sqlite3_create_function16(sqlite3 *db, const void *name, int arguments, int encoding,
                              void *data, function *call, function *step, last *final) {
  return start_registered(
      own_sqlite3_create_function16(db, name, arguments, encoding, data, call, step, final));
}

int sqlite3_create_function_v2(sqlite3 *db, const char *name, int arguments, int encoding,
                               void *data, function *call, function *step, last *final,
                               destructor *destroy) {
  return start_registered(own_sqlite3_create_function_v2(db, name, arguments, encoding, data, call,
                                                         step, final, destructor_of(destroy)));
}

int sqlite3_create_window_function(sqlite3 *db, const char *name, int arguments, int encoding,
                                   void *data, function *step, last *final, last *value,
                                   function *inverse, destructor *destroy) {
  return start_registered(own_sqlite3_create_window_function(
      db, name, arguments, encoding, data, step, final, value, inverse, destructor_of(destroy)));
}

int sqlite3_overload_function(sqlite3 *db, const char *name, int arguments) {
  return start_registered(own_sqlite3_overload_function(db, name, arguments));
}

int sqlite3_create_collation(sqlite3 *db, const char *name, int encoding, void *data,
                             comparison *compare) {
  return start_registered(own_sqlite3_create_collation(db, name, encoding, data, compare));
}

int sqlite3_create_collation16(sqlite3 *db, const void *name, int encoding, void *data,
                               comparison *compare) {
  return start_registered(own_sqlite3_create_collation16(db, name, encoding, data, compare));
}

int sqlite3_create_collation_v2(sqlite3 *db, const char *name, int encoding, void *data,
                                comparison *compare, destructor *destroy) {
  return start_registered(
      own_sqlite3_create_collation_v2(db, name, encoding, data, compare, destructor_of(destroy)));
}

int sqlite3_create_module(sqlite3 *db, const char *name, const sqlite3_module *module, void *data) {
  return start_registered(own_sqlite3_create_module(db, name, module, data));
}

int sqlite3_create_module_v2(sqlite3 *db, const char *name, const sqlite3_module *module,
                             void *data, destructor *destroy) {
  return start_registered(
      own_sqlite3_create_module_v2(db, name, module, data, destructor_of(destroy)));
}

int sqlite3_set_clientdata(sqlite3 *db, const char *name, void *data, destructor *destroy) {
  return own_sqlite3_set_clientdata(db, name, data, destructor_of(destroy));
}

int sqlite3_drop_modules(sqlite3 *db, const char **kept) {
  return start_registered(own_sqlite3_drop_modules(db, kept));
}
