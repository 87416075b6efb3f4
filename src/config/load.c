/* Loads the configuration from a file, standard input or the environment, and resolves addresses
 * given as env:NAME. Called by the commands and by prices/load.c. */
#include "config/load.h"

#include <string.h>

#include "base/str.h"
#include "config/reader.h"
#include "sys/config_file.h"
#include "sys/file.h"

#define PATH_MAX_BYTES ((size_t)8192)
#define VARIABLE_MAX_BYTES 256

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
        rc_config_fault_append(rc_config_faults_add(&source->faults, 0, 0),
                               "larger than the maximum of 1 MiB");
        return RC_E_TOO_LARGE;
    }
    return source->error != 0 ? RC_E_NOT_FOUND : RC_OK;
}

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

static void refuse_address(rc_config_provider *provider, const char *name, const char *why,
                           rc_config_faults *faults)
{
    rc_config_fault *fault =
        rc_config_faults_add(faults, provider->base_url_line, provider->base_url_column);
    rc_config_text_append(fault->path, sizeof fault->path, RC_STR("providers."));
    rc_config_text_append(fault->path, sizeof fault->path, provider->name);
    rc_config_text_append(fault->path, sizeof fault->path, RC_STR(".base_url"));
    rc_config_fault_append(fault, "the variable ");
    rc_config_fault_append(fault, name);
    rc_config_fault_append(fault, ": ");
    rc_config_fault_append(fault, why);
}

/* Replaces a base_url "env:NAME" by the value of the variable, if the variable is set. */
static rc_status resolve_addresses(rc_config *config, const rc_sys_calls *calls,
                                   rc_config_faults *faults)
{
    for (size_t i = 0; i < config->provider_count; i++) {
        rc_config_provider *provider = &config->providers[i];
        if (!rc_config_is_variable(provider->base_url))
            continue;
        char name[VARIABLE_MAX_BYTES] = "";
        rc_config_text_append(name, sizeof name,
                              rc_str_slice(provider->base_url, 4, provider->base_url.len));
        rc_str value = rc_str_trim(rc_str_c(calls->getenv(name)));
        while (rc_str_ends_with(value, RC_STR("/")))
            value.len--;
        /* A variable without a value is not a fault here; as for keys, the fault is reported where
         * the value is used. */
        if (value.len == 0)
            continue;
        const char *wrong = rc_config_url_check(value, provider->insecure);
        if (wrong != NULL) {
            refuse_address(provider, name, wrong, faults);
            continue;
        }
        provider->base_url = rc_arena_dup(&config->arena, value);
        if (provider->base_url.ptr == NULL)
            return RC_E_NOMEM;
    }
    return faults->count > 0 ? RC_E_RANGE : RC_OK;
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
        rc_status status =
            rc_config_from_environment(config, calls->getenv, alloc, &source->faults);
        return status == RC_OK ? rc_config_find_store(config, calls->getenv) : status;
    }
    rc_status status = rc_config_source_read(source, calls);
    if (status != RC_OK)
        return status;
    status = rc_config_parse(config, rc_buf_get(&source->text), alloc, &source->faults);
    if (status == RC_OK)
        status = resolve_addresses(config, calls, &source->faults);
    return status == RC_OK ? rc_config_find_store(config, calls->getenv) : status;
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

void rc_config_source_resolve(const rc_config_source *source, rc_str name, rc_buf *ret_path)
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
