/* Probes of pointers, which SQL hands from one function to another. */
#include <string.h>

#include "probes.h"
SQLITE_EXTENSION_INIT3

static const char type[] = "probe text";

/* How many of ours SQL has. */
static int living;

static void drop(void *text) {
  living--;
  sqlite3_free(text);
}

static void p_point(Context *context, int count, Value **values) {
  (void)count;
  char *text = sqlite3_mprintf("%s", sqlite3_value_text(values[0]));
  living++;
  sqlite3_result_pointer(context, text, type, drop);
}

static void p_constant(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3_result_pointer(context, "a constant", type, 0);
}

static void p_pointed(Context *context, int count, Value **values) {
  sqlite3_str *text = sqlite3_str_new(0);
  for (int i = 0; i < count; i++) {
    const char *pointed = sqlite3_value_pointer(values[i], type);
    int is_other = sqlite3_value_pointer(values[i], "another type") != 0;
    sqlite3_str_appendf(text, "[%d %s %d]", sqlite3_value_type(values[i]),
                        pointed ? pointed : "none", is_other);
  }
  sqlite3_result_text(context, sqlite3_str_finish(text), -1, sqlite3_free);
}

static void p_living(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3_result_int(context, living);
}

/* An aggregate of pointers, whose result is one. */
static void gather(Context *context, int count, Value **values) {
  (void)count;
  sqlite3_str **text = sqlite3_aggregate_context(context, sizeof(sqlite3_str *));
  if (!*text) *text = sqlite3_str_new(0);
  const char *pointed = sqlite3_value_pointer(values[0], type);
  sqlite3_str_appendf(*text, " %s", pointed ? pointed : "none");
}

static void gathered(Context *context) {
  sqlite3_str **text = sqlite3_aggregate_context(context, 0);
  if (!text) return;
  living++;
  sqlite3_result_pointer(context, sqlite3_str_finish(*text), type, drop);
}

int probe_pointers(sqlite3 *db) {
  static const Probe probes[] = {
      {"p_point", 1, p_point},
      {"p_constant", 0, p_constant},
      {"p_pointed", -1, p_pointed},
      {"p_living", 0, p_living},
  };
  int code = sqlite3_create_function(db, "p_gather", 1, SQLITE_UTF8, 0, 0, gather, gathered);
  for (unsigned i = 0; i < sizeof(probes) / sizeof(probes[0]) && !code; i++) {
    code = sqlite3_create_function(db, probes[i].name, probes[i].arguments, SQLITE_UTF8, 0,
                                   probes[i].call, 0, 0);
  }
  return code;
}
