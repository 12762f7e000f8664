/* The arguments of xFilter. */

/* The arguments of xFilter, which stay until its next call: modules keep pointers into them. */
struct Filtering {
  Sandbox *sandbox;
  uint8_t *bytes;
  Mem *cells;
  sqlite3_value **values;
  struct InList *lists;
  uint32_t count;
};

/* The right side of an IN. */
typedef struct InList {
  struct InList *next;
  Sandbox *sandbox;
  In all, left;
  Mem item;
} InList;

static const char list_type[] = "right side of IN";

EXPORT int sqlite3_vtab_in_next(sqlite3_value *value, sqlite3_value **item) {
  *item = NULL;
  InList *list = value ? sqlite3_value_pointer(value, list_type) : NULL;
  if (!list) return value ? SQLITE_ERROR : SQLITE_MISUSE_BKPT;
  if (!in_left(&list->left)) return SQLITE_DONE;
  held_value_free(list->sandbox, &list->item);
  get_held_value(list->sandbox, &list->item, &list->left);
  *item = &list->item;
  return list->left.is_bad ? SQLITE_INTERNAL : SQLITE_OK;
}

EXPORT int sqlite3_vtab_in_first(sqlite3_value *value, sqlite3_value **item) {
  InList *list = value ? sqlite3_value_pointer(value, list_type) : NULL;
  if (list) list->left = list->all;
  return sqlite3_vtab_in_next(value, item);
}

static void filtering_free(struct Filtering *filtering) {
  if (!filtering) return;
  for (uint32_t i = 0; i < filtering->count; i++) {
    held_value_free(filtering->sandbox, &filtering->cells[i]);
  }
  while (filtering->lists) {
    InList *list = filtering->lists;
    filtering->lists = list->next;
    held_value_free(list->sandbox, &list->item);
    sqlite3_free(list);
  }
  sqlite3_free(filtering->cells);
  sqlite3_free(filtering->values);
  sqlite3_free(filtering->bytes);
  sqlite3_free(filtering);
}

static bool read_list(struct Filtering *filtering, Connection *connection, Mem *cell, In *in) {
  InList *list = sqlite3MallocZero(sizeof(*list));
  if (!list) return false;
  in_u8(in);
  size_t length = in_u32(in);
  const uint8_t *start = in_raw(in, length);
  list->next = filtering->lists;
  filtering->lists = list;
  list->sandbox = connection->sandbox;
  list->all = list->left = (In){start, start ? start + length : start, false};
  mem_init(&list->item, &connection->db);
  sqlite3VdbeMemSetPointer(cell, list, list_type, 0);
  return true;
}

/* Read `count` arguments from a copy of the bytes. */
static struct Filtering *filtering_read(Connection *connection, const In *in, uint32_t count) {
  struct Filtering *filtering = sqlite3MallocZero(sizeof(*filtering));
  if (!filtering) return NULL;
  filtering->sandbox = connection->sandbox;
  size_t length = in_left(in);
  filtering->bytes = sqlite3_malloc64(length + 1);
  filtering->cells = sqlite3_malloc64((count + 1) * sizeof(Mem));
  filtering->values = sqlite3_malloc64((count + 1) * sizeof(sqlite3_value *));
  if (!filtering->bytes || !filtering->cells || !filtering->values) {
    filtering_free(filtering);
    return NULL;
  }
  if (length) memcpy(filtering->bytes, in->at, length);
  In own = {filtering->bytes, filtering->bytes + length, false};
  for (uint32_t i = 0; i < count; i++, filtering->count++) {
    Mem *cell = &filtering->cells[i];
    mem_init(cell, &connection->db);
    filtering->values[i] = cell;
    bool is_list = in_left(&own) && *own.at == TAG_LIST;
    if (!is_list) get_held_value(connection->sandbox, cell, &own);
    else if (!read_list(filtering, connection, cell, &own)) own.is_bad = true;
  }
  filtering->values[count] = NULL;
  if (!own.is_bad) return filtering;
  filtering_free(filtering);
  return NULL;
}
