/* The objects that the sandbox refers to by id: functions, collations, pointers, auxiliary data,
** groups of aggregates and handlers. The sandbox can send any id at any time. */

typedef enum {
  FREE,
  FUNCTION,
  COLLATION,
  POINTER,
  AUXILIARY,
  GROUP,
  HANDLER,
  MODULE,
  TABLE,
  CURSOR,
  SHAPE,
  SHAPE_DATA
} EntryKind;

struct Entry {
  EntryKind kind;
  uint32_t number;
  /* An object that this one keeps alive: the module of a table, the table of a cursor, the table
  ** that returned a function, the shape that data belong to, the origin of a pointer. */
  Entry *owner;
  /* The connection of a module, table or cursor. */
  Connection *connection;
  /* The next free entry. */
  uint32_t next_free;
  /* How many running calls use it. After the last one it is freed, if it is dead. */
  unsigned running;
  bool is_dead;
  void *data;
  void (*destroy)(void *);
  union {
    FuncDef function;
    int (*compare)(void *, int, const void *, int, const void *);
    const char *pointer_type;
    struct {
      Mem state;
      Entry *function;
    } group;
    /* The function and argument that auxiliary data belong to: another one would misread them. */
    struct {
      Entry *function;
      int index;
    } auxiliary;
    struct {
      int (*filter)(void *, const char *);
      int (*conflict)(void *, int, sqlite3_changeset_iter *);
    } handler;
    struct {
      const sqlite3_module *methods;
      uint32_t bits;
    } module;
    struct {
      sqlite3_vtab *vtab;
      uint32_t columns;
      /* Never used again, unlike ids. */
      uint64_t serial;
      bool is_in_transaction;
      /* It may have been connected without a transaction, if xCreate and xConnect are the same
      ** function. */
      bool may_begin;
      /* The transaction method that is running. */
      uint8_t transaction;
      /* The last savepoint plus one, as SQLite stores it. */
      int savepoint;
    } table;
    struct {
      sqlite3_vtab_cursor *cursor;
      bool has_row;
      struct Filtering *filtering;
    } cursor;
    struct {
      int (*geometry)(sqlite3_rtree_geometry *, int, sqlite3_rtree_dbl *, int *);
      int (*query)(sqlite3_rtree_query_info *);
    } shape;
    /* How many coordinates and parameters there were when the program attached this. */
    struct {
      int coordinates, parameters;
    } shape_data;
  };
};

/* Limit on the cursors of an instance: each also takes memory of the program. */
enum { MAX_CURSORS = 1 << 16 };

/* Limit on the entries of an instance: a malicious sandbox could create them without end. */
#define MAX_ENTRIES (1u << 22)

static bool entries_grow(Sandbox *sandbox) {
  uint32_t count = sandbox->entry_count ? 2 * sandbox->entry_count : 16;
  if (count > MAX_ENTRIES) return false;
  Entry **entries = sqlite3_realloc64(sandbox->entries, count * sizeof(Entry *));
  if (!entries) return false;
  memset(entries + sandbox->entry_count, 0, (count - sandbox->entry_count) * sizeof(Entry *));
  sandbox->entries = entries;
  /* Id 0 means none. */
  for (uint32_t i = sandbox->entry_count ? sandbox->entry_count : 1; i < count; i++) {
    entries[i] = sqlite3MallocZero(sizeof(Entry));
    if (!entries[i]) {
      count = i;
      break;
    }
    entries[i]->number = i;
    entries[i]->next_free = sandbox->free_entry;
    sandbox->free_entry = i;
  }
  sandbox->entry_count = count;
  return sandbox->free_entry != 0;
}

/* A new entry; null without memory. */
static Entry *entry_new(Sandbox *sandbox, EntryKind kind) {
  if (!sandbox->free_entry && !entries_grow(sandbox)) return NULL;
  Entry *entry = sandbox->entries[sandbox->free_entry];
  uint32_t number = entry->number, next = entry->next_free;
  memset(entry, 0, sizeof(*entry));
  entry->number = number;
  entry->kind = kind;
  sandbox->free_entry = next;
  return entry;
}

/* The entry with this id, if it is of this kind. */
static Entry *entry_find(Sandbox *sandbox, EntryKind kind, uint32_t number) {
  if (number == 0 || number >= sandbox->entry_count) return NULL;
  Entry *entry = sandbox->entries[number];
  return entry->kind == kind && !entry->is_dead ? entry : NULL;
}

/* The objects of a function end before the function: nothing else can read them. */
static Entry *owner_of(Entry *entry) {
  return entry->kind == GROUP                                   ? entry->group.function
         : entry->kind == AUXILIARY                             ? entry->auxiliary.function
         : entry->kind == FUNCTION || entry->kind == SHAPE_DATA ? entry->owner
                                                                : NULL;
}

static void entry_leave(Sandbox *sandbox, Entry *entry);
static void filtering_free(struct Filtering *filtering);

static void entry_end(Sandbox *sandbox, Entry *entry) {
  bool has_own = entry->kind == FUNCTION || entry->kind == TABLE || entry->kind == SHAPE;
  for (uint32_t i = 1; has_own && i < sandbox->entry_count; i++) {
    if (owner_of(sandbox->entries[i]) == entry) entry_end(sandbox, sandbox->entries[i]);
  }
  Entry ended = *entry;
  entry->kind = FREE;
  entry->is_dead = false;
  entry->next_free = sandbox->free_entry;
  sandbox->free_entry = entry->number;
  if (ended.kind == FUNCTION) sqlite3_free((char *)ended.function.zName);
  if (ended.kind == GROUP) sqlite3VdbeMemRelease(&ended.group.state);
  if (ended.destroy) ended.destroy(ended.data);
  if (ended.kind == CURSOR) sandbox->cursor_count--;
  if (ended.kind == CURSOR) filtering_free(ended.cursor.filtering);
  bool uses_owner = ended.kind == CURSOR || ended.kind == TABLE || ended.kind == POINTER;
  if (uses_owner && ended.owner) entry_leave(sandbox, ended.owner);
}

/* Free an entry, now or when the calls end that use it. */
static void entry_free(Sandbox *sandbox, Entry *entry) {
  if (entry->running) entry->is_dead = true;
  else entry_end(sandbox, entry);
}

static void entry_enter(Entry *entry) { entry->running++; }

static void entry_leave(Sandbox *sandbox, Entry *entry) {
  if (--entry->running == 0 && entry->is_dead) entry_end(sandbox, entry);
}

/* Free all entries of a kind; if a connection is given, only those of the connection. */
static void entries_end(Sandbox *sandbox, EntryKind kind, const Connection *connection) {
  for (uint32_t i = 1; i < sandbox->entry_count; i++) {
    Entry *entry = sandbox->entries[i];
    bool is_its = !connection || entry->connection == connection;
    if (entry->kind == kind && is_its) entry_end(sandbox, entry);
  }
}

/* Free the tables of a connection whose engine has failed. */
static void tables_end(Sandbox *sandbox, const Connection *connection) {
  entries_end(sandbox, CURSOR, connection);
  entries_end(sandbox, TABLE, connection);
  entries_end(sandbox, MODULE, connection);
}

/* The program's objects end with the instance. */
static void entries_free(Sandbox *sandbox) {
  tables_end(sandbox, NULL);
  for (EntryKind kind = SHAPE_DATA; kind > FREE; kind--) entries_end(sandbox, kind, NULL);
  for (uint32_t i = 1; i < sandbox->entry_count; i++) sqlite3_free(sandbox->entries[i]);
  sqlite3_free(sandbox->entries);
  sandbox->entries = NULL;
  sandbox->entry_count = sandbox->free_entry = 0;
}
