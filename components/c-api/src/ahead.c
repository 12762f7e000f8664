/* Questions that go along with another one before they are asked.
**
** For each row an extension asks the same: behind this INSERT that SELECT, and
** then the blob of the row that it found. What only reads and was asked behind
** a statement the last two times is asked together with it. Its answer counts
** when it is the next question indeed, with nothing else asked or waiting in
** between; else it is dropped, and nobody has noticed. */
#include "ahead.h"

#include <stdlib.h>
#include <string.h>

/* Questions that go along with one. */
#define MOST_AHEAD 4

/* How often in a row it was asked, to be asked ahead. */
#define SURE 2

/* They are short; a blob's names are the longest part. */
#define MOST_BYTES 1024

/* Answered already, and not asked yet from `taken` on. Each is the next of the
** one before. */
static struct {
  Trail *from;
  uint8_t *reply;
  uint32_t bytes;
} ahead[MOST_AHEAD];
static size_t count, taken;

/* Of the last question; null when it was no step. */
static Trail *last;

static bool is_next(const Trail *trail, const Work *question) {
  return trail->next.count == question->count &&
         memcmp(trail->next.bytes, question->bytes, question->count) == 0;
}

bool ahead_take(const Work *question, Trail *own, wit_bytes *reply) {
  if (taken == count || !ahead[taken].bytes || !is_next(ahead[taken].from, question)) return false;
  reply->ptr = ahead[taken].reply;
  reply->len = ahead[taken++].bytes;
  last = own;
  return true;
}

static void close_blobs(Work *waiting, const uint8_t *at, const uint8_t *end) {
  while (at < end) {
    uint32_t number = work_take_u32(&at);
    work_take_u32(&at);
    work_take_text(&at);
    if (!number) continue;
    work_u8(waiting, WORK_CLOSE);
    work_u32(waiting, number - 1);
  }
}

/* A statement that is done is reset already. */
static void end_step(Work *waiting, const Work *step, bool is_done) {
  if (is_done) return;
  work_u8(waiting, WORK_RESET);
  work_raw(waiting, step->bytes + 1, sizeof(uint32_t));
}

void ahead_drop(Work *waiting) {
  for (; taken < count; taken++) {
    const uint8_t *reply = ahead[taken].reply;
    Trail *from = ahead[taken].from;
    from->times = 0;
    if (!ahead[taken].bytes) continue;
    if (from->next.bytes[0] == WORK_STEP) {
      end_step(waiting, &from->next, reply[0]);
    } else {
      close_blobs(waiting, reply, reply + ahead[taken].bytes);
    }
    free(ahead[taken].reply);
  }
  count = taken = 0;
}

void ahead_end(Work *waiting) {
  ahead_drop(waiting);
  last = NULL;
}

void ahead_learn(const Work *question, Trail *own, Ahead possible) {
  if (last && (possible == AHEAD_NEVER || question->count > MOST_BYTES)) {
    last->times = 0;
  } else if (last && last->times && is_next(last, question)) {
    last->times += last->times < SURE;
  } else if (last) {
    last->next.count = 0;
    work_raw(&last->next, question->bytes, question->count);
    last->times = 1;
    last->target = own;
  }
  last = own;
}

/* A statement can be begun once, and not while its rows are read. */
static bool can_begin(const Trail *target, const Trail *own) {
  bool is_free = !target->runs && target != own;
  for (size_t i = 0; i < count; i++) is_free &= ahead[i].from->target != target;
  return is_free;
}

void ahead_put(Work *work, Trail *own) {
  for (Trail *from = own; from && from->times == SURE && count < MOST_AHEAD;) {
    Trail *target = from->target;
    if (target && !can_begin(target, own)) return;
    work_u8(work, WORK_AHEAD);
    work_bytes(work, from->next.bytes, from->next.count);
    ahead[count].bytes = 0;
    ahead[count++].from = from;
    from = target;
  }
}

static uint8_t *copied(const uint8_t *bytes, uint32_t count) {
  uint8_t *copy = malloc(count + 1);
  if (!copy) abort();
  memcpy(copy, bytes, count);
  return copy;
}

void ahead_answered(wit_bytes *reply) {
  for (size_t i = count; i-- > 0;) {
    const uint8_t *length = reply->ptr + reply->len - sizeof(uint32_t);
    ahead[i].bytes = work_take_u32(&length);
    reply->len -= sizeof(uint32_t) + ahead[i].bytes;
    if (ahead[i].bytes) ahead[i].reply = copied(reply->ptr + reply->len, ahead[i].bytes);
  }
}

void ahead_forget(Trail *each, const Trail *ended) {
  if (each->target == ended) each->times = 0;
  if (last == ended) last = NULL;
}
