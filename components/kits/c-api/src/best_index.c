/* xBestIndex, and the functions that it may call. */
#include <stdlib.h>
#include <string.h>

#include "vtab.h"

typedef sqlite_wasm_extension_table_types_index_info_t IndexInfo;
typedef sqlite_wasm_extension_table_types_index_plan_t Plan;
typedef sqlite_wasm_extension_table_types_constraint_t Constraint;

/* SQLite's initial estimates. */
#define UNKNOWN_COST 5e98
#define UNKNOWN_ROWS 25

/* `sqlite3_index_info`, followed by data of the functions below. */
typedef struct {
  sqlite3_index_info info;
  IndexInfo *request;
  bool *takes_list;
  Cell **right;
} Planning;

static const uint8_t operators[] = {
    SQLITE_INDEX_CONSTRAINT_EQ,     SQLITE_INDEX_CONSTRAINT_GT,
    SQLITE_INDEX_CONSTRAINT_LE,     SQLITE_INDEX_CONSTRAINT_LT,
    SQLITE_INDEX_CONSTRAINT_GE,     SQLITE_INDEX_CONSTRAINT_MATCH,
    SQLITE_INDEX_CONSTRAINT_LIKE,   SQLITE_INDEX_CONSTRAINT_GLOB,
    SQLITE_INDEX_CONSTRAINT_REGEXP, SQLITE_INDEX_CONSTRAINT_NE,
    SQLITE_INDEX_CONSTRAINT_ISNOT,  SQLITE_INDEX_CONSTRAINT_ISNOTNULL,
    SQLITE_INDEX_CONSTRAINT_ISNULL, SQLITE_INDEX_CONSTRAINT_IS,
    SQLITE_INDEX_CONSTRAINT_LIMIT,  SQLITE_INDEX_CONSTRAINT_OFFSET,
};

static Constraint *constraint_at(sqlite3_index_info *info, int index) {
  if (index < 0 || index >= info->nConstraint) return NULL;
  return &((Planning *)info)->request->constraints.ptr[index];
}

const char *sqlite3_vtab_collation(sqlite3_index_info *info, int index) {
  Constraint *constraint = constraint_at(info, index);
  if (!constraint) return NULL;
  return constraint->collation.len ? (const char *)constraint->collation.ptr : "";
}

int sqlite3_vtab_rhs_value(sqlite3_index_info *info, int index, sqlite3_value **value) {
  Constraint *constraint = constraint_at(info, index);
  *value = NULL;
  if (!constraint) return SQLITE_MISUSE;
  if (!constraint->right.is_some) return SQLITE_NOTFOUND;
  Cell **cell = &((Planning *)info)->right[index];
  if (!*cell) {
    *cell = call_cell();
    cell_set(*cell, &constraint->right.val, SQLITE_UTF8);
  }
  *value = VALUE_OF(*cell);
  return SQLITE_OK;
}

int sqlite3_vtab_distinct(sqlite3_index_info *info) {
  return ((Planning *)info)->request->distinctness;
}

int sqlite3_vtab_in(sqlite3_index_info *info, int index, int handle) {
  Constraint *constraint = constraint_at(info, index);
  if (!constraint || !constraint->is_in_list) return 0;
  if (handle >= 0) ((Planning *)info)->takes_list[index] = handle != 0;
  return 1;
}

static void set_constraints(Planning *planning, IndexInfo *request) {
  size_t count = request->constraints.len;
  struct sqlite3_index_constraint *terms = call_room(count * sizeof(*terms));
  struct sqlite3_index_constraint_usage *used = call_room(count * sizeof(*used));
  memset(used, 0, count * sizeof(*used));
  call_own_bytes(request->constraints.ptr, count);
  for (size_t i = 0; i < count; i++) {
    const Constraint *given = &request->constraints.ptr[i];
    terms[i].iColumn = given->column;
    terms[i].op = given->operator_.tag == SQLITE_WASM_EXTENSION_TABLE_TYPES_OPERATOR_FUNCTION
                      ? given->operator_.val.function
                      : operators[given->operator_.tag];
    terms[i].usable = given->usable;
    terms[i].iTermOffset = i;
    call_own_bytes(given->collation.ptr, given->collation.len);
    if (given->right.is_some) call_own_value(&given->right.val);
  }
  planning->info.nConstraint = count;
  planning->info.aConstraint = terms;
  planning->info.aConstraintUsage = used;
}

static void set_order(Planning *planning, IndexInfo *request) {
  struct sqlite3_index_orderby *terms = call_room(request->order.len * sizeof(*terms));
  call_own_bytes(request->order.ptr, request->order.len);
  for (size_t i = 0; i < request->order.len; i++) {
    terms[i].iColumn = request->order.ptr[i].column;
    terms[i].desc = request->order.ptr[i].descending;
  }
  planning->info.nOrderBy = request->order.len;
  planning->info.aOrderBy = terms;
}

static void begin_planning(Planning *planning, IndexInfo *request) {
  size_t count = request->constraints.len;
  memset(planning, 0, sizeof(*planning));
  planning->request = request;
  planning->takes_list = call_room(count * sizeof(bool));
  planning->right = call_room(count * sizeof(Cell *));
  memset(planning->takes_list, 0, count * sizeof(bool));
  memset(planning->right, 0, count * sizeof(Cell *));
  set_constraints(planning, request);
  set_order(planning, request);
  planning->info.estimatedCost = UNKNOWN_COST;
  planning->info.estimatedRows = UNKNOWN_ROWS;
  planning->info.colUsed = request->columns_used;
}

static void put_text(full_extension_option_list_u8_t *given, const char *text) {
  wit_string bytes;
  call_give_text(&bytes, text);
  given->is_some = text != NULL;
  given->val = (wit_bytes){bytes.ptr, bytes.len};
}

static void put_plan(const Planning *planning, Plan *plan) {
  const sqlite3_index_info *info = &planning->info;
  plan->uses.len = info->nConstraint;
  plan->uses.ptr = call_room(info->nConstraint * sizeof(*plan->uses.ptr));
  for (int i = 0; i < info->nConstraint; i++) {
    int argument = info->aConstraintUsage[i].argvIndex;
    plan->uses.ptr[i].argument = argument > 0 ? argument : 0;
    plan->uses.ptr[i].omit = info->aConstraintUsage[i].omit;
    plan->uses.ptr[i].whole_list = planning->takes_list[i];
  }
  plan->number = info->idxNum;
  put_text(&plan->text, info->idxStr);
  plan->order_consumed = info->orderByConsumed;
  plan->unique = info->idxFlags & SQLITE_INDEX_SCAN_UNIQUE;
  plan->cost = info->estimatedCost;
  plan->rows = info->estimatedRows;
}

bool exports_sqlite_wasm_extension_table_best_index(
    uint32_t handle, IndexInfo *request,
    exports_sqlite_wasm_extension_table_option_index_plan_t *plan, wit_error *error) {
  call_begin();
  Planning planning;
  begin_planning(&planning, request);
  int code = TABLE(handle)->methods->xBestIndex(TABLE(handle)->vtab, &planning.info);
  plan->is_some = code == SQLITE_OK;
  if (plan->is_some) put_plan(&planning, &plan->val);
  if (planning.info.needToFreeIdxStr) sqlite3_free(planning.info.idxStr);
  return code == SQLITE_OK || code == SQLITE_CONSTRAINT || table_fails(TABLE(handle), code, error);
}
