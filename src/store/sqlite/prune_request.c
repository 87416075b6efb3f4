/* Requests to prune the store, sent to the process that writes it. Called through rc_store_calls.
 * Only one connection may write to the store. While a gateway has the store open, another process
 * therefore requests the deletion of operations: it creates the file FILE-prune (FILE is the
 * store's file) and holds a lock on it. The lock ends with the process, and the writer ignores a
 * request file without a lock. The file is created under another name and renamed when it is
 * complete and locked, so that the writer never reads an incomplete or an old request. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <recourse/buf.h>

#include "base/str.h"
#include "store/sqlite/private.h"
#include "sys/file.h"

#define PATH_MAX_BYTES ((size_t)4096 + 16)
#define NOTE_SUFFIX "-prune"
#define NEW_SUFFIX "-prune-new"
#define NOTE_MAX 32
#define DIGITS_MAX 18 /* An int64_t can represent every number with this many digits. */

static void name_file(const rc_sqlite *sqlite, const char *suffix, char path[PATH_MAX_BYTES])
{
    sqlite3_snprintf((int)PATH_MAX_BYTES, path, "%s%s", sqlite->path, suffix);
}

static bool fail(const rc_sqlite *sqlite, int error, rc_store_fault *fault)
{
    const rc_store_fault_kind kind =
        error == RC_LOCK_TAKEN ? RC_STORE_BUSY : rc_sqlite_fault_kind(SQLITE_CANTOPEN, error);
    return rc_store_fault_set(fault, kind, "prune", sqlite->path,
                              error == RC_LOCK_TAKEN ? "another process is deleting operations"
                                                     : rc_sys_error_text(error));
}

/* Writes the request. The caller holds a lock on the file under its temporary name, so that no
 * other process can make a request before the rename. */
static int put_note(const rc_sqlite *sqlite, rc_lock_file *lock, int64_t before_unix_ms,
                    const char *new_path)
{
    char path[PATH_MAX_BYTES];
    char text[NOTE_MAX];
    rc_buf note;
    int error = 0;
    name_file(sqlite, NOTE_SUFFIX, path);
    if (rc_lock_file_is_held(path, &error))
        return RC_LOCK_TAKEN;
    rc_buf_init_fixed(&note, text, sizeof(text));
    rc_buf_push_i64(&note, before_unix_ms);
    rc_buf_push_byte(&note, '\n');
    error = rc_lock_file_write(lock, rc_buf_get(&note), sqlite->path);
    return error != 0 || rename(new_path, path) == 0 ? error : errno;
}

bool rc_sqlite_request_prune(rc_store *store, int64_t before_unix_ms, rc_store_fault *fault)
{
    rc_sqlite *sqlite = (rc_sqlite *)store;
    char path[PATH_MAX_BYTES];
    if (sqlite->mode != RC_STORE_READ || sqlite->lock.fd >= 0 || before_unix_ms < 0)
        return rc_store_fault_set(fault, RC_STORE_ARGUMENT, "prune", sqlite->path, NULL);
    name_file(sqlite, NEW_SUFFIX, path);
    int error = rc_lock_file_take(&sqlite->lock, path);
    if (error != 0)
        return fail(sqlite, error, fault);
    error = put_note(sqlite, &sqlite->lock, before_unix_ms, path);
    if (error == 0)
        return true;
    (void)unlink(path);
    rc_lock_file_drop(&sqlite->lock);
    return fail(sqlite, error, fault);
}

void rc_sqlite_cancel_prune_request(rc_sqlite *sqlite)
{
    char path[PATH_MAX_BYTES];
    if (sqlite->mode != RC_STORE_READ || sqlite->lock.fd < 0)
        return;
    name_file(sqlite, NOTE_SUFFIX, path);
    (void)unlink(path);
    rc_lock_file_drop(&sqlite->lock);
}

bool rc_sqlite_parse_prune_request(rc_str note, int64_t *ret_unix_ms)
{
    int64_t number = 0;
    if (note.len < 2 || note.len > DIGITS_MAX + 1 || note.ptr[note.len - 1] != '\n')
        return false;
    for (size_t i = 0; i + 1 < note.len; i++) {
        if (!rc_ascii_is_digit(note.ptr[i]))
            return false;
        number = number * 10 + (note.ptr[i] - '0');
    }
    *ret_unix_ms = number;
    return true;
}

bool rc_sqlite_has_prune_request(rc_store *store, int64_t *ret_before_unix_ms)
{
    const rc_sqlite *sqlite = (const rc_sqlite *)store;
    char path[PATH_MAX_BYTES];
    char text[NOTE_MAX];
    name_file(sqlite, NOTE_SUFFIX, path);
    const rc_str note = rc_str_make(text, rc_lock_file_read_held(path, text, sizeof(text)));
    return rc_sqlite_parse_prune_request(note, ret_before_unix_ms);
}
