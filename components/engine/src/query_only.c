/* `PRAGMA query_only` without its cost: the pragma expires every prepared
** statement of the connection, and SQLite has no function for it. SQLite looks at
** the flag whenever a statement is about to write, so it binds those that were
** prepared before, too. */
#include "declarations.h"

/* Set or clear the flag; what it was before. */
int engine_set_query_only(sqlite3 *db, int on){
  int was = (db->flags & SQLITE_QueryOnly)!=0;
  if( on ){
    db->flags |= SQLITE_QueryOnly;
  }else{
    db->flags &= ~(u64)SQLITE_QueryOnly;
  }
  return was;
}
