#include "config/load.h"

#include <string.h>

#include "sys/config_file.h"
#include "sys/file.h"

#define PATH_MAX_BYTES ((size_t)8192)

static bool is_stdin(const char *path)
{
    return strcmp(path, "-") == 0;
}

static rc_status read_text(const rc_sys_calls *calls, const char *path, rc_config_source *source)
{
    source->error = is_stdin(path) ? rc_fd_read(calls, RC_FD_STDIN, &source->text)
                                   : rc_file_read(calls, path, &source->text);
    if (source->error == RC_FILE_NO_MEMORY)
        return RC_E_NOMEM;
    if (source->error == RC_FILE_TOO_LARGE) {
        rc_config_fault_say(rc_config_faults_add(&source->faults, 0, 0),
                            "larger than 1 MiB, which is the most that is read");
        return RC_E_TOO_LARGE;
    }
    return source->error != 0 ? RC_E_NOT_FOUND : RC_OK;
}

/* path: NULL for none yet. */
void rc_config_source_init(rc_config_source *source, const rc_alloc *alloc, const char *path)
{
    rc_buf_init(&source->path, alloc, PATH_MAX_BYTES);
    rc_buf_init(&source->text, alloc, RC_YAML_MAX_BYTES);
    source->error = 0;
    rc_config_faults_init(&source->faults);
    if (path == NULL)
        return;
    rc_buf_push(&source->path, rc_str_c(path));
    rc_buf_push_byte(&source->path, '\0');
}

rc_status rc_config_source_read(rc_config_source *source, const rc_sys_calls *calls)
{
    rc_status status = rc_buf_status(&source->path);
    return status != RC_OK ? status : read_text(calls, rc_buf_get(&source->path).ptr, source);
}

rc_status rc_config_load(rc_config *config, const rc_sys_calls *calls, const rc_alloc *alloc,
                         const char *path, rc_config_source *source)
{
    memset(config, 0, sizeof(*config));
    rc_config_source_init(source, alloc, path);
    bool has_file = path != NULL || rc_config_file_find(calls, &source->path);
    if (rc_buf_status(&source->path) != RC_OK)
        return rc_buf_status(&source->path);
    if (!has_file) {
        rc_buf_reset(&source->path);
        return rc_config_from_environment(config, calls->getenv, alloc, &source->faults);
    }
    rc_status status = rc_config_source_read(source, calls);
    if (status != RC_OK)
        return status;
    return rc_config_parse(config, rc_buf_get(&source->text), alloc, &source->faults);
}

void rc_config_source_done(rc_config_source *source)
{
    rc_buf_done(&source->path);
    rc_buf_done(&source->text);
}

rc_str rc_config_source_name(const rc_config_source *source)
{
    rc_str path = rc_buf_get(&source->path);
    if (path.len == 0)
        return RC_STR("the environment");
    return is_stdin(path.ptr) ? RC_STR("<stdin>") : rc_str_c(path.ptr);
}

void rc_config_source_beside(const rc_config_source *source, rc_str name, rc_buf *ret_path)
{
    rc_str path = rc_buf_get(&source->path);
    size_t folder = 0;
    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] == '/')
            folder = i + 1;
    if (name.len == 0 || name.ptr[0] != '/')
        rc_buf_push(ret_path, rc_str_make(path.ptr, folder));
    rc_buf_push(ret_path, name);
    rc_buf_push_byte(ret_path, '\0');
}
