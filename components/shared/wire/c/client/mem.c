/* Reads a value into SQLite's structure, for code that includes SQLite's source. */

/* Read a value of one of SQLite's classes, after its tag. The value borrows the bytes, but keeps
** memory that it already has. The text of a blob is in the encoding of the database. */
static inline void mem_read(Mem *mem, uint8_t tag, In *in, uint8_t encoding) {
  uint32_t count;
  uint64_t bits;
  mem->flags = MEM_Null;
  switch (tag) {
    case TAG_INTEGER:
      mem->u.i = (i64)in_u64(in);
      mem->flags = MEM_Int;
      break;
    case TAG_REAL:
      bits = in_u64(in);
      memcpy(&mem->u.r, &bits, 8);
      if (!sqlite3IsNaN(mem->u.r)) mem->flags = MEM_Real;
      break;
    case TAG_TEXT:
    case TAG_BLOB: {
      const uint8_t *bytes = in_bytes(in, &count);
      if (!bytes || count > SQLITE_MAX_LENGTH) break;
      mem->z = (char *)bytes;
      mem->n = (int)count;
      mem->enc = tag == TAG_TEXT ? SQLITE_UTF8 : encoding;
      mem->flags = MEM_Ephem | (tag == TAG_TEXT ? MEM_Str | MEM_Term : MEM_Blob);
      break;
    }
  }
}
