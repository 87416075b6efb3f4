/* Finds the keys that need a restart: compares a reloaded configuration with the running one.
 * Called by run.c and reload.c. */
#include "cli/serve/fixed.h"

#include <string.h>

#include "base/str.h"

/* Limit of all values together. The values are addresses, numbers and file names, so their text is
 * shorter than a configuration file. */
#define VALUES_MAX_BYTES ((size_t)1 << 20)

static const char *const names[RC_SERVE_FIXED_KEYS] = {"listen",
                                                       "threads",
                                                       "store",
                                                       "audit",
                                                       "admin",
                                                       "limits.max_connections",
                                                       "limits.max_header_bytes"};

/* Appends the values in the order of `names`. */
static void push_values(rc_buf *buf, const rc_config *config, rc_serve_overrides overrides)
{
    if (!overrides.is_listen)
        rc_buf_push(buf, config->root.listen);
    rc_buf_push_byte(buf, '\0');
    rc_buf_push_u64(buf, config->root.threads);
    rc_buf_push_byte(buf, '\0');
    rc_buf_push(buf, config->root.store);
    rc_buf_push_byte(buf, '\0');
    rc_buf_push_u64(buf, config->audit.durability);
    rc_buf_push_byte(buf, ' ');
    rc_buf_push_u64(buf, config->audit.on_failure);
    rc_buf_push_byte(buf, '\0');
    if (!overrides.is_admin)
        rc_buf_push(buf, config->admin.listen);
    rc_buf_push_byte(buf, ' ');
    rc_buf_push(buf, config->admin.socket);
    rc_buf_push_byte(buf, '\0');
    rc_buf_push_u64(buf, config->limits.max_connections);
    rc_buf_push_byte(buf, '\0');
    rc_buf_push_u64(buf, config->limits.max_header_bytes);
    rc_buf_push_byte(buf, '\0');
}

rc_status rc_serve_fixed_init(rc_serve_fixed *fixed, const rc_config *config,
                              rc_serve_overrides overrides, const rc_alloc *alloc)
{
    *fixed = (rc_serve_fixed){.alloc = *alloc, .overrides = overrides};
    rc_buf_init(&fixed->values, alloc, VALUES_MAX_BYTES);
    push_values(&fixed->values, config, overrides);
    fixed->is_set = true;
    if (rc_buf_status(&fixed->values) == RC_OK)
        return RC_OK;
    rc_serve_fixed_done(fixed);
    return RC_E_NOMEM;
}

void rc_serve_fixed_done(rc_serve_fixed *fixed)
{
    if (fixed->is_set)
        rc_buf_done(&fixed->values);
    *fixed = (rc_serve_fixed){.is_set = false};
}

/* Returns the value that begins at *at, and moves *at to the next value. */
static rc_str next_value(rc_str values, size_t *at)
{
    const size_t end = rc_str_find_byte(values, '\0', *at);
    const rc_str value = rc_str_slice(values, *at, end);
    *at = end + 1;
    return value;
}

size_t rc_serve_fixed_compare(const rc_serve_fixed *fixed, const rc_config *config,
                              rc_str ret_keys[RC_SERVE_FIXED_KEYS])
{
    rc_buf other;
    size_t count = 0;
    size_t at = 0;
    size_t other_at = 0;
    if (!fixed->is_set)
        return 0;
    rc_buf_init(&other, &fixed->alloc, VALUES_MAX_BYTES);
    push_values(&other, config, fixed->overrides);
    const bool is_whole = rc_buf_status(&other) == RC_OK;
    for (size_t i = 0; is_whole && i < RC_SERVE_FIXED_KEYS; i++)
        if (!rc_str_eq(next_value(rc_buf_get(&fixed->values), &at),
                       next_value(rc_buf_get(&other), &other_at)))
            ret_keys[count++] = rc_str_c(names[i]);
    rc_buf_done(&other);
    return count;
}
