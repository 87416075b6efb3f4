/* Loads the price file of a configuration. Called by recourse serve, doctor and config. */
#include "config/prices/load.h"

#include <string.h>

#include "sys/config_file.h"

#define PATH_MAX_BYTES ((size_t)16 << 10)

/* Reads the price file. Pipes and other special files are refused, because reading a pipe could
 * block. */
static rc_status read_file(rc_config_source *source, const rc_sys_calls *calls, const char *path)
{
    const char *other = rc_path_special_kind(calls, path);
    if (other == NULL)
        return rc_config_source_read(source, calls);
    rc_config_fault *fault = rc_config_faults_add(&source->faults, 0, 0);
    rc_config_fault_append(fault, "it is ");
    rc_config_fault_append(fault, other);
    return RC_E_RANGE;
}

rc_status rc_prices_load(rc_prices *prices, const rc_sys_calls *calls, const rc_alloc *alloc,
                         const rc_config *config, const rc_config_source *source,
                         rc_config_source *ret_source)
{
    rc_prices_init(prices);
    memset(ret_source, 0, sizeof(*ret_source));
    if (config->root.prices.len == 0)
        return RC_OK;
    rc_buf path;
    rc_buf_init(&path, alloc, PATH_MAX_BYTES);
    rc_config_source_resolve(source, config->root.prices, &path);
    rc_status status = rc_buf_status(&path);
    if (status == RC_OK) {
        rc_config_source_init(ret_source, alloc, rc_buf_get(&path).ptr);
        status = read_file(ret_source, calls, rc_buf_get(&path).ptr);
    }
    rc_buf_done(&path);
    if (status != RC_OK)
        return status;
    return rc_prices_parse(prices, rc_buf_get(&ret_source->text), alloc, &ret_source->faults);
}
