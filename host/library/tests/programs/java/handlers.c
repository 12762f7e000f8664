/* What Handlers.java calls: the result of a statement on a new connection. */
#include <jni.h>
#include <string.h>

#include "sqlite3.h"

JNIEXPORT jint JNICALL Java_Handlers_run(JNIEnv *env, jclass type, jstring text) {
  sqlite3 *db;
  const char *sql = (*env)->GetStringUTFChars(env, text, NULL);
  int code = sqlite3_open(":memory:", &db);
  if (code == SQLITE_OK) code = sqlite3_exec(db, sql, NULL, NULL, NULL);
  if (code && !strstr(sqlite3_errmsg(db), "trapped")) code = 1000;
  sqlite3_close_v2(db);
  (*env)->ReleaseStringUTFChars(env, text, sql);
  return code;
}
