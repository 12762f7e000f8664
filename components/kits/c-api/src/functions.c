/* The interfaces `scalar`, `aggregate` and `collation`. */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "pointers.h"

typedef sqlite_wasm_extension_types_output_t wit_output;

/* One computation of an aggregate. */
typedef struct {
  FuncDef *function;
  Cell state;
} Accumulator;

static void put_result(wit_output *output, Cell *result, int encoding) {
  if (pointer_store(result, &output->value)) {
    output->subtype = POINTER_SUBTYPE;
    return;
  }
  cell_get(result, encoding, &output->value);
  output->subtype = cell_subtype(result);
}

bool exports_sqlite_wasm_extension_scalar_call(
    uint32_t id, exports_sqlite_wasm_extension_scalar_list_value_t *arguments, wit_bytes *subtypes,
    wit_output *output, wit_error *error) {
  call_begin();
  call_own_bytes(arguments->ptr, arguments->len);
  call_own_bytes(subtypes->ptr, subtypes->len);
  FuncDef *function = function_at(id);
  if (!function || function_is_removed(function)) {
    return call_fails(error, SQLITE_ERROR, "the function was removed");
  }
  int encoding = function_encoding(function);
  sqlite3_value **values = call_arguments(arguments->ptr, arguments->len, subtypes, encoding);
  Cell *result = call_cell();
  int code = function_call(function, arguments->len, values, result);
  if (code) return call_fails_by(error, code, result);
  put_result(output, result, encoding);
  return true;
}

uint32_t exports_sqlite_wasm_extension_aggregate_start(uint32_t id) {
  call_begin();
  Accumulator *accumulator = malloc(sizeof(Accumulator));
  if (!accumulator) abort();
  accumulator->function = function_at(id);
  cell_set_null(&accumulator->state);
  return (uint32_t)accumulator;
}

static bool step(Accumulator *accumulator, bool inverse, uint32_t count, uint32_t width,
                 wit_value *rows, size_t values, const wit_bytes *subtypes, wit_error *error) {
  call_begin();
  call_own_bytes(rows, values);
  call_own_bytes(subtypes->ptr, subtypes->len);
  FuncDef *function = accumulator->function;
  sqlite3_value **arguments = call_arguments(rows, values, subtypes, function_encoding(function));
  for (uint32_t row = 0; row < count; row++) {
    Cell *result = call_cell();
    int code = aggregate_step(function, &accumulator->state, inverse, width,
                              arguments + row * width, result);
    if (code) return call_fails_by(error, code, result);
  }
  return true;
}

bool exports_sqlite_wasm_extension_aggregate_step(
    uint32_t accumulator, uint32_t count, uint32_t width,
    exports_sqlite_wasm_extension_aggregate_list_sql_value_t *rows, wit_bytes *subtypes,
    wit_error *error) {
  return step((Accumulator *)accumulator, false, count, width, rows->ptr, rows->len, subtypes,
              error);
}

bool exports_sqlite_wasm_extension_aggregate_inverse(
    uint32_t accumulator, uint32_t count, uint32_t width,
    exports_sqlite_wasm_extension_aggregate_list_sql_value_t *rows, wit_bytes *subtypes,
    wit_error *error) {
  return step((Accumulator *)accumulator, true, count, width, rows->ptr, rows->len, subtypes,
              error);
}

bool exports_sqlite_wasm_extension_aggregate_value(uint32_t handle, wit_output *output,
                                                   wit_error *error) {
  call_begin();
  Accumulator *accumulator = (Accumulator *)handle;
  Cell *result = call_cell();
  int code = aggregate_value(accumulator->function, &accumulator->state, result);
  if (code) return call_fails_by(error, code, result);
  put_result(output, result, function_encoding(accumulator->function));
  return true;
}

bool exports_sqlite_wasm_extension_aggregate_finish(uint32_t handle, wit_output *output,
                                                    wit_error *error) {
  call_begin();
  Accumulator *accumulator = (Accumulator *)handle;
  Cell *result = call_cell();
  int code = aggregate_finish(accumulator->function, &accumulator->state);
  memcpy(result, &accumulator->state, sizeof(*result));
  int encoding = function_encoding(accumulator->function);
  free(accumulator);
  if (code) return call_fails_by(error, code, result);
  put_result(output, result, encoding);
  return true;
}

void exports_sqlite_wasm_extension_aggregate_abandon(uint32_t handle) {
  call_begin();
  Accumulator *accumulator = (Accumulator *)handle;
  /* xFinal is the only callback that frees an aggregate's memory. */
  aggregate_finish(accumulator->function, &accumulator->state);
  cell_clear(&accumulator->state);
  free(accumulator);
}

int32_t exports_sqlite_wasm_extension_collation_compare(uint32_t id, wit_bytes *left,
                                                        wit_bytes *right) {
  call_begin();
  call_own_bytes(left->ptr, left->len);
  call_own_bytes(right->ptr, right->len);
  return collation_compare(collation_at(id), left, right);
}
