/* xBestIndex, and the functions that it may call. */
#include "tables.h"

static void put_real(Out *out, double real) { out_raw(out, &real, 8); }

static void put_info(Out *out, sqlite3_index_info *info) {
  out_u32(out, (uint32_t)(uintptr_t)info);
  out_u64(out, info->colUsed);
  put_real(out, info->estimatedCost);
  out_u64(out, (uint64_t)info->estimatedRows);
  out_u32(out, (uint32_t)info->nConstraint);
  for (int i = 0; i < info->nConstraint; i++) {
    out_u32(out, (uint32_t)info->aConstraint[i].iColumn);
    out_u8(out, info->aConstraint[i].op);
    out_u8(out, info->aConstraint[i].usable);
  }
  out_u32(out, (uint32_t)info->nOrderBy);
  for (int i = 0; i < info->nOrderBy; i++) {
    out_u32(out, (uint32_t)info->aOrderBy[i].iColumn);
    out_u8(out, info->aOrderBy[i].desc);
  }
}

/* The text with its seal appended, which xFilter sends back. */
static int set_text(sqlite3_index_info *info, In *in) {
  uint32_t count;
  const uint8_t *text = in_bytes(in, &count), *bytes = in_raw(in, 8);
  PlanSeal seal = {.has_text = text != NULL};
  info->idxStr = sqlite3_malloc64((uint64_t)count + 1 + sizeof(seal));
  if (!info->idxStr) return SQLITE_NOMEM;
  if (bytes) memcpy(seal.seal, bytes, 8);
  if (count) memcpy(info->idxStr, text, count);
  info->idxStr[count] = 0;
  memcpy(info->idxStr + count + 1, &seal, sizeof(seal));
  info->needToFreeIdxStr = 1;
  return SQLITE_OK;
}

static int read_plan(sqlite3_index_info *info, In *in) {
  for (int i = 0; i < info->nConstraint; i++) {
    info->aConstraintUsage[i].argvIndex = (int)in_u32(in);
    info->aConstraintUsage[i].omit = in_u8(in);
  }
  info->idxNum = (int)in_u32(in);
  info->orderByConsumed = in_u8(in);
  uint64_t cost = in_u64(in);
  memcpy(&info->estimatedCost, &cost, 8);
  info->estimatedRows = (sqlite3_int64)in_u64(in);
  info->idxFlags = (int)in_u32(in);
  int code = set_text(info, in);
  return in->is_bad ? SQLITE_INTERNAL : code;
}

int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
  Table *table = (Table *)base;
  EventReply reply;
  Out out = method_begin(table->db, METHOD_BEST_INDEX, table->number);
  put_info(&out, info);
  int code = method_send(&out, table, &reply);
  if (code == SQLITE_OK) code = read_plan(info, &reply.in);
  reply_free(&reply);
  return code;
}

void call_plan(Call *call) {
  sqlite3_index_info *info = HANDLE(sqlite3_index_info, call);
  uint8_t question = in_u8(&call->in);
  int index = (int)in_u32(&call->in), number = (int)in_u32(&call->in);
  sqlite3_value *right = NULL;
  switch (question) {
    case PLAN_DISTINCT: call->code = sqlite3_vtab_distinct(info); break;
    case PLAN_IN: call->code = sqlite3_vtab_in(info, index, number); break;
    case PLAN_COLLATION: out_text(&call->out, sqlite3_vtab_collation(info, index)); break;
    case PLAN_RIGHT:
      call->code = sqlite3_vtab_rhs_value(info, index, &right);
      put_value(&call->out, right);
      break;
    default: call->in.is_bad = true;
  }
}
