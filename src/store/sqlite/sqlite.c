/* Opens and closes the SQLite store and implements its short calls. Called by store.c; the other
 * files of store/sqlite call its helper functions. */
#include "store/sqlite/sqlite.h"

#include <errno.h>
#include <string.h>

#include <uv.h>

#include "render/text.h"
#include "store/sqlite/private.h"
#include "sys/calls.h"
#include "sys/file.h"

#define BUSY_MS 1000
#define PATH_BYTES_MAX ((size_t)4096)
#define WRITER_SUFFIX "-writer"
#define LOG_SUFFIX "-wal"
#define URI_BYTES_MAX (3 * PATH_BYTES_MAX)
/* The write-ahead log is moved into the file when the log has this number of pages, about 16 MB. */
#define LOG_PAGES 4000
/* Number of steps of SQLite's virtual machine between two calls of the cancel check, about a
 * millisecond. */
#define PROGRESS_STEPS 20000

/* --- faults --- */

static rc_store_fault_kind cannot_open(int system_error)
{
    switch (system_error) {
    case ENOENT:
        return RC_STORE_MISSING;
    case EISDIR:
        return RC_STORE_DIRECTORY;
    case EACCES:
    case EPERM:
        return RC_STORE_NOT_ALLOWED;
    case EROFS:
        return RC_STORE_READ_ONLY;
    case ENOSPC:
    case EDQUOT:
        return RC_STORE_FULL;
    default:
        return RC_STORE_IO;
    }
}

rc_store_fault_kind rc_sqlite_fault_kind(int code, int system_error)
{
    switch (code & 0xFF) {
    case SQLITE_CANTOPEN:
        return code == SQLITE_CANTOPEN_ISDIR ? RC_STORE_DIRECTORY : cannot_open(system_error);
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return RC_STORE_NOT_ALLOWED;
    case SQLITE_READONLY:
        return RC_STORE_READ_ONLY;
    case SQLITE_NOTADB:
        return RC_STORE_FOREIGN;
    case SQLITE_CORRUPT:
        return RC_STORE_CORRUPT;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return RC_STORE_BUSY;
    case SQLITE_FULL:
        return RC_STORE_FULL;
    case SQLITE_IOERR:
        if (code == SQLITE_IOERR_NOMEM)
            return RC_STORE_NO_MEMORY;
        if (system_error == EISDIR) /* SQLite can open a folder, but reading from it fails. */
            return RC_STORE_DIRECTORY;
        return system_error == ENOSPC || system_error == EDQUOT ? RC_STORE_FULL : RC_STORE_IO;
    case SQLITE_NOMEM:
        return RC_STORE_NO_MEMORY;
    case SQLITE_INTERRUPT:
        return RC_STORE_STOPPED;
    default:
        return RC_STORE_OTHER;
    }
}

bool rc_sqlite_fail(const rc_sqlite *sqlite, const char *activity, rc_store_fault *fault)
{
    rc_store_fault_kind kind = rc_sqlite_fault_kind(sqlite3_extended_errcode(sqlite->db),
                                                    sqlite3_system_errno(sqlite->db));
    return rc_store_fault_set(fault, kind, activity, sqlite->path, sqlite3_errmsg(sqlite->db));
}

/* --- small statements --- */

bool rc_sqlite_run(const rc_sqlite *sqlite, const char *sql, const char *activity,
                   rc_store_fault *fault)
{
    return sqlite3_exec(sqlite->db, sql, NULL, NULL, NULL) == SQLITE_OK ||
           rc_sqlite_fail(sqlite, activity, fault);
}

bool rc_sqlite_prepare(const rc_sqlite *sqlite, const char *sql, sqlite3_stmt **ret_statement,
                       rc_store_fault *fault)
{
    return sqlite3_prepare_v3(sqlite->db, sql, -1, SQLITE_PREPARE_PERSISTENT, ret_statement,
                              NULL) == SQLITE_OK ||
           rc_sqlite_fail(sqlite, "read", fault);
}

bool rc_sqlite_number(const rc_sqlite *sqlite, const char *sql, int64_t *ret_number,
                      rc_store_fault *fault)
{
    sqlite3_stmt *statement = NULL;
    if (!rc_sqlite_prepare(sqlite, sql, &statement, fault))
        return false;
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        *ret_number = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    else
        rc_sqlite_fail(sqlite, "read", fault);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

/* --- saved states, checkpoint, check, close --- */

static bool read_saved_states(rc_store *store, rc_saved_state_each each, void *ctx,
                              rc_store_fault *fault)
{
    rc_sqlite *sqlite = (rc_sqlite *)store;
    sqlite3_stmt *row = NULL;
    if (!rc_sqlite_prepare(sqlite, "SELECT kind, name, state, until_unix_ms FROM marks", &row,
                           fault))
        return false;
    int code = sqlite3_step(row);
    for (bool goes_on = true; code == SQLITE_ROW && goes_on;) {
        rc_saved_state saved = {
            .kind = (rc_saved_state_kind)sqlite3_column_int(row, 0),
            .name = rc_sqlite_text(row, 1),
            .value = (uint64_t)sqlite3_column_int64(row, 2),
            .until_unix_ms = rc_sqlite_count(row, 3),
        };
        goes_on = each(ctx, &saved);
        code = goes_on ? sqlite3_step(row) : SQLITE_DONE;
    }
    if (code != SQLITE_DONE)
        rc_sqlite_fail(sqlite, "read", fault);
    sqlite3_finalize(row);
    return code == SQLITE_DONE;
}

static bool checkpoint(rc_store *store, bool is_forced, rc_store_fault *fault)
{
    rc_sqlite *sqlite = (rc_sqlite *)store;
    if (sqlite->mode != RC_STORE_WRITE)
        return rc_store_fault_set(fault, RC_STORE_ARGUMENT, "tidy", sqlite->path, "a reader");
    if (sqlite->db == NULL || (!is_forced && sqlite->log_pages < LOG_PAGES))
        return true;
    int code = sqlite3_wal_checkpoint_v2(sqlite->db, "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    sqlite->log_pages = 0;
    return code == SQLITE_OK || rc_sqlite_fail(sqlite, "tidy", fault);
}

static bool check(rc_store *store, rc_store_fault *fault)
{
    rc_sqlite *sqlite = (rc_sqlite *)store;
    sqlite3_stmt *row = NULL;
    if (!rc_sqlite_prepare(sqlite, "PRAGMA integrity_check(1)", &row, fault))
        return false;
    bool is_sound = false;
    if (sqlite3_step(row) != SQLITE_ROW)
        rc_sqlite_fail(sqlite, "check", fault);
    else if (rc_str_eq(rc_sqlite_text(row, 0), RC_STR("ok")))
        is_sound = true;
    else
        rc_store_fault_set(fault, RC_STORE_CORRUPT, "check", sqlite->path,
                           (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    return is_sound;
}

static int on_progress(void *ctx)
{
    const rc_sqlite *sqlite = ctx;
    return sqlite->is_cancelled(sqlite->cancel_ctx) ? 1 : 0;
}

static void set_cancel_check(rc_store *store, rc_store_is_cancelled is_cancelled, void *ctx)
{
    rc_sqlite *sqlite = (rc_sqlite *)store;
    sqlite->is_cancelled = is_cancelled;
    sqlite->cancel_ctx = ctx;
    sqlite3_progress_handler(sqlite->db, PROGRESS_STEPS, is_cancelled != NULL ? on_progress : NULL,
                             sqlite);
}

static void close_file(rc_sqlite *sqlite)
{
    rc_sqlite_drop_statements(sqlite);
    rc_sqlite_cancel_prune_request(sqlite);
    rc_name_cache_clear(&sqlite->names);
    rc_sqlite_sweep_end(sqlite);
    rc_sqlite_forget_notes(sqlite);
    sqlite3_close(sqlite->db);
    sqlite->db = NULL;
    rc_lock_file_drop(&sqlite->lock);
}

static void close_store(rc_store *store)
{
    rc_sqlite *sqlite = (rc_sqlite *)store;
    rc_alloc alloc = sqlite->alloc;
    close_file(sqlite);
    alloc.put(alloc.ctx, sqlite->path, sqlite->path_size);
    alloc.put(alloc.ctx, sqlite, sizeof(*sqlite));
}

static bool open_to_write(rc_sqlite *sqlite, rc_store_fault *fault);

/* Returns whether the store's path still leads to the open file. Data that is written to a deleted
 * file is lost when the process ends. */
static bool is_in_place(const rc_sqlite *sqlite)
{
    int is_moved = 0;
    return sqlite->db != NULL && (sqlite3_file_control(sqlite->db, "main", SQLITE_FCNTL_HAS_MOVED,
                                                       &is_moved) != SQLITE_OK ||
                                  is_moved == 0);
}

/* Opens the file at the store's path after the open file was moved or deleted. Always returns
 * false, so that the writer reports the fault and then appends again. */
static bool open_again(rc_sqlite *sqlite, rc_store_fault *fault)
{
    /* Without this checkpoint the moved file would lack the data in its write-ahead log, because
     * the log stays under the old name. */
    if (sqlite->db != NULL)
        (void)sqlite3_wal_checkpoint_v2(sqlite->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    close_file(sqlite);
    sqlite->log_pages = 0;
    if (open_to_write(sqlite, fault))
        return rc_store_fault_set(fault, RC_STORE_MOVED, "write", sqlite->path, NULL);
    close_file(sqlite);
    return false;
}

static bool append(rc_store *store, const rc_batch *first, rc_store_fault *fault)
{
    rc_sqlite *sqlite = (rc_sqlite *)store;
    if (sqlite->mode == RC_STORE_WRITE && !is_in_place(sqlite))
        return open_again(sqlite, fault);
    return rc_sqlite_append(sqlite, first, fault);
}

/* Prunes unless the open file was moved or deleted. A moved or deleted file is not opened again
 * here: rc_store_append opens a new file and reports the fault. */
static bool prune_in_place(rc_store *store, rc_store_prune *prune, rc_store_fault *fault)
{
    const rc_sqlite *sqlite = (const rc_sqlite *)store;
    if (sqlite->mode == RC_STORE_WRITE && !is_in_place(sqlite))
        return rc_store_fault_set(fault, RC_STORE_MOVED, "prune", sqlite->path, NULL);
    return rc_sqlite_prune(store, prune, fault);
}

static const rc_store_calls calls = {
    .append = append,
    .checkpoint = checkpoint,
    .timeline = rc_sqlite_timeline,
    .list = rc_sqlite_list,
    .find = rc_sqlite_find,
    .survey = rc_sqlite_survey,
    .names = rc_sqlite_list_names,
    .measure = rc_sqlite_measure,
    .saved_states = read_saved_states,
    .daily_usage_since = rc_sqlite_daily_usage_since,
    .count_expired = rc_sqlite_count_expired,
    .first_expired = rc_sqlite_first_expired,
    .used_bytes = rc_sqlite_used_bytes,
    .prune = prune_in_place,
    .shrink = rc_sqlite_shrink,
    .request_prune = rc_sqlite_request_prune,
    .has_prune_request = rc_sqlite_has_prune_request,
    .check = check,
    .set_cancel_check = set_cancel_check,
    .close = close_store,
};

/* --- opening --- */

static int on_commit(void *ctx, sqlite3 *db, const char *name, int log_pages)
{
    (void)db;
    (void)name;
    ((rc_sqlite *)ctx)->log_pages = log_pages;
    return SQLITE_OK;
}

/* Turns off SQLite's memory statistics, because they need a lock. The call has an effect only
 * before SQLite is first used. */
static void disable_memory_statistics(void)
{
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static bool open_file(rc_sqlite *sqlite, const char *name, int flags, rc_store_fault *fault)
{
    static uv_once_t once = UV_ONCE_INIT;
    uv_once(&once, disable_memory_statistics);
    int code = sqlite3_open_v2(
        name, &sqlite->db,
        flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE, NULL);
    if (sqlite->db == NULL)
        return rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "open", sqlite->path, NULL);
    if (code != SQLITE_OK)
        return rc_sqlite_fail(sqlite, "open", fault);
    sqlite3_busy_timeout(sqlite->db, BUSY_MS);
    /* The file is untrusted: no text may be larger than the texts that this program writes, and the
     * file's schema may not call functions with side effects. */
    sqlite3_limit(sqlite->db, SQLITE_LIMIT_LENGTH, (int)(4 * RC_RECORD_REPORT_MAX));
    sqlite3_db_config(sqlite->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(sqlite->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return true;
}

/* Takes the lock of the writer. Only one connection may write and checkpoint, because SQLite before
 * 3.51.3 can lose committed data if one connection resets the log while another connection writes
 * to it. */
static bool take_lock(rc_sqlite *sqlite, rc_store_fault *fault)
{
    char path[PATH_BYTES_MAX + sizeof(WRITER_SUFFIX)];
    sqlite3_snprintf(sizeof(path), path, "%s%s", sqlite->path, WRITER_SUFFIX);
    int error = rc_lock_file_take(&sqlite->lock, path);
    if (error == ENOENT && sqlite->makes_folders) {
        error = rc_private_folders_make(path);
        if (error == 0)
            error = rc_lock_file_take(&sqlite->lock, path);
    }
    if (error == RC_LOCK_TAKEN)
        return rc_store_fault_set(fault, RC_STORE_HAS_WRITER, "open", sqlite->path, NULL);
    if (error == 0)
        error = rc_private_file_make(sqlite->path);
    if (error == ENOENT)
        return rc_store_fault_set(fault, RC_STORE_NO_FOLDER, "open", sqlite->path, NULL);
    return error == 0 || rc_store_fault_set(fault, cannot_open(error), "open", sqlite->path,
                                            rc_sys_error_text(error));
}

static bool open_to_write(rc_sqlite *sqlite, rc_store_fault *fault)
{
    int version = 0;
    if (!take_lock(sqlite, fault) ||
        !open_file(sqlite, sqlite->path, SQLITE_OPEN_READWRITE, fault) ||
        !rc_sqlite_version(sqlite, rc_sqlite_steps, rc_sqlite_step_count, &version, fault))
        return false;
    /* The file is an audit file, as the version check showed, so it may be changed. */
    if (!rc_sqlite_run(sqlite,
                       sqlite->is_power_safe
                           ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"
                           : "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
                       "open", fault))
        return false;
    sqlite3_wal_autocheckpoint(sqlite->db, 0);
    sqlite3_wal_hook(sqlite->db, on_commit, sqlite);
    return rc_sqlite_migrate(sqlite, rc_sqlite_steps, rc_sqlite_step_count, version, fault);
}

/* Returns whether the file can be read as immutable. A reader needs the log's index (-shm) beside
 * the file, and cannot create it without write permission. If there is also no write-ahead log, the
 * file is complete, and no process writes to it. */
static bool is_immutable(const rc_sqlite *sqlite, const rc_store_fault *fault)
{
    char path[PATH_BYTES_MAX + sizeof(LOG_SUFFIX)];
    struct stat log;
    if (fault->kind != RC_STORE_READ_ONLY && fault->kind != RC_STORE_NOT_ALLOWED)
        return false;
    sqlite3_snprintf(sizeof(path), path, "%s" LOG_SUFFIX, sqlite->path);
    return rc_sys_real.stat(path, &log) != 0 || log.st_size == 0;
}

/* Appends the URI of the file, such as "file:/var/a%3Fb.db?immutable=1". */
static void push_uri(const rc_sqlite *sqlite, rc_buf *uri)
{
    rc_buf_push(uri, RC_STR("file:"));
    rc_render_percent(uri, rc_str_c(sqlite->path), URI_BYTES_MAX);
    rc_buf_push(uri, RC_STR("?immutable=1"));
    rc_buf_push_byte(uri, '\0');
}

static bool open_immutable(rc_sqlite *sqlite, int *ret_version, rc_store_fault *fault)
{
    char memory[URI_BYTES_MAX + 32];
    rc_buf uri;
    rc_buf_init_fixed(&uri, memory, sizeof(memory));
    push_uri(sqlite, &uri);
    sqlite3_close(sqlite->db);
    sqlite->db = NULL;
    return open_file(sqlite, memory, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, fault) &&
           rc_sqlite_version(sqlite, rc_sqlite_steps, rc_sqlite_step_count, ret_version, fault);
}

static bool open_to_read(rc_sqlite *sqlite, rc_store_fault *fault)
{
    int version = 0;
    if (!open_file(sqlite, sqlite->path, SQLITE_OPEN_READONLY, fault))
        return false;
    if (!rc_sqlite_version(sqlite, rc_sqlite_steps, rc_sqlite_step_count, &version, fault) &&
        (!is_immutable(sqlite, fault) || !open_immutable(sqlite, &version, fault)))
        return false;
    if (version == 0)
        return rc_store_fault_set(fault, RC_STORE_MISSING, "open", sqlite->path,
                                  "the file is empty");
    if (version < rc_sqlite_steps[rc_sqlite_step_count - 1].version)
        return rc_store_fault_set(fault, RC_STORE_TOO_OLD, "open", sqlite->path, NULL);
    sqlite3_db_config(sqlite->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return rc_sqlite_run(sqlite, "PRAGMA query_only = 1", "open", fault);
}

static rc_sqlite *make(rc_str path, const rc_store_settings *settings, const rc_alloc *alloc)
{
    rc_sqlite *sqlite = alloc->get(alloc->ctx, sizeof(*sqlite));
    if (sqlite == NULL)
        return NULL;
    memset(sqlite, 0, sizeof(*sqlite));
    sqlite->base.calls = &calls;
    sqlite->alloc = *alloc;
    sqlite->mode = settings->mode;
    sqlite->is_power_safe = settings->is_power_safe;
    sqlite->makes_folders = settings->makes_folders;
    sqlite->lock.fd = -1;
    rc_name_cache_init(&sqlite->names, alloc);
    sqlite->path_size = path.len + 1;
    sqlite->path = alloc->get(alloc->ctx, sqlite->path_size);
    if (sqlite->path == NULL) {
        alloc->put(alloc->ctx, sqlite, sizeof(*sqlite));
        return NULL;
    }
    memcpy(sqlite->path, path.ptr, path.len);
    sqlite->path[path.len] = '\0';
    return sqlite;
}

bool rc_sqlite_open(rc_str path, const rc_store_settings *settings, const rc_alloc *alloc,
                    rc_store **ret_store, rc_store_fault *fault)
{
    if (path.len == 0 || path.len > PATH_BYTES_MAX || memchr(path.ptr, '\0', path.len) != NULL)
        return rc_store_fault_set(fault, RC_STORE_ARGUMENT, "open", NULL, "not a path");
    rc_sqlite *sqlite = make(path, settings, alloc);
    if (sqlite == NULL)
        return rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "open", NULL, NULL);
    bool is_open = settings->mode == RC_STORE_WRITE ? open_to_write(sqlite, fault)
                                                    : open_to_read(sqlite, fault);
    if (!is_open) {
        close_store(&sqlite->base);
        return false;
    }
    *ret_store = &sqlite->base;
    return true;
}
