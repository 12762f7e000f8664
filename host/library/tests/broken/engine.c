/* The broken engine. */

int engine_start(const StartOptions *options, const void *own, Engine **started, char **message) {
  return SQLITE_ERROR;
}
void engine_free(Engine *engine) {}
void engine_free_text(char *text) {}
uint32_t engine_callback(const Engine *engine) { return 0; }
void engine_interrupt(const Engine *engine) {}
void engine_clear_interruption(const Engine *engine) {}
bool engine_is_interrupted(const Engine *engine) { return false; }
int engine_open(const Engine *engine, const char *path, unsigned flags, uint32_t *connection,
                char **message) {
  return SQLITE_ERROR;
}
int engine_close(const Engine *engine, uint32_t connection) { return SQLITE_OK; }
int engine_load_extension(const Engine *engine, uint32_t connection, const char *name,
                          char **message) {
  return SQLITE_ERROR;
}
uint64_t engine_seal(const Engine *engine, const uint8_t *bytes, size_t count) { return 7; }
void engine_before_fork(void) {}
void engine_after_fork(bool is_child) {}
int engine_perform(const Engine *engine, uint32_t connection, const uint8_t *calls, size_t count,
                   const uint8_t **reply, size_t *reply_count, char **message) {
  return SQLITE_ERROR;
}
