/* Plans: xBestIndex, and what it may ask. */
#include <stdlib.h>
#include <string.h>

#include "vtab.h"

typedef sqlite_wasm_extension_table_types_index_info_t Question;
typedef sqlite_wasm_extension_table_types_index_plan_t Plan;

/* SQLite's own first guess, until the module has a better one. */
#define UNKNOWN_COST 5e98
#define UNKNOWN_ROWS 25

/* `sqlite3_index_info` with what the functions below tell of it. */
typedef struct {
  sqlite3_index_info info;
  Question *question;
  bool *takes_list;
  Cell **right;
} Planning;

static const uint8_t operators[] = {
    SQLITE_INDEX_CONSTRAINT_EQ,        SQLITE_INDEX_CONSTRAINT_GT,
    SQLITE_INDEX_CONSTRAINT_LE,        SQLITE_INDEX_CONSTRAINT_LT,
    SQLITE_INDEX_CONSTRAINT_GE,        SQLITE_INDEX_CONSTRAINT_MATCH,
    SQLITE_INDEX_CONSTRAINT_LIKE,      SQLITE_INDEX_CONSTRAINT_GLOB,
    SQLITE_INDEX_CONSTRAINT_REGEXP,    SQLITE_INDEX_CONSTRAINT_NE,
    SQLITE_INDEX_CONSTRAINT_ISNOT,     SQLITE_INDEX_CONSTRAINT_ISNOTNULL,
    SQLITE_INDEX_CONSTRAINT_ISNULL,    SQLITE_INDEX_CONSTRAINT_IS,
    SQLITE_INDEX_CONSTRAINT_LIMIT,     SQLITE_INDEX_CONSTRAINT_OFFSET,
};

static sqlite_wasm_extension_table_types_constraint_t *constraint(sqlite3_index_info *info,
                                                                  int place) {
  if (place < 0 || place >= info->nConstraint) return NULL;
  return &((Planning *)info)->question->constraints.ptr[place];
}

const char *sqlite3_vtab_collation(sqlite3_index_info *info, int place) {
  sqlite_wasm_extension_table_types_constraint_t *asked = constraint(info, place);
  return asked ? (asked->collation.len ? (const char *)asked->collation.ptr : "") : NULL;
}

int sqlite3_vtab_rhs_value(sqlite3_index_info *info, int place, sqlite3_value **value) {
  sqlite_wasm_extension_table_types_constraint_t *asked = constraint(info, place);
  *value = NULL;
  if (!asked) return SQLITE_MISUSE;
  if (!asked->right.is_some) return SQLITE_NOTFOUND;
  Cell **cell = &((Planning *)info)->right[place];
  if (!*cell) {
    *cell = call_cell();
    cell_set(*cell, &asked->right.val, SQLITE_UTF8);
  }
  *value = VALUE_OF(*cell);
  return SQLITE_OK;
}

int sqlite3_vtab_distinct(sqlite3_index_info *info) {
  return ((Planning *)info)->question->distinctness;
}

int sqlite3_vtab_in(sqlite3_index_info *info, int place, int handle) {
  sqlite_wasm_extension_table_types_constraint_t *asked = constraint(info, place);
  if (!asked || !asked->is_in_list) return 0;
  if (handle >= 0) ((Planning *)info)->takes_list[place] = handle != 0;
  return 1;
}

static void ask_constraints(Planning *planning, Question *question) {
  size_t count = question->constraints.len;
  struct sqlite3_index_constraint *asked = call_room(count * sizeof(*asked));
  struct sqlite3_index_constraint_usage *used = call_room(count * sizeof(*used));
  memset(used, 0, count * sizeof(*used));
  call_own_bytes(question->constraints.ptr, count);
  for (size_t i = 0; i < count; i++) {
    sqlite_wasm_extension_table_types_constraint_t *given = &question->constraints.ptr[i];
    asked[i].iColumn = given->column;
    asked[i].op = given->operator_.tag == SQLITE_WASM_EXTENSION_TABLE_TYPES_OPERATOR_FUNCTION
                      ? given->operator_.val.function
                      : operators[given->operator_.tag];
    asked[i].usable = given->usable;
    asked[i].iTermOffset = i;
    call_own_bytes(given->collation.ptr, given->collation.len);
    if (given->right.is_some) call_own_value(&given->right.val);
  }
  planning->info.nConstraint = count;
  planning->info.aConstraint = asked;
  planning->info.aConstraintUsage = used;
}

static void ask_order(Planning *planning, Question *question) {
  struct sqlite3_index_orderby *terms = call_room(question->order.len * sizeof(*terms));
  call_own_bytes(question->order.ptr, question->order.len);
  for (size_t i = 0; i < question->order.len; i++) {
    terms[i].iColumn = question->order.ptr[i].column;
    terms[i].desc = question->order.ptr[i].descending;
  }
  planning->info.nOrderBy = question->order.len;
  planning->info.aOrderBy = terms;
}

static void ask(Planning *planning, Question *question) {
  size_t count = question->constraints.len;
  memset(planning, 0, sizeof(*planning));
  planning->question = question;
  planning->takes_list = call_room(count * sizeof(bool));
  planning->right = call_room(count * sizeof(Cell *));
  memset(planning->takes_list, 0, count * sizeof(bool));
  memset(planning->right, 0, count * sizeof(Cell *));
  ask_constraints(planning, question);
  ask_order(planning, question);
  planning->info.estimatedCost = UNKNOWN_COST;
  planning->info.estimatedRows = UNKNOWN_ROWS;
  planning->info.colUsed = question->columns_used;
}

/* The module's text may be any bytes, and the contract's is Unicode: a text
** beyond ASCII goes as two hexadecimal digits for each byte, behind a mark. */
static void give_text(full_extension_option_string_t *given, const char *text) {
  static const char digits[] = "0123456789abcdef";
  given->is_some = text != NULL;
  if (!text) return;
  size_t length = strlen(text);
  bool is_ascii = true;
  for (size_t i = 0; i < length; i++) is_ascii &= !(text[i] & 0x80);
  if (is_ascii) {
    call_give_text(&given->val, text);
    return;
  }
  given->val.len = 1 + 2 * length;
  given->val.ptr = call_room(given->val.len);
  given->val.ptr[0] = PLAN_TEXT_IS_HEX;
  for (size_t i = 0; i < length; i++) {
    given->val.ptr[1 + 2 * i] = digits[(text[i] >> 4) & 15];
    given->val.ptr[2 + 2 * i] = digits[text[i] & 15];
  }
}

static void answer(const Planning *planning, Plan *plan) {
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
  give_text(&plan->text, info->idxStr);
  plan->order_consumed = info->orderByConsumed;
  plan->unique = info->idxFlags & SQLITE_INDEX_SCAN_UNIQUE;
  plan->cost = info->estimatedCost;
  plan->rows = info->estimatedRows;
}

bool exports_sqlite_wasm_extension_table_best_index(
    uint32_t number, Question *question,
    exports_sqlite_wasm_extension_table_option_index_plan_t *plan, wit_error *error) {
  call_begin();
  Planning planning;
  ask(&planning, question);
  int code = TABLE(number)->methods->xBestIndex(TABLE(number)->vtab, &planning.info);
  plan->is_some = code == SQLITE_OK;
  if (plan->is_some) answer(&planning, &plan->val);
  if (planning.info.needToFreeIdxStr) sqlite3_free(planning.info.idxStr);
  return code == SQLITE_OK || code == SQLITE_CONSTRAINT || table_fails(TABLE(number), code, error);
}
