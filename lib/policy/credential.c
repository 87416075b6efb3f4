/* State machine of one credential (key of a provider): healthy, cooling, exhausted or dead. Called
 * by call*.c and shared.c. */
#include <recourse/credential.h>

#include <recourse/policy.h>

void rc_credential_init(rc_credential *credential, bool can_refresh)
{
    *credential = (rc_credential){.state = RC_CREDENTIAL_HEALTHY, .can_refresh = can_refresh};
}

void rc_credential_cool_down(rc_credential *credential, rc_credential_state state,
                             uint64_t until_ms, bool is_enforced)
{
    bool is_limit = state == RC_CREDENTIAL_COOLING || state == RC_CREDENTIAL_EXHAUSTED;
    if (!is_limit || credential->state == RC_CREDENTIAL_DEAD)
        return;
    uint64_t before_ms = rc_cooldown_until_ms(&credential->cooldown, false);
    bool is_quota_first = credential->state == RC_CREDENTIAL_EXHAUSTED && until_ms == before_ms;
    if (until_ms >= before_ms && !is_quota_first)
        credential->state = state;
    if (is_enforced)
        rc_cooldown_enforce(&credential->cooldown, until_ms);
    else
        rc_cooldown_assume(&credential->cooldown, until_ms);
}

void rc_credential_kill(rc_credential *credential, uint64_t probe_at_ms)
{
    credential->state = RC_CREDENTIAL_DEAD;
    credential->is_refreshing = false;
    rc_cooldown_clear(&credential->cooldown);
    rc_cooldown_enforce(&credential->cooldown, probe_at_ms > 0 ? probe_at_ms : RC_UNLIMITED);
}

void rc_credential_revive(rc_credential *credential)
{
    credential->state = RC_CREDENTIAL_HEALTHY;
    credential->is_refreshing = false;
    credential->cooldown_count = 0;
    rc_cooldown_clear(&credential->cooldown);
}

rc_credential_state rc_credential_state_at(const rc_credential *credential, uint64_t now_ms)
{
    if (credential->state == RC_CREDENTIAL_DEAD)
        return RC_CREDENTIAL_DEAD;
    bool is_on = rc_cooldown_is_on(&credential->cooldown, false, now_ms);
    return is_on ? credential->state : RC_CREDENTIAL_HEALTHY;
}

bool rc_credential_is_usable(const rc_credential *credential, bool is_alone, uint64_t now_ms)
{
    return !credential->is_refreshing &&
           !rc_cooldown_is_on(&credential->cooldown, is_alone, now_ms);
}

uint64_t rc_credential_ready_at_ms(const rc_credential *credential, bool is_alone)
{
    if (credential->state == RC_CREDENTIAL_DEAD)
        return RC_UNLIMITED;
    return rc_cooldown_until_ms(&credential->cooldown, is_alone);
}

const char *rc_credential_state_name(rc_credential_state state)
{
    switch (state) {
    case RC_CREDENTIAL_HEALTHY:
        return "healthy";
    case RC_CREDENTIAL_COOLING:
        return "cooling";
    case RC_CREDENTIAL_EXHAUSTED:
        return "exhausted";
    case RC_CREDENTIAL_DEAD:
        return "dead";
    }
    return "unknown";
}
