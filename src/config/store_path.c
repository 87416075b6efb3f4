/* The default path of the store. Called by load.c. */
#include <recourse/buf.h>

#include "base/str.h"
#include "config/config.h"

#define SCHEME "sqlite:"
/* Maximum number of bytes of the folder's path, so that the URL fits into the buffers of the
 * store. */
#define FOLDER_MAX_BYTES ((size_t)3072)

/* Returns the folder in a variable's value, or "" if it is not usable. A relative folder is not
 * usable, because it would differ between commands. */
static rc_str folder_in(const char *value)
{
    rc_str folder = value != NULL ? rc_str_c(value) : RC_STR("");
    if (folder.len == 0 || folder.ptr[0] != '/' || folder.len > FOLDER_MAX_BYTES)
        return RC_STR("");
    while (folder.len > 1 && folder.ptr[folder.len - 1] == '/')
        folder.len--;
    return folder;
}

rc_status rc_config_find_store(rc_config *config, const char *(*getenv)(const char *name))
{
    char scratch[FOLDER_MAX_BYTES + 64];
    rc_buf url;
    if (config->root.store.len > 0)
        return RC_OK;
    const rc_str service = folder_in(getenv("STATE_DIRECTORY"));
    const rc_str state = folder_in(getenv("XDG_STATE_HOME"));
    const rc_str home = folder_in(getenv("HOME"));
    rc_buf_init_fixed(&url, scratch, sizeof scratch);
    rc_buf_push(&url, RC_STR(SCHEME));
    config->store_kind = RC_CONFIG_STORE_STATE_DIR;
    if (service.len > 0) {
        /* systemd separates several folders by colons. The first one is used. */
        rc_buf_push(&url, rc_str_slice(service, 0, rc_str_find_byte(service, ':', 0)));
        rc_buf_push(&url, RC_STR("/" RC_CONFIG_STORE_FILE));
    } else if (state.len > 0) {
        rc_buf_push(&url, state);
        rc_buf_push(&url, RC_STR("/recourse/" RC_CONFIG_STORE_FILE));
    } else if (home.len > 0) {
        rc_buf_push(&url, home);
        rc_buf_push(&url, RC_STR("/.local/state/recourse/" RC_CONFIG_STORE_FILE));
    } else {
        rc_buf_push(&url, RC_STR(RC_CONFIG_STORE_FILE));
        config->store_kind = RC_CONFIG_STORE_CURRENT_DIR;
    }
    config->root.store = rc_arena_dup(&config->arena, rc_buf_get(&url));
    return config->root.store.ptr != NULL ? RC_OK : RC_E_NOMEM;
}
