/* The one function that SQLite 3.50.2 lacks of those that the engine calls; later ones count in 64 bits. */
int sqlite3_db_status64(sqlite3 *db, int option, sqlite3_int64 *now, sqlite3_int64 *highest,
                        int reset) {
  int now32 = 0, highest32 = 0;
  int code = sqlite3_db_status(db, option, &now32, &highest32, reset);
  *now = now32;
  *highest = highest32;
  return code;
}
