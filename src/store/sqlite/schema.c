/* The versions of the file and their migrations. Called by sqlite.c. A released migration step must
 * not change, because files that it made exist. */
#include "store/sqlite/private.h"

/* The columns are in the order of spec/audit.def. Most operations succeed, so the indexes of codes
 * and outcomes cover only operations that did not succeed. Reports have rowids; without rowids, a
 * row that is larger than a quarter of a page would need an overflow page. */
static const char version_1[] =
    "CREATE TABLE names(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE operations(op INTEGER PRIMARY KEY, outcome INTEGER NOT NULL,"
    " client INTEGER NOT NULL, code INTEGER NOT NULL, error_class INTEGER NOT NULL,"
    " target INTEGER NOT NULL, model INTEGER NOT NULL, attempt INTEGER NOT NULL,"
    " latency_ms INTEGER, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,"
    " cost_usd_micro INTEGER NOT NULL, at_ms INTEGER NOT NULL, provider INTEGER NOT NULL,"
    " credential INTEGER NOT NULL, status INTEGER NOT NULL, category INTEGER NOT NULL,"
    " reason INTEGER NOT NULL, wait_ms INTEGER NOT NULL, first_byte_ms INTEGER,"
    " bytes INTEGER NOT NULL, flags INTEGER NOT NULL, request_id TEXT, text TEXT,"
    " route INTEGER NOT NULL, outcome_seq INTEGER, id TEXT NOT NULL);"
    "CREATE INDEX operations_client ON operations(client);"
    "CREATE INDEX operations_model ON operations(model);"
    "CREATE INDEX operations_code ON operations(code) WHERE code <> 0;"
    "CREATE INDEX operations_outcome ON operations(outcome) WHERE outcome <> 1;"
    "CREATE TABLE records(op INTEGER NOT NULL, seq INTEGER NOT NULL, kind INTEGER NOT NULL,"
    " code INTEGER NOT NULL, error_class INTEGER NOT NULL,"
    " target INTEGER NOT NULL, model INTEGER NOT NULL, attempt INTEGER NOT NULL,"
    " latency_ms INTEGER, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,"
    " cost_usd_micro INTEGER NOT NULL, at_ms INTEGER NOT NULL, provider INTEGER NOT NULL,"
    " credential INTEGER NOT NULL, status INTEGER NOT NULL, category INTEGER NOT NULL,"
    " reason INTEGER NOT NULL, wait_ms INTEGER NOT NULL, first_byte_ms INTEGER,"
    " bytes INTEGER NOT NULL, flags INTEGER NOT NULL, request_id TEXT, text TEXT,"
    " PRIMARY KEY(op, seq)) WITHOUT ROWID;"
    "CREATE TABLE reports(op INTEGER NOT NULL, seq INTEGER NOT NULL, report_id TEXT NOT NULL,"
    " body TEXT, PRIMARY KEY(op, seq));"
    "CREATE INDEX reports_report_id ON reports(report_id);"
    "CREATE TABLE marks(kind INTEGER NOT NULL, name TEXT NOT NULL, state INTEGER NOT NULL,"
    " until_unix_ms INTEGER NOT NULL, PRIMARY KEY(kind, name)) WITHOUT ROWID;";

/* Adds the daily usage: the attempts (kind 2) that cost money or used tokens, added up by day. The
 * migration adds up the attempts that are already in the file, so that the sums cover all attempts.
 * A record's time is the time in its operation's key plus at_ms. */
static const char version_2[] =
    "CREATE TABLE spend(day INTEGER NOT NULL, client INTEGER NOT NULL, route INTEGER NOT NULL,"
    " target INTEGER NOT NULL, credential INTEGER NOT NULL, attempts INTEGER NOT NULL,"
    " tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost_usd_micro INTEGER NOT NULL,"
    " PRIMARY KEY(day, client, route, target, credential)) WITHOUT ROWID;"
    "INSERT INTO spend SELECT ((r.op >> 15) + r.at_ms) / 86400000, o.client, o.route, r.target,"
    " r.credential, count(*), sum(r.tokens_in), sum(r.tokens_out), sum(r.cost_usd_micro)"
    " FROM records r JOIN operations o ON o.op = r.op"
    " WHERE r.kind = 2 AND (r.tokens_in > 0 OR r.tokens_out > 0 OR r.cost_usd_micro > 0)"
    " GROUP BY 1, 2, 3, 4, 5;";

/* Most operations are one successful attempt. This attempt is stored in the operation's row. Values
 * of the attempt that differ from the outcome's values are in the `try_` columns; equal values are
 * stored once. `steps` has all other records. The view `records` combines both; an operation's row
 * has an attempt if try_model is set.
 *
 * In earlier versions each index of operations cost a search, and possibly a page, per operation.
 * Block notes replace these indexes. There is one note per block of keys (23 bits, 256 ms) and
 * value. The column `about` is 1 for a client, 2 for a model, 3 for a code, 4 for an outcome other
 * than success. */
static const char version_3[] =
    "ALTER TABLE operations ADD COLUMN try_model INTEGER;"
    "ALTER TABLE operations ADD COLUMN try_at_ms INTEGER;"
    "ALTER TABLE operations ADD COLUMN try_latency_ms INTEGER;"
    "ALTER TABLE operations ADD COLUMN try_first_byte_ms INTEGER;"
    "ALTER TABLE operations ADD COLUMN try_reason INTEGER;"
    "ALTER TABLE operations ADD COLUMN try_flags INTEGER;"
    "ALTER TABLE operations ADD COLUMN try_request_id TEXT;"
    "ALTER TABLE records RENAME TO steps;"
    "CREATE VIEW records AS SELECT op, seq, kind, code, error_class, target, model, attempt,"
    " latency_ms, tokens_in, tokens_out, cost_usd_micro, at_ms, provider, credential, status,"
    " category, reason, wait_ms, first_byte_ms, bytes, flags, request_id, text FROM steps"
    " UNION ALL SELECT op, 1, 2, 0, 0, target, try_model, attempt, try_latency_ms, tokens_in,"
    " tokens_out, cost_usd_micro, try_at_ms, provider, credential, status, 0, try_reason, 0,"
    " try_first_byte_ms, bytes, try_flags, try_request_id, NULL FROM operations"
    " WHERE try_model IS NOT NULL;"
    "CREATE TABLE blocks(about INTEGER NOT NULL, value INTEGER NOT NULL, block INTEGER NOT NULL,"
    " PRIMARY KEY(about, value, block)) WITHOUT ROWID;"
    "INSERT OR IGNORE INTO blocks SELECT 1, client, op >> 23 FROM operations WHERE client <> 0"
    " ORDER BY client, op;"
    "INSERT OR IGNORE INTO blocks SELECT 2, model, op >> 23 FROM operations WHERE model <> 0"
    " ORDER BY model, op;"
    "INSERT OR IGNORE INTO blocks SELECT 3, code, op >> 23 FROM operations WHERE code <> 0"
    " ORDER BY code, op;"
    "INSERT OR IGNORE INTO blocks SELECT 4, outcome, op >> 23 FROM operations WHERE outcome <> 1"
    " ORDER BY outcome, op;"
    "DROP INDEX operations_client; DROP INDEX operations_model; DROP INDEX operations_code;"
    " DROP INDEX operations_outcome;";

const rc_sqlite_step rc_sqlite_steps[] = {
    {1, version_1},
    {2, version_2},
    {3, version_3},
};
const size_t rc_sqlite_step_count = sizeof(rc_sqlite_steps) / sizeof(rc_sqlite_steps[0]);

bool rc_sqlite_version(const rc_sqlite *sqlite, const rc_sqlite_step *steps, size_t count,
                       int *ret_version, rc_store_fault *fault)
{
    int64_t application = 0;
    int64_t version = 0;
    int64_t objects = 0;
    if (!rc_sqlite_number(sqlite, "PRAGMA application_id", &application, fault) ||
        !rc_sqlite_number(sqlite, "PRAGMA user_version", &version, fault) ||
        !rc_sqlite_number(sqlite, "SELECT count(*) FROM sqlite_master", &objects, fault))
        return false;
    if (application == 0 && version == 0 && objects == 0) {
        *ret_version = 0;
        return true;
    }
    if (application != RC_SQLITE_APPLICATION || version < 1)
        return rc_store_fault_set(fault, RC_STORE_FOREIGN, "open", sqlite->path, NULL);
    if (version > steps[count - 1].version) {
        char detail[64];
        sqlite3_snprintf(sizeof(detail), detail, "schema version %lld; this program reads up to %d",
                         (long long)version, steps[count - 1].version);
        return rc_store_fault_set(fault, RC_STORE_TOO_NEW, "open", sqlite->path, detail);
    }
    *ret_version = (int)version;
    return true;
}

static bool run_steps(const rc_sqlite *sqlite, const rc_sqlite_step *steps, size_t count,
                      int version, rc_store_fault *fault)
{
    char stamp[96];
    for (size_t i = 0; i < count; i++)
        if (steps[i].version > version && !rc_sqlite_run(sqlite, steps[i].sql, "migrate", fault))
            return false;
    sqlite3_snprintf(sizeof(stamp), stamp, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                     RC_SQLITE_APPLICATION, steps[count - 1].version);
    return rc_sqlite_run(sqlite, stamp, "migrate", fault) &&
           rc_sqlite_run(sqlite, "COMMIT", "migrate", fault);
}

bool rc_sqlite_migrate(const rc_sqlite *sqlite, const rc_sqlite_step *steps, size_t count,
                       int version, rc_store_fault *fault)
{
    if (version == steps[count - 1].version)
        return true;
    if (!rc_sqlite_run(sqlite, "BEGIN IMMEDIATE", "migrate", fault))
        return false;
    if (run_steps(sqlite, steps, count, version, fault))
        return true;
    rc_store_fault ignored;
    if (!sqlite3_get_autocommit(sqlite->db))
        rc_sqlite_run(sqlite, "ROLLBACK", "migrate", &ignored);
    return false;
}
