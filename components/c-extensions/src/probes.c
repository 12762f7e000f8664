/* Probes of each routine that extensions are offered: SQL functions and tables
** which say what the routines do. The same scripts run natively and here. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

typedef sqlite3_context Context;
typedef sqlite3_value Value;

static void give(Context *context, sqlite3_str *text) {
  int length = sqlite3_str_length(text);
  char *made = sqlite3_str_finish(text);
  if (made) {
    sqlite3_result_text(context, made, length, sqlite3_free);
  } else {
    sqlite3_result_null(context);
  }
}

static void add_hex(sqlite3_str *text, const void *bytes, int count) {
  for (int i = 0; i < count; i++) sqlite3_str_appendf(text, "%02x", ((const unsigned char *)bytes)[i]);
}

/* Values. */

static void about(sqlite3_str *text, Value *value) {
  sqlite3_str_appendf(text, "type %d, encoding %d, frombind %d, nochange %d, subtype %u, pointer %d, ",
                      sqlite3_value_type(value), sqlite3_value_encoding(value), sqlite3_value_frombind(value),
                      sqlite3_value_nochange(value), sqlite3_value_subtype(value),
                      sqlite3_value_pointer(value, "probe") != 0);
  sqlite3_str_appendf(text, "int %d, int64 %lld, double %!.15g, ", sqlite3_value_int(value),
                      sqlite3_value_int64(value), sqlite3_value_double(value));
  Value *copy = sqlite3_value_dup(value);
  sqlite3_str_appendf(text, "numeric %d, ", sqlite3_value_numeric_type(copy));
  sqlite3_value_free(copy);
  copy = sqlite3_value_dup(value);
  const void *wide = sqlite3_value_text16(copy);
  sqlite3_str_appendall(text, "16 ");
  add_hex(text, wide, sqlite3_value_bytes16(copy));
  wide = sqlite3_value_text16be(copy);
  sqlite3_str_appendall(text, ", be ");
  add_hex(text, wide, sqlite3_value_bytes16(copy));
  wide = sqlite3_value_text16le(copy);
  sqlite3_str_appendall(text, ", le ");
  add_hex(text, wide, sqlite3_value_bytes16(copy));
  sqlite3_value_free(copy);
  const void *blob = sqlite3_value_blob(value);
  sqlite3_str_appendall(text, ", blob ");
  add_hex(text, blob, sqlite3_value_bytes(value));
  const unsigned char *utf8 = sqlite3_value_text(value);
  sqlite3_str_appendf(text, ", text %Q, bytes %d", utf8, sqlite3_value_bytes(value));
}

static void p_value(Context *context, int count, Value **values) {
  sqlite3_str *text = sqlite3_str_new(sqlite3_context_db_handle(context));
  for (int i = 0; i < count; i++) {
    if (i) sqlite3_str_append(text, "; ", 2);
    about(text, values[i]);
  }
  give(context, text);
}

/* Results, each by its name. */

static void p_result(Context *context, int count, Value **values) {
  (void)count;
  const char *kind = (const char *)sqlite3_value_text(values[0]);
  Value *value = values[1];
#define KIND(name) else if (!strcmp(kind, name))
  if (!kind) return;
  KIND("blob") sqlite3_result_blob(context, sqlite3_value_blob(value), sqlite3_value_bytes(value), SQLITE_TRANSIENT);
  KIND("blob64") sqlite3_result_blob64(context, sqlite3_value_blob(value), sqlite3_value_bytes(value), SQLITE_TRANSIENT);
  KIND("double") sqlite3_result_double(context, sqlite3_value_double(value));
  KIND("nan") sqlite3_result_double(context, __builtin_nan(""));
  KIND("inf") sqlite3_result_double(context, -__builtin_inf());
  KIND("int") sqlite3_result_int(context, sqlite3_value_int(value));
  KIND("int64") sqlite3_result_int64(context, sqlite3_value_int64(value));
  KIND("null") sqlite3_result_null(context);
  KIND("text") sqlite3_result_text(context, (const char *)sqlite3_value_text(value), sqlite3_value_bytes(value), SQLITE_TRANSIENT);
  KIND("text to NUL") sqlite3_result_text(context, "abc\0def", -1, SQLITE_STATIC);
  KIND("text with NUL") sqlite3_result_text(context, "abc\0def", 7, SQLITE_STATIC);
  KIND("static") sqlite3_result_text(context, "static", -1, SQLITE_STATIC);
  KIND("freed") sqlite3_result_text(context, sqlite3_mprintf("%s", "freed"), -1, sqlite3_free);
  KIND("text16") sqlite3_result_text16(context, sqlite3_value_text16(value), sqlite3_value_bytes16(value), SQLITE_TRANSIENT);
  KIND("text16le") sqlite3_result_text16le(context, sqlite3_value_text16le(value), sqlite3_value_bytes16(value), SQLITE_TRANSIENT);
  KIND("text16be") sqlite3_result_text16be(context, sqlite3_value_text16be(value), sqlite3_value_bytes16(value), SQLITE_TRANSIENT);
  KIND("text64") sqlite3_result_text64(context, (const char *)sqlite3_value_text(value), sqlite3_value_bytes(value), SQLITE_TRANSIENT, SQLITE_UTF8);
  KIND("value") sqlite3_result_value(context, value);
  KIND("zeroblob") sqlite3_result_zeroblob(context, 4);
  KIND("zeroblob64") sqlite3_result_zeroblob64(context, 5);
  KIND("zeroblob64 too big") sqlite3_result_zeroblob64(context, (sqlite3_uint64)1 << 40);
  KIND("subtype") { sqlite3_result_value(context, value); sqlite3_result_subtype(context, 74); }
  KIND("pointer") sqlite3_result_pointer(context, context, "probe", 0);
  KIND("str") { sqlite3_str *s = sqlite3_str_new(0); sqlite3_str_appendall(s, "of a str"); sqlite3_result_text(context, sqlite3_str_finish(s), -1, sqlite3_free); }
  KIND("error") sqlite3_result_error(context, (const char *)sqlite3_value_text(value), -1);
  KIND("error cut") sqlite3_result_error(context, "an error cut off", 8);
  KIND("error16") sqlite3_result_error16(context, sqlite3_value_text16(value), -1);
  KIND("error_code") sqlite3_result_error_code(context, sqlite3_value_int(value));
  KIND("error and code") { sqlite3_result_error(context, "with a code", -1); sqlite3_result_error_code(context, SQLITE_CONSTRAINT); }
  KIND("nomem") sqlite3_result_error_nomem(context);
  KIND("toobig") sqlite3_result_error_toobig(context);
  KIND("nothing") return;
}

/* Context. */

static int destroyed;

static void count_destroyed(void *data) {
  (void)data;
  destroyed++;
}

static void p_user_data(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3_result_text(context, sqlite3_user_data(context), -1, SQLITE_STATIC);
}

static void p_auxdata(Context *context, int count, Value **values) {
  (void)count;
  static int made;
  int *kept = sqlite3_get_auxdata(context, 0);
  if (!kept) {
    kept = sqlite3_malloc(sizeof(int));
    *kept = ++made;
    sqlite3_set_auxdata(context, 0, kept, sqlite3_free);
    kept = sqlite3_get_auxdata(context, 0);
  }
  sqlite3_result_text(context, kept ? "kept" : "lost", -1, SQLITE_STATIC);
  (void)values;
}

static void p_client(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3 *db = sqlite3_context_db_handle(context);
  static char data[] = "client data";
  int code = sqlite3_set_clientdata(db, "probes", data, 0);
  sqlite3_result_text(context, code ? "refused" : sqlite3_get_clientdata(db, "probes"), -1, SQLITE_STATIC);
}

/* An aggregate and window function: texts, joined. */

typedef struct {
  int count;
  sqlite3_int64 sum;
} Sum;

static void sum_step(Context *context, int count, Value **values) {
  (void)count;
  Sum *sum = sqlite3_aggregate_context(context, sizeof(Sum));
  if (!sum) return sqlite3_result_error_nomem(context);
  if (sqlite3_value_type(values[0]) == SQLITE_TEXT) return sqlite3_result_error(context, "p_sum: no texts", -1);
  sum->count++;
  sum->sum += sqlite3_value_int64(values[0]);
}

static void sum_inverse(Context *context, int count, Value **values) {
  (void)count;
  Sum *sum = sqlite3_aggregate_context(context, sizeof(Sum));
  sum->count--;
  sum->sum -= sqlite3_value_int64(values[0]);
}

static void sum_value(Context *context) {
  Sum *sum = sqlite3_aggregate_context(context, 0);
  char *text = sum ? sqlite3_mprintf("%lld of %d", sum->sum, sum->count) : sqlite3_mprintf("nothing");
  sqlite3_result_text(context, text, -1, sqlite3_free);
}

/* A collation: by length, then by bytes. */

static int compare_lengths(void *data, int left_bytes, const void *left, int right_bytes, const void *right) {
  (void)data;
  if (left_bytes != right_bytes) return left_bytes - right_bytes;
  return memcmp(left, right, left_bytes);
}

/* Formats. */

static char *formatted(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  return text;
}

static void p_printf(Context *context, int count, Value **values) {
  (void)count, (void)values;
  char small[12], tiny[4];
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_str_appendf(text, "%d|%5d|%-5d|%05d|%+d|% d|%,d|%u|%x|%X|%#x|%o|%#o|", 42, 42, 42, 42, 42, 42, 1234567, 42u, 255, 255, 255, 8, 8);
  sqlite3_str_appendf(text, "%lld|%llx|%ld|", LLONG_MIN, -1LL, 5L);
  sqlite3_str_appendf(text, "%f|%.3f|%10.2f|%-10.2f|%e|%.2E|%g|%G|%!g|%!.17g|%+f|%,.2f|", 3.14159, 2.5, 1.005, 1.005, 12345.678, 0.00012, 1e10, 1e-10, 0.1, 0.1, 1.0, 1234567.891);
  sqlite3_str_appendf(text, "%f|%g|%.0f|%.20g|", __builtin_inf(), -__builtin_inf(), 2.5, 1e300);
  sqlite3_str_appendf(text, "%s|%10s|%-10s|%.2s|%*s|%!5s|%s|", "text", "text", "text", "text", 6, "ab", "äö", (char *)0);
  sqlite3_str_appendf(text, "%q|%Q|%w|%Q|%q|%z|", "it's", "it's", "a\"b", (char *)0, "plain", sqlite3_mprintf("%s", "freed"));
  sqlite3_str_appendf(text, "%c|%3c|%.3c|%%|%r|%r|%p", 'x', 'y', 'z', 1, 22, (void *)0);
  sqlite3_snprintf(sizeof(small), small, "%s and %d", "cut", 123456);
  sqlite3_str_appendf(text, "|%s|%s", small, sqlite3_snprintf(sizeof(tiny), tiny, "%d", 123456));
  char *varied = formatted("|%s-%d", "varied", 7);
  sqlite3_str_appendall(text, varied);
  sqlite3_free(varied);
  give(context, text);
}

static void p_str(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3_str *text = sqlite3_str_new(sqlite3_context_db_handle(context));
  sqlite3_str_append(text, "abcdef", 3);
  sqlite3_str_appendchar(text, 3, '-');
  sqlite3_str_appendall(text, "all");
  char *copy = sqlite3_mprintf("%s/%d/%d", sqlite3_str_value(text), sqlite3_str_length(text), sqlite3_str_errcode(text));
  sqlite3_str_truncate(text, 4);
  sqlite3_str_appendf(text, "/%s", copy);
  sqlite3_free(copy);
  sqlite3_str *other = sqlite3_str_new(0);
  sqlite3_str_appendall(other, "gone");
  sqlite3_str_reset(other);
  sqlite3_str_appendf(text, "/%d", sqlite3_str_length(other));
  sqlite3_str_free(other);
  give(context, text);
}

/* Helpers. */

static void p_compare(Context *context, int count, Value **values) {
  (void)count;
  const char *a = (const char *)sqlite3_value_text(values[0]), *b = (const char *)sqlite3_value_text(values[1]);
#define SIGN(x) ((x) < 0 ? -1 : (x) > 0)
  int order = sqlite3_stricmp(a, b), head = sqlite3_strnicmp(a, b, 3);
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_str_appendf(text, "stricmp %d, strnicmp %d, glob %d, like %d, like with escape %d", SIGN(order), SIGN(head),
                      sqlite3_strglob(a, b) != 0, sqlite3_strlike(a, b, 0) != 0, sqlite3_strlike(a, b, '!') != 0);
  give(context, text);
}

static void p_keywords(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_str_appendf(text, "%d", sqlite3_keyword_count());
  for (int i = -1; i <= sqlite3_keyword_count(); i += 20) {
    const char *name = 0;
    int length = 0;
    int code = sqlite3_keyword_name(i, &name, &length);
    sqlite3_str_appendf(text, " %d:%.*s", code, code ? 0 : length, name ? name : "");
  }
  sqlite3_str_appendf(text, " %d %d", sqlite3_keyword_check("select", 6), sqlite3_keyword_check("selec", 5));
  give(context, text);
}

static void p_complete(Context *context, int count, Value **values) {
  (void)count;
  const char *sql = (const char *)sqlite3_value_text(values[0]);
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_str_appendf(text, "%d %d", sqlite3_complete(sql), sqlite3_complete16(sqlite3_value_text16(values[0])));
  give(context, text);
}

static void p_memory(Context *context, int count, Value **values) {
  (void)count, (void)values;
  char *memory = sqlite3_malloc(10);
  strcpy(memory, "memory");
  memory = sqlite3_realloc(memory, 100);
  memory = sqlite3_realloc64(memory, 1000);
  int holds = sqlite3_msize(memory) >= 1000 && !strcmp(memory, "memory");
  sqlite3_free(memory);
  memory = sqlite3_malloc64(5);
  holds &= memory != 0 && sqlite3_malloc(0) == 0 && sqlite3_malloc(-1) == 0 && sqlite3_realloc(0, 0) == 0;
  sqlite3_free(memory);
  sqlite3_free(0);
  holds &= sqlite3_memory_used() >= 0 && sqlite3_memory_highwater(0) >= 0;
#ifdef SQLITE_CORE
  /* A native SQLite without threads has null for these. */
  sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_FAST);
  sqlite3_mutex_enter(mutex);
  sqlite3_mutex_leave(mutex);
  holds &= sqlite3_mutex_try(mutex) == SQLITE_OK;
  sqlite3_mutex_free(mutex);
  sqlite3_mutex_enter(sqlite3_db_mutex(sqlite3_context_db_handle(context)));
  sqlite3_mutex_leave(sqlite3_db_mutex(sqlite3_context_db_handle(context)));
#endif
  sqlite3_log(0, "%s", "nobody listens");
  unsigned char random[300];
  memset(random, 0, sizeof(random));
  sqlite3_randomness(sizeof(random), random);
  int zeros = 0;
  for (unsigned i = 0; i < sizeof(random); i++) zeros += random[i] == 0;
  holds &= zeros < 50;
  sqlite3_result_int(context, holds);
}

static void p_about(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(db);
  sqlite3_str_appendf(text, "%s %d %s threadsafe %d", sqlite3_libversion(), sqlite3_libversion_number(), sqlite3_sourceid(), sqlite3_threadsafe());
  for (int i = 0; i < 12; i++) sqlite3_str_appendf(text, " %d", sqlite3_limit(db, i, -1));
  sqlite3_str_appendf(text, " %s/%s/%s", sqlite3_errstr(SQLITE_CONSTRAINT), sqlite3_errstr(SQLITE_BUSY_SNAPSHOT), sqlite3_errstr(9999));
  give(context, text);
}

/* Statements. */

static void add_error(sqlite3_str *text, sqlite3 *db, int code) {
  sqlite3_str_appendf(text, "[%d %d %d %s]", code, sqlite3_errcode(db), sqlite3_extended_errcode(db), sqlite3_errmsg(db));
}

static void bind_all(sqlite3_str *text, sqlite3_stmt *statement, int count, Value **values) {
  sqlite3_str_appendf(text, "%d parameters", sqlite3_bind_parameter_count(statement));
  for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
    const char *name = sqlite3_bind_parameter_name(statement, i);
    sqlite3_str_appendf(text, " %s=%d", name ? name : "?", name ? sqlite3_bind_parameter_index(statement, name) : i);
  }
  for (int i = 0; i < count; i++) sqlite3_str_appendf(text, " %d", sqlite3_bind_value(statement, i + 1, values[i]));
}

static void add_rows(sqlite3_str *text, sqlite3_stmt *statement) {
  int code, rows = 0;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    sqlite3_str_appendf(text, "\n  %d of %d:", sqlite3_data_count(statement), sqlite3_column_count(statement));
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      sqlite3_str_appendf(text, " %s %d %d %lld %!.15g", sqlite3_column_name(statement, i), sqlite3_column_type(statement, i),
                          sqlite3_column_int(statement, i), sqlite3_column_int64(statement, i), sqlite3_column_double(statement, i));
      /* C does not say which of a call's arguments comes first. */
      const void *part = sqlite3_column_text(statement, i);
      sqlite3_str_appendf(text, " %Q", part);
      sqlite3_str_appendf(text, " %d ", sqlite3_column_bytes(statement, i));
      part = sqlite3_column_text16(statement, i);
      add_hex(text, part, sqlite3_column_bytes16(statement, i));
      sqlite3_str_appendall(text, " ");
      part = sqlite3_column_blob(statement, i);
      add_hex(text, part, sqlite3_column_bytes(statement, i));
      sqlite3_str_appendf(text, " (%d)", sqlite3_value_type(sqlite3_column_value(statement, i)));
    }
    rows++;
  }
  sqlite3_str_appendf(text, "\n  %d rows, then %d, data %d, busy %d", rows, code, sqlite3_data_count(statement), sqlite3_stmt_busy(statement));
}

/* p_run(SQL, VALUES...): all statements, the values bound to each. */
static void p_run(Context *context, int count, Value **values) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  const char *sql = (const char *)sqlite3_value_text(values[0]);
  sqlite3_str *text = sqlite3_str_new(0);
  while (sql && *sql) {
    sqlite3_stmt *statement = 0;
    const char *tail = 0;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, &tail);
    sqlite3_str_appendf(text, "%sprepare %d", sqlite3_str_length(text) ? "\n" : "", code);
    if (code) add_error(text, db, code);
    if (code) break;
    if (statement) {
      sqlite3_str_appendf(text, " %Q readonly %d ", sqlite3_sql(statement), sqlite3_stmt_readonly(statement));
      bind_all(text, statement, count - 1, values + 1);
      add_rows(text, statement);
      code = sqlite3_reset(statement);
      if (code) add_error(text, db, code);
      code = sqlite3_finalize(statement);
      if (code) add_error(text, db, code);
    }
    sql = tail;
  }
  sqlite3_str_appendf(text, "\nchanges %d %lld, last %lld", sqlite3_changes(db), sqlite3_changes64(db), sqlite3_last_insert_rowid(db));
  give(context, text);
}

static void p_bind(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_stmt *statement = 0;
  int codes[20], n = 0;
  destroyed = 0;
  codes[n++] = sqlite3_prepare_v3(db, "SELECT ?1 AS a, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11; tail", -1, SQLITE_PREPARE_PERSISTENT, &statement, 0);
  codes[n++] = sqlite3_bind_blob(statement, 1, "blob", 4, count_destroyed);
  codes[n++] = sqlite3_bind_blob64(statement, 2, "blob64", 6, SQLITE_STATIC);
  codes[n++] = sqlite3_bind_double(statement, 3, 0.1);
  codes[n++] = sqlite3_bind_int(statement, 4, -5);
  codes[n++] = sqlite3_bind_int64(statement, 5, LLONG_MAX);
  codes[n++] = sqlite3_bind_text(statement, 6, "text", -1, count_destroyed);
  codes[n++] = sqlite3_bind_text16(statement, 7, u"wide", -1, SQLITE_STATIC);
  codes[n++] = sqlite3_bind_text64(statement, 8, "text64", 4, SQLITE_STATIC, SQLITE_UTF8);
  codes[n++] = sqlite3_bind_zeroblob(statement, 9, 3);
  codes[n++] = sqlite3_bind_zeroblob64(statement, 10, 2);
  codes[n++] = sqlite3_bind_null(statement, 11);
  codes[n++] = sqlite3_bind_int(statement, 12, 1);
  codes[n++] = sqlite3_bind_int(statement, 0, 1);
  add_rows(text, statement);
  codes[n++] = sqlite3_reset(statement);
  codes[n++] = sqlite3_clear_bindings(statement);
  add_rows(text, statement);
  sqlite3_str_appendf(text, "\nhandle %d, next %d, destroyed %d,", sqlite3_db_handle(statement) == db, sqlite3_next_stmt(db, 0) != 0, destroyed);
  codes[n++] = sqlite3_finalize(statement);
  codes[n++] = sqlite3_finalize(0);
  codes[n++] = sqlite3_prepare16_v2(db, u"SELECT 16 AS wide", -1, &statement, 0);
  add_rows(text, statement);
  sqlite3_str_appendall(text, " ");
  add_hex(text, sqlite3_column_name16(statement, 0), 8);
  sqlite3_finalize(statement);
  for (int i = 0; i < n; i++) sqlite3_str_appendf(text, " %d", codes[i]);
  give(context, text);
}

/* A statement that is stepped further after its end, bound while it runs, and
** stepped again. */
static void p_steps(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < ?1) SELECT i FROM n", -1, &statement, 0);
  sqlite3_bind_int(statement, 1, 3);
  for (int i = 0; i < 6; i++) {
    int code = sqlite3_step(statement);
    sqlite3_str_appendf(text, "%d:%d ", code, sqlite3_column_int(statement, 0));
  }
  sqlite3_str_appendf(text, "bind %d ", sqlite3_bind_int(statement, 1, 1));
  sqlite3_str_appendf(text, "reset %d ", sqlite3_reset(statement));
  sqlite3_bind_int(statement, 1, 1000);
  sqlite3_int64 sum = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) sum += sqlite3_column_int(statement, 0);
  sqlite3_str_appendf(text, "sum %lld", sum);
  sqlite3_finalize(statement);
  give(context, text);
}

static int tell_row(void *data, int count, char **values, char **names) {
  for (int i = 0; i < count; i++) sqlite3_str_appendf(data, "%s=%s ", names[i], values[i] ? values[i] : "null");
  sqlite3_str_appendall(data, "; ");
  return count == 3;
}

static void p_exec(Context *context, int count, Value **values) {
  (void)count;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  char *message = 0;
  const char *sql = (const char *)sqlite3_value_text(values[0]);
  int code = sqlite3_exec(db, sql, sqlite3_value_int(values[1]) ? tell_row : 0, text, &message);
  sqlite3_str_appendf(text, "%d %s", code, message ? message : "no message");
  sqlite3_free(message);
  give(context, text);
}

static void p_get_table(Context *context, int count, Value **values) {
  (void)count;
  sqlite3_str *text = sqlite3_str_new(0);
  char **table = 0, *message = 0;
  int rows = 0, width = 0;
  int code = sqlite3_get_table(sqlite3_context_db_handle(context), (const char *)sqlite3_value_text(values[0]), &table, &rows, &width, &message);
  sqlite3_str_appendf(text, "%d %s, %d rows of %d:", code, message ? message : "no message", rows, width);
  for (int i = 0; table && i < (rows + 1) * width; i++) sqlite3_str_appendf(text, " %s", table[i] ? table[i] : "null");
  sqlite3_free_table(table);
  sqlite3_free(message);
  give(context, text);
}

/* Blobs. */

static void p_blob(Context *context, int count, Value **values) {
  (void)count;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_blob *blob = 0;
  char part[8] = {0};
  int code = sqlite3_blob_open(db, "main", (const char *)sqlite3_value_text(values[0]), (const char *)sqlite3_value_text(values[1]),
                               sqlite3_value_int64(values[2]), sqlite3_value_int(values[3]), &blob);
  add_error(text, db, code);
  if (!code) {
    sqlite3_str_appendf(text, " bytes %d", sqlite3_blob_bytes(blob));
    code = sqlite3_blob_read(blob, part, 4, 1);
    sqlite3_str_appendf(text, " read %d %.4s", code, part);
    code = sqlite3_blob_write(blob, "WXYZ", 4, 2);
    sqlite3_str_appendf(text, " write %d", code);
    if (code) add_error(text, db, code);
    code = sqlite3_blob_read(blob, part, 6, 0);
    sqlite3_str_appendf(text, " read %d %.6s", code, code ? "" : part);
    sqlite3_str_appendf(text, " beyond %d %d %d", sqlite3_blob_read(blob, part, 4, 1000), sqlite3_blob_write(blob, "x", 1, 1000), sqlite3_blob_read(blob, part, -1, 0));
    code = sqlite3_blob_reopen(blob, 2);
    sqlite3_str_appendf(text, " reopen %d bytes %d", code, sqlite3_blob_bytes(blob));
    code = sqlite3_blob_reopen(blob, 77);
    add_error(text, db, code);
    sqlite3_str_appendf(text, " bytes %d", sqlite3_blob_bytes(blob));
    sqlite3_str_appendf(text, " read %d", sqlite3_blob_read(blob, part, 1, 0));
  }
  sqlite3_str_appendf(text, " close %d %d", sqlite3_blob_close(blob), sqlite3_blob_bytes(0));
  give(context, text);
}

/* Registration. */

typedef struct {
  const char *name;
  int arguments;
  void (*call)(Context *, int, Value **);
} Probe;

static const Probe probes[] = {
    {"p_value", -1, p_value},       {"p_result", 2, p_result},       {"p_user_data", 0, p_user_data},
    {"p_auxdata", 1, p_auxdata},    {"p_client", 0, p_client},       {"p_printf", 0, p_printf},
    {"p_str", 0, p_str},            {"p_compare", 2, p_compare},     {"p_keywords", 0, p_keywords},
    {"p_complete", 1, p_complete},  {"p_memory", 0, p_memory},       {"p_about", 0, p_about},
    {"p_run", -1, p_run},           {"p_bind", 0, p_bind},           {"p_steps", 0, p_steps},
    {"p_exec", 2, p_exec},          {"p_get_table", 1, p_get_table}, {"p_blob", 4, p_blob},
};

static void p_utf16(Context *context, int count, Value **values) {
  (void)count;
  const void *text = sqlite3_value_text16(values[0]);
  sqlite3_result_text16(context, text, sqlite3_value_bytes16(values[0]), SQLITE_TRANSIENT);
}

int probe_tables(sqlite3 *db);

int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  (void)error;
  SQLITE_EXTENSION_INIT2(routines);
  int flags = SQLITE_UTF8 | SQLITE_RESULT_SUBTYPE | SQLITE_SUBTYPE, code = SQLITE_OK;
  for (unsigned i = 0; i < sizeof(probes) / sizeof(*probes) && !code; i++) {
    code = sqlite3_create_function_v2(db, probes[i].name, probes[i].arguments, flags, "the user's data", probes[i].call, 0, 0, 0);
  }
  if (!code) code = sqlite3_create_function(db, "p_utf16", 1, SQLITE_UTF16, 0, p_utf16, 0, 0);
  if (!code) code = sqlite3_create_function16(db, u"p_named16", 1, SQLITE_ANY, 0, p_utf16, 0, 0);
  if (!code) code = sqlite3_create_window_function(db, "p_sum", 1, SQLITE_UTF8, 0, sum_step, sum_value, sum_value, sum_inverse, 0);
  if (!code) code = sqlite3_create_function(db, "p_plain_sum", 1, SQLITE_UTF8, 0, 0, sum_step, sum_value);
  if (!code) code = sqlite3_create_collation(db, "p_length", SQLITE_UTF8, 0, compare_lengths);
  if (!code) code = sqlite3_create_collation_v2(db, "p_length16", SQLITE_UTF16, 0, compare_lengths, 0);
  if (!code) code = sqlite3_create_collation16(db, u"p_wide", SQLITE_UTF8, 0, compare_lengths);
  if (!code) code = sqlite3_overload_function(db, "p_overloaded", 1);
  /* Refused: no name, too many arguments, a step without an end. */
  if (sqlite3_create_function(db, 0, 0, SQLITE_UTF8, 0, p_str, 0, 0) != SQLITE_MISUSE) return SQLITE_INTERNAL;
  if (sqlite3_create_function(db, "x", 5000, SQLITE_UTF8, 0, p_str, 0, 0) != SQLITE_MISUSE) return SQLITE_INTERNAL;
  if (sqlite3_create_function(db, "x", 1, SQLITE_UTF8, 0, 0, sum_step, 0) != SQLITE_MISUSE) return SQLITE_INTERNAL;
  return code ? code : probe_tables(db);
}
