/* An extension that is a script in JavaScript, whose file is the argument, loaded by the library: what it registers works, and an
** error of it is one of SQL. Prints nothing; fails with the first check that does not hold. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1); \
    } \
  } while (0)

static void answers(sqlite3 *db, const char *sql, const char *expected) {
  sqlite3_stmt *statement;
  CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW);
  CHECK(!strcmp((const char *)sqlite3_column_text(statement, 0), expected));
  sqlite3_finalize(statement);
}

int main(int count, char **words) {
  CHECK(count == 2);
  sqlite3 *db;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_load_extension(db, words[1], NULL, NULL) == SQLITE_ERROR);
  CHECK(sqlite3_enable_load_extension(db, 1) == SQLITE_OK);
  CHECK(sqlite3_load_extension(db, words[1], NULL, NULL) == SQLITE_OK);
  answers(db, "SELECT shout('tea')", "TEA!");
  answers(db, "SELECT group_concat(word, ',') FROM words('to be')", "to,be");
  CHECK(sqlite3_exec(db, "SELECT shout(NULL)", 0, 0, 0) == SQLITE_ERROR);
  CHECK(strstr(sqlite3_errmsg(db), "shout"));
  answers(db, "SELECT shout('again')", "AGAIN!");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  return 0;
}
