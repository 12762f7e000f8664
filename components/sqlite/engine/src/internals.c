#include "declarations.h"
#include <stdbool.h>
#include "internals.h"

/* `PRAGMA query_only` without its cost: the pragma expires every prepared
** statement of the connection. SQLite looks at the flag whenever a statement is
** about to write, so it binds those that were prepared before, too. Returns what
** it was before. */
int engine_set_query_only(sqlite3 *db, int on) {
  int was = (db->flags & SQLITE_QueryOnly) != 0;
  if (on) {
    db->flags |= SQLITE_QueryOnly;
  } else {
    db->flags &= ~(u64)SQLITE_QueryOnly;
  }
  return was;
}

int engine_has_writable_schema(sqlite3 *db) {
  /* Of the statement itself: what SQLite makes for CREATE and ALTER is nested. */
  if (db->pParse && db->pParse->nested) return 0;
  return (db->flags & (SQLITE_WriteSchema | SQLITE_Defensive)) == SQLITE_WriteSchema;
}

static void distrust_list(ExprList *list);

/* As `sqlite3FixExpr` does for what a database file holds. These expressions have no subqueries. */
static void distrust(Expr *expr) {
  for (; expr; expr = expr->pRight) {
    ExprSetProperty(expr, EP_FromDDL);
    if (ExprHasProperty(expr, EP_TokenOnly | EP_Leaf)) return;
    distrust(expr->pLeft);
    if (ExprUseXList(expr)) distrust_list(expr->x.pList);
  }
}

static void distrust_list(ExprList *list) {
  for (int i = 0; list && i < list->nExpr; i++) distrust(list->a[i].pExpr);
}

void engine_distrust_temp_table(sqlite3 *db, const char *name) {
  HashElem *element = sqliteHashFirst(&db->aDb[1].pSchema->tblHash);
  for (; element; element = sqliteHashNext(element)) {
    Table *table = sqliteHashData(element);
    if (!IsOrdinaryTable(table) || strcmp(table->zName, name) != 0) continue;
    distrust_list(table->pCheck);
    distrust_list(table->u.tab.pDfltList);
    for (Index *index = table->pIndex; index; index = index->pNext) {
      distrust_list(index->aColExpr);
      distrust(index->pPartIdxWhere);
    }
  }
}

int engine_is_at_end(sqlite3_stmt *statement) {
  Vdbe *machine = (Vdbe *)statement;
  const Op *op = &machine->aOp[machine->pc];
  if (machine->explain || machine->eVdbeState != VDBE_RUN_STATE) return 0;
  /* The last row of LIMIT; `pc` is behind the row. */
  if (op->opcode == OP_DecrJumpZero) {
    if (machine->aMem[op->p1].u.i != 1) return 0;
    op = &machine->aOp[op->p2];
  }
  return op->opcode == OP_Halt && op->p1 == SQLITE_OK;
}

void engine_set_statement_error(sqlite3 *db, const char *message) {
  for (Vdbe *machine = db->pVdbe; machine; machine = machine->pVNext) {
    /* One that waits between two rows has a current row. */
    bool runs = machine->eVdbeState == VDBE_RUN_STATE && !machine->pResultRow;
    if (runs && !machine->zErrMsg) machine->zErrMsg = sqlite3_mprintf("%s", message);
  }
}

/* Looks like a virtual table to SQLite. */
struct Participant {
  VTable table;
  Module module;
};

Participant *engine_participant(sqlite3 *db, const sqlite3_module *methods, sqlite3_vtab *vtab) {
  Participant *one = sqlite3_malloc(sizeof(*one));
  if (!one) return NULL;
  memset(one, 0, sizeof(*one));
  one->module.pModule = methods;
  one->module.zName = "";
  one->module.nRefModule = 1;
  one->table.db = db;
  one->table.pMod = &one->module;
  one->table.pVtab = vtab;
  /* SQLite frees what nothing refers to. */
  one->table.nRef = 1;
  vtab->pModule = methods;
  return one;
}

/* As SQLite's own list grows; the build checks the value. */
#define PARTICIPANTS 5

int engine_participate(Participant *one, int *savepoints) {
  sqlite3 *db = one->table.db;
  for (int i = 0; db->aVTrans && i < db->nVTrans; i++) {
    if (db->aVTrans[i] == &one->table) return SQLITE_OK;
  }
  /* While virtual tables write what they have kept, SQLite has put its list aside; and a full list has memory
  ** that only SQLite can resize. */
  bool is_full = db->nVTrans % PARTICIPANTS == 0;
  if (db->nVTrans > 0 && (!db->aVTrans || is_full)) return SQLITE_LOCKED;
  if (is_full) {
    VTable **room = sqlite3_malloc(PARTICIPANTS * sizeof(*room));
    if (!room) return SQLITE_NOMEM;
    memset(room, 0, PARTICIPANTS * sizeof(*room));
    db->aVTrans = room;
  }
  db->aVTrans[db->nVTrans++] = &one->table;
  one->table.nRef++;
  *savepoints = one->table.iSavepoint = db->nStatement + db->nSavepoint;
  return SQLITE_OK;
}

ChangedKey engine_changed_key(sqlite3 *db) {
  const Index *key = db->pPreUpdate->pPk;
  return key ? (ChangedKey){key->aiColumn, key->nKeyCol} : (ChangedKey){NULL, 0};
}

int engine_has_changed_schema(sqlite3 *db) { return (db->mDbFlags & DBFLAG_SchemaChange) != 0; }

void engine_expire_statements(sqlite3 *db) {
  for (Vdbe *one = db->pVdbe; one; one = one->pVNext) {
    if (one->eVdbeState != VDBE_RUN_STATE) one->expired = 1;
  }
}

int engine_encoding(sqlite3 *db) { return ENC(db); }

int engine_plain_value(const sqlite3_value *value, PlainValue *plain) {
  if (value->flags & (MEM_Subtype | MEM_Zero)) return 0;
  switch (value->flags & (MEM_AffMask | MEM_Term)) {
    case MEM_Null: plain->type = SQLITE_NULL; return 1;
    case MEM_Int:
    case MEM_Int | MEM_Term:
      plain->type = SQLITE_INTEGER;
      plain->is.integer = value->u.i;
      return 1;
    case MEM_Real:
    case MEM_Real | MEM_Term:
      plain->type = SQLITE_FLOAT;
      plain->is.real = value->u.r;
      return 1;
    case MEM_Str:
    case MEM_Str | MEM_Term:
      if (value->enc != SQLITE_UTF8) return 0;
      plain->type = SQLITE_TEXT;
      break;
    case MEM_Blob: plain->type = SQLITE_BLOB; break;
    default: return 0;
  }
  plain->is.bytes = value->z;
  plain->count = (unsigned)value->n;
  return 1;
}

sqlite3_value *engine_column(sqlite3_stmt *statement, int index) {
  return &((Vdbe *)statement)->pResultRow[index];
}
