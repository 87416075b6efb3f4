/* Copies the waiting requests and the learned rate limits into a snapshot. For gateway_admin.c. */
#ifndef RC_GATEWAY_ADMIN_WAITING_H
#define RC_GATEWAY_ADMIN_WAITING_H

#include "gateway/admin/source.h"

typedef struct rc_hub rc_hub;

/* Copies the queue of waiting requests. Takes the locks of the hub, one after the other. */
void rc_admin_read_queue(rc_hub *hub, rc_arena *arena, uint64_t now_ms, rc_admin_queue *ret_queue);

/* Copies the learned limits of a key, and those of a target that needs no key. The caller holds
 * both locks of the hub. */
void rc_admin_learned_of_key(const rc_hub *hub, rc_arena *arena, uint16_t credential,
                             uint64_t now_ms, rc_admin_key *ret_key);
void rc_admin_learned_of_target(const rc_hub *hub, rc_arena *arena, uint16_t target,
                                uint64_t now_ms, rc_admin_target *ret_target);

#endif
