/* One call from the host: its memory, its arguments and its errors. */
#ifndef CALL_H
#define CALL_H

#include "internals.h"

typedef struct {
  void **items;
  size_t count, room;
} List;

/* Memory and cells that a call, or a cursor, owns. */
typedef struct {
  List memory, cells;
} Owned;

/* Begin a call: free the memory of the last one, and run the entry point in a
** new instance. At the end of the block, deferred operations go to the host. */
#define call_begin() __attribute__((cleanup(call_ended))) char call_in_progress = call_started()
char call_started(void);
void call_ended(char *);

/* Memory of the call: the host's arguments and the result. It lives until the
** next call, when the host has read the result. */
void *call_room(size_t bytes);
/* A cell of the call; the next call clears it. */
Cell *call_cell(void);
void call_own_value(const wit_value *value);
void call_own_bytes(const void *bytes, size_t length);

/* Take over the call's memory, until `call_release`. */
Owned call_take_memory(void);
void call_release(Owned *owned);

/* The host's values, as SQLite's functions take them. */
sqlite3_value **call_arguments(wit_value *values, size_t count, const wit_bytes *subtypes,
                               int encoding);
/* The host's text as a C string; the call owns it. */
const char *call_text(const wit_string *text);
/* Copy a C string into the result. */
void call_give_text(wit_string *given, const char *text);

/* Set the error of the call; returns false, for the caller to return. */
bool call_fails(wit_error *error, int code, const char *message);
/* The same with the text in a function's result as the message. */
bool call_fails_by(wit_error *error, int code, Cell *result);

/* Where `cabi_realloc` puts the next bytes from the host; null to allocate them.
** `sqlite3_blob_read` sets it to its caller's buffer. */
extern void *call_destination;
extern size_t call_destination_bytes;

#endif
