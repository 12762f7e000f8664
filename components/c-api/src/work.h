/* Operations on the caller's connection, as bytes; `sql-work` has their layout. */
#ifndef WORK_H
#define WORK_H

#include "internals.h"
#include "wire.h"

/* Operations, one after the other. */
typedef struct {
  uint8_t *bytes;
  size_t count, room;
} Work;

void work_u8(Work *work, uint8_t number);
void work_u32(Work *work, uint32_t number);
void work_u64(Work *work, uint64_t number);
void work_bytes(Work *work, const void *bytes, size_t count);
void work_text(Work *work, const char *text);
/* Bytes that are encoded already. */
void work_raw(Work *work, const void *bytes, size_t count);
void work_value(Work *work, const wit_value *value);
/* A text as a value; NULL for a null pointer. */
void work_optional_text(Work *work, const char *text);
void work_free(Work *work);

/* A single operation, for the next call of one of the functions below. */
Work *work_of(uint8_t code);
Work *work_on(uint8_t code, uint32_t handle);

/* Whether SQL can run. It cannot while the host describes the extension: then
** this sets the connection's error. */
bool work_has_sql(void);

/* Send the operations and clear them. Returns a result code, and sets the
** connection's error. The caller frees a reply that is not empty. */
int work_request(Work *work, wit_bytes *reply);
/* The same for operations without a reply. */
int work_run(Work *work);
/* Send the operations with the next request, or at the end of the call. */
int work_defer(Work *work);
/* Close a blob that the host closes at the end of the call: with the next request,
** which may be one of a later call. */
void work_close_later(uint32_t handle);
/* Have the host keep the blobs that are open at the end of a call. Null where nothing
** opens blobs. */
void blobs_keep(void) __attribute__((weak));
/* Send deferred operations at the end of a call. Null where nothing links SQL. */
void work_flush(void) __attribute__((weak));

/* The number of requests until now. */
extern uint64_t work_requests;
/* The number of requests and deferred operations: while it stays, so does the
** content of blobs. */
extern uint64_t work_operations;

/* Close blobs that were opened with another one and not taken: before each
** request, and at the end of a call. Null where nothing opens blobs. */
void prefetch_drop(void) __attribute__((weak));

/* Read from a reply. */
uint8_t work_take_u8(const uint8_t **at);
uint32_t work_take_u32(const uint8_t **at);
uint64_t work_take_u64(const uint8_t **at);
/* A text, which a NUL follows. */
const char *work_take_text(const uint8_t **at);
/* A value that is a text; null for any other. */
const char *work_take_optional_text(const uint8_t **at);
/* The value borrows the reply's bytes. */
void work_take_value(const uint8_t **at, wit_value *value);

#endif
