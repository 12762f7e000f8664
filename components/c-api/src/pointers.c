/* Pointers that SQL has, by the numbers that stand for them.
**
** A number has the instance in its upper half and a place in its lower one, so
** that those of an instance that trapped are no pointers of the next. */
#include "pointers.h"

#include <stdlib.h>

#include "call.h"

/* A place without a pointer has no type. */
static Pointer *places;
static uint32_t count, room;
/* Places that are free, the last one first. */
static uint32_t *free_places;
static uint32_t free_count;

/* Random, as nothing else tells instances apart; 0 before the first pointer. */
static uint32_t instance;

static void *grown(void *list, size_t bytes) {
  list = realloc(list, room * bytes);
  if (!list) abort();
  return list;
}

static uint32_t free_place(void) {
  if (free_count) return free_places[--free_count];
  if (count == room) {
    room = room ? room * 2 : 16;
    places = grown(places, sizeof(*places));
    free_places = grown(free_places, sizeof(*free_places));
  }
  return count++;
}

bool pointer_give(Cell *result, wit_value *value) {
  Pointer taken;
  if (!cell_take_pointer(result, &taken)) return false;
  while (!instance) sqlite3_randomness(sizeof(instance), &instance);
  uint32_t place = free_place();
  places[place] = taken;
  value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER;
  value->val.integer = (int64_t)((uint64_t)instance << 32 | place);
  return true;
}

static Pointer *find(int64_t number) {
  uint32_t place = (uint32_t)number;
  if (!instance || (uint64_t)number >> 32 != instance || place >= count) return NULL;
  return places[place].type ? &places[place] : NULL;
}

void pointer_set(Cell *cell, const wit_value *value) {
  Pointer *found =
      value->tag == SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER ? find(value->val.integer) : NULL;
  if (found) cell_set_pointer(cell, found->pointer, found->type);
  else cell_set_null(cell);
}

static void destroy(Pointer *place) {
  Pointer gone = *place;
  place->type = NULL;
  free_places[free_count++] = place - places;
  if (gone.destroy) gone.destroy(gone.pointer);
}

void exports_sqlite_wasm_extension_pointers_forget(full_extension_list_s64_t *numbers) {
  call_begin();
  call_own_bytes(numbers->ptr, numbers->len);
  for (size_t i = 0; i < numbers->len; i++) {
    Pointer *found = find(numbers->ptr[i]);
    if (found) destroy(found);
  }
}

void pointers_close(void) {
  for (uint32_t place = 0; place < count; place++) {
    if (places[place].type) destroy(&places[place]);
  }
}
