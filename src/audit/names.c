/* Looks up names in the audit and finds the nearest known name. Called by `recourse audit` when a
 * query found nothing. */
#include "audit/names.h"

#include <string.h>

#include "base/nearest.h"
#include "base/str.h"

#define NAMES_MAX_BYTES ((size_t)1 << 20)
#define NAMES_MAX 4096
/* Maximum number of similar names that are skipped because they are of another kind, such as a
 * client instead of a model. */
#define OTHER_KIND_MAX 8

typedef struct known_names {
    rc_store *store;
    rc_str wanted;
    bool is_there;
    rc_buf bytes; /* Names, each followed by a NUL. */
    size_t starts[NAMES_MAX];
    size_t count;
} known_names;

static bool note_name(void *ctx, rc_str name)
{
    known_names *known = ctx;
    known->is_there = rc_str_eq(name, known->wanted);
    if (known->is_there || known->count == NAMES_MAX)
        return false;
    known->starts[known->count] = rc_buf_get(&known->bytes).len;
    rc_buf_push(&known->bytes, name);
    rc_buf_push_byte(&known->bytes, '\0');
    if (rc_buf_status(&known->bytes) == RC_OK)
        known->count++;
    return rc_buf_status(&known->bytes) == RC_OK;
}

static const char *known_at(const void *ctx, size_t index)
{
    const known_names *known = ctx;
    return index < known->count ? rc_buf_get(&known->bytes).ptr + known->starts[index] : NULL;
}

static bool note_any(void *ctx, const rc_record *operation)
{
    (void)operation;
    *(bool *)ctx = true;
    return false;
}

/* Returns whether the name may be of this kind. Clients and models are looked up in the audit.
 * Names with a slash count as targets, and every name counts as a possible route. */
static bool is_of_kind(rc_store *store, rc_audit_name_kind kind, const char *name)
{
    rc_store_query query = {.limit = 1};
    rc_store_fault ignored;
    bool is_there = false;
    if (kind == RC_AUDIT_NAME_TARGET)
        return strchr(name, '/') != NULL;
    if (kind == RC_AUDIT_NAME_ROUTE)
        return true;
    *(kind == RC_AUDIT_NAME_CLIENT ? &query.filter.client : &query.filter.model) = rc_str_c(name);
    return rc_store_list(store, &query, note_any, &is_there, &ignored) && is_there;
}

static const char *nearest_name(known_names *known, rc_audit_name_kind kind)
{
    for (size_t round = 0; round < OTHER_KIND_MAX; round++) {
        const char *name = rc_nearest(known->wanted, known_at, known);
        if (name == NULL || is_of_kind(known->store, kind, name))
            return name;
        for (size_t i = 0; i < known->count; i++)
            if (known_at(known, i) == name)
                known->starts[i] = known->starts[--known->count];
    }
    return NULL;
}

bool rc_audit_name_is_unknown(rc_store *store, rc_audit_name_kind kind, rc_str name,
                              const rc_alloc *alloc, rc_buf *ret_nearest)
{
    rc_store_fault ignored;
    known_names *known = alloc->get(alloc->ctx, sizeof(*known));
    if (known == NULL)
        return false;
    memset(known, 0, sizeof(*known));
    known->store = store;
    known->wanted = name;
    rc_buf_init(&known->bytes, alloc, NAMES_MAX_BYTES);
    rc_buf_reset(ret_nearest);
    const bool is_unknown = rc_store_names(store, note_name, known, &ignored) && !known->is_there;
    const char *nearest = is_unknown ? nearest_name(known, kind) : NULL;
    if (nearest != NULL)
        rc_buf_push(ret_nearest, rc_str_c(nearest));
    rc_buf_done(&known->bytes);
    alloc->put(alloc->ctx, known, sizeof(*known));
    return is_unknown;
}
