/* Rows that are traced. */

static int traced_width;

static int on_row(unsigned kind, void *data, void *statement, void *unused) {
  traced_width = sqlite3_data_count(statement);
  return 0;
}

static void send_row(const Statement *statement, uint32_t width) {
  Out out = event(EVENT_TRACE);
  out_u32(&out, SQLITE_TRACE_ROW);
  out_u32(&out, statement->handle);
  out_u64(&out, 0);
  for (int i = 0; i < 3; i++) out_text(&out, NULL);
  out_u32(&out, width);
  for (uint32_t i = 0; i < width; i++) out_tagged(&out, TAG_INTEGER, i);
  sent(out);
}

/* The program's row stays where it is until the next one is requested from the engine. */
static void a_row_in_use_is_not_traced(void) {
  Statement statement = {.connection = &connection, .handle = 9};
  link_statement(&statement);
  connection.db.mTrace = SQLITE_TRACE_ROW;
  connection.db.trace.xV2 = on_row;
  statement.own.is_stepping = true;
  send_row(&statement, 3);
  IS(traced_width, 3);
  IS(statement.has_row, false);
  send_row(&statement, MAX_COLUMNS + 1);
  IS(traced_width, 0);
  statement.has_row = true;
  const Mem *row = statement.row;
  send_row(&statement, 3000);
  IS(traced_width, 3);
  statement.own.is_stepping = false;
  send_row(&statement, 3000);
  IS(statement.row == row && statement.width == 3 && statement.has_row, true);
  connection.db.mTrace = 0;
  unlink_statement(&statement);
  free_row(&statement);
}
