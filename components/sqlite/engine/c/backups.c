/* Backups and snapshots. */
#include "interface.h"

/* Backups. The source is a connection of this instance, or an image of a database in another
** instance. */

typedef struct {
  sqlite3_backup *backup;
  sqlite3 *image;
} Backup;

static sqlite3 *image_of(const uint8_t *content, uint32_t count) {
  sqlite3 *db = NULL;
  unsigned char *copy = sqlite3_malloc64((uint64_t)count + 1);
  if (!copy || sqlite3_open(":memory:", &db) != SQLITE_OK) {
    sqlite3_free(copy);
    sqlite3_close(db);
    return NULL;
  }
  memcpy(copy, content, count);
  /* A database in memory cannot be in WAL mode, which bytes 18 and 19 of the header say with a 2; the
  ** image has what is in the log. */
  if (count > 19 && copy[18] == 2 && copy[19] == 2) copy[18] = copy[19] = 1;
  int flags = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE;
  if (count) {
    sqlite3_deserialize(db, "main", copy, count, count, flags);
  } else {
    sqlite3_free(copy);
  }
  return db;
}

/* Name of the target, address of the source or 0, its name, its content. */
void call_backup_init(Call *call) {
  const char *target = in_text(&call->in);
  sqlite3 *source = HANDLE(sqlite3, call);
  const char *name = in_text(&call->in);
  uint32_t count;
  const uint8_t *content = in_bytes(&call->in, &count);
  Backup *backup = sqlite3_malloc(sizeof(*backup));
  sqlite3 *image = source ? NULL : image_of(content ? content : (const uint8_t *)"", count);
  if (!backup || !(source || image)) {
    sqlite3_free(backup);
    sqlite3_close(image);
    call->code = SQLITE_NOMEM;
    return;
  }
  *backup = (Backup){
      sqlite3_backup_init(call->db, target, source ? source : image, source ? name : "main"),
      image};
  if (!backup->backup) {
    call->code = sqlite3_extended_errcode(call->db);
    sqlite3_close(image);
    sqlite3_free(backup);
    backup = NULL;
  }
  out_u32(&call->out, (uint32_t)(uintptr_t)backup);
}

/* Backup, pages. Reply: remaining pages, all pages. */
void call_backup_step(Call *call) {
  Backup *backup = HANDLE(Backup, call);
  call->code = sqlite3_backup_step(backup->backup, (int)in_u32(&call->in));
  out_u32(&call->out, (uint32_t)sqlite3_backup_remaining(backup->backup));
  out_u32(&call->out, (uint32_t)sqlite3_backup_pagecount(backup->backup));
}

void call_backup_finish(Call *call) {
  Backup *backup = HANDLE(Backup, call);
  call->code = sqlite3_backup_finish(backup->backup);
  sqlite3_close(backup->image);
  sqlite3_free(backup);
}

/* SQLite contains snapshots only with a compile-time option. */

/* Snapshots: the library stores their bytes. */

void call_snapshot_get(Call *call) {
  sqlite3_snapshot *snapshot = NULL;
  call->code = sqlite3_snapshot_get(call->db, in_text(&call->in), &snapshot);
  if (snapshot) out_raw(&call->out, snapshot, sizeof(*snapshot));
  sqlite3_snapshot_free(snapshot);
}

/* Schema, the bytes. */
void call_snapshot_open(Call *call) {
  const char *schema = in_text(&call->in);
  uint32_t count;
  const uint8_t *bytes = in_bytes(&call->in, &count);
  sqlite3_snapshot snapshot;
  if (count != sizeof(snapshot)) {
    call->in.is_bad = true;
    return;
  }
  memcpy(&snapshot, bytes, sizeof(snapshot));
  call->code = sqlite3_snapshot_open(call->db, schema, &snapshot);
}

void call_snapshot_recover(Call *call) {
  call->code = sqlite3_snapshot_recover(call->db, in_text(&call->in));
}
