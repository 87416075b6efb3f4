/* Reads secrets from variables, files and systemd credentials, and checks without reading a secret
 * whether it can be read. Called by the gateway, recourse doctor, config and audit. */
#include "config/secret_load.h"

#include "base/secret.h"
#include "base/str.h"
#include "sys/config_file.h"
#include "sys/file.h"

bool rc_secret_path(const rc_sys_calls *calls, const rc_secret_ref *ref,
                    char ret_path[RC_SECRET_PATH_MAX])
{
    rc_buf path;
    rc_buf_init_fixed(&path, ret_path, RC_SECRET_PATH_MAX);
    if (ref->kind != RC_SECRET_FILE && ref->kind != RC_SECRET_CREDENTIAL)
        return false;
    if (ref->kind == RC_SECRET_CREDENTIAL) {
        const char *folder = calls->getenv("CREDENTIALS_DIRECTORY");
        if (folder == NULL || folder[0] == '\0')
            return false;
        rc_buf_push(&path, rc_str_c(folder));
        rc_buf_push_byte(&path, '/');
    }
    rc_buf_push(&path, ref->name);
    rc_buf_push_byte(&path, '\0');
    return rc_buf_status(&path) == RC_OK;
}

static const char *file_error(int error)
{
    if (error == 0)
        return NULL;
    if (error == RC_FILE_NOT_REGULAR)
        return "is a folder, a pipe, a socket or a device, not a regular file";
    return error == RC_FILE_TOO_LARGE ? "is too large for a secret" : "cannot be read";
}

const char *rc_secret_load(const rc_sys_calls *calls, const rc_secret_ref *ref, rc_buf *buf)
{
    char path[RC_SECRET_PATH_MAX];
    if (ref->kind == RC_SECRET_ENV) {
        const char *value = calls->getenv(ref->name.ptr);
        if (value == NULL || value[0] == '\0')
            return "is not set";
        return rc_buf_push(buf, rc_str_c(value)) == RC_OK ? NULL : "is too long";
    }
    if (!rc_secret_path(calls, ref, path))
        return "was not passed by systemd (LoadCredential=)";
    return file_error(rc_file_read_regular(calls, path, buf));
}

const char *rc_secret_check_token(const rc_sys_calls *calls, const rc_secret_ref *ref)
{
    char scratch[RC_SECRET_TOKEN_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    const char *why = rc_secret_load(calls, ref, &text);
    if (why == NULL && !rc_secret_is_token(rc_secret_make(rc_str_trim(rc_buf_get(&text)))))
        why = RC_SECRET_NO_TOKEN;
    rc_secret_wipe(scratch, sizeof scratch);
    return why;
}

const char *rc_secret_kind_noun(rc_secret_kind kind)
{
    switch (kind) {
    case RC_SECRET_ENV:
        return "the variable";
    case RC_SECRET_CREDENTIAL:
        return "the credential";
    case RC_SECRET_FILE:
    case RC_SECRET_NONE:
        break;
    }
    return "the file";
}

static rc_secret_state inspect_file(const rc_sys_calls *calls, const char *path)
{
    struct stat facts;
    switch (rc_secret_file_check(calls, path)) {
    case RC_SECRET_FILE_GOOD:
        return RC_SECRET_SET;
    case RC_SECRET_FILE_WORLD_READABLE:
        return RC_SECRET_EXPOSED;
    case RC_SECRET_FILE_NOT_REGULAR:
        return RC_SECRET_NOT_A_FILE;
    case RC_SECRET_FILE_MISSING:
        break;
    }
    return calls->stat(path, &facts) == 0 ? RC_SECRET_UNREADABLE : RC_SECRET_MISSING;
}

rc_secret_state rc_secret_inspect(const rc_sys_calls *calls, const rc_secret_ref *ref)
{
    char path[RC_SECRET_PATH_MAX];
    if (ref->kind == RC_SECRET_ENV) {
        const char *value = calls->getenv(ref->name.ptr);
        return value != NULL && value[0] != '\0' ? RC_SECRET_SET : RC_SECRET_NOT_SET;
    }
    return rc_secret_path(calls, ref, path) ? inspect_file(calls, path) : RC_SECRET_NOT_SET;
}

const char *rc_secret_state_text(const rc_sys_calls *calls, const rc_secret_ref *ref)
{
    char path[RC_SECRET_PATH_MAX];
    const char *other = NULL;
    switch (rc_secret_inspect(calls, ref)) {
    case RC_SECRET_SET:
        return ref->kind == RC_SECRET_ENV ? "set" : "there";
    case RC_SECRET_NOT_SET:
        return ref->kind == RC_SECRET_ENV ? "not set" : "not passed by systemd";
    case RC_SECRET_EXPOSED:
        return "readable by all users";
    case RC_SECRET_UNREADABLE:
        return "cannot be read";
    case RC_SECRET_NOT_A_FILE:
        if (rc_secret_path(calls, ref, path))
            other = rc_path_special_kind(calls, path);
        break;
    case RC_SECRET_MISSING:
        break;
    }
    return other != NULL ? other : "missing";
}
