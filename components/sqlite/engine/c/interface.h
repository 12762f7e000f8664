/* The operations that only programs have: SQLite's functions by opcode, on SQLite's objects. What
** extensions have too is in src/operations.
**
** The program is trusted, so objects are passed as their addresses in the sandbox. Only programs can
** send these calls: wire::Opcode::from_sender. */
#ifndef INTERFACE_H
#define INTERFACE_H

/* The memory of replies and events is that of vectors in src/database/only_programs.rs. */
#define OUT_RESIZE(out, size) engine_resize((out)->bytes, (out)->room, size)
extern unsigned char *engine_resize(unsigned char *bytes, unsigned long old, unsigned long size);

#include "bytes.h"
#include "internals.h"
#include "sqlite3.h"

/* One call of a function. */
typedef struct {
  sqlite3 *db;
  In in;
  Out out;
  int code;
} Call;

#define HANDLE(type, call) ((type *)(uintptr_t)in_u32(&(call)->in))

#define X(opcode, function) void function(Call *call);
CALLS(X)
#undef X

/* Values. */

/* In src/database/only_programs.rs. A missing value is null. */
extern void put_value(Out *out, sqlite3_value *value);
/* The reply of a callback as a result. */
void set_result(sqlite3_context *context, In *in);
/* The failure of a function, whose message follows in `in`. */
void set_failure(sqlite3_context *context, int code, In *in);

/* Calls of the program. */

/* The reply of a callback: the integer, and the rest. */
typedef struct {
  In in;
  int code;
  uint8_t room[80];
  void *owned;
} EventReply;

/* Begin the arguments of a callback, in a buffer that is reused. */
Out event_begin(sqlite3 *db, uint8_t event);
/* Call the program. The reply must be freed. */
void event_send(Out *out, EventReply *reply);
void reply_free(EventReply *reply);
/* The same for a callback that returns only the integer. */
int event_send_for_code(Out *out);

/* Report what each transaction changes, and at most `most` rows of one; 0 ends the reports. They replace
** the hooks of commits and before changes. Returns a result code. */
int set_changes_hook(sqlite3 *db, uint32_t most);

/* The library's id of a registered object. Its release is reported to the library. */
typedef struct {
  uint32_t number;
  sqlite3 *db;
  bool has_auxiliary;
} Registered;

Registered *registered_new(sqlite3 *db, uint32_t number);
void registered_free(void *registered);

/* A function of the program; its user data is a Registered. */
void call_scalar(sqlite3_context *context, int count, sqlite3_value **arguments);

#endif
