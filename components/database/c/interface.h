/* The engine's side of libsqlite3.so.0: SQLite's functions by number, on its own objects.
**
** The library belongs to the program, which is trusted, so objects are passed as their addresses
** in the sandbox. Extensions cannot send these calls. */
#ifndef INTERFACE_H
#define INTERFACE_H

#include "bytes.h"
#include "calls.h"
#include "sqlite3.h"

/* Not in the header without its options. */
#ifndef SQLITE_PREPARE_FROM_DDL
#define SQLITE_PREPARE_FROM_DDL 0x20
#endif

/* One call of a function. */
typedef struct {
  sqlite3 *db;
  In in;
  Out out;
  int code;
} Call;

#define HANDLE(type, call) ((type *)(uintptr_t)in_u32(&(call)->in))

#define X(code, name) void call_##name(Call *call);
FUNCTIONS(X)
#undef X

/* Values. */

void put_value(Out *out, sqlite3_value *value);
/* The reply of a callback as a result. */
void set_result(sqlite3_context *context, In *in);
/* The failure of a function: its message follows in `in`. */
void set_failure(sqlite3_context *context, int code, In *in);
int bind_value(sqlite3_stmt *statement, int index, In *in);

/* Calls of the program. */

/* The reply: the integer, and what follows it. */
typedef struct {
  In in;
  int code;
  uint8_t room[80];
  void *owned;
} EventReply;

/* Arguments of a callback, from a buffer that is used again. */
Out event_begin(sqlite3 *db, uint8_t event);
/* Call the program. The reply must be freed. */
void event_send(Out *out, EventReply *reply);
void reply_free(EventReply *reply);
/* The same for the integer alone. */
int event_send_for_code(Out *out);

/* A number of the library, which learns when it is no longer used. */
typedef struct {
  uint32_t number;
  sqlite3 *db;
  bool has_auxiliary;
} Registered;

Registered *registered_new(sqlite3 *db, uint32_t number);
void registered_free(void *registered);

/* A function of the program, whose user data is a Registered. */
void call_scalar(sqlite3_context *context, int count, sqlite3_value **arguments);

#endif
