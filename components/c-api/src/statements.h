/* A prepared statement. */
#ifndef STATEMENTS_H
#define STATEMENTS_H

#include "internals.h"
#include "work.h"

struct sqlite3_stmt {
  sqlite3_stmt *next;
  uint32_t handle;
  char *sql;
  /* The reply to its preparation, which has the names below. */
  wit_bytes prepared;
  uint32_t parameters, columns;
  const char **parameter_names, **column_names;
  bool is_read_only;
  /* Bindings, which are sent with the next step, and for each parameter whether it was
  ** cleared after the last of them. */
  Work bound;
  bool *is_cleared;
  /* The last batch of rows, and the next row in it. */
  wit_bytes rows;
  const uint8_t *next_row;
  uint32_t rows_left, limit, width;
  /* It was stepped and not reset. */
  bool is_running;
  bool is_last, has_row;
  Cell *cells;
  /* The declared types of its columns, after their first use. */
  wit_bytes described;
  const char **types;
  /* Names and types in UTF-16, after their first use. */
  Cell *wide;
  /* The result of the last step, for reset and finalize. */
  int code;
};

/* Add the parameters that were cleared and not bound again to what is sent. */
void statement_put_cleared(sqlite3_stmt *statement);

/* Free the metadata and the texts in UTF-16. */
void columns_free(sqlite3_stmt *statement);

#endif
