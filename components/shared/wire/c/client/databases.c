/* Names and properties of databases and their tables. */

/* A text that lives as long as the connection. */
struct KeptText {
  KeptText *next;
  char *text;
  bool is_file;
};

/* Limits on the count of texts of a connection and on their bytes: the other side chooses them, and
** each look-up searches them all. */
enum { MAX_TEXTS = 1 << 12, MAX_TEXT_BYTES = 16 << 20 };

static bool text_fits(const Client *client, size_t length) {
  return client->text_count < MAX_TEXTS && length <= MAX_TEXT_BYTES - client->text_bytes;
}

/* Store the text; null without memory. */
static const char *keep_text(Client *client, const char *text, bool is_file) {
  if (!text) return NULL;
  for (KeptText *kept = client->texts; kept; kept = kept->next) {
    if (kept->is_file == is_file && strcmp(kept->text, text) == 0) return kept->text;
  }
  size_t length = strlen(text);
  KeptText *kept = text_fits(client, length) ? sqlite3_malloc64(sizeof(*kept)) : NULL;
  if (!kept) return NULL;
  *kept =
      (KeptText){client->texts, is_file ? file_name(text) : sqlite3_mprintf("%s", text), is_file};
  if (!kept->text) {
    sqlite3_free(kept);
    return NULL;
  }
  client->texts = kept;
  client->text_count++;
  client->text_bytes += length;
  return kept->text;
}

/* Properties of a database. It is named by its position or, if that is negative, by its name: null means
** `main`, and for the transaction all databases. */
typedef struct {
  const char *name, *file;
  int is_read_only, transaction;
} Database;

static Database describe_database(Connection *connection, int position, const char *schema) {
  Reply reply;
  Database none = {NULL, NULL, -1, -1}, found = none;
  put_database(call(connection, OP_DATABASE), position, schema);
  if (send(connection, &reply) != SQLITE_OK) return none;
  found.name = in_optional_text(&reply.in);
  found.file = in_optional_text(&reply.in);
  found.is_read_only = (int)in_u32(&reply.in);
  found.transaction = (int)in_u32(&reply.in);
  return reply.in.is_bad ? none : found;
}

EXPORT const char *sqlite3_db_name(sqlite3 *db, int position) {
  Connection *connection = open_connection(db);
  if (!connection || position < 0) return NULL;
  enter(connection);
  const char *name = describe_database(connection, position, NULL).name;
  name = keep_text(&connection->client, name, false);
  leave(connection);
  return name;
}

EXPORT sqlite3_filename sqlite3_db_filename(sqlite3 *db, const char *schema) {
  Connection *connection = open_connection(db);
  if (!connection) return NULL;
  enter(connection);
  const char *file = describe_database(connection, -1, schema).file;
  file = keep_text(&connection->client, file, true);
  leave(connection);
  return file;
}

EXPORT int sqlite3_db_readonly(sqlite3 *db, const char *schema) {
  Connection *connection = open_connection(db);
  if (!connection) return -1;
  enter(connection);
  return leave_with(connection, describe_database(connection, -1, schema).is_read_only);
}

EXPORT int sqlite3_txn_state(sqlite3 *db, const char *schema) {
  Connection *connection = open_connection(db);
  if (!connection) return -1;
  enter(connection);
  return leave_with(connection, describe_database(connection, -1, schema).transaction);
}

EXPORT int sqlite3_table_column_metadata(sqlite3 *db, const char *schema, const char *table,
                                         const char *column, const char **type,
                                         const char **collation, int *not_null, int *primary,
                                         int *automatic) {
  Reply reply;
  Connection *connection = open_connection(db);
  if (!connection || !table) return MISUSE;
  enter(connection);
  Out *work = call(connection, OP_COLUMN);
  out_optional_text(work, schema);
  out_text(work, table);
  out_optional_text(work, column);
  int code = request(connection, &reply);
  const char *texts[2];
  for (int i = 0; i < 2; i++) {
    const char *found = in_optional_text(&reply.in);
    texts[i] = keep_text(&connection->client, found, false);
    if (found && !texts[i]) code = fail_no_memory(connection);
  }
  int flags[3];
  for (int i = 0; i < 3; i++) flags[i] = in_u8(&reply.in);
  if (type) *type = texts[0];
  if (collation) *collation = texts[1];
  if (not_null) *not_null = flags[0];
  if (primary) *primary = flags[1];
  if (automatic) *automatic = flags[2];
  return leave_with(connection, code);
}
