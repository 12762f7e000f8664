/* Blobs that are opened together with another one; see prefetch.c. */
#ifndef PREFETCH_H
#define PREFETCH_H

#include "work.h"

/* A blob to open. `column` has schema, table and column as in the request. */
typedef struct {
  const Work *column;
  sqlite3_int64 row_id;
  bool is_writable;
} Location;

/* A blob of the last request that opened some. */
typedef struct {
  uint32_t handle, size;
} OpenBlob;

/* Take a blob that is already open; false where there is none. */
bool prefetch_take(const Location *wanted, OpenBlob *blob);
/* Add the blobs to open: the wanted one, and its group. */
void prefetch_put(Work *request, const Location *wanted);
/* Read the reply from the second blob on. */
void prefetch_read(const uint8_t *at, const uint8_t *end);
/* The request failed: the next one opens a single blob. */
void prefetch_forget(void);

#endif
