/* Pointers that SQL has, by the numbers that stand for them.
**
** A number has the instance in its upper half and a place in its lower one, so
** that those of an instance that trapped are no pointers of the next. */
#include "pointers.h"

#include <stdlib.h>

#include "call.h"

/* A place without a pointer has no type. */
static inside_pointer *places;
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

bool pointer_give(inside_cell *result, wit_value *value) {
  inside_pointer taken;
  if (!inside_take_pointer(result, &taken)) return false;
  while (!instance) sqlite3_randomness(sizeof(instance), &instance);
  uint32_t place = free_place();
  places[place] = taken;
  value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER;
  value->val.integer = (int64_t)((uint64_t)instance << 32 | place);
  return true;
}

static inside_pointer *find(int64_t number) {
  uint32_t place = (uint32_t)number;
  if (!instance || (uint64_t)number >> 32 != instance || place >= count) return NULL;
  return places[place].type ? &places[place] : NULL;
}

void pointer_set(inside_cell *cell, const wit_value *value) {
  inside_pointer *found =
      value->tag == SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER ? find(value->val.integer) : NULL;
  if (found) inside_set_pointer(cell, found->pointer, found->type);
  else inside_set_null(cell);
}

static void destroy(inside_pointer *place) {
  inside_pointer gone = *place;
  place->type = NULL;
  free_places[free_count++] = place - places;
  if (gone.destroy) gone.destroy(gone.pointer);
}

void exports_sqlite_wasm_extension_pointers_forget(full_extension_list_s64_t *numbers) {
  call_begin();
  call_own_bytes(numbers->ptr, numbers->len);
  for (size_t i = 0; i < numbers->len; i++) {
    inside_pointer *found = find(numbers->ptr[i]);
    if (found) destroy(found);
  }
}

void pointers_close(void) {
  for (uint32_t place = 0; place < count; place++) {
    if (places[place].type) destroy(&places[place]);
  }
}
