/* Maps names to numbers of the table `names`. Called by write.c and daily_usage.c. */
#include "scrub/scrub.h"
#include "store/sqlite/private.h"

static bool find_name(rc_sqlite *sqlite, rc_str text, int64_t *ret_id, rc_store_fault *fault)
{
    sqlite3_stmt *find = rc_sqlite_get(sqlite, RC_SQL_FIND_NAME, fault);
    if (find == NULL)
        return false;
    sqlite3_bind_text(find, 1, text.ptr, (int)text.len, SQLITE_STATIC);
    int code = sqlite3_step(find);
    *ret_id = code == SQLITE_ROW ? sqlite3_column_int64(find, 0) : 0;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        rc_sqlite_fail(sqlite, "write", fault);
    sqlite3_reset(find);
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

static bool add_name(rc_sqlite *sqlite, rc_str text, int64_t *ret_id, rc_store_fault *fault)
{
    sqlite3_stmt *add = rc_sqlite_get(sqlite, RC_SQL_ADD_NAME, fault);
    if (add == NULL)
        return false;
    sqlite3_bind_text(add, 1, text.ptr, (int)text.len, SQLITE_STATIC);
    bool is_done = sqlite3_step(add) == SQLITE_DONE || rc_sqlite_fail(sqlite, "write", fault);
    sqlite3_reset(add);
    *ret_id = sqlite3_last_insert_rowid(sqlite->db);
    return is_done;
}

bool rc_sqlite_name(rc_sqlite *sqlite, rc_str text, int64_t *ret_id, rc_store_fault *fault)
{
    *ret_id = text.len == 0 ? 0 : rc_name_cache_find(&sqlite->names, text);
    rc_sqlite_sweep_use(sqlite, *ret_id);
    if (text.len == 0 || *ret_id != 0)
        return true;

    /* A client may send its key as the name of a model by mistake. The store must not contain
     * keys. */
    char memory[RC_RECORD_NAME_MAX];
    rc_buf clean;
    rc_buf_init_fixed(&clean, memory, sizeof(memory));
    rc_scrub(text, sizeof(memory), &clean);
    if (!find_name(sqlite, rc_buf_get(&clean), ret_id, fault))
        return false;
    if (*ret_id == 0 && !add_name(sqlite, rc_buf_get(&clean), ret_id, fault))
        return false;
    rc_sqlite_sweep_use(sqlite, *ret_id);
    rc_name_cache_add(&sqlite->names, text, *ret_id);
    return true;
}
