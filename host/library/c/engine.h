/* The sandbox: the functions of `src/exports.rs`. */
#ifndef ENGINE_H
#define ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Engine Engine;

typedef struct {
  /* The path of this library, and of the database or null. */
  const char *library, *path;
  /* Parameters of the URI, or null. */
  const char *max_memory, *timeout;
  /* What the program grants, ending with a null pointer, or null. */
  const char *const *grants;
} StartOptions;

/* Returns a result code of SQLite. After a failure the message is freed by engine_free_text. */
int engine_start(const StartOptions *options, const void *own, Engine **started, char **message);
void engine_free(Engine *engine);
void engine_free_text(char *text);
uint32_t engine_callback(const Engine *engine);
void engine_interrupt(const Engine *engine);
void engine_clear_interruption(const Engine *engine);
bool engine_is_interrupted(const Engine *engine);
int engine_open(const Engine *engine, const char *path, unsigned flags, uint32_t *connection,
                char **message);
int engine_close(const Engine *engine, uint32_t connection);
int engine_load_extension(const Engine *engine, uint32_t connection, const char *name,
                          char **message);
/* A keyed hash that nobody can compute without the engine's secret. */
uint64_t engine_seal(const Engine *engine, const uint8_t *bytes, size_t count);
/* Before and after a fork: a child closes its copies of descriptors with locks. */
void engine_before_fork(void);
void engine_after_fork(bool is_child);
/* The reply stays valid until the next call. */
int engine_perform(const Engine *engine, uint32_t connection, const uint8_t *calls, size_t count,
                   const uint8_t **reply, size_t *reply_count, char **message);

/* Called by the engine during engine_perform, engine_open and engine_close. */
const uint8_t *library_event(const void *own, const uint8_t *bytes, size_t count,
                             size_t *reply_count);

#endif
