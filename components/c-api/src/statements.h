/* A statement, for the files that tell of it. */
#ifndef STATEMENTS_H
#define STATEMENTS_H

#include "ahead.h"
#include "internals.h"
#include "work.h"

struct sqlite3_stmt {
  sqlite3_stmt *next;
  uint32_t handle;
  char *sql;
  /* What the host said of it; the names are in there. */
  wit_bytes prepared;
  uint32_t parameters, columns;
  const char **parameter_names, **column_names;
  bool is_read_only;
  /* Values that go with the next step. */
  Work bound;
  /* Rows that were fetched, and where the next one is. */
  wit_bytes rows;
  const uint8_t *next_row;
  uint32_t rows_left, limit, width;
  bool is_last, has_row;
  Trail trail;
  Cell *cells;
  /* Declared types of its columns, when they were asked for. */
  wit_bytes described;
  const char **types;
  /* Names and types in UTF-16, when they were asked for. */
  Cell *wide;
  /* What the last step returned, for reset and finalize. */
  int code;
};

/* Free the metadata and the texts in UTF-16. */
void columns_free(sqlite3_stmt *statement);

#endif
