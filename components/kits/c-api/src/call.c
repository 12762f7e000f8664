/* One call from the host; see call.h. */
#include "call.h"
#include "pointers.h"

#include <stdlib.h>
#include <string.h>

#include "face.h"
#include "start.h"

static Owned owned;

static void push(List *list, void *item) {
  if (list->count == list->room) {
    list->room = list->room ? 2 * list->room : 64;
    list->items = realloc(list->items, list->room * sizeof(void *));
    if (!list->items) abort();
  }
  list->items[list->count++] = item;
}

/* build.rs makes the generated code free the lists of a result by this. It does
** nothing: the call owns their memory until the next call, since the generated
** code reads one list while it frees another. */
void bindings_free(void *list) { (void)list; }

static void empty(Owned *owned) {
  while (owned->cells.count) {
    cell_clear(owned->cells.items[--owned->cells.count]);
  }
  while (owned->memory.count) free(owned->memory.items[--owned->memory.count]);
}

void call_release(Owned *taken) {
  empty(taken);
  free(taken->cells.items);
  free(taken->memory.items);
  memset(taken, 0, sizeof(*taken));
}

Owned call_take_memory(void) {
  Owned taken = owned;
  memset(&owned, 0, sizeof(owned));
  return taken;
}

char call_started(void) {
  empty(&owned);
  start_extension();
  connection_begin_call();
  return 0;
}

void call_ended(char *call) {
  (void)call;
  if (work_flush) work_flush();
}

static void call_own(void *item) { push(&owned.memory, item); }

void *call_room(size_t bytes) {
  void *room = malloc(bytes ? bytes : 1);
  if (!room) abort();
  call_own(room);
  return room;
}

static Cell *cells(size_t count) {
  Cell *first = call_room(count * sizeof(Cell));
  for (size_t i = 0; i < count; i++) {
    cell_set_null(&first[i]);
    push(&owned.cells, &first[i]);
  }
  return first;
}

Cell *call_cell(void) { return cells(1); }

void call_own_bytes(const void *bytes, size_t length) {
  /* An empty list has no memory. */
  if (length) call_own((void *)bytes);
}

void call_own_value(const wit_value *value) {
  if (value->tag >= SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT) {
    call_own_bytes(value->val.blob.ptr, value->val.blob.len);
  }
}

sqlite3_value **call_arguments(wit_value *values, size_t count, const wit_bytes *subtypes,
                               int encoding) {
  sqlite3_value **arguments = call_room(count * sizeof(sqlite3_value *));
  Cell *first = cells(count);
  for (size_t i = 0; i < count; i++) {
    Cell *cell = &first[i];
    uint8_t subtype = subtypes && i < subtypes->len ? subtypes->ptr[i] : 0;
    if (subtype == POINTER_SUBTYPE) {
      pointer_load(cell, &values[i]);
    } else {
      cell_set(cell, &values[i], encoding);
      cell_set_subtype(cell, subtype);
    }
    call_own_value(&values[i]);
    arguments[i] = VALUE_OF(cell);
  }
  return arguments;
}

const char *call_text(const wit_string *text) {
  call_own_bytes(text->ptr, text->len);
  return text->len ? (const char *)text->ptr : "";
}

void call_give_text(wit_string *given, const char *text) {
  given->len = text ? strlen(text) : 0;
  given->ptr = call_room(given->len);
  if (given->len) memcpy(given->ptr, text, given->len);
}

bool call_fails(wit_error *error, int code, const char *message) {
  error->code = code;
  call_give_text(&error->message, message);
  return false;
}

bool call_fails_by(wit_error *error, int code, Cell *result) {
  const unsigned char *message = sqlite3_value_text(VALUE_OF(result));
  return call_fails(error, code, (const char *)message);
}

void *call_destination;
size_t call_destination_bytes;

/* The host allocates its arguments by this. Three zero bytes follow each text:
** a NUL in every encoding. */
__attribute__((export_name("cabi_realloc"))) void *cabi_realloc(void *old, size_t old_bytes,
                                                                size_t alignment, size_t bytes) {
  (void)old_bytes;
  if (bytes == 0) return (void *)alignment;
  if (alignment == 1 && call_destination && bytes <= call_destination_bytes) {
    return call_destination;
  }
  unsigned char *memory = realloc(old, bytes + 3);
  if (!memory) abort();
  if (alignment == 1) memset(memory + bytes, 0, 3);
  return memory;
}
