/* rc_admin_quotas: what is left of providers' limits, dealt out to the keys and targets of a
 * snapshot as they are filled in, in the order of their rows. */
#ifndef RC_GATEWAY_ADMIN_QUOTA_H
#define RC_GATEWAY_ADMIN_QUOTA_H

#include "gateway/admin/source.h"
#include "gateway/state/hub.h"

typedef struct rc_admin_quotas {
    const rc_hub *hub;
    rc_arena *arena;
    const rc_quota_entry *list; /* by key, the lowest first; without a key by target */
    uint32_t count;
    uint32_t next;
} rc_admin_quotas;

/* As of now. Without memory there are none, and the arena says so. With the world's lock held until
 * it is no longer used. world, arena: borrow until then. */
void rc_admin_quotas_init(rc_admin_quotas *quotas, rc_hub *hub, rc_arena *arena,
                          int64_t now_unix_ms);

/* Those of a key; and of a target that needs none. Rows only ever rise, keys come first. */
void rc_admin_quotas_of_key(rc_admin_quotas *quotas, uint16_t credential, rc_admin_key *key);
void rc_admin_quotas_of_target(rc_admin_quotas *quotas, uint16_t target, rc_admin_target *ret);

#endif
