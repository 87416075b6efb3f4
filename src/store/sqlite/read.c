/* Computes keys, reads rows and reads the records of one operation. Called by the other files of
 * store/sqlite and through rc_store_calls. */
#include <string.h>

#include <recourse/id.h>

#include "store/operation_key.h"
#include "store/sqlite/private.h"

/* The condition RC_SQLITE_RECOVERED contains these numbers as text. */
_Static_assert(RC_RECORD_ATTEMPT == 2 && RC_OUTCOME_SUCCEEDED == 1 && RC_CLASS_CANCELLATION == 10,
               "RC_SQLITE_RECOVERED contains other numbers");

/* --- keys --- */

#define LOW_MASK ((INT64_C(1) << RC_OPERATION_KEY_LOW_BITS) - 1)
#define LOW_LETTERS 3 /* Number of letters for the last 15 bits of an id, with 5 bits each. */

bool rc_sqlite_key(rc_str operation_id, int64_t *ret_key)
{
    static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    int64_t unix_ms = 0;
    if (rc_id_time(operation_id, &unix_ms) != RC_OK)
        return false;
    int64_t key = unix_ms;
    for (size_t i = RC_ID_LEN - LOW_LETTERS; i < RC_ID_LEN; i++) {
        const char *letter = memchr(alphabet, operation_id.ptr[i], sizeof(alphabet) - 1);
        key = key << 5 | (letter != NULL ? letter - alphabet : 0);
    }
    *ret_key = key;
    return true;
}

int64_t rc_sqlite_next_key(int64_t first, int64_t key)
{
    const int64_t next = (key & ~LOW_MASK) | ((key + 1) & LOW_MASK);
    const bool is_round = (next & LOW_MASK) == (first & LOW_MASK);
    return is_round && next <= INT64_MAX - LOW_MASK - 1 ? next + LOW_MASK + 1 : next;
}

int64_t rc_sqlite_time_key(int64_t unix_ms)
{
    const int64_t last_ms = (INT64_C(1) << 48) - 1;
    if (unix_ms < 0)
        return 0;
    return (unix_ms > last_ms ? last_ms : unix_ms) << RC_OPERATION_KEY_LOW_BITS;
}

int64_t rc_sqlite_key_time(int64_t key)
{
    return key > 0 ? key >> RC_OPERATION_KEY_LOW_BITS : 0;
}

/* --- rows --- */

#define SELECT_INT(name) "t." #name
#define SELECT_BITS(name) "t." #name
#define SELECT_OPTIONAL(name) "t." #name
#define SELECT_NAME(name) "(SELECT n.text FROM names n WHERE n.id = t." #name ")"
#define SELECT_TEXT(name) "t." #name
#define RC_AUDIT_COLUMN(name, TYPE, words) ", " SELECT_##TYPE(name)
const char rc_sqlite_columns[] =
#include "spec/audit.def"
    ;

const char rc_sqlite_operation_sql[] =
    "SELECT" RC_SQLITE_OPERATION
#define RC_AUDIT_COLUMN(name, TYPE, words) ", " SELECT_##TYPE(name)
#include "spec/audit.def"
    " FROM operations t LEFT JOIN reports r ON r.op = t.op AND r.seq = t.outcome_seq"
    " WHERE t.op = ?1";

const char rc_sqlite_records_sql[] =
    "SELECT t.seq, t.kind, r.report_id, r.body"
#define RC_AUDIT_COLUMN(name, TYPE, words) ", " SELECT_##TYPE(name)
#include "spec/audit.def"
    " FROM records t LEFT JOIN reports r ON r.op = t.op AND r.seq = t.seq"
    " WHERE t.op = ?1 ORDER BY t.seq";
#undef SELECT_INT
#undef SELECT_BITS
#undef SELECT_OPTIONAL
#undef SELECT_NAME
#undef SELECT_TEXT

rc_str rc_sqlite_text(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    int len = sqlite3_column_bytes(row, column);
    return rc_str_make(text, text != NULL && len > 0 ? (size_t)len : 0);
}

/* --- numbers of the file --- */

static int64_t difference(sqlite3_stmt *row, int column)
{
    const int64_t number = sqlite3_column_int64(row, column);
    if (number < -RC_SQLITE_NUMBER_MAX)
        return -RC_SQLITE_NUMBER_MAX;
    return number < RC_SQLITE_NUMBER_MAX ? number : RC_SQLITE_NUMBER_MAX;
}

int64_t rc_sqlite_count(sqlite3_stmt *row, int column)
{
    const int64_t number = difference(row, column);
    return number > 0 ? number : 0;
}

int64_t rc_sqlite_optional(sqlite3_stmt *row, int column)
{
    const int64_t number = difference(row, column);
    return sqlite3_column_type(row, column) == SQLITE_NULL || number < 0 ? -1 : number;
}

static int64_t clamp_time(int64_t unix_ms)
{
    if (unix_ms < 0)
        return 0;
    return unix_ms < RC_SQLITE_NUMBER_MAX ? unix_ms : RC_SQLITE_NUMBER_MAX;
}

void rc_sqlite_read_columns(sqlite3_stmt *row, int at, int64_t key, rc_record *record)
{
/* INT columns of type int64_t are time differences, which may be negative. No other column may be
 * negative. */
#define READ_INT(name)                                                      \
    record->name = (__typeof__(record->name))_Generic(record->name, int64_t \
                                                      : difference, default \
                                                      : rc_sqlite_count)(row, at++);
#define READ_BITS(name) READ_INT(name)
#define READ_OPTIONAL(name) record->name = rc_sqlite_optional(row, at++);
#define READ_NAME(name) record->name = rc_sqlite_text(row, at++);
#define READ_TEXT(name) record->name = rc_sqlite_text(row, at++);
#define RC_AUDIT_COLUMN(name, TYPE, words) READ_##TYPE(name)
#include "spec/audit.def"
#undef READ_INT
#undef READ_BITS
#undef READ_OPTIONAL
#undef READ_NAME
#undef READ_TEXT
    record->key = key;
    record->unix_ms = clamp_time(rc_sqlite_key_time(key) + record->at_ms);
    record->step = rc_reason_step(record->reason);
}

void rc_sqlite_read_operation(sqlite3_stmt *row, rc_record *record)
{
    rc_record_init(record, RC_RECORD_OUTCOME);
    const int64_t key = sqlite3_column_int64(row, 0) > 0 ? sqlite3_column_int64(row, 0) : 0;
    record->operation_id = rc_sqlite_text(row, 1);
    record->outcome = (rc_outcome)sqlite3_column_int(row, 2);
    record->seq = (uint32_t)sqlite3_column_int64(row, 3);
    record->client = rc_sqlite_text(row, 4);
    record->route = rc_sqlite_text(row, 5);
    record->report_id = rc_sqlite_text(row, 6);
    record->report_json = rc_sqlite_text(row, 7);
    record->has_recovered = sqlite3_column_int(row, 8) != 0;
    rc_sqlite_read_columns(row, RC_SQLITE_OPERATION_COLUMNS, key, record);
}

/* --- one operation --- */

/* Finds the row of an operation and leaves the statement `row` on it. */
static bool find_operation(const rc_sqlite *sqlite, sqlite3_stmt *row, rc_str id, bool *ret_found,
                           rc_store_fault *fault)
{
    int64_t first = 0;
    *ret_found = false;
    if (!rc_sqlite_key(id, &first))
        return true;
    int64_t key = first;
    for (uint32_t i = 0; i < RC_SQLITE_KEY_PROBES_MAX && !*ret_found; i++) {
        sqlite3_reset(row);
        sqlite3_bind_int64(row, 1, key);
        int code = sqlite3_step(row);
        if (code == SQLITE_DONE)
            return true;
        if (code != SQLITE_ROW)
            return rc_sqlite_fail(sqlite, "read", fault);
        *ret_found = rc_str_eq(rc_sqlite_text(row, 1), id);
        key = rc_sqlite_next_key(first, key);
    }
    return true;
}

static rc_record begin_of(const rc_record *operation)
{
    rc_record begin;
    rc_record_init(&begin, RC_RECORD_BEGIN);
    begin.operation_id = operation->operation_id;
    begin.unix_ms = rc_sqlite_key_time(operation->key);
    begin.client = operation->client;
    begin.route = operation->route;
    begin.model = operation->model;
    begin.flags = operation->flags & RC_RECORD_STREAMING;
    begin.key = operation->key;
    return begin;
}

/* Passes the records between BEGIN and OUTCOME to `each`. *goes_on becomes false if `each` returns
 * false. */
static bool read_records(const rc_sqlite *sqlite, sqlite3_stmt *row, const rc_record *operation,
                         rc_record_each each, void *ctx, bool *goes_on, rc_store_fault *fault)
{
    int code = SQLITE_DONE;
    sqlite3_bind_int64(row, 1, operation->key);
    while (*goes_on && (code = sqlite3_step(row)) == SQLITE_ROW) {
        rc_record record;
        rc_record_init(&record, (rc_record_kind)sqlite3_column_int(row, 1));
        record.operation_id = operation->operation_id;
        record.seq = (uint32_t)sqlite3_column_int64(row, 0);
        record.report_id = rc_sqlite_text(row, 2);
        record.report_json = rc_sqlite_text(row, 3);
        rc_sqlite_read_columns(row, 4, operation->key, &record);
        *goes_on = each(ctx, &record);
    }
    return code == SQLITE_ROW || code == SQLITE_DONE || rc_sqlite_fail(sqlite, "read", fault);
}

static bool give_records(const rc_sqlite *sqlite, sqlite3_stmt *found, sqlite3_stmt *rows,
                         rc_record_each each, void *ctx, rc_store_fault *fault)
{
    rc_record operation;
    rc_sqlite_read_operation(found, &operation);
    bool is_call = operation.outcome != RC_OUTCOME_NOTICE;
    const rc_record begin = begin_of(&operation);
    bool goes_on = !is_call || each(ctx, &begin);
    if (!read_records(sqlite, rows, &operation, each, ctx, &goes_on, fault))
        return false;
    if (goes_on && is_call && operation.outcome != RC_OUTCOME_OPEN)
        each(ctx, &operation);
    return true;
}

bool rc_sqlite_timeline(rc_store *store, rc_str operation_id, rc_record_each each, void *ctx,
                        rc_store_fault *fault)
{
    rc_sqlite *sqlite = (rc_sqlite *)store;
    sqlite3_stmt *found = rc_sqlite_get(sqlite, RC_SQL_READ_OPERATION, fault);
    sqlite3_stmt *rows = rc_sqlite_get(sqlite, RC_SQL_READ_RECORDS, fault);
    bool is_found = false;
    /* The statement `row` stays open, so that all reads see the same snapshot of the database. */
    bool is_good = found != NULL && rows != NULL &&
                   find_operation(sqlite, found, operation_id, &is_found, fault) &&
                   (!is_found || give_records(sqlite, found, rows, each, ctx, fault));
    sqlite3_reset(rows);
    sqlite3_reset(found);
    return is_good;
}
