/* Finds the configuration file, and checks files that contain secrets. Called by the commands and
 * src/config. */
#include "sys/config_file.h"

#include <errno.h>

static bool is_there(const rc_sys_calls *calls, const char *path)
{
    struct stat facts;
    return calls->stat(path, &facts) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

/* Checks whether folder + middle + "/recourse.yaml" exists. */
static bool try_path(const rc_sys_calls *calls, const char *folder, const char *middle,
                     rc_buf *ret_path)
{
    /* A relative path is ignored, because its meaning depends on the working directory. */
    if (folder == NULL || folder[0] != '/')
        return false;
    rc_buf_reset(ret_path);
    rc_buf_push(ret_path, rc_str_c(folder));
    rc_buf_push(ret_path, rc_str_c(middle));
    rc_buf_push(ret_path, RC_STR("/" RC_CONFIG_FILE_NAME));
    rc_buf_push_byte(ret_path, '\0');
    return rc_buf_status(ret_path) == RC_OK && is_there(calls, rc_buf_get(ret_path).ptr);
}

bool rc_config_file_find(const rc_sys_calls *calls, rc_buf *ret_path)
{
    if (is_there(calls, RC_CONFIG_FILE_NAME)) {
        rc_buf_push(ret_path, RC_STR(RC_CONFIG_FILE_NAME));
        rc_buf_push_byte(ret_path, '\0');
        return true;
    }
    const char *xdg = calls->getenv("XDG_CONFIG_HOME");
    bool has_xdg = xdg != NULL && xdg[0] != '\0';
    return has_xdg ? try_path(calls, xdg, "/recourse", ret_path)
                   : try_path(calls, calls->getenv("HOME"), "/.config/recourse", ret_path);
}

const char *rc_path_special_kind(const rc_sys_calls *calls, const char *path)
{
    struct stat facts;
    if (calls->stat(path, &facts) != 0 || S_ISREG(facts.st_mode))
        return NULL;
    if (S_ISDIR(facts.st_mode))
        return "a folder";
    if (S_ISFIFO(facts.st_mode))
        return "a pipe";
    return S_ISSOCK(facts.st_mode) ? "a socket" : "a device";
}

rc_secret_file rc_secret_file_check(const rc_sys_calls *calls, const char *path)
{
    struct stat facts;
    if (calls->stat(path, &facts) != 0)
        return RC_SECRET_FILE_MISSING;
    if (!S_ISREG(facts.st_mode))
        return RC_SECRET_FILE_NOT_REGULAR;
    int fd = calls->open_file(path);
    if (fd < 0)
        return RC_SECRET_FILE_MISSING;
    calls->close(fd);
    return (facts.st_mode & S_IROTH) != 0 ? RC_SECRET_FILE_WORLD_READABLE : RC_SECRET_FILE_GOOD;
}
