/* What the sandbox knows by number: functions, collations, pointers, auxiliary data, groups of
** aggregates and handlers. The sandbox may send any number at any time. */

typedef enum { FREE, FUNCTION, COLLATION, POINTER, AUXILIARY, GROUP, HANDLER } EntryKind;

struct Entry {
  EntryKind kind;
  uint32_t number;
  /* The next free one. */
  uint32_t next_free;
  /* It is in use by a call, and ends with it. */
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
    struct {
      int (*filter)(void *, const char *);
      int (*conflict)(void *, int, sqlite3_changeset_iter *);
    } handler;
  };
};

/* Most numbers of an instance: what a malicious sandbox can make the library keep. */
#define MAX_ENTRIES (1u << 22)

static bool entries_grow(Sandbox *sandbox) {
  uint32_t count = sandbox->entry_count ? 2 * sandbox->entry_count : 16;
  if (count > MAX_ENTRIES) return false;
  Entry **entries = sqlite3_realloc64(sandbox->entries, count * sizeof(Entry *));
  if (!entries) return false;
  memset(entries + sandbox->entry_count, 0, (count - sandbox->entry_count) * sizeof(Entry *));
  sandbox->entries = entries;
  /* Number 0 means none. */
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

/* The entry with a number, where it is of this kind. */
static Entry *entry_find(Sandbox *sandbox, EntryKind kind, uint32_t number) {
  if (number == 0 || number >= sandbox->entry_count) return NULL;
  Entry *entry = sandbox->entries[number];
  return entry->kind == kind && !entry->is_dead ? entry : NULL;
}

static void entry_end(Sandbox *sandbox, Entry *entry) {
  Entry ended = *entry;
  entry->kind = FREE;
  entry->is_dead = false;
  entry->next_free = sandbox->free_entry;
  sandbox->free_entry = entry->number;
  if (ended.kind == FUNCTION) sqlite3_free((char *)ended.function.zName);
  if (ended.kind == GROUP) sqlite3VdbeMemRelease(&ended.group.state);
  if (ended.destroy) ended.destroy(ended.data);
}

/* End it, or when the calls end that use it. */
static void entry_free(Sandbox *sandbox, Entry *entry) {
  if (entry->running) entry->is_dead = true;
  else entry_end(sandbox, entry);
}

static void entry_enter(Entry *entry) { entry->running++; }

static void entry_leave(Sandbox *sandbox, Entry *entry) {
  if (--entry->running == 0 && entry->is_dead) entry_end(sandbox, entry);
}

/* The program's objects end with the instance. */
static void entries_free(Sandbox *sandbox) {
  for (int kind = GROUP; kind >= 0; kind = kind == GROUP ? HANDLER : kind == HANDLER ? FUNCTION : -1) {
    for (uint32_t i = 1; i < sandbox->entry_count; i++) {
      Entry *entry = sandbox->entries[i];
      bool is_now = kind == FUNCTION ? entry->kind != FREE : entry->kind == (EntryKind)kind;
      if (is_now) entry_end(sandbox, entry);
    }
  }
  for (uint32_t i = 1; i < sandbox->entry_count; i++) sqlite3_free(sandbox->entries[i]);
  sqlite3_free(sandbox->entries);
  sandbox->entries = NULL;
  sandbox->entry_count = sandbox->free_entry = 0;
}
