/* Notes for the user about the default audit store, when the configuration does not name a
 * store. */
#ifndef RC_CLI_STORE_NOTE_H
#define RC_CLI_STORE_NOTE_H

#include <recourse/buf.h>

#include "config/config.h"
#include "sys/calls.h"

/* Returns the path in a SQLite URL, which is the part after "sqlite:". The result views url. */
rc_str rc_store_note_path(rc_str url);

/* Returns whether the current folder has a recourse.db, the default store of older versions, while
 * the default store is now another file. */
bool rc_store_note_is_old_here(const rc_sys_calls *calls, const rc_config *config);

/* Appends a note and returns true in two cases: an old recourse.db is ignored, or the store is in
 * the current folder because no state folder is known. The note is one line without a newline.
 * has_option: the command has --store, which the note then mentions. */
bool rc_store_note_push(rc_buf *text, const rc_sys_calls *calls, const rc_config *config,
                        bool has_option);

#endif
