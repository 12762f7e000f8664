/* Probes of each routine that extensions are offered: SQL functions and tables
** which say what the routines do. The same scripts run natively and here. These
** are of values, results, contexts, texts and registration. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probes.h"
SQLITE_EXTENSION_INIT1

void give(Context *context, sqlite3_str *text) {
  int length = sqlite3_str_length(text);
  char *made = sqlite3_str_finish(text);
  if (made) {
    sqlite3_result_text(context, made, length, sqlite3_free);
  } else {
    sqlite3_result_null(context);
  }
}

void add_hex(sqlite3_str *text, const void *bytes, int count) {
  for (int i = 0; i < count; i++)
    sqlite3_str_appendf(text, "%02x", ((const unsigned char *)bytes)[i]);
}
void add_error(sqlite3_str *text, sqlite3 *db, int code) {
  sqlite3_str_appendf(text, "[%d %d %d %s]", code, sqlite3_errcode(db),
                      sqlite3_extended_errcode(db), sqlite3_errmsg(db));
}

/* Values. */

static void about(sqlite3_str *text, Value *value) {
  sqlite3_str_appendf(text,
                      "type %d, encoding %d, frombind %d, nochange %d, subtype %u, pointer %d, ",
                      sqlite3_value_type(value), sqlite3_value_encoding(value),
                      sqlite3_value_frombind(value), sqlite3_value_nochange(value),
                      sqlite3_value_subtype(value), sqlite3_value_pointer(value, "probe") != 0);
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

static sqlite3_str *str_of(Value *value) {
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_str_append(text, (const char *)sqlite3_value_text(value), sqlite3_value_bytes(value));
  return text;
}

static void p_result(Context *context, int count, Value **values) {
  (void)count;
  const char *kind = (const char *)sqlite3_value_text(values[0]);
  Value *value = values[1];
#define KIND(name) else if (!strcmp(kind, name))
  if (!kind) return;
  KIND("blob")
  sqlite3_result_blob(context, sqlite3_value_blob(value), sqlite3_value_bytes(value),
                      SQLITE_TRANSIENT);
  KIND("blob64")
  sqlite3_result_blob64(context, sqlite3_value_blob(value), sqlite3_value_bytes(value),
                        SQLITE_TRANSIENT);
  KIND("double") sqlite3_result_double(context, sqlite3_value_double(value));
  KIND("nan") sqlite3_result_double(context, __builtin_nan(""));
  KIND("inf") sqlite3_result_double(context, -__builtin_inf());
  KIND("int") sqlite3_result_int(context, sqlite3_value_int(value));
  KIND("int64") sqlite3_result_int64(context, sqlite3_value_int64(value));
  KIND("null") sqlite3_result_null(context);
  KIND("text")
  sqlite3_result_text(context, (const char *)sqlite3_value_text(value), sqlite3_value_bytes(value),
                      SQLITE_TRANSIENT);
  KIND("text to NUL") sqlite3_result_text(context, "abc\0def", -1, SQLITE_STATIC);
  KIND("text with NUL") sqlite3_result_text(context, "abc\0def", 7, SQLITE_STATIC);
  KIND("static") sqlite3_result_text(context, "static", -1, SQLITE_STATIC);
  KIND("freed") sqlite3_result_text(context, sqlite3_mprintf("%s", "freed"), -1, sqlite3_free);
  KIND("text16")
  sqlite3_result_text16(context, sqlite3_value_text16(value), sqlite3_value_bytes16(value),
                        SQLITE_TRANSIENT);
  KIND("text16le")
  sqlite3_result_text16le(context, sqlite3_value_text16le(value), sqlite3_value_bytes16(value),
                          SQLITE_TRANSIENT);
  KIND("text16be")
  sqlite3_result_text16be(context, sqlite3_value_text16be(value), sqlite3_value_bytes16(value),
                          SQLITE_TRANSIENT);
  KIND("text64")
  sqlite3_result_text64(context, (const char *)sqlite3_value_text(value),
                        sqlite3_value_bytes(value), SQLITE_TRANSIENT, SQLITE_UTF8);
  KIND("value") sqlite3_result_value(context, value);
  KIND("zeroblob") sqlite3_result_zeroblob(context, 4);
  KIND("zeroblob64") sqlite3_result_zeroblob64(context, 5);
  KIND("zeroblob64 too big") sqlite3_result_zeroblob64(context, (sqlite3_uint64)1 << 40);
  KIND("subtype") {
    sqlite3_result_value(context, value);
    sqlite3_result_subtype(context, 74);
  }
  KIND("pointer") sqlite3_result_pointer(context, context, "probe", 0);
  KIND("str") {
    sqlite3_str *s = sqlite3_str_new(0);
    sqlite3_str_appendall(s, "of a str");
    sqlite3_result_text(context, sqlite3_str_finish(s), -1, sqlite3_free);
  }
  KIND("str copied") {
    sqlite3_str *s = str_of(value);
    sqlite3_result_str(context, s, SQLITE_COPY);
    sqlite3_str_free(s);
  }
  KIND("str moved") {
    sqlite3_str *s = str_of(value);
    sqlite3_result_str(context, s, SQLITE_XFER);
    sqlite3_str_free(s);
  }
  KIND("str finished") sqlite3_result_str(context, str_of(value), SQLITE_FINISH);
  KIND("error") sqlite3_result_error(context, (const char *)sqlite3_value_text(value), -1);
  KIND("error cut") sqlite3_result_error(context, "an error cut off", 8);
  KIND("error16") sqlite3_result_error16(context, sqlite3_value_text16(value), -1);
  KIND("error_code") sqlite3_result_error_code(context, sqlite3_value_int(value));
  KIND("error and code") {
    sqlite3_result_error(context, "with a code", -1);
    sqlite3_result_error_code(context, SQLITE_CONSTRAINT);
  }
  KIND("nomem") sqlite3_result_error_nomem(context);
  KIND("toobig") sqlite3_result_error_toobig(context);
  KIND("nothing") return;
}
/* Context. */

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
  sqlite3_result_text(context, code ? "refused" : sqlite3_get_clientdata(db, "probes"), -1,
                      SQLITE_STATIC);
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
  if (sqlite3_value_type(values[0]) == SQLITE_TEXT)
    return sqlite3_result_error(context, "p_sum: no texts", -1);
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
  char *text =
      sum ? sqlite3_mprintf("%lld of %d", sum->sum, sum->count) : sqlite3_mprintf("nothing");
  sqlite3_result_text(context, text, -1, sqlite3_free);
}
/* An aggregate that counts how often it was stepped, by each step and at the end. */

static void count_step(Context *context, int count, Value **values) {
  (void)count, (void)values;
  int *last = sqlite3_aggregate_context(context, sizeof(int));
  if (last) *last = sqlite3_aggregate_count(context);
}

static void count_value(Context *context) {
  int *last = sqlite3_aggregate_context(context, 0);
  sqlite3_result_text(
      context, sqlite3_mprintf("%d, then %d", last ? *last : -1, sqlite3_aggregate_count(context)),
      -1, sqlite3_free);
}

/* A collation: by length, then by bytes. */

static int compare_lengths(void *data, int left_bytes, const void *left, int right_bytes,
                           const void *right) {
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

static char *cut(int room, char *buffer, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = sqlite3_vsnprintf(room, buffer, format, arguments);
  va_end(arguments);
  return text;
}

static void p_printf(Context *context, int count, Value **values) {
  (void)count, (void)values;
  char small[12], tiny[4];
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_str_appendf(text, "%d|%5d|%-5d|%05d|%+d|% d|%,d|%u|%x|%X|%#x|%o|%#o|", 42, 42, 42, 42, 42,
                      42, 1234567, 42u, 255, 255, 255, 8, 8);
  sqlite3_str_appendf(text, "%lld|%llx|%ld|", LLONG_MIN, -1LL, 5L);
  sqlite3_str_appendf(text, "%f|%.3f|%10.2f|%-10.2f|%e|%.2E|%g|%G|%!g|%!.17g|%+f|%,.2f|", 3.14159,
                      2.5, 1.005, 1.005, 12345.678, 0.00012, 1e10, 1e-10, 0.1, 0.1, 1.0,
                      1234567.891);
  sqlite3_str_appendf(text, "%f|%g|%.0f|%.20g|", __builtin_inf(), -__builtin_inf(), 2.5, 1e300);
  sqlite3_str_appendf(text, "%s|%10s|%-10s|%.2s|%*s|%!5s|%s|", "text", "text", "text", "text", 6,
                      "ab", "äö", (char *)0);
  sqlite3_str_appendf(text, "%q|%Q|%w|%Q|%q|%z|", "it's", "it's", "a\"b", (char *)0, "plain",
                      sqlite3_mprintf("%s", "freed"));
  sqlite3_str_appendf(text, "%c|%3c|%.3c|%%|%r|%r|%p", 'x', 'y', 'z', 1, 22, (void *)0);
  sqlite3_snprintf(sizeof(small), small, "%s and %d", "cut", 123456);
  sqlite3_str_appendf(text, "|%s|%s", small, sqlite3_snprintf(sizeof(tiny), tiny, "%d", 123456));
  sqlite3_str_appendf(text, "|%s", cut(sizeof(small), small, "%s and %d", "varied", 123456));
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
  char *copy = sqlite3_mprintf("%s/%d/%d", sqlite3_str_value(text), sqlite3_str_length(text),
                               sqlite3_str_errcode(text));
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
  const char *a = (const char *)sqlite3_value_text(values[0]),
             *b = (const char *)sqlite3_value_text(values[1]);
#define SIGN(x) ((x) < 0 ? -1 : (x) > 0)
  int order = sqlite3_stricmp(a, b), head = sqlite3_strnicmp(a, b, 3);
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_str_appendf(text, "stricmp %d, strnicmp %d, glob %d, like %d, like with escape %d",
                      SIGN(order), SIGN(head), sqlite3_strglob(a, b) != 0,
                      sqlite3_strlike(a, b, 0) != 0, sqlite3_strlike(a, b, '!') != 0);
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
  sqlite3_str_appendf(text, " %d %d", sqlite3_keyword_check("select", 6),
                      sqlite3_keyword_check("selec", 5));
  give(context, text);
}

static void p_complete(Context *context, int count, Value **values) {
  (void)count;
  const char *sql = (const char *)sqlite3_value_text(values[0]);
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_str_appendf(text, "%d %llx ", sqlite3_complete(sql), sqlite3_incomplete(sql));
  sqlite3_str_appendf(text, "%d", sqlite3_complete16(sqlite3_value_text16(values[0])));
  give(context, text);
}
/* Registration. */

static const Probe probes[] = {
    {"p_value", -1, p_value},
    {"p_result", 2, p_result},
    {"p_user_data", 0, p_user_data},
    {"p_auxdata", 1, p_auxdata},
    {"p_client", 0, p_client},
    {"p_printf", 0, p_printf},
    {"p_str", 0, p_str},
    {"p_compare", 2, p_compare},
    {"p_keywords", 0, p_keywords},
    {"p_complete", 1, p_complete},
    {0},
};

static void p_utf16(Context *context, int count, Value **values) {
  (void)count;
  const void *text = sqlite3_value_text16(values[0]);
  sqlite3_result_text16(context, text, sqlite3_value_bytes16(values[0]), SQLITE_TRANSIENT);
}

static int register_all(sqlite3 *db, const Probe *list) {
  int flags = SQLITE_UTF8 | SQLITE_RESULT_SUBTYPE | SQLITE_SUBTYPE, code = SQLITE_OK;
  for (; list->name && !code; list++) {
    code = sqlite3_create_function_v2(db, list->name, list->arguments, flags, "the user's data",
                                      list->call, 0, 0, 0);
  }
  return code;
}

int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  (void)error;
  SQLITE_EXTENSION_INIT2(routines);
  int code = register_all(db, probes);
  if (!code) code = probe_pointers(db);
  if (!code) code = register_all(db, process_probes);
  if (!code) code = register_all(db, statement_probes);
  if (!code) code = sqlite3_create_function(db, "p_utf16", 1, SQLITE_UTF16, 0, p_utf16, 0, 0);
  if (!code) code = sqlite3_create_function16(db, u"p_named16", 1, SQLITE_ANY, 0, p_utf16, 0, 0);
  if (!code)
    code = sqlite3_create_window_function(db, "p_sum", 1, SQLITE_UTF8, 0, sum_step, sum_value,
                                          sum_value, sum_inverse, 0);
  if (!code)
    code = sqlite3_create_function(db, "p_plain_sum", 1, SQLITE_UTF8, 0, 0, sum_step, sum_value);
  if (!code)
    code = sqlite3_create_function(db, "p_count", 0, SQLITE_UTF8, 0, 0, count_step, count_value);
  if (!code) code = sqlite3_create_collation(db, "p_length", SQLITE_UTF8, 0, compare_lengths);
  if (!code)
    code = sqlite3_create_collation_v2(db, "p_length16", SQLITE_UTF16, 0, compare_lengths, 0);
  if (!code) code = sqlite3_create_collation16(db, u"p_wide", SQLITE_UTF8, 0, compare_lengths);
  if (!code) code = sqlite3_overload_function(db, "p_overloaded", 1);
  /* Refused: no name, too many arguments, a step without an end. */
  if (sqlite3_create_function(db, 0, 0, SQLITE_UTF8, 0, p_str, 0, 0) != SQLITE_MISUSE)
    return SQLITE_INTERNAL;
  if (sqlite3_create_function(db, "x", 5000, SQLITE_UTF8, 0, p_str, 0, 0) != SQLITE_MISUSE)
    return SQLITE_INTERNAL;
  if (sqlite3_create_function(db, "x", 1, SQLITE_UTF8, 0, 0, sum_step, 0) != SQLITE_MISUSE)
    return SQLITE_INTERNAL;
  /* With nothing that runs, there is nothing to interrupt. */
  sqlite3_interrupt(db);
  return code ? code : probe_tables(db);
}
