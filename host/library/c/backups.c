/* Backups. Within an instance SQLite makes them itself. From another instance the source is copied
** as an image, from which SQLite copies pages; if it has changed, the backup starts again. */

struct sqlite3_backup {
  Connection *target, *source;
  char *target_name, *source_name;
  /* 0 before the first step. */
  uint32_t handle;
  int remaining, pages;
  /* The state of the source when its image was taken. */
  uint32_t version;
  sqlite3_int64 changes;
  int code;
};

/* The image of a database, in the reply. */
static int image_of(Connection *source, const char *name, Reply *reply) {
  Out *work = call(source, CALL_SERIALIZE);
  out_text(work, name);
  out_u32(work, 0);
  int code = request(source, reply);
  bool has_image = (sqlite3_int64)in_u64(&reply->in) >= 0;
  /* The temporary database has none before its first use, and is empty. */
  has_image |= sqlite3_stricmp(name, "temp") == 0;
  return code || has_image ? code : SQLITE_ERROR;
}

static uint32_t version_of(sqlite3_backup *backup) {
  uint32_t version = 0;
  sqlite3_file_control(&backup->source->db, backup->source_name, SQLITE_FCNTL_DATA_VERSION,
                       &version);
  return version;
}

static int begin(sqlite3_backup *backup) {
  Connection *target = backup->target, *source = backup->source;
  Reply reply, image = {0};
  bool is_same = target->sandbox == source->sandbox;
  if (!is_same) {
    backup->version = version_of(backup);
    backup->changes = source->db.nTotalChange;
    int code = image_of(source, backup->source_name, &image);
    if (code) return code;
  }
  Out *work = call(target, CALL_BACKUP_INIT);
  out_text(work, backup->target_name);
  out_u32(work, is_same ? source->address : 0);
  out_text(work, backup->source_name);
  uint32_t count;
  const uint8_t *bytes = in_bytes(&image.in, &count);
  out_optional(work, bytes, count);
  int code = request(target, &reply);
  backup->handle = in_u32(&reply.in);
  return code ? code : backup->handle ? SQLITE_OK : SQLITE_ERROR;
}

static int finish_engine(sqlite3_backup *backup) {
  if (!backup->handle) return SQLITE_OK;
  call_on(backup->target, CALL_BACKUP_FINISH, backup->handle);
  backup->handle = 0;
  return request_code(backup->target);
}

static void enter_both(sqlite3_backup *backup) {
  enter(backup->source);
  enter(backup->target);
}

static int leave_both(sqlite3_backup *backup, int code) {
  Connection *target = backup->target, *source = backup->source;
  leave(target);
  leave(source);
  return code;
}

/* Whether there is a database with this name. The temporary one need not exist yet. */
static bool has_database(Connection *connection, const char *name) {
  if (sqlite3_stricmp(name, "temp") == 0) return true;
  return describe_database(connection, -1, name).is_read_only >= 0;
}

static sqlite3_backup *refuse_backup(sqlite3_backup *backup, const char *message,
                                     const char *name) {
  fail(backup->target, SQLITE_ERROR, NULL);
  sqlite3ErrorWithMsg(&backup->target->db, SQLITE_ERROR, message, name);
  leave_both(backup, SQLITE_ERROR);
  sqlite3_free(backup->target_name);
  sqlite3_free(backup->source_name);
  sqlite3_free(backup);
  return NULL;
}

EXPORT sqlite3_backup *sqlite3_backup_init(sqlite3 *target, const char *target_name,
                                           sqlite3 *source, const char *source_name) {
  if (!is_open(target) || !is_open(source) || !target_name || !source_name) return NULL;
  sqlite3_backup *backup = sqlite3MallocZero(sizeof(*backup));
  if (!backup) return NULL;
  *backup = (sqlite3_backup){.target = connection_of(target), .source = connection_of(source)};
  backup->target_name = sqlite3_mprintf("%s", target_name);
  backup->source_name = sqlite3_mprintf("%s", source_name);
  enter_both(backup);
  if (target == source) {
    return refuse_backup(backup, "source and destination must be distinct", NULL);
  }
  if (!has_database(backup->source, source_name)) {
    return refuse_backup(backup, "unknown database %s", source_name);
  }
  if (!has_database(backup->target, target_name)) {
    return refuse_backup(backup, "unknown database %s", target_name);
  }
  if (sqlite3_txn_state(target, target_name) != SQLITE_TXN_NONE) {
    return refuse_backup(backup, "destination database is in use", NULL);
  }
  backup->target->open_objects++;
  backup->source->open_objects++;
  leave_both(backup, SQLITE_OK);
  return backup;
}

static int step(sqlite3_backup *backup, int pages) {
  Reply reply;
  /* As natively: the image would have what is not committed. */
  if (sqlite3_txn_state(&backup->source->db, backup->source_name) == SQLITE_TXN_WRITE) {
    return SQLITE_BUSY;
  }
  bool has_changed =
      backup->handle && backup->target->sandbox != backup->source->sandbox &&
      (backup->changes != backup->source->db.nTotalChange || backup->version != version_of(backup));
  if (has_changed) finish_engine(backup);
  int code = backup->handle ? SQLITE_OK : begin(backup);
  if (code) return code;
  out_u32(call_on(backup->target, CALL_BACKUP_STEP, backup->handle), (uint32_t)pages);
  code = request(backup->target, &reply);
  backup->remaining = (int)in_u32(&reply.in);
  backup->pages = (int)in_u32(&reply.in);
  return code;
}

EXPORT int sqlite3_backup_step(sqlite3_backup *backup, int pages) {
  if (!backup) return SQLITE_MISUSE_BKPT;
  enter_both(backup);
  bool is_over = backup->code && backup->code != SQLITE_BUSY && backup->code != SQLITE_LOCKED;
  if (!is_over) backup->code = step(backup, pages);
  return leave_both(backup, backup->code);
}

EXPORT int sqlite3_backup_remaining(sqlite3_backup *backup) {
  return backup ? backup->remaining : 0;
}

EXPORT int sqlite3_backup_pagecount(sqlite3_backup *backup) { return backup ? backup->pages : 0; }

EXPORT int sqlite3_backup_finish(sqlite3_backup *backup) {
  if (!backup) return SQLITE_OK;
  Connection *target = backup->target, *source = backup->source;
  enter_both(backup);
  finish_engine(backup);
  int code = backup->code == SQLITE_DONE ? SQLITE_OK : backup->code;
  if (code) fail(target, code, NULL);
  else set_code(target, SQLITE_OK);
  target->open_objects--;
  source->open_objects--;
  sqlite3_free(backup->target_name);
  sqlite3_free(backup->source_name);
  sqlite3_free(backup);
  if (target->is_zombie) close_zombie(target);
  else leave(target);
  if (source->is_zombie) close_zombie(source);
  else leave(source);
  return code;
}
