/* Questions that go along with another one before they are asked. */
#ifndef AHEAD_H
#define AHEAD_H

#include "work.h"

/* Of a statement: what was asked behind its steps. */
struct Trail {
  /* Its rows are being read; begun ahead, it would begin again. */
  bool runs;
  Work next;
  /* How often in a row. */
  unsigned times;
  /* That of the statement that `next` steps; null for blobs. */
  Trail *target;
};

/* The answer to a question that went along with the last one, if it is this. */
bool ahead_take(const Work *question, Trail *own, wit_bytes *reply);
/* What was answered ahead in vain ends with what waits. */
void ahead_drop(Work *waiting);
/* The same, and the next question follows none. */
void ahead_end(Work *waiting);
/* Remember that this is asked now. */
void ahead_learn(const Work *question, Trail *own, Ahead possible);
/* Add what is likely to follow. */
void ahead_put(Work *work, Trail *own);
/* Take those replies from behind the reply proper. */
void ahead_answered(wit_bytes *reply);
/* The statement ends; `each` is the trail of one that could lead to it. */
void ahead_forget(Trail *each, const Trail *ended);

#endif
