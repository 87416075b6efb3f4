/* rc_admin_quotas: assigns the cached quotas of providers to the keys and targets of a snapshot,
 * while the snapshot is filled in. Keys and targets must be passed in the order of their rows. */
#ifndef RC_GATEWAY_ADMIN_QUOTA_H
#define RC_GATEWAY_ADMIN_QUOTA_H

#include "gateway/admin/source.h"
#include "gateway/state/quota_cache.h"

typedef struct rc_hub rc_hub;

typedef struct rc_admin_quotas {
    const rc_hub *hub;
    rc_arena *arena;
    const rc_quota_entry *list; /* The valid quotas, sorted by key. The quotas of one key begin with
                                 * the lowest. Quotas of calls without a key are sorted by
                                 * target. */
    uint32_t count;
    uint32_t next;
} rc_admin_quotas;

/* Reads the quotas that are valid now. hub, arena: borrows while `quotas` is used; the caller holds
 * hub->lock for this time. If memory runs out, `quotas` is empty and the arena has the status
 * RC_E_NOMEM. */
void rc_admin_quotas_init(rc_admin_quotas *quotas, rc_hub *hub, rc_arena *arena,
                          int64_t now_unix_ms);

/* rc_admin_quotas_of_key: sets the quotas of a key. rc_admin_quotas_of_target: sets the quotas of a
 * target that is called without a key. The caller must call these functions with rising row
 * numbers, first for all keys and then for all targets. */
void rc_admin_quotas_of_key(rc_admin_quotas *quotas, uint16_t credential, rc_admin_key *key);
void rc_admin_quotas_of_target(rc_admin_quotas *quotas, uint16_t target, rc_admin_target *ret);

#endif
