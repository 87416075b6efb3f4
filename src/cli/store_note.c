/* Makes notes about the default audit store; called by `serve`, `audit`, `call` and `doctor`. */
#include "cli/store_note.h"

#include <sys/stat.h>

#include "base/str.h"

#define SCHEME RC_STR("sqlite:")
#define PATH_MAX_BYTES 4096

rc_str rc_store_note_path(rc_str url)
{
    return rc_str_starts_with(url, SCHEME) ? rc_str_slice(url, SCHEME.len, url.len) : url;
}

bool rc_store_note_is_old_here(const rc_sys_calls *calls, const rc_config *config)
{
    char path[PATH_MAX_BYTES];
    rc_buf scratch;
    struct stat old;
    struct stat current;
    if (config->store_kind != RC_CONFIG_STORE_STATE_DIR ||
        calls->stat(RC_CONFIG_STORE_FILE, &old) != 0)
        return false;
    rc_buf_init_fixed(&scratch, path, sizeof path);
    rc_buf_push(&scratch, rc_store_note_path(config->root.store));
    rc_buf_push_byte(&scratch, '\0');
    /* The two paths name the same file if the command runs in the state folder. */
    return rc_buf_status(&scratch) != RC_OK || calls->stat(path, &current) != 0 ||
           current.st_ino != old.st_ino || current.st_dev != old.st_dev;
}

bool rc_store_note_push(rc_buf *text, const rc_sys_calls *calls, const rc_config *config,
                        bool has_option)
{
    if (config->store_kind == RC_CONFIG_STORE_CURRENT_DIR) {
        rc_buf_push(text, RC_STR("neither XDG_STATE_HOME nor HOME names a folder: the audit is "
                                 "recourse.db in the current folder. To select a file, set "
                                 "store: sqlite:PATH in the configuration"));
        return true;
    }
    if (!rc_store_note_is_old_here(calls, config))
        return false;
    rc_buf_push(text,
                RC_STR("recourse.db in the current folder is not used: the configuration sets no "
                       "store, so the audit is "));
    rc_buf_push(text, rc_store_note_path(config->root.store));
    rc_buf_push(text, RC_STR(". To use the old file, set store: sqlite:recourse.db"));
    if (has_option)
        rc_buf_push(text, RC_STR(", or use --store recourse.db"));
    return true;
}
