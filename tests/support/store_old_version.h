/* Creates a store file in the format of an earlier version. */
#ifndef RC_SUPPORT_STORE_OLD_VERSION_H
#define RC_SUPPORT_STORE_OLD_VERSION_H

#include <stdio.h>
#include <unistd.h>

#include "store/sqlite/private.h"
#include "support/store_fixture.h"

#define OLD_VERSION_SQL_MAX 4096

static inline void old_version_run(sqlite3 *db, const char *sql)
{
    char *why = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
}

/* Replaces the store's file by one of the given version with the same content, made by the
 * migration steps of that version. The store must be closed. */
static inline void old_version_go_back(const store_fixture *fixture, int version)
{
    char path[256];
    char sql[OLD_VERSION_SQL_MAX];
    sqlite3 *db = NULL;
    snprintf(path, sizeof(path), "%s.past", fixture->path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (int i = 0; i < version; i++)
        old_version_run(db, rc_sqlite_steps[i].sql);
    snprintf(sql, sizeof(sql), "ATTACH '%s' AS now", fixture->path);
    old_version_run(db, sql);
    snprintf(sql, sizeof(sql), "PRAGMA main.application_id = %d; PRAGMA main.user_version = %d",
             RC_SQLITE_APPLICATION, version);
    old_version_run(db, sql);
#define RC_AUDIT_COLUMN(name, TYPE, words) "," #name
    old_version_run(db, "INSERT INTO main.operations(op,outcome,client,route,outcome_seq,id"
#include "spec/audit.def"
                        ") SELECT op,outcome,client,route,outcome_seq,id"
#define RC_AUDIT_COLUMN(name, TYPE, words) "," #name
#include "spec/audit.def"
                        " FROM now.operations");
    old_version_run(db, "INSERT INTO main.records SELECT * FROM now.records;"
                        "INSERT INTO main.names SELECT * FROM now.names;"
                        "INSERT INTO main.reports SELECT * FROM now.reports;"
                        "INSERT INTO main.marks SELECT * FROM now.marks;");
    if (version >= 2)
        old_version_run(db, "INSERT INTO main.spend SELECT * FROM now.spend");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(rename(path, fixture->path), 0);
}

#endif
