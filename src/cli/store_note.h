/* What a person should know of a store that the configuration does not name. */
#ifndef RC_CLI_STORE_NOTE_H
#define RC_CLI_STORE_NOTE_H

#include <recourse/buf.h>

#include "config/config.h"
#include "sys/calls.h"

/* The file of a SQLite URL: what follows "sqlite:". Views url. */
rc_str rc_store_note_path(rc_str url);

/* Is recourse.db in the current folder, where older versions kept it by default, while the default
 * store is another file? */
bool rc_store_note_is_old_here(const rc_sys_calls *calls, const rc_config *config);

/* Appends one line without its end: the old file is not used any more, or there is no folder but
 * the current one. has_option: the command has --store. False: there is nothing to say. */
bool rc_store_note_push(rc_buf *text, const rc_sys_calls *calls, const rc_config *config,
                        bool has_option);

#endif
