/* Finds operations by an id or the beginning of an id. Called through rc_store_calls. */
#include <string.h>

#include <recourse/id.h>

#include "base/str.h"
#include "store/operation_key.h"
#include "store/sqlite/private.h"

#define SQL_MAX 4096
#define HEAD_LEN 4 /* Length of "rep_". */

/* An id or the beginning of an id, in the form of the file: "rep_" and upper-case letters. */
typedef struct spelled {
    char text[RC_ID_LEN + 1];
    size_t len;
} spelled;

static spelled spell(rc_str prefix)
{
    spelled id = {.text = "rep_", .len = HEAD_LEN};
    prefix = rc_operation_key_letters(prefix);
    for (size_t i = 0; i < prefix.len && id.len < RC_ID_LEN; i++) {
        const char c = prefix.ptr[i];
        id.text[id.len++] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    return id;
}

/* Finds operations whose own id begins with the prefix. The keys of these operations are a range,
 * because both ids and keys begin with the time. */
static bool find_operations(const rc_sqlite *sqlite, const spelled *id, const int64_t range[2],
                            uint32_t limit, rc_record_each each, void *ctx, rc_store_fault *fault)
{
    char sql[SQL_MAX];
    sqlite3_stmt *row = NULL;
    sqlite3_snprintf(sizeof(sql), sql,
                     "SELECT" RC_SQLITE_OPERATION "%s FROM operations t LEFT JOIN reports r ON"
                     " r.op = t.op AND r.seq = t.outcome_seq WHERE t.op BETWEEN %lld AND %lld"
                     " AND substr(t.id, 1, %d) = ?1 ORDER BY t.op LIMIT %u",
                     rc_sqlite_columns, (long long)range[0], (long long)range[1], (int)id->len,
                     limit);
    if (!rc_sqlite_prepare(sqlite, sql, &row, fault))
        return false;
    sqlite3_bind_text(row, 1, id->text, (int)id->len, SQLITE_STATIC);
    const bool is_good = rc_sqlite_read_rows(sqlite, row, each, ctx, fault);
    sqlite3_finalize(row);
    return is_good;
}

/* Finds operations with a report whose id begins with the prefix. A report's id may have any form,
 * so the letters are compared without changing their case. In the SQL, the prefix with x'7F'
 * appended sorts after all ids that begin with the prefix. */
static bool find_reports(const rc_sqlite *sqlite, rc_str id, uint32_t limit, rc_record_each each,
                         void *ctx, rc_store_fault *fault)
{
    char sql[SQL_MAX];
    sqlite3_stmt *row = NULL;
    sqlite3_snprintf(sizeof(sql), sql,
                     "SELECT" RC_SQLITE_OPERATION "%s FROM operations t LEFT JOIN reports r ON"
                     " r.op = t.op AND r.seq = t.outcome_seq WHERE t.op IN (SELECT DISTINCT op"
                     " FROM reports WHERE report_id >= ?1 AND report_id < ?1 || x'7F' LIMIT %u)"
                     " ORDER BY t.op LIMIT %u",
                     rc_sqlite_columns, limit, limit);
    if (!rc_sqlite_prepare(sqlite, sql, &row, fault))
        return false;
    sqlite3_bind_text(row, 1, id.ptr, (int)id.len, SQLITE_STATIC);
    const bool is_good = rc_sqlite_read_rows(sqlite, row, each, ctx, fault);
    sqlite3_finalize(row);
    return is_good;
}

/* Context of pass_new, which passes operations to `each`, up to the limit, and skips those that
 * were passed before. */
#define SEEN_MAX 64
typedef struct seen {
    rc_record_each each;
    void *ctx;
    uint32_t limit;
    size_t count;
    int64_t keys[SEEN_MAX];
} seen;

static bool pass_new(void *ctx, const rc_record *record)
{
    seen *s = ctx;
    for (size_t i = 0; i < s->count; i++)
        if (s->keys[i] == record->key)
            return true;
    s->keys[s->count++] = record->key;
    return s->each(s->ctx, record) && s->count < s->limit;
}

bool rc_sqlite_find(rc_store *store, rc_str prefix, uint32_t limit, rc_record_each each, void *ctx,
                    rc_store_fault *fault)
{
    const rc_sqlite *sqlite = (const rc_sqlite *)store;
    const spelled id = spell(prefix);
    seen s = {.each = each, .ctx = ctx, .limit = limit < SEEN_MAX ? limit : SEEN_MAX};
    int64_t range[2];
    if (prefix.len == 0 || s.limit == 0)
        return true;
    const bool is_id = rc_operation_key_range(prefix, &range[0], &range[1]);
    if (is_id && !find_operations(sqlite, &id, range, s.limit, pass_new, &s, fault))
        return false;
    if (s.count >= s.limit || (is_id && id.len == RC_ID_LEN && s.count > 0))
        return true;
    const rc_str text = is_id ? rc_str_make(id.text, id.len) : prefix;
    return find_reports(sqlite, text, s.limit, pass_new, &s, fault);
}
