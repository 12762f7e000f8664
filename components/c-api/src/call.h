/* One call of the host: what belongs to it, and how it fails. */
#ifndef CALL_H
#define CALL_H

#include "internals.h"

/* Pointers, and values, that belong to a call or to what keeps them. */
typedef struct {
  void **items;
  size_t count, room;
} List;

typedef struct {
  List memory, cells;
} Owned;

/* Begin a call: what belonged to the last one is given back, and the extension
** is started where that has not happened in this instance. At the end of the
** block what waits for a question goes to the host. */
#define call_begin() \
  __attribute__((cleanup(call_ended))) char call_in_progress = call_started()
char call_started(void);
void call_ended(char *);

/* Memory of the call: what the host gave, and what the host is to read. It
** lives until the host has read the answer. */
void call_own(void *memory);
void *call_room(size_t bytes);
/* A cell of the call; it is cleared at the end. */
Cell *call_cell(void);
void call_own_value(const wit_value *value);
void call_own_bytes(const void *bytes, size_t length);

/* Keep what belongs to the call beyond its end, for `call_release`. */
Owned call_keep(void);
void call_release(Owned *owned);

/* Values that the host gave, as SQLite's functions take them. */
sqlite3_value **call_arguments(wit_value *values, size_t count, const wit_bytes *subtypes,
                               int encoding);
/* A text that the host gave, as a C string; it belongs to the call. */
const char *call_text(const wit_string *text);
/* A C string as the host reads it, with memory of the call. */
void call_give_text(wit_string *given, const char *text);

/* The error of the call; `false`, to return it. */
bool call_fails(wit_error *error, int code, const char *message);
/* By the text that a function's result has. */
bool call_fails_by(wit_error *error, int code, Cell *result);

/* Where the next bytes from the host go; null for memory of their own. Reading
** a blob names the reader's own memory. */
extern void *call_destination;
extern size_t call_destination_bytes;

#endif
