/* The audit in SQLite: one file, its log (-wal) and the index of that (-shm) beside it, and the
 * writer's lock (-writer); while somebody asks the writer to delete, what is asked (-prune).
 *
 *   names       id, text                      each client, route, provider, model, target once
 *   operations  op, ...                       one row an operation: BEGIN and OUTCOME
 *   records     op, seq, ...                  the other records, together with their neighbours
 *   reports     op, seq, report_id, body      of failures
 *   marks       kind, name, state, until      what must survive a restart
 *
 * op is the time in the operation's id (48 bits) and the last 15 bits of the id: rows lie in the
 * order of time, a range of time is a range of keys, and an id is found without an index. Should
 * two ids fall on one key, the second takes the next free one of its millisecond. */
#ifndef RC_STORE_SQLITE_SQLITE_H
#define RC_STORE_SQLITE_SQLITE_H

#include "store/store.h"

/* As rc_store_open. path: copies. */
bool rc_sqlite_open(rc_str path, const rc_store_settings *settings, const rc_alloc *alloc,
                    rc_store **ret_store, rc_store_fault *fault);

#endif
