/* Stores the audit in one SQLite file. Next to the file are its write-ahead log (-wal), the log's
 * index (-shm), the writer's lock (-writer) and, while a deletion is requested, the request
 * (-prune).
 *
 *   names       id, text                      each client, route, provider, model, target once
 *   operations  op, ...                       one row per operation: BEGIN and OUTCOME
 *   steps       op, seq, ...                  the other records, next to each other per operation
 *   records                                   a view of all records, including those in operations
 *   reports     op, seq, report_id, body      reports of failures
 *   marks       kind, name, state, until      saved states, which survive a restart
 *   spend       day, client, ...              daily usage
 *   blocks      about, value, block           which values occur in a block of keys
 *
 * The key `op` is the time in the operation's id (48 bits) and the last 15 bits of the id.
 * Therefore rows are in the order of time, a range of times is a range of keys, and no index is
 * needed to find an id. If two ids have the same key, the second operation gets the next free key
 * of its millisecond. */
#ifndef RC_STORE_SQLITE_SQLITE_H
#define RC_STORE_SQLITE_SQLITE_H

#include "store/store.h"

/* Opens a file, as rc_store_open does. path: copies the text. */
bool rc_sqlite_open(rc_str path, const rc_store_settings *settings, const rc_alloc *alloc,
                    rc_store **ret_store, rc_store_fault *fault);

#endif
