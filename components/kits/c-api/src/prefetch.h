/* Blobs that are opened together with another one; see prefetch.c. */
#ifndef PREFETCH_H
#define PREFETCH_H

#include "face.h"

/* A blob to open. `column` has schema, table and column as in the request. */
typedef struct {
  const Out *column;
  sqlite3_int64 row_id;
  bool is_writable;
} Location;

/* Take the wanted blob if it is already open; false if it is not. */
bool prefetch_take(const Location *wanted, uint32_t *handle, uint32_t *size);
/* Add the blobs to open: the wanted one, and its group. */
void prefetch_put(Out *request, const Location *wanted);
/* Read the reply from the second blob on. */
void prefetch_read(In *in);
/* The request failed: the next one opens a single blob. */
void prefetch_forget(void);

#endif
