/* Pointers of `sqlite3_result_pointer`, which cross to the host as handles.
**
** A handle has the instance's id in its upper half and a slot in its lower half.
** So a handle of an instance that trapped means nothing to the next one. */
#include "pointers.h"

#include <stdlib.h>

#include "call.h"

/* An empty slot has no type. */
static Pointer *slots;
static uint32_t slot_count, room;
static uint32_t *free_slots;
static uint32_t free_count;

/* Random, since an instance does not know its id; 0 before the first pointer. */
static uint32_t instance;

static void *grown(void *list, size_t bytes) {
  list = realloc(list, room * bytes);
  if (!list) abort();
  return list;
}

static uint32_t take_slot(void) {
  if (free_count) return free_slots[--free_count];
  if (slot_count == room) {
    room = room ? room * 2 : 16;
    slots = grown(slots, sizeof(*slots));
    free_slots = grown(free_slots, sizeof(*free_slots));
  }
  return slot_count++;
}

bool pointer_store(Cell *result, wit_value *value) {
  Pointer taken;
  if (!cell_take_pointer(result, &taken)) return false;
  while (!instance) sqlite3_randomness(sizeof(instance), &instance);
  uint32_t slot = take_slot();
  slots[slot] = taken;
  value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER;
  value->val.integer = (int64_t)((uint64_t)instance << 32 | slot);
  return true;
}

static Pointer *find(int64_t handle) {
  uint32_t slot = (uint32_t)handle;
  if (!instance || (uint64_t)handle >> 32 != instance || slot >= slot_count) return NULL;
  return slots[slot].type ? &slots[slot] : NULL;
}

void pointer_load(Cell *cell, const wit_value *value) {
  Pointer *found =
      value->tag == SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER ? find(value->val.integer) : NULL;
  if (found) cell_set_pointer(cell, found->pointer, found->type);
  else cell_set_null(cell);
}

static void destroy(Pointer *slot) {
  Pointer gone = *slot;
  slot->type = NULL;
  free_slots[free_count++] = slot - slots;
  if (gone.destroy) gone.destroy(gone.pointer);
}

void exports_sqlite_wasm_extension_pointers_forget(full_extension_list_s64_t *handles) {
  call_begin();
  call_own_bytes(handles->ptr, handles->len);
  for (size_t i = 0; i < handles->len; i++) {
    Pointer *found = find(handles->ptr[i]);
    if (found) destroy(found);
  }
}

void pointers_close(void) {
  for (uint32_t slot = 0; slot < slot_count; slot++) {
    if (slots[slot].type) destroy(&slots[slot]);
  }
}
