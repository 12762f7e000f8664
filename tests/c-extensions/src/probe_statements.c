/* Probes of statements and blobs. */
#include <limits.h>
#include <string.h>

#include "probes.h"
SQLITE_EXTENSION_INIT3

static int destroyed;

static void count_destroyed(void *data) {
  (void)data;
  destroyed++;
}

static void bind_all(sqlite3_str *text, sqlite3_stmt *statement, int count, Value **values) {
  sqlite3_str_appendf(text, "%d parameters", sqlite3_bind_parameter_count(statement));
  for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
    const char *name = sqlite3_bind_parameter_name(statement, i);
    sqlite3_str_appendf(text, " %s=%d", name ? name : "?",
                        name ? sqlite3_bind_parameter_index(statement, name) : i);
  }
  for (int i = 0; i < count; i++)
    sqlite3_str_appendf(text, " %d", sqlite3_bind_value(statement, i + 1, values[i]));
}

static void add_rows(sqlite3_str *text, sqlite3_stmt *statement) {
  int code, rows = 0;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    sqlite3_str_appendf(text, "\n  %d of %d:", sqlite3_data_count(statement),
                        sqlite3_column_count(statement));
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      sqlite3_str_appendf(text, " %s %d %d %lld %!.15g", sqlite3_column_name(statement, i),
                          sqlite3_column_type(statement, i), sqlite3_column_int(statement, i),
                          sqlite3_column_int64(statement, i), sqlite3_column_double(statement, i));
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
  sqlite3_str_appendf(text, "\n  %d rows, then %d, data %d, busy %d", rows, code,
                      sqlite3_data_count(statement), sqlite3_stmt_busy(statement));
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
      sqlite3_str_appendf(text, " %Q readonly %d ", sqlite3_sql(statement),
                          sqlite3_stmt_readonly(statement));
      bind_all(text, statement, count - 1, values + 1);
      add_rows(text, statement);
      code = sqlite3_reset(statement);
      if (code) add_error(text, db, code);
      code = sqlite3_finalize(statement);
      if (code) add_error(text, db, code);
    }
    sql = tail;
  }
  sqlite3_str_appendf(text, "\nchanges %d %lld, last %lld", sqlite3_changes(db),
                      sqlite3_changes64(db), sqlite3_last_insert_rowid(db));
  give(context, text);
}

static void p_bind(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_stmt *statement = 0;
  int codes[20], n = 0;
  destroyed = 0;
  codes[n++] =
      sqlite3_prepare_v3(db, "SELECT ?1 AS a, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11; tail", -1,
                         SQLITE_PREPARE_PERSISTENT, &statement, 0);
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
  sqlite3_str_appendf(text, "\nhandle %d, next %d, destroyed %d,",
                      sqlite3_db_handle(statement) == db, sqlite3_next_stmt(db, 0) != 0, destroyed);
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
  sqlite3_prepare_v2(db,
                     "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < "
                     "?1) SELECT i FROM n",
                     -1, &statement, 0);
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

/* Each way to prepare: its code, what it leaves of the text, the first row. */
static void p_prepare(Context *context, int count, Value **values) {
  (void)count;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  for (int way = 0; way < 6; way++) {
    const void *wide = sqlite3_value_text16(values[0]), *wide_tail = 0;
    int wide_bytes = sqlite3_value_bytes16(values[0]);
    sqlite3_stmt *statement = 0;
    int code = SQLITE_OK, left = -1;
    switch (way) {
      case 0: code = sqlite3_prepare16(db, wide, -1, &statement, &wide_tail); break;
      case 1: code = sqlite3_prepare16_v2(db, wide, wide_bytes, &statement, &wide_tail); break;
      case 2:
        code = sqlite3_prepare16_v3(db, wide, wide_bytes, SQLITE_PREPARE_NO_VTAB, &statement,
                                    &wide_tail);
        break;
      default: break;
    }
    if (way < 3) left = (const char *)wide + wide_bytes - (const char *)wide_tail;
    const char *sql = (const char *)sqlite3_value_text(values[0]), *tail = 0;
    int bytes = sqlite3_value_bytes(values[0]);
    switch (way) {
      case 3: code = sqlite3_prepare(db, sql, bytes, &statement, &tail); break;
      case 4: code = sqlite3_prepare_v2(db, sql, -1, &statement, &tail); break;
      case 5: code = sqlite3_prepare_v3(db, sql, bytes + 1, 0, &statement, &tail); break;
      default: break;
    }
    if (way >= 3) left = sql + bytes - tail;
    sqlite3_str_appendf(text, "%s%d left %d", way ? "; " : "", code, left);
    int step = statement ? sqlite3_step(statement) : -1;
    sqlite3_str_appendf(text, " step %d %d", step, sqlite3_column_int(statement, 0));
    sqlite3_str_appendf(text, " finalize %d", sqlite3_finalize(statement));
  }
  give(context, text);
}

/* What a text of SQL that fails leaves behind. */
static void p_fails(Context *context, int count, Value **values) {
  (void)count;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  for (int extended = 1; extended >= 0; extended--) {
    sqlite3_extended_result_codes(db, extended);
    int code = sqlite3_exec(db, (const char *)sqlite3_value_text(values[0]), 0, 0, 0);
    add_error(text, db, code);
    sqlite3_str_appendf(text, " at %d ", sqlite3_error_offset(db));
    add_hex(text, sqlite3_errmsg16(db), 12);
    sqlite3_str_appendall(text, extended ? "\n" : "");
  }
  give(context, text);
}

static void p_set_errmsg(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  add_error(text, db, sqlite3_set_errmsg(db, SQLITE_CONSTRAINT_CHECK, "a text that is set"));
  add_error(text, db, sqlite3_set_errmsg(db, SQLITE_BUSY, 0));
  sqlite3_str_appendf(text, " at %d", sqlite3_error_offset(db));
  add_error(text, db, sqlite3_set_errmsg(db, SQLITE_OK, 0));
  give(context, text);
}

static void p_changes(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_str_appendf(text, "%d %lld, in all %d %lld", sqlite3_changes(db), sqlite3_changes64(db),
                      sqlite3_total_changes(db), sqlite3_total_changes64(db));
  give(context, text);
}

static int tell_row(void *data, int count, char **values, char **names) {
  for (int i = 0; i < count; i++)
    sqlite3_str_appendf(data, "%s=%s ", names[i], values[i] ? values[i] : "null");
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
  int code = sqlite3_get_table(sqlite3_context_db_handle(context),
                               (const char *)sqlite3_value_text(values[0]), &table, &rows, &width,
                               &message);
  sqlite3_str_appendf(text, "%d %s, %d rows of %d:", code, message ? message : "no message", rows,
                      width);
  for (int i = 0; table && i < (rows + 1) * width; i++)
    sqlite3_str_appendf(text, " %s", table[i] ? table[i] : "null");
  sqlite3_free_table(table);
  sqlite3_free(message);
  give(context, text);
}
/* p_columns(SQL, VALUES...): what a statement says of itself, before and after its
** first step. */
static void p_columns(Context *context, int count, Value **values) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(db, (const char *)sqlite3_value_text(values[0]), -1, &statement, 0);
  if (code) add_error(text, db, code);
  for (int i = 1; statement && i < count; i++) sqlite3_bind_value(statement, i, values[i]);
  for (int pass = 0; statement && pass < 2; pass++) {
    char *expanded = sqlite3_expanded_sql(statement);
    sqlite3_str_appendf(text, "%sexplain %d, %Q", pass ? "\n" : "",
                        sqlite3_stmt_isexplain(statement), expanded);
    sqlite3_free(expanded);
    for (int i = -1; i <= sqlite3_column_count(statement); i++) {
      /* One form of a type is lost when the other one is read. */
      const void *wide = sqlite3_column_decltype16(statement, i);
      sqlite3_str_appendall(text, ", ");
      add_hex(text, wide, wide ? 2 : 0);
      sqlite3_str_appendf(text, " %s %Q", sqlite3_column_name(statement, i),
                          sqlite3_column_decltype(statement, i));
    }
    sqlite3_step(statement);
  }
  sqlite3_str_appendf(text, " finalize %d", sqlite3_finalize(statement));
  give(context, text);
}

/* p_column(SCHEMA, TABLE, COLUMN) */
static void p_column(Context *context, int count, Value **values) {
  (void)count;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  const char *names[3], *type = "unset", *collation = "unset";
  int not_null = 7, primary_key = 7, auto_increment = 7;
  for (int i = 0; i < 3; i++) names[i] = (const char *)sqlite3_value_text(values[i]);
  int code = sqlite3_table_column_metadata(db, names[0], names[1], names[2], &type, &collation,
                                           &not_null, &primary_key, &auto_increment);
  add_error(text, db, code);
  sqlite3_str_appendf(text, " %Q %Q %d %d %d", type, collation, not_null, primary_key,
                      auto_increment);
  sqlite3_str_appendf(
      text, " %d", sqlite3_table_column_metadata(db, names[0], names[1], names[2], 0, 0, 0, 0, 0));
  give(context, text);
}

/* p_database(SCHEMA): also the names of all. */
static void p_database(Context *context, int count, Value **values) {
  (void)count;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  const char *schema = (const char *)sqlite3_value_text(values[0]);
  const char *file = sqlite3_db_filename(db, schema);
  const char *end = file ? strrchr(file, '/') : 0;
  sqlite3_str_appendf(
      text, "file %Q, readonly %d, transaction %d, autocommit %d:", end ? end : file,
      sqlite3_db_readonly(db, schema), sqlite3_txn_state(db, schema), sqlite3_get_autocommit(db));
  for (int i = -1; i < 4; i++) sqlite3_str_appendf(text, " %Q", sqlite3_db_name(db, i));
  give(context, text);
}

static void p_set_row_id(Context *context, int count, Value **values) {
  (void)count;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_set_last_insert_rowid(db, sqlite3_value_int64(values[0]));
  sqlite3_result_int64(context, sqlite3_last_insert_rowid(db));
}

/* Blobs. */

static void p_blob(Context *context, int count, Value **values) {
  (void)count;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_blob *blob = 0;
  char part[8] = {0};
  int code = sqlite3_blob_open(db, "main", (const char *)sqlite3_value_text(values[0]),
                               (const char *)sqlite3_value_text(values[1]),
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
    sqlite3_str_appendf(text, " beyond %d %d %d", sqlite3_blob_read(blob, part, 4, 1000),
                        sqlite3_blob_write(blob, "x", 1, 1000),
                        sqlite3_blob_read(blob, part, -1, 0));
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

/* A blob that stays open from one call to another: open it, write and read, or close it. */
static void p_kept_blob(Context *context, int count, Value **values) {
  static sqlite3_blob *kept;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  char part[8] = {0};
  int code;
  if (count == 2) {
    code = sqlite3_blob_open(db, "main", (const char *)sqlite3_value_text(values[0]),
                             (const char *)sqlite3_value_text(values[1]), 1, 1, &kept);
  } else if (count == 1) {
    code = sqlite3_blob_write(kept, sqlite3_value_text(values[0]), 2, 1);
    sqlite3_str_appendf(text, "read %d %.4s ", sqlite3_blob_read(kept, part, 4, 0), part);
  } else {
    code = sqlite3_blob_close(kept);
    kept = 0;
  }
  add_error(text, db, code);
  give(context, text);
}

const Probe statement_probes[] = {
    {"p_run", -1, p_run},
    {"p_bind", 0, p_bind},
    {"p_steps", 0, p_steps},
    {"p_exec", 2, p_exec},
    {"p_get_table", 1, p_get_table},
    {"p_prepare", 1, p_prepare},
    {"p_fails", 1, p_fails},
    {"p_changes", 0, p_changes},
    {"p_set_errmsg", 0, p_set_errmsg},
    {"p_blob", 4, p_blob},
    {"p_kept_blob", -1, p_kept_blob},
    {"p_columns", -1, p_columns},
    {"p_column", 3, p_column},
    {"p_database", 1, p_database},
    {"p_set_row_id", 1, p_set_row_id},
    {0},
};
