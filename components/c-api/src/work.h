/* What is asked of SQLite, as bytes; `sql.work` has their layout. */
#ifndef WORK_H
#define WORK_H

#include "internals.h"

enum {
  WORK_WRITE = 0,
  WORK_RESET = 1,
  WORK_CLOSE = 2,
  WORK_BIND = 3,
  WORK_PREPARE = 4,
  WORK_EXECUTE = 5,
  WORK_STEP = 6,
  WORK_OPEN_BLOBS = 7,
  WORK_REOPEN_BLOB = 8,
  WORK_READ = 9,
  WORK_LAST_INSERT_ROW_ID = 10,
  WORK_CHANGES = 11,
  WORK_AHEAD = 13,
  WORK_ERROR_OFFSET = 14,
  WORK_DESCRIBE = 15,
  WORK_EXPAND = 16,
  WORK_COLUMN = 17,
  WORK_DATABASE = 18,
  WORK_AUTOCOMMIT = 19,
  WORK_SET_LAST_INSERT_ROW_ID = 20,
};

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
/* As they are, for what was put together before. */
void work_raw(Work *work, const void *bytes, size_t count);
void work_value(Work *work, const wit_value *value);
/* A text as a value; NULL for none. */
void work_optional_text(Work *work, const char *text);
void work_free(Work *work);

/* An operation alone, for the next call of one of the functions below. */
Work *work_of(uint8_t code);
Work *work_on(uint8_t code, uint32_t handle);

/* Whether SQL may be asked for. Not while the extension is described: that is
** the connection's error then. */
bool work_has_sql(void);

/* Whether a question can be answered before it is asked: it only reads, and
** begins anew. */
typedef enum { AHEAD_NEVER, AHEAD_POSSIBLE } Ahead;

/* Of a statement: what is asked behind its steps; see ahead.h. */
typedef struct Trail Trail;

/* Ask, and forget what was asked. The reply is the caller's, to be freed when
** it is not empty. A result code; the error is the connection's. */
int work_ask(Work *work, wit_bytes *reply);
/* The same where there is no reply. */
int work_do(Work *work);
/* As `work_ask`, for what may be answered ahead or lead to what is; `own` is the
** trail of the statement that is stepped, null for another question. */
int work_ask_ahead(Work *work, wit_bytes *reply, Trail *own, Ahead possible);
/* It waits for what is asked next, or for the end of the call. */
int work_later(Work *work);
/* The call ends: what waits is the host's. Null where nothing asks for SQL. */
void work_end(void) __attribute__((weak));

/* Grows with each question. */
extern uint64_t work_asked;
/* Grows also with what waits: what was read is as it was, until then. */
extern uint64_t work_changed;

/* A statement ends, which may be in what is known already. */
void work_drop_ahead(void);

/* Before a question, and at the end of the call: blobs that were opened ahead
** and not wanted. Null where no blobs are opened. */
void blobs_drop_ahead(void) __attribute__((weak));

/* From a reply. */
uint8_t work_take_u8(const uint8_t **at);
uint32_t work_take_u32(const uint8_t **at);
uint64_t work_take_u64(const uint8_t **at);
/* A text; it ends with a NUL. */
const char *work_take_text(const uint8_t **at);
/* A value that is a text; null for any other. */
const char *work_take_optional_text(const uint8_t **at);
/* It borrows its bytes. */
void work_take_value(const uint8_t **at, wit_value *value);

#endif
