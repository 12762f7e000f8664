/* What SQLite has no function for. */
#include "declarations.h"

/* `PRAGMA query_only` without its cost: the pragma expires every prepared
** statement of the connection. SQLite looks at the flag whenever a statement is
** about to write, so it binds those that were prepared before, too. Returns what
** it was before. */
int engine_set_query_only(sqlite3 *db, int on){
  int was = (db->flags & SQLITE_QueryOnly)!=0;
  if( on ){
    db->flags |= SQLITE_QueryOnly;
  }else{
    db->flags &= ~(u64)SQLITE_QueryOnly;
  }
  return was;
}

/* After a row: whether the statement has nothing left to do, so that its next step
** takes no time, returns no row and reads nothing that may change before. */
int engine_is_at_end(sqlite3_stmt *statement){
  Vdbe *machine = (Vdbe*)statement;
  const Op *op = &machine->aOp[machine->pc];
  if( machine->explain || machine->eVdbeState!=VDBE_RUN_STATE ) return 0;
  /* The last row of LIMIT; `pc` is behind the row. */
  if( op->opcode==OP_DecrJumpZero ){
    if( machine->aMem[op->p1].u.i!=1 ) return 0;
    op = &machine->aOp[op->p2];
  }
  return op->opcode==OP_Halt && op->p1==SQLITE_OK;
}

/* The encoding of the connection's databases, such as SQLITE_UTF8. */
int engine_encoding(sqlite3 *db){
  return ENC(db);
}
