/* Values in bytes, in the format of the engine's side. */

static void mem_init(Mem *mem, sqlite3 *db) {
  memset(mem, 0, sizeof(*mem));
  mem->flags = MEM_Null;
  mem->db = db;
}

/* A value other than a pointer. */
static void put_value(Out *out, sqlite3_value *value) {
  Mem *mem = value;
  if (mem->flags & MEM_Subtype && !(mem->flags & MEM_Term && mem->flags & MEM_Null)) {
    out_u8(out, TAG_SUBTYPE);
    out_u8(out, mem->eSubtype);
  }
  bool is_zeros = mem->flags & MEM_Zero && mem->flags & MEM_Blob && mem->n == 0;
  if (is_zeros) out_tagged(out, TAG_ZEROS, (uint64_t)mem->u.nZero);
  else out_value(out, value);
}

static bool is_pointer(const Mem *mem) {
  const int pointer = MEM_Null | MEM_Term | MEM_Subtype;
  return (mem->flags & (MEM_TypeMask | MEM_Term | MEM_Subtype)) == pointer && mem->eSubtype == 'p';
}

/* The entry of a pointer that the engine sent; null for other values. */
static Entry *entry_of_pointer(Sandbox *sandbox, const Mem *mem) {
  if (!is_pointer(mem)) return NULL;
  bool has_number = mem->n > 0 && (uint32_t)mem->n < sandbox->entry_count;
  Entry *entry = has_number ? sandbox->entries[mem->n] : NULL;
  return entry && entry->kind == POINTER && entry->data == mem->z ? entry : NULL;
}

/* Take the pointer out of a value: it becomes an entry of the sandbox. */
static Entry *take_pointer(Sandbox *sandbox, Mem *mem) {
  if (!is_pointer(mem)) return NULL;
  Entry *entry = entry_new(sandbox, POINTER);
  if (!entry) return NULL;
  entry->data = mem->z;
  entry->pointer_type = mem->u.zPType;
  if (mem->flags & MEM_Dyn && mem->xDel != sqlite3NoopDestructor) entry->destroy = mem->xDel;
  /* If the engine sent this pointer, its origin stays alive as long. An origin has no owner. */
  Entry *origin = entry->destroy ? NULL : entry_of_pointer(sandbox, mem);
  if (origin) entry->owner = origin->owner ? origin->owner : origin;
  if (origin) entry_enter(entry->owner);
  mem->flags = MEM_Null;
  return entry;
}

/* Read a value of the engine. The value borrows the bytes, but keeps memory that it already has. */
static void get_value(Sandbox *sandbox, Mem *mem, In *in) {
  uint8_t subtype = 0, tag = in_u8(in);
  bool has_subtype = tag == TAG_SUBTYPE;
  if (has_subtype) {
    subtype = in_u8(in);
    tag = in_u8(in);
  }
  mem->flags = MEM_Null;
  if (tag == TAG_MISSING) {
    mem->flags = MEM_Null | MEM_Zero;
    return;
  }
  if (tag == TAG_POINTER) {
    uint32_t number = in_u32(in);
    Entry *entry = entry_find(sandbox, POINTER, number);
    if (!entry) return;
    sqlite3VdbeMemSetPointer(mem, entry->data, entry->pointer_type, 0);
    /* A pointer has no length. */
    mem->n = (int)number;
    return;
  }
  mem_read(mem, tag, in, connection_of(mem->db)->encoding);
  if (has_subtype) {
    mem->eSubtype = subtype;
    mem->flags |= MEM_Subtype;
  }
}

/* Read a value for code of the program, which may run SQL: a pointer stays alive even if the
** sandbox frees it meanwhile. */
static void get_held_value(Sandbox *sandbox, Mem *mem, In *in) {
  get_value(sandbox, mem, in);
  Entry *pointer = entry_of_pointer(sandbox, mem);
  if (pointer) entry_enter(pointer);
}

static void held_value_free(Sandbox *sandbox, Mem *mem) {
  Entry *pointer = entry_of_pointer(sandbox, mem);
  sqlite3VdbeMemRelease(mem);
  if (!pointer) return;
  mem->flags = MEM_Null;
  entry_leave(sandbox, pointer);
}

/* The client's cells are SQLite's values. */

static void cell_init(Cell *cell, Connection *connection) { mem_init(cell, &connection->db); }

static void cell_clear(Cell *cell) { sqlite3VdbeMemRelease(cell); }

static void cell_read(Connection *connection, Cell *cell, In *in) {
  if (cell->flags & MEM_Dyn) sqlite3VdbeMemSetNull(cell);
  get_value(connection->sandbox, cell, in);
}

/* Set to a text, which the cell borrows. */
static void cell_set_text(Cell *cell, const void *text, size_t bytes, uint8_t encoding) {
  sqlite3VdbeMemSetStr(cell, text, (i64)bytes, encoding, SQLITE_STATIC);
}

static void put_bound_value(Out *out, sqlite3_value *value) {
  value->flags &= ~MEM_Subtype;
  put_value(out, value);
}

static void put_zeros(Out *out, sqlite3_uint64 count) { out_tagged(out, TAG_ZEROS, count); }

/* Whether memory ran out since the last call of a function that returns a code. */
static bool memory_failed(Connection *connection) {
  if (!connection->db.mallocFailed) return false;
  sqlite3OomClear(&connection->db);
  return true;
}

static int length_limit(const Connection *connection) {
  return connection->db.aLimit[SQLITE_LIMIT_LENGTH];
}

static void destroy(const void *data, void (*destructor)(void *)) {
  if (destructor != SQLITE_STATIC && destructor != SQLITE_TRANSIENT) destructor((void *)data);
}

/* Bytes of replies that outlive the next request. */

static bool keep_reply(Connection *connection, Kept *kept, Reply *reply) {
  (void)connection;
  size_t count = in_left(&reply->in);
  if (count >= kept->room) {
    /* The next block is hardly longer by more. */
    size_t room = count + (kept->bytes ? count / 2 : 0) + 1;
    uint8_t *bytes = sqlite3_realloc64(kept->bytes, room);
    if (!bytes) return false;
    *kept = (Kept){bytes, room};
  }
  if (count) memcpy(kept->bytes, reply->in.at, count);
  reply->in = (In){kept->bytes, kept->bytes + count, false};
  return true;
}

static void kept_free(Kept *kept) {
  sqlite3_free(kept->bytes);
  *kept = (Kept){NULL, 0};
}

static const char *in_optional_text(In *in) { return in_text(in); }

static void out_optional_text(Out *out, const char *text) { out_text(out, text); }

static void put_database(Out *out, int position, const char *schema) {
  out_u32(out, (uint32_t)position);
  out_text(out, schema);
}

/* A file name in the format of sqlite3_create_filename, for the functions that require it. */
static char *file_name(const char *text) {
  char *journal = sqlite3_mprintf("%s-journal", text), *wal = sqlite3_mprintf("%s-wal", text);
  const char *copy = journal && wal ? sqlite3_create_filename(text, journal, wal, 0, NULL) : NULL;
  sqlite3_free(journal);
  sqlite3_free(wal);
  return (char *)copy;
}
