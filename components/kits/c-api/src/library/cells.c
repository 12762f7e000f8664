/* Values: cells instead of `Mem`. */

void cell_set_null(Cell *cell) {
  memset(cell, 0, sizeof(*cell));
  MEM_OF(cell)->flags = MEM_Null;
  MEM_OF(cell)->db = connection;
}

void cell_set(Cell *cell, const wit_value *value, int encoding) {
  Mem *mem = MEM_OF(cell);
  cell_set_null(cell);
  switch (value->tag) {
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER:
      mem->u.i = value->val.integer;
      mem->flags = MEM_Int;
      break;
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_REAL:
      if (sqlite3IsNaN(value->val.real)) break;
      mem->u.r = value->val.real;
      mem->flags = MEM_Real;
      break;
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT:
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_BLOB:
      /* Ephemeral, so that a copy owns its bytes. `cabi_realloc` puts a NUL after
      ** the bytes, except after none. */
      mem->n = value->val.blob.len;
      mem->z = mem->n ? (char *)value->val.blob.ptr : (char *)"\0\0\0";
      mem->flags = MEM_Ephem | MEM_Term;
      mem->flags |= value->tag == SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT ? MEM_Str : MEM_Blob;
      mem->enc = encoding;
      break;
  }
}

void cell_read_value(Cell *cell, In *in) {
  uint8_t tag = in_u8(in);
  mem_read(MEM_OF(cell), tag, in, SQLITE_UTF8);
}

void cell_set_text(Cell *cell, const void *text, size_t bytes, uint8_t encoding) {
  sqlite3VdbeMemSetStr(MEM_OF(cell), text, bytes, encoding, SQLITE_STATIC);
}

const Cell *cell_null(void) {
  static const Mem none = {.flags = MEM_Null};
  return (const Cell *)&none;
}

void cell_set_subtype(Cell *cell, uint8_t subtype) {
  if (!subtype) return;
  MEM_OF(cell)->eSubtype = subtype;
  MEM_OF(cell)->flags |= MEM_Subtype;
}

void cell_set_unchanged(Cell *cell) {
  cell_set_null(cell);
  MEM_OF(cell)->flags = MEM_Null | MEM_Zero;
}

void cell_set_pointer(Cell *cell, void *pointer, const char *type) {
  cell_set_null(cell);
  sqlite3VdbeMemSetPointer(MEM_OF(cell), pointer, type, 0);
}

bool cell_take_pointer(Cell *cell, Pointer *taken) {
  Mem *mem = MEM_OF(cell);
  const int pointer = MEM_Null | MEM_Term | MEM_Subtype;
  if ((mem->flags & (MEM_TypeMask | MEM_Term | MEM_Subtype)) != pointer || mem->eSubtype != 'p') {
    return false;
  }
  *taken = (Pointer){mem->z, mem->u.zPType, 0};
  if (mem->flags & MEM_Dyn && mem->xDel != sqlite3NoopDestructor) {
    taken->destroy = destructor_of(mem->xDel);
  }
  cell_set_null(cell);
  return true;
}

void cell_clear(Cell *cell) { sqlite3VdbeMemRelease(MEM_OF(cell)); }

void cell_get(Cell *cell, int encoding, wit_value *value) {
  Mem *mem = MEM_OF(cell);
  value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_NULL;
  if (mem->flags & MEM_Str) {
    value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT;
    sqlite3VdbeChangeEncoding(mem, encoding);
  } else if (mem->flags & (MEM_Int | MEM_IntReal)) {
    value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER;
    value->val.integer = mem->u.i;
    if (mem->flags & MEM_Int) return;
    value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_REAL;
    value->val.real = (double)mem->u.i;
    return;
  } else if (mem->flags & MEM_Real) {
    value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_REAL;
    value->val.real = mem->u.r;
    return;
  } else if (mem->flags & MEM_Blob) {
    value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_BLOB;
    ExpandBlob(mem);
  }
  value->val.blob.ptr = (uint8_t *)mem->z;
  value->val.blob.len = mem->n;
}

uint8_t cell_subtype(const Cell *cell) {
  const Mem *mem = (const Mem *)cell;
  return mem->flags & MEM_Subtype ? mem->eSubtype : 0;
}
