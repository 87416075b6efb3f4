/* Sticky start of a chain: with `revert: never`, the next call of a route or session begins at the
 * entry that worked last, otherwise at the first entry. Called by the gateway's hub. */
#include "policy/call_private.h"

void rc_chain_init(rc_chain *chain, rc_revert revert)
{
    *chain = (rc_chain){.revert = revert};
}

uint16_t rc_chain_first(const rc_chain *chain)
{
    return chain->revert == RC_REVERT_NEVER ? chain->active : 0;
}

void rc_chain_on_success(rc_chain *chain, const rc_plan *plan, uint16_t entry)
{
    /* The target for contexts that are too long is not part of the chain, so it does not become the
     * first entry of later calls. */
    if (entry < rc_plan_chain_count(plan))
        chain->active = entry;
}

const char *rc_revert_name(rc_revert revert)
{
    switch (revert) {
    case RC_REVERT_COOLDOWN_EXPIRY:
        return "cooldown-expiry";
    case RC_REVERT_NEVER:
        return "never";
    }
    return "";
}
