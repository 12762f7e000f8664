/* The head of replies: the state of the connection after the operation. It begins each reply to a
** program, and is the whole reply to WORK_STATE. */
#ifndef HEAD_H
#define HEAD_H

#include "bytes.h"

typedef struct {
  /* The result of the last function. */
  int code;
  /* sqlite3_extended_errcode and sqlite3_error_offset. */
  int error, offset;
  unsigned char autocommit;
  /* sqlite3_errmsg ends the reply, a text. */
  unsigned char has_message;
  /* Of the databases, such as SQLITE_UTF8. */
  unsigned char encoding;
  unsigned char unused;
  long long changes, total_changes, last_insert_rowid;
} ReplyHead;

_Static_assert(sizeof(ReplyHead) == 40, "as wire::ReplyHead");

/* False, and a head of zeros, if the bytes end too early. */
static inline bool in_head(In *in, ReplyHead *head) {
  const uint8_t *start = in_raw(in, sizeof(*head));
  if (start) memcpy(head, start, sizeof(*head));
  else memset(head, 0, sizeof(*head));
  return start != NULL;
}

#endif
