/* Corrupted databases, opened by a program: errors, and never the end of the process or of the
** sandbox. Known shapes first, then random changes for some seconds (`FUZZ_MS`). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sqlite3.h"

#define PAGE 512

static const char *path;
static unsigned char *sound;
static size_t sound_bytes;
static const char *current;
static int failures, all_rows;

static unsigned long long seed = 0x5eed;

static size_t below(size_t end) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (size_t)(seed % end);
}

/* Something of every kind. */
static const char kinds[] =
    "PRAGMA page_size = 512; PRAGMA journal_mode = delete;"
    "CREATE TABLE a(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, big BLOB, twice AS (id "
    "* 2) STORED);"
    "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 200)"
    "  INSERT INTO a(id, name, big) SELECT i, 'name ' || i, zeroblob(i * 20) FROM c;"
    "CREATE INDEX by_size ON a(length(big), name);"
    "CREATE TABLE b(x PRIMARY KEY, y) WITHOUT ROWID; INSERT INTO b SELECT name, id FROM a;"
    "CREATE VIRTUAL TABLE words USING fts5(word); INSERT INTO words SELECT name FROM a;"
    "CREATE VIRTUAL TABLE older USING fts4(word); INSERT INTO older SELECT name FROM a;"
    "CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1); INSERT INTO boxes SELECT id, id, id + 1 "
    "FROM a;"
    "CREATE VIEW v AS SELECT a.id, b.y FROM a JOIN b ON a.name = b.x;"
    "CREATE TRIGGER t AFTER DELETE ON a BEGIN DELETE FROM b WHERE x = old.name; END;"
    "DELETE FROM a WHERE id % 7 = 0; ANALYZE;";

static const char *const queries[] = {
    "SELECT * FROM sqlite_schema",
    "SELECT id, name, length(big), sum(length(hex(big))) FROM a GROUP BY id % 5",
    "SELECT * FROM v ORDER BY y DESC",
    "SELECT highlight(words, 0, '<', '>'), bm25(words) FROM words WHERE words MATCH 'name AND 1*'",
    "SELECT snippet(older), hex(matchinfo(older)) FROM older WHERE older MATCH 'name 1*'",
    "SELECT * FROM boxes WHERE x0 > 3 AND x1 < 90",
    "SELECT * FROM b WHERE x > 'name 5'",
    "PRAGMA integrity_check",
    "UPDATE a SET big = zeroblob(3000) WHERE id % 3 = 0",
    "DELETE FROM a WHERE id % 2 = 0",
    "INSERT INTO words(words) VALUES ('optimize')",
    "INSERT INTO older(older) VALUES ('optimize')",
    "REINDEX",
    "VACUUM",
};

static void judge(sqlite3 *db, const char *what) {
  const char *message = sqlite3_errmsg(db);
  if (strstr(message, "trapped") || (sqlite3_errcode(db) & 0xff) == SQLITE_INTERNAL) {
    fprintf(stderr, "%s: %s: %s\n", current, what, message);
    failures++;
  }
}

/* Read all that a statement gives, as a program would. */
static void use(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  for (int rows = 0; rows < 2000 && sqlite3_step(statement) == SQLITE_ROW; rows++, all_rows++) {
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      const unsigned char *text = sqlite3_column_text(statement, i);
      if (text && strlen((const char *)text) > (size_t)sqlite3_column_bytes(statement, i)) abort();
    }
  }
  judge(db, sql);
  sqlite3_finalize(statement);
}

static void use_all(void) {
  sqlite3 *db, *copy;
  char uri[600];
  snprintf(uri, sizeof(uri), "file:%s?wasm_max_memory=64M&wasm_timeout=500ms", path);
  sqlite3_open_v2(uri, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0, NULL);
  for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) use(db, queries[i]);
  sqlite3_open(":memory:", &copy);
  sqlite3_backup *backup = sqlite3_backup_init(copy, "main", db, "main");
  if (backup) {
    sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
  }
  judge(copy, "backup");
  sqlite3_blob *blob;
  unsigned char bytes[64];
  if (sqlite3_blob_open(db, "main", "a", "big", 100, 0, &blob) == SQLITE_OK) {
    sqlite3_blob_read(blob, bytes, 64, sqlite3_blob_bytes(blob) - 64);
    sqlite3_blob_close(blob);
  }
  sqlite3_close_v2(copy);
  sqlite3_close_v2(db);
}

static void write_file(const unsigned char *bytes, size_t count) {
  char journal[600];
  snprintf(journal, sizeof(journal), "%s-journal", path);
  unlink(journal);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, count, file) != count || fclose(file)) abort();
}

/* Shapes made by SQL. */
static const char *const crafted[] = {
    "UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'a'",
    "UPDATE sqlite_schema SET rootpage = 99999999 WHERE name = 'by_size'",
    "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'b') "
    "WHERE name = 'a'",
    "UPDATE sqlite_schema SET sql = 'CREATE TABLE a(id, name, big, z, y, x, w, v, u, t)' WHERE "
    "name = 'a'",
    "UPDATE sqlite_schema SET sql = 'CREATE INDEX by_size ON a(name, name, name, name)' WHERE name "
    "= 'by_size'",
    "UPDATE sqlite_schema SET sql = 'CREATE VIEW v AS SELECT * FROM v' WHERE name = 'v'",
    "UPDATE sqlite_schema SET type = 'view', sql = 'CREATE VIEW a AS SELECT load_extension(x) FROM "
    "b' WHERE name = 'a'",
    "UPDATE sqlite_schema SET sql = 'CREATE TRIGGER t AFTER DELETE ON a BEGIN DELETE FROM a; "
    "SELECT writefile(1, 2); END' WHERE name = 't'",
    "UPDATE sqlite_schema SET sql = substr(sql, 1, 20) || char(0) || sql",
    "UPDATE sqlite_schema SET sql = replace(sql, 'fts5', 'rtree') WHERE name = 'words'",
    "UPDATE sqlite_schema SET sql = replace(sql, 'rtree', 'fts5') WHERE name = 'boxes'",
    "UPDATE sqlite_schema SET name = 'sqlite_sequence', tbl_name = 'sqlite_sequence' WHERE name = "
    "'b'",
    "UPDATE sqlite_sequence SET seq = 9223372036854775807",
    "UPDATE sqlite_stat1 SET stat = '99999999999999999999 0 -1 unordered sz=0'",
    "UPDATE words_data SET block = randomblob(length(block))",
    "UPDATE words_data SET block = zeroblob(3)",
    "UPDATE words_data SET block = substr(block, 1, length(block) / 2)",
    "UPDATE words_data SET block = x'ffffffffffffffff' || block",
    "UPDATE words_idx SET pgno = 2147483647",
    "UPDATE words_docsize SET sz = x'ffffffffff7f'",
    "UPDATE words_config SET v = 99",
    "DELETE FROM words_content",
    "UPDATE older_segdir SET root = randomblob(length(root))",
    "UPDATE older_segdir SET root = x'00ffffffffffffff7f', end_block = 'x'",
    "UPDATE older_stat SET value = x'ffffffffffffffffff01'",
    "UPDATE older_docsize SET size = x'ff'",
    "UPDATE boxes_node SET data = randomblob(length(data))",
    "UPDATE boxes_node SET data = x'7fff7fff' || zeroblob(50)",
    "UPDATE boxes_parent SET parentnode = nodeno",
    "UPDATE boxes_rowid SET nodeno = 12345",
};

static void craft(const char *sql) {
  sqlite3 *db;
  current = sql;
  write_file(sound, sound_bytes);
  sqlite3_open(path, &db);
  sqlite3_exec(db, "PRAGMA writable_schema = on", 0, 0, 0);
  sqlite3_exec(db, sql, 0, 0, 0);
  sqlite3_close(db);
  use_all();
}

/* Shapes in the file. */

static void put_u32(unsigned char *at, unsigned number) {
  for (int i = 0; i < 4; i++) at[i] = (unsigned char)(number >> (24 - 8 * i));
}

/* Each page that could be an overflow page or one of the free list leads to itself, or to page 1. */
static void chains(unsigned char *bytes, unsigned to) {
  for (size_t page = 1; page < sound_bytes / PAGE; page++) {
    unsigned char *at = bytes + page * PAGE;
    if (at[0] == 0) put_u32(at, to ? to : (unsigned)page + 1);
  }
}

/* Interior pages whose children are themselves. */
static void loops(unsigned char *bytes) {
  for (size_t page = 1; page < sound_bytes / PAGE; page++) {
    unsigned char *at = bytes + page * PAGE;
    if (at[0] == 2 || at[0] == 5) put_u32(at + 8, (unsigned)page + 1);
  }
}

/* Cells that begin anywhere, with long headers and long payloads. */
static void cells(unsigned char *bytes, int offset, unsigned char value) {
  for (size_t page = 1; page < sound_bytes / PAGE; page++) {
    unsigned char *at = bytes + page * PAGE;
    if (at[0] != 10 && at[0] != 13) continue;
    size_t cell = (size_t)(at[8] << 8 | at[9]);
    for (int i = 0; i < 9 && cell + (size_t)(offset + i) < PAGE; i++)
      at[cell + (size_t)(offset + i)] = value;
  }
}

static void headers(unsigned char *bytes, int field, unsigned char value) {
  for (size_t page = 1; page < sound_bytes / PAGE; page++) {
    unsigned char *at = bytes + page * PAGE;
    if (at[0] == 2 || at[0] == 5 || at[0] == 10 || at[0] == 13) at[field] = value;
  }
}

static void shape(const char *name, int kind, int number, unsigned value) {
  unsigned char *bytes = malloc(sound_bytes);
  current = name;
  memcpy(bytes, sound, sound_bytes);
  if (kind == 0) chains(bytes, value);
  else if (kind == 1) loops(bytes);
  else if (kind == 2) cells(bytes, number, (unsigned char)value);
  else if (kind == 3) headers(bytes, number, (unsigned char)value);
  else put_u32(bytes + number, value);
  write_file(bytes, sound_bytes);
  use_all();
  free(bytes);
}

static void shapes(void) {
  shape("overflow pages that lead to themselves", 0, 0, 0);
  shape("overflow pages that lead to page 1", 0, 0, 1);
  shape("overflow pages that lead nowhere", 0, 0, 0x7fffffff);
  shape("interior pages that are their own children", 1, 0, 0);
  for (int offset = 0; offset < 6; offset++) {
    shape("long numbers in records", 2, offset, 0xff);
    shape("short records", 2, offset, 0x80);
    shape("types of records", 2, offset, 0x7f);
  }
  for (int field = 1; field < 8; field++) {
    shape("headers of pages", 3, field, 0xff);
    shape("headers of pages", 3, field, 0);
  }
  shape("a large free list", 4, 36, 0xffffffff);
  shape("a free list at page 1", 4, 32, 1);
  shape("a small database", 4, 28, 1);
  shape("a large database", 4, 28, 0xfffffffe);
  shape("an unknown encoding", 4, 56, 77);
  shape("an unknown schema format", 4, 44, 0x7fffffff);
  shape("a largest root page", 4, 52, 0x7fffffff);
}

static void random_changes(long milliseconds) {
  unsigned char *bytes = malloc(sound_bytes);
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  current = "random changes";
  do {
    memcpy(bytes, sound, sound_bytes);
    for (size_t count = below(8); count < 8; count++) {
      size_t page = below(sound_bytes / PAGE) * PAGE;
      bytes[page + below(below(2) ? 110 : PAGE)] = (unsigned char)below(256);
    }
    write_file(bytes, below(10) ? sound_bytes : below(sound_bytes));
    use_all();
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 <
           milliseconds);
  free(bytes);
}

int main(int count, char **arguments) {
  path = arguments[1];
  sqlite3 *db;
  if (sqlite3_open(path, &db) || sqlite3_exec(db, kinds, 0, 0, 0)) {
    fprintf(stderr, "%s\n", sqlite3_errmsg(db));
    return 1;
  }
  sqlite3_close(db);
  FILE *file = fopen(path, "rb");
  fseek(file, 0, SEEK_END);
  sound_bytes = (size_t)ftell(file);
  fseek(file, 0, SEEK_SET);
  sound = malloc(sound_bytes);
  if (fread(sound, 1, sound_bytes, file) != sound_bytes) return 1;
  fclose(file);
  current = "the database as it was";
  use_all();
  if (all_rows < 500) {
    fprintf(stderr, "it gives only %d rows\n", all_rows);
    return 1;
  }
  for (size_t i = 0; i < sizeof(crafted) / sizeof(*crafted); i++) craft(crafted[i]);
  shapes();
  const char *budget = getenv("FUZZ_MS");
  random_changes(budget ? atol(budget) : 4000);
  return failures != 0;
}
