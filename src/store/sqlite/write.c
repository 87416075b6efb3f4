/* Appends batches in one transaction. Called by the other files of store/sqlite. The records of one
 * operation are adjacent in a batch, so the operation's row is written once, with its beginning and
 * its end. If the operation has only one attempt, its row also contains this attempt. */
#include <string.h>

#include <recourse/buf.h>
#include <recourse/id.h>

#include "scrub/scrub.h"
#include "store/sqlite/private.h"

/* --- statements, generated from the columns --- */

static const char add_operation_sql[] =
    "INSERT INTO operations(op, id, outcome, outcome_seq, client, route"
#define RC_AUDIT_COLUMN(name, TYPE, words) ", " #name
#include "spec/audit.def"
    ", try_model, try_at_ms, try_latency_ms, try_first_byte_ms, try_reason, try_flags,"
    " try_request_id"
    ") VALUES(?1, ?2, ?3, ?4, ?5, ?6"
#define RC_AUDIT_COLUMN(name, TYPE, words) ", ?"
#include "spec/audit.def"
    ", ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(op) DO NOTHING";

/* SQL that writes the outcome into an operation's row. Values that the outcome lacks stay as BEGIN
 * set them. A later outcome replaces an earlier outcome. Writing the same outcome again changes
 * nothing. */
#define END_INT(name) #name " = ?"
#define END_OPTIONAL(name) #name " = ?"
#define END_NAME(name) #name " = coalesce(nullif(?, 0), " #name ")"
#define END_BITS(name) #name " = " #name " | ?"
#define END_TEXT(name) #name " = ?"
static const char end_operation_sql[] =
    "UPDATE operations SET outcome = ?3, outcome_seq = ?4"
    ", client = coalesce(nullif(?5, 0), client), route = coalesce(nullif(?6, 0), route)"
#define RC_AUDIT_COLUMN(name, TYPE, words) ", " END_##TYPE(name)
#include "spec/audit.def"
    " WHERE op = ?1 AND (outcome_seq IS NULL OR outcome_seq < ?4)";
#undef END_INT
#undef END_OPTIONAL
#undef END_NAME
#undef END_BITS
#undef END_TEXT

static const char add_record_sql[] = "INSERT OR IGNORE INTO steps(op, seq, kind"
#define RC_AUDIT_COLUMN(name, TYPE, words) ", " #name
#include "spec/audit.def"
                                     ") VALUES(?1, ?2, ?3"
#define RC_AUDIT_COLUMN(name, TYPE, words) ", ?"
#include "spec/audit.def"
                                     ")";

/* Copies the attempt in the operation's row to `steps`, before a later outcome overwrites the
 * shared columns. */
static const char move_attempt_sql[] =
    "INSERT OR IGNORE INTO steps(op, seq, kind, code, error_class, target, model, attempt,"
    " latency_ms, tokens_in, tokens_out, cost_usd_micro, at_ms, provider, credential, status,"
    " category, reason, wait_ms, first_byte_ms, bytes, flags, request_id)"
    " SELECT op, 1, 2, 0, 0, target, try_model, attempt, try_latency_ms, tokens_in, tokens_out,"
    " cost_usd_micro, try_at_ms, provider, credential, status, 0, try_reason, 0,"
    " try_first_byte_ms, bytes, try_flags, try_request_id FROM operations"
    " WHERE op = ?1 AND try_model IS NOT NULL AND outcome_seq < ?2";

static const char *const statement_sql[RC_SQL_COUNT] = {
    [RC_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [RC_SQL_COMMIT] = "COMMIT",
    [RC_SQL_ROLLBACK] = "ROLLBACK",
    [RC_SQL_FIND_OPERATION] = "SELECT id, try_model IS NOT NULL FROM operations WHERE op = ?1",
    [RC_SQL_ADD_OPERATION] = add_operation_sql,
    [RC_SQL_END_OPERATION] = end_operation_sql,
    [RC_SQL_ADD_RECORD] = add_record_sql,
    [RC_SQL_MOVE_ATTEMPT] = move_attempt_sql,
    [RC_SQL_CLEAR_ATTEMPT] =
        "UPDATE operations SET try_model = NULL WHERE op = ?1 AND outcome_seq < ?2",
    [RC_SQL_ADD_REPORT] =
        "INSERT OR IGNORE INTO reports(op, seq, report_id, body) VALUES(?1, ?2, ?3, ?4)",
    [RC_SQL_ADD_USAGE] = rc_sqlite_add_usage_sql,
    [RC_SQL_ADD_NOTE] = "INSERT OR IGNORE INTO blocks(about, value, block) VALUES(?1, ?2, ?3)",
    [RC_SQL_FIND_OWNER] = rc_sqlite_find_owner_sql,
    [RC_SQL_FIND_NAME] = "SELECT id FROM names WHERE text = ?1",
    [RC_SQL_ADD_NAME] = "INSERT INTO names(text) VALUES(?1)",
    [RC_SQL_SAVE_STATE] = "REPLACE INTO marks(kind, name, state, until_unix_ms) VALUES(?, ?, ?, ?)",
    [RC_SQL_READ_OPERATION] = rc_sqlite_operation_sql,
    [RC_SQL_READ_RECORDS] = rc_sqlite_records_sql,
    [RC_SQL_SLICE_END] = rc_sqlite_slice_end_sql,
    [RC_SQL_PRUNE_OPERATIONS] = rc_sqlite_prune_operations_sql,
    [RC_SQL_PRUNE_STEPS] = rc_sqlite_prune_steps_sql,
    [RC_SQL_PRUNE_REPORTS] = rc_sqlite_prune_reports_sql,
    [RC_SQL_NEXT_NOTE] = rc_sqlite_next_note_sql,
    [RC_SQL_NOTES_END] = rc_sqlite_notes_end_sql,
    [RC_SQL_PRUNE_NOTES] = rc_sqlite_prune_notes_sql,
    [RC_SQL_SWEEP_NAMES] = rc_sqlite_sweep_names_sql,
    [RC_SQL_SWEEP_OPERATIONS] = rc_sqlite_sweep_operations_sql,
    [RC_SQL_SWEEP_STEPS] = rc_sqlite_sweep_steps_sql,
    [RC_SQL_SWEEP_USAGE] = rc_sqlite_sweep_usage_sql,
    [RC_SQL_SWEEP_DROP] = rc_sqlite_sweep_drop_sql,
    [RC_SQL_DROP_STATE] = "DELETE FROM marks WHERE kind = ?1 AND name = ?2",
};

sqlite3_stmt *rc_sqlite_get(rc_sqlite *sqlite, rc_sqlite_statement which, rc_store_fault *fault)
{
    if (sqlite->statements[which] == NULL)
        rc_sqlite_prepare(sqlite, statement_sql[which], &sqlite->statements[which], fault);
    return sqlite->statements[which];
}

void rc_sqlite_drop_statements(rc_sqlite *sqlite)
{
    for (size_t i = 0; i < RC_SQL_COUNT; i++) {
        sqlite3_finalize(sqlite->statements[i]);
        sqlite->statements[i] = NULL;
    }
    memset(sqlite->bound, 0, sizeof(sqlite->bound));
}

static bool finish(const rc_sqlite *sqlite, sqlite3_stmt *statement, rc_store_fault *fault)
{
    bool is_done = sqlite3_step(statement) == SQLITE_DONE || rc_sqlite_fail(sqlite, "write", fault);
    sqlite3_reset(statement);
    return is_done;
}

static bool run(rc_sqlite *sqlite, rc_sqlite_statement which, rc_store_fault *fault)
{
    sqlite3_stmt *statement = rc_sqlite_get(sqlite, which, fault);
    return statement != NULL && finish(sqlite, statement, fault);
}

/* --- columns --- */

/* A statement that adds a row or writes the end of an operation, with its bound parameters. */
typedef struct row_statement {
    sqlite3_stmt *statement;
    rc_sqlite_bound *bound;
} row_statement;

/* Gets a statement for a row. which: one of the statements of rc_sqlite.bound. Returns false if the
 * statement could not be prepared. */
static bool get_row(rc_sqlite *sqlite, rc_sqlite_statement which, row_statement *ret_row,
                    rc_store_fault *fault)
{
    *ret_row = (row_statement){
        .statement = rc_sqlite_get(sqlite, which, fault),
        .bound = &sqlite->bound[which - RC_SQL_ADD_OPERATION],
    };
    return ret_row->statement != NULL;
}

#define NO_NUMBER INT64_MIN

static void bind_other_number(const row_statement *row, int at, int64_t number)
{
    rc_sqlite_bound *bound = row->bound;
    const uint64_t bit = UINT64_C(1) << at;
    int code = number == NO_NUMBER ? sqlite3_bind_null(row->statement, at)
                                   : sqlite3_bind_int64(row->statement, at, number);
    bound->is_known = code == SQLITE_OK ? bound->is_known | bit : bound->is_known & ~bit;
    bound->numbers[at] = number;
}

static inline void bind_number(const row_statement *row, int at, int64_t number)
{
    if ((row->bound->is_known >> at & 1) == 0 || row->bound->numbers[at] != number)
        bind_other_number(row, at, number);
}

static void bind_optional(const row_statement *row, int at, int64_t number)
{
    bind_number(row, at, number < 0 ? NO_NUMBER : number);
}

/* Binds a text. If removing secrets changes the text, SQLite makes a copy of the changed text. */
static void bind_text(const row_statement *row, int at, rc_str text, size_t max_bytes)
{
    if (text.len == 0) {
        bind_number(row, at, NO_NUMBER);
        return;
    }
    row->bound->is_known &= ~(UINT64_C(1) << at);
    if (text.len <= max_bytes && rc_scrub_is_clean(text)) {
        sqlite3_bind_text(row->statement, at, text.ptr, (int)text.len, SQLITE_STATIC);
        return;
    }
    char memory[RC_RECORD_TEXT_MAX];
    rc_buf clean;
    rc_buf_init_fixed(&clean, memory, max_bytes);
    rc_scrub(text, max_bytes, &clean);
    rc_str cleaned = rc_buf_get(&clean);
    sqlite3_bind_text(row->statement, at, cleaned.ptr, (int)cleaned.len, SQLITE_TRANSIENT);
}

static bool bind_name(rc_sqlite *sqlite, const row_statement *row, int at, rc_str name,
                      rc_store_fault *fault)
{
    int64_t id = 0;
    if (!rc_sqlite_name(sqlite, name, &id, fault))
        return false;
    bind_number(row, at, id);
    return true;
}

/* Binds the columns in the order of spec/audit.def, from parameter `at` on. A bind that runs out of
 * memory leaves its column NULL; the statement then fails, because the schema does not allow
 * NULL. */
static bool bind_columns(rc_sqlite *sqlite, const row_statement *row, int at,
                         const rc_record *record, rc_store_fault *fault)
{
#define BIND_INT(name) bind_number(row, at++, (int64_t)record->name);
#define BIND_BITS(name) BIND_INT(name)
#define BIND_OPTIONAL(name) bind_optional(row, at++, record->name);
#define BIND_NAME(name)                                     \
    if (!bind_name(sqlite, row, at++, record->name, fault)) \
        return false;
#define BIND_TEXT(name) bind_text(row, at++, record->name, RC_RECORD_TEXT_MAX);
#define RC_AUDIT_COLUMN(name, TYPE, words) BIND_##TYPE(name)
#include "spec/audit.def"
#undef BIND_INT
#undef BIND_BITS
#undef BIND_OPTIONAL
#undef BIND_NAME
#undef BIND_TEXT
    return true;
}

/* Numbers of the parameters, from 1: six for the operation itself, then one for each column of
 * spec/audit.def, then one for each column of the only attempt. */
enum {
    COLUMN_LAST_OWN = 6,
#define RC_AUDIT_COLUMN(name, TYPE, words) COLUMN_##name,
#include "spec/audit.def"
    COLUMN_ATTEMPT,
    COLUMNS_END = COLUMN_ATTEMPT + 7
};
_Static_assert(COLUMNS_END <= RC_SQLITE_PARAMS_MAX, "rc_sqlite_bound has too few elements");

/* --- the only attempt --- */

/* Returns the attempt as the view `records` derives it from an operation's row. The values of the
 * `try_` columns are from `attempt`, all other values are from `outcome`. */
static rc_record attempt_of_row(const rc_record *outcome, const rc_record *attempt)
{
    rc_record made = *outcome;
    made.code = RC_CODE_NONE;
    made.error_class = RC_CLASS_NONE;
    made.category = RC_CATEGORY_NONE;
    made.model = attempt->model;
    made.at_ms = attempt->at_ms;
    made.latency_ms = attempt->latency_ms;
    made.first_byte_ms = attempt->first_byte_ms;
    made.reason = attempt->reason;
    made.flags = attempt->flags;
    made.request_id = attempt->request_id;
    made.wait_ms = 0;
    made.text = rc_str_make(NULL, 0);
    return made;
}

static bool is_same(const rc_record *a, const rc_record *b)
{
#define SAME_INT(name) a->name == b->name
#define SAME_BITS(name) SAME_INT(name)
#define SAME_OPTIONAL(name) SAME_INT(name)
#define SAME_NAME(name) rc_str_eq(a->name, b->name)
#define SAME_TEXT(name) rc_str_eq(a->name, b->name)
    return true
#define RC_AUDIT_COLUMN(name, TYPE, words) &&SAME_##TYPE(name)
#include "spec/audit.def"
        ;
#undef SAME_INT
#undef SAME_BITS
#undef SAME_OPTIONAL
#undef SAME_NAME
#undef SAME_TEXT
}

/* Returns the only attempt of an operation. NULL if the operation has other records, or its row
 * cannot contain the attempt. */
static const rc_record *only_attempt(const rc_record *records, size_t count)
{
    if (count != 3 || records[0].kind != RC_RECORD_BEGIN || records[1].kind != RC_RECORD_ATTEMPT ||
        records[2].kind != RC_RECORD_OUTCOME || records[1].seq != RC_SQLITE_ATTEMPT_SEQ ||
        records[1].report_id.len > 0)
        return NULL;
    const rc_record made = attempt_of_row(&records[2], &records[1]);
    return is_same(&made, &records[1]) ? &records[1] : NULL;
}

/* Binds the columns of the operation's only attempt. only: the attempt; NULL if the row contains no
 * attempt. */
static bool bind_only(rc_sqlite *sqlite, const row_statement *row, int64_t key,
                      const rc_record *only, rc_store_fault *fault)
{
    int at = COLUMN_ATTEMPT;
    if (only == NULL) {
        while (at < COLUMNS_END)
            bind_number(row, at++, NO_NUMBER);
        return true;
    }
    if (!bind_name(sqlite, row, at++, only->model, fault))
        return false;
    bind_number(row, at++, only->unix_ms - rc_sqlite_key_time(key));
    bind_optional(row, at++, only->latency_ms);
    bind_optional(row, at++, only->first_byte_ms);
    bind_number(row, at++, (int64_t)only->reason);
    bind_number(row, at++, (int64_t)only->flags);
    bind_text(row, at++, only->request_id, RC_RECORD_TEXT_MAX);
    return true;
}

/* --- one operation --- */

/* The key under which an operation is, or will be, stored. */
typedef struct op_slot {
    int64_t key;
    bool is_there;
    bool has_attempt; /* The row contains the operation's only attempt. */
} op_slot;

static bool find_slot(rc_sqlite *sqlite, rc_str id, op_slot *ret_slot, rc_store_fault *fault)
{
    sqlite3_stmt *find = rc_sqlite_get(sqlite, RC_SQL_FIND_OPERATION, fault);
    int64_t key = 0;
    if (find == NULL)
        return false;
    if (!rc_sqlite_key(id, &key))
        return rc_store_fault_set(fault, RC_STORE_ARGUMENT, "write", NULL, "not an id");
    const int64_t first = key;
    for (uint32_t i = 0; i < RC_SQLITE_KEY_PROBES_MAX; i++) {
        sqlite3_bind_int64(find, 1, key);
        int code = sqlite3_step(find);
        bool is_match = code == SQLITE_ROW && rc_str_eq(rc_sqlite_text(find, 0), id);
        bool has_attempt = is_match && sqlite3_column_int(find, 1) != 0;
        if (code != SQLITE_ROW && code != SQLITE_DONE)
            rc_sqlite_fail(sqlite, "write", fault);
        sqlite3_reset(find);
        if (code != SQLITE_ROW && code != SQLITE_DONE)
            return false;
        if (is_match || code == SQLITE_DONE) {
            *ret_slot = (op_slot){.key = key, .is_there = is_match, .has_attempt = has_attempt};
            return true;
        }
        key = rc_sqlite_next_key(first, key);
    }
    return rc_store_fault_set(fault, RC_STORE_ARGUMENT, "write", NULL,
                              "too many operations in one millisecond");
}

static bool add_report(rc_sqlite *sqlite, int64_t key, const rc_record *record,
                       rc_store_fault *fault)
{
    if (record->report_id.len == 0)
        return true;
    sqlite3_stmt *add = rc_sqlite_get(sqlite, RC_SQL_ADD_REPORT, fault);
    if (add == NULL)
        return false;
    rc_str body = record->report_json;
    sqlite3_bind_int64(add, 1, key);
    sqlite3_bind_int64(add, 2, record->seq);
    sqlite3_bind_text(add, 3, record->report_id.ptr, (int)record->report_id.len, SQLITE_STATIC);
    sqlite3_bind_text(add, 4, body.len > 0 ? body.ptr : NULL, (int)body.len, SQLITE_STATIC);
    return finish(sqlite, add, fault);
}

static bool add_record(rc_sqlite *sqlite, int64_t key, const rc_record *record, bool *ret_is_new,
                       rc_store_fault *fault)
{
    row_statement add;
    if (!get_row(sqlite, RC_SQL_ADD_RECORD, &add, fault))
        return false;
    rc_record record_at = *record;
    record_at.at_ms = record->unix_ms - rc_sqlite_key_time(key);
    bind_number(&add, 1, key);
    bind_number(&add, 2, record->seq);
    bind_number(&add, 3, (int)record->kind);
    if (!bind_columns(sqlite, &add, 4, &record_at, fault) || !finish(sqlite, add.statement, fault))
        return false;
    /* A record that is stored a second time is not new, because it was counted the first time. */
    *ret_is_new = sqlite3_changes(sqlite->db) == 1;
    return add_report(sqlite, key, record, fault);
}

static bool step_key(rc_sqlite *sqlite, rc_sqlite_statement which, int64_t key, uint32_t seq,
                     rc_store_fault *fault)
{
    sqlite3_stmt *statement = rc_sqlite_get(sqlite, which, fault);
    if (statement == NULL)
        return false;
    sqlite3_bind_int64(statement, 1, key);
    sqlite3_bind_int64(statement, 2, seq);
    return finish(sqlite, statement, fault);
}

/* Adds the row of an operation. If the row exists, writes the operation's end into it. row: the
 * values. only: the operation's only attempt, or NULL; ignored if the row exists. */
static bool put_operation(rc_sqlite *sqlite, const op_slot *slot, const rc_record *row,
                          const rc_record *only, rc_store_fault *fault)
{
    row_statement put;
    if (slot->has_attempt && !(step_key(sqlite, RC_SQL_MOVE_ATTEMPT, slot->key, row->seq, fault) &&
                               step_key(sqlite, RC_SQL_CLEAR_ATTEMPT, slot->key, row->seq, fault)))
        return false;
    if (!get_row(sqlite, slot->is_there ? RC_SQL_END_OPERATION : RC_SQL_ADD_OPERATION, &put, fault))
        return false;
    bool is_over = row->kind == RC_RECORD_OUTCOME;
    rc_record record_at = *row;
    record_at.at_ms = is_over ? row->unix_ms - rc_sqlite_key_time(slot->key) : 0;
    bind_number(&put, 1, slot->key);
    if (!slot->is_there) {
        sqlite3_bind_text(put.statement, 2, row->operation_id.ptr, (int)row->operation_id.len,
                          SQLITE_STATIC);
        if (!bind_only(sqlite, &put, slot->key, only, fault))
            return false;
    }
    bind_number(&put, 3, (int)row->outcome);
    bind_optional(&put, 4, is_over ? (int64_t)row->seq : -1);
    return bind_name(sqlite, &put, 5, row->client, fault) &&
           bind_name(sqlite, &put, 6, row->route, fault) &&
           bind_columns(sqlite, &put, 7, &record_at, fault) && finish(sqlite, put.statement, fault);
}

static bool note_name(rc_sqlite *sqlite, int64_t key, rc_sqlite_block_field about, rc_str name,
                      rc_store_fault *fault)
{
    int64_t id = 0;
    return name.len == 0 || (rc_sqlite_name(sqlite, name, &id, fault) &&
                             rc_sqlite_note_value(sqlite, key, about, id, fault));
}

/* Writes the block notes of an operation. This function never removes a note. For example, the note
 * "open" remains after the operation has ended; a query for open operations then reads the
 * operation without returning it. */
static bool note_operation(rc_sqlite *sqlite, int64_t key, const rc_record *row,
                           rc_store_fault *fault)
{
    return note_name(sqlite, key, RC_SQLITE_CLIENT, row->client, fault) &&
           note_name(sqlite, key, RC_SQLITE_MODEL, row->model, fault) &&
           (row->code == RC_CODE_NONE ||
            rc_sqlite_note_value(sqlite, key, RC_SQLITE_CODE, (int64_t)row->code, fault)) &&
           (row->outcome == RC_OUTCOME_SUCCEEDED ||
            rc_sqlite_note_value(sqlite, key, RC_SQLITE_OUTCOME, (int64_t)row->outcome, fault));
}

/* Returns the row of an operation, made from its records in this batch. */
static rc_record operation_row(const rc_record *records, size_t count)
{
    const rc_record *begin = NULL;
    const rc_record *outcome = NULL;
    for (size_t i = 0; i < count; i++) {
        if (records[i].kind == RC_RECORD_BEGIN && begin == NULL)
            begin = &records[i];
        if (records[i].kind == RC_RECORD_OUTCOME)
            outcome = &records[i];
    }
    rc_record row;
    rc_record_init(&row, RC_RECORD_BEGIN);
    row.operation_id = records[0].operation_id;
    if (records[0].kind == RC_RECORD_SERVICE || records[0].kind == RC_RECORD_SUPPRESSED)
        row.outcome = RC_OUTCOME_NOTICE;
    if (outcome != NULL)
        row = *outcome;
    if (begin == NULL)
        return row;
    row.client = row.client.len > 0 ? row.client : begin->client;
    row.route = row.route.len > 0 ? row.route : begin->route;
    row.model = row.model.len > 0 ? row.model : begin->model;
    row.flags |= begin->flags;
    return row;
}

/* Finds the operation or adds its row. A new operation's first key is nearly always free, so the
 * function first tries to insert the row and searches only if that fails. */
static bool find_or_add(rc_sqlite *sqlite, const rc_record *row, const rc_record *only,
                        bool is_beginning, op_slot *ret_slot, rc_store_fault *fault)
{
    if (is_beginning) {
        *ret_slot = (op_slot){.is_there = false};
        if (!rc_sqlite_key(row->operation_id, &ret_slot->key))
            return rc_store_fault_set(fault, RC_STORE_ARGUMENT, "write", NULL, "not an id");
        if (!put_operation(sqlite, ret_slot, row, only, fault))
            return false;
        if (sqlite3_changes(sqlite->db) == 1)
            return true;
    }
    if (!find_slot(sqlite, row->operation_id, ret_slot, fault))
        return false;
    return (ret_slot->is_there && row->kind != RC_RECORD_OUTCOME) ||
           put_operation(sqlite, ret_slot, row, only, fault);
}

static bool has_usage(const rc_record *record)
{
    return record->kind == RC_RECORD_ATTEMPT &&
           (record->tokens_in > 0 || record->tokens_out > 0 || record->cost_usd_micro > 0);
}

/* Adds an attempt to the daily usage of its operation's client. row: the operation's row. */
static bool count_usage(rc_sqlite *sqlite, int64_t key, const rc_record *row, bool is_beginning,
                        const rc_record *record, rc_store_fault *fault)
{
    rc_sqlite_owner owner = {.client = 0};
    bool is_known = is_beginning ? rc_sqlite_name(sqlite, row->client, &owner.client, fault) &&
                                       rc_sqlite_name(sqlite, row->route, &owner.route, fault)
                                 : rc_sqlite_find_owner(sqlite, key, &owner, fault);
    return is_known && rc_sqlite_add_usage(sqlite, &owner, record, fault);
}

/* Adds a record that is neither BEGIN nor OUTCOME, unless the operation's row contains it.
 * *ret_is_new: receives true if the record was not stored before. */
static bool add_step(rc_sqlite *sqlite, const op_slot *slot, const rc_record *only,
                     const rc_record *record, bool *ret_is_new, rc_store_fault *fault)
{
    *ret_is_new = record == only && !slot->is_there;
    return *ret_is_new || (slot->has_attempt && record->seq == RC_SQLITE_ATTEMPT_SEQ) ||
           add_record(sqlite, slot->key, record, ret_is_new, fault);
}

static bool add_operation(rc_sqlite *sqlite, const rc_record *records, size_t count,
                          rc_store_fault *fault)
{
    op_slot slot = {.key = 0};
    const rc_record row = operation_row(records, count);
    const rc_record *only = only_attempt(records, count);
    const bool is_beginning = records[0].kind == RC_RECORD_BEGIN;
    if (!find_or_add(sqlite, &row, only, is_beginning, &slot, fault) ||
        !note_operation(sqlite, slot.key, &row, fault) ||
        (row.kind == RC_RECORD_OUTCOME && !add_report(sqlite, slot.key, &row, fault)))
        return false;
    for (size_t i = 0; i < count; i++) {
        bool is_new = false;
        if (records[i].kind == RC_RECORD_BEGIN || records[i].kind == RC_RECORD_OUTCOME)
            continue;
        if (!add_step(sqlite, &slot, only, &records[i], &is_new, fault))
            return false;
        if (is_new && has_usage(&records[i]) &&
            !count_usage(sqlite, slot.key, &row, is_beginning, &records[i], fault))
            return false;
    }
    return true;
}

/* --- batches --- */

static bool save_state(rc_sqlite *sqlite, const rc_saved_state *saved, rc_store_fault *fault)
{
    bool is_kept = saved->value != 0;
    sqlite3_stmt *save =
        rc_sqlite_get(sqlite, is_kept ? RC_SQL_SAVE_STATE : RC_SQL_DROP_STATE, fault);
    if (save == NULL)
        return false;
    sqlite3_bind_int64(save, 1, (int)saved->kind);
    sqlite3_bind_text(save, 2, saved->name.ptr, (int)saved->name.len, SQLITE_STATIC);
    if (is_kept) {
        sqlite3_bind_int64(save, 3, (sqlite3_int64)saved->value);
        sqlite3_bind_int64(save, 4, saved->until_unix_ms);
    }
    return finish(sqlite, save, fault);
}

static bool add_batch(rc_sqlite *sqlite, const rc_batch *batch, rc_store_fault *fault)
{
    for (size_t at = 0; at < batch->record_count;) {
        const rc_record *first = &batch->records[at];
        size_t count = 1;
        while (at + count < batch->record_count &&
               rc_str_eq(first[count].operation_id, first->operation_id))
            count++;
        if (!add_operation(sqlite, first, count, fault))
            return false;
        at += count;
    }
    for (size_t i = 0; i < batch->state_count; i++)
        if (!save_state(sqlite, &batch->states[i], fault))
            return false;
    return true;
}

static bool add_all(rc_sqlite *sqlite, const rc_batch *first, rc_store_fault *fault)
{
    if (!run(sqlite, RC_SQL_BEGIN, fault))
        return false;
    for (const rc_batch *batch = first; batch != NULL; batch = batch->next)
        if (!add_batch(sqlite, batch, fault))
            return false;
    return rc_sqlite_flush_usage(sqlite, fault) && run(sqlite, RC_SQL_COMMIT, fault);
}

bool rc_sqlite_append(rc_sqlite *sqlite, const rc_batch *first, rc_store_fault *fault)
{
    if (sqlite->mode != RC_STORE_WRITE)
        return rc_store_fault_set(fault, RC_STORE_ARGUMENT, "write", sqlite->path, "a reader");
    for (const rc_batch *batch = first; batch != NULL; batch = batch->next)
        if (rc_records_check(batch->records, batch->record_count) != RC_OK)
            return rc_store_fault_set(fault, RC_STORE_ARGUMENT, "write", sqlite->path, NULL);
    if (add_all(sqlite, first, fault))
        return true;
    /* The failure may have ended the transaction already, so a rollback is needed only if the
     * transaction is still open. */
    rc_store_fault ignored;
    if (!sqlite3_get_autocommit(sqlite->db))
        run(sqlite, RC_SQL_ROLLBACK, &ignored);
    /* The rollback has removed the names that this transaction added, so the cache of names is
     * cleared. */
    rc_name_cache_clear(&sqlite->names);
    rc_sqlite_forget_notes(sqlite);
    sqlite->usage_count = 0;
    return false;
}
