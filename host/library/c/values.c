/* Values in bytes, in the format of the engine's side. */

static void mem_init(Mem *mem, sqlite3 *db) {
  memset(mem, 0, sizeof(*mem));
  mem->flags = MEM_Null;
  mem->db = db;
}

static void put_number(Out *out, uint8_t tag, const void *number) {
  uint64_t bits;
  memcpy(&bits, number, 8);
  out_tagged(out, tag, bits);
}

/* A value other than a pointer. Text becomes UTF-8. */
static void put_value(Out *out, sqlite3_value *value) {
  Mem *mem = value;
  if (mem->flags & MEM_Subtype && !(mem->flags & MEM_Term && mem->flags & MEM_Null)) {
    out_u8(out, TAG_SUBTYPE);
    out_u8(out, mem->eSubtype);
  }
  double real;
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      out_tagged(out, TAG_INTEGER, (uint64_t)sqlite3_value_int64(value));
      break;
    case SQLITE_FLOAT:
      real = sqlite3_value_double(value);
      put_number(out, TAG_REAL, &real);
      break;
    case SQLITE_TEXT: {
      const unsigned char *text = sqlite3_value_text(value);
      if (!text) out->is_short = true;
      out_u8(out, TAG_TEXT);
      out_bytes(out, text, text ? (size_t)sqlite3_value_bytes(value) : 0);
      break;
    }
    case SQLITE_BLOB:
      if (mem->flags & MEM_Zero && mem->n == 0) {
        out_tagged(out, TAG_ZEROS, (uint64_t)mem->u.nZero);
        break;
      }
      out_u8(out, TAG_BLOB);
      const void *blob = sqlite3_value_blob(value);
      out_bytes(out, blob, (size_t)sqlite3_value_bytes(value));
      break;
    default:
      out_u8(out, TAG_NULL);
  }
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
  uint32_t count, number;
  uint8_t subtype = 0, tag = in_u8(in);
  bool has_subtype = tag == TAG_SUBTYPE;
  if (has_subtype) {
    subtype = in_u8(in);
    tag = in_u8(in);
  }
  mem->flags = MEM_Null;
  switch (tag) {
    case TAG_INTEGER:
      mem->u.i = (i64)in_u64(in);
      mem->flags = MEM_Int;
      break;
    case TAG_REAL: {
      uint64_t bits = in_u64(in);
      memcpy(&mem->u.r, &bits, 8);
      if (!sqlite3IsNaN(mem->u.r)) mem->flags = MEM_Real;
      break;
    }
    case TAG_TEXT:
    case TAG_BLOB: {
      const uint8_t *bytes = in_bytes(in, &count);
      if (!bytes || count > SQLITE_MAX_LENGTH) break;
      mem->z = (char *)bytes;
      mem->n = (int)count;
      /* The text of a blob is in the encoding of the database. */
      mem->enc = tag == TAG_TEXT ? SQLITE_UTF8 : connection_of(mem->db)->encoding;
      mem->flags = MEM_Ephem | (tag == TAG_TEXT ? MEM_Str | MEM_Term : MEM_Blob);
      break;
    }
    case TAG_POINTER:
      number = in_u32(in);
      Entry *entry = entry_find(sandbox, POINTER, number);
      if (!entry) return;
      sqlite3VdbeMemSetPointer(mem, entry->data, entry->pointer_type, 0);
      /* A pointer has no length. */
      mem->n = (int)number;
      return;
    case TAG_MISSING:
      mem->flags = MEM_Null | MEM_Zero;
      return;
  }
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
