/* What a target that is passed over rests for, in words that name its keys. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "core/render_text.h"
#include "gateway/world.h"

/* More are counted. */
#define KEYS_NAMED 3u

/* At large or at this target: what holds longer is the reason. */
static rc_credential_state state_of(const rc_shared *shared, const rc_target *target,
                                    uint16_t credential, uint64_t now_ms)
{
    const rc_credential *known = &shared->credentials[credential];
    const rc_credential *limit = rc_target_limit(target, credential);
    const rc_credential_state at_large = rc_credential_state_at(known, now_ms);
    const rc_credential_state here =
        limit != NULL ? rc_credential_state_at(limit, now_ms) : RC_CREDENTIAL_HEALTHY;
    if (at_large == RC_CREDENTIAL_DEAD || here == RC_CREDENTIAL_HEALTHY)
        return at_large;
    if (at_large == RC_CREDENTIAL_HEALTHY)
        return here;
    return rc_credential_ready_at_ms(known, false) >= rc_credential_ready_at_ms(limit, false)
               ? at_large
               : here;
}

/* What a look over a target's pool found. */
typedef struct pool {
    uint32_t counts[RC_CREDENTIAL_DEAD + 1]; /* by state */
    uint64_t until_ms;                       /* when the first can be used; RC_UNLIMITED: never */
    bool is_429;                             /* one is used up, and a 429 said so */
    bool is_named;                           /* the provider named the time when the first opens */
} pool;

static pool look_at_pool(const rc_shared *shared, const rc_target *target, uint64_t now_ms)
{
    pool look = {.until_ms = RC_UNLIMITED};
    for (uint32_t i = 0; i < target->credential_count; i++) {
        const uint16_t credential = (uint16_t)(target->first_credential + i);
        const rc_credential *known = &shared->credentials[credential];
        const rc_credential *limit = rc_target_limit(target, credential);
        look.counts[state_of(shared, target, credential, now_ms)]++;
        uint64_t until_ms = rc_credential_ready_at_ms(known, false);
        const uint64_t here_ms = limit != NULL ? rc_credential_ready_at_ms(limit, false) : 0;
        const rc_credential *longer = here_ms > until_ms ? limit : known;
        until_ms = here_ms > until_ms ? here_ms : until_ms;
        look.is_429 = look.is_429 || longer->is_429;
        if (until_ms < look.until_ms)
            look.is_named = longer->rests == 0;
        look.until_ms = until_ms < look.until_ms ? until_ms : look.until_ms;
    }
    return look;
}

/* The key that is soonest good again says what is waited for. */
static rc_code code_of_pool(const pool *look)
{
    if (look->counts[RC_CREDENTIAL_COOLING] > 0 || look->counts[RC_CREDENTIAL_HEALTHY] > 0)
        return RC_CODE_RATE_LIMITED;
    return look->counts[RC_CREDENTIAL_EXHAUSTED] > 0 ? RC_CODE_QUOTA_EXHAUSTED
                                                     : RC_CODE_AUTH_FAILED;
}

/* "quota used up (keys m:1, m:2 and 4 more)" */
static void push_keys(const rc_gate_world *world, const rc_target *target, const pool *look,
                      rc_credential_state state, uint64_t now_ms, rc_buf *words)
{
    static const char *const names[] = {"being refreshed", "rate limited", "quota used up",
                                        "refused"};
    uint32_t count = 0;
    if (look->counts[state] == 0)
        return;
    rc_buf_push(words, rc_buf_get(words).len > 0 ? RC_STR(", ") : RC_STR(""));
    rc_buf_push(words, rc_str_c(names[state]));
    rc_buf_push(words, look->counts[state] > 1 ? RC_STR(" (keys ") : RC_STR(" (key "));
    for (uint32_t i = 0; i < target->credential_count && count < KEYS_NAMED; i++) {
        const uint16_t credential = (uint16_t)(target->first_credential + i);
        const rc_world_credential *row = &world->credentials[credential];
        if (state_of(&world->shared, target, credential, now_ms) != state)
            continue;
        rc_buf_push(words, count++ > 0 ? RC_STR(", ") : RC_STR(""));
        rc_buf_push(words, rc_str_make(row->name, row->name_len));
    }
    if (look->counts[state] > count) {
        rc_buf_push(words, RC_STR(" and "));
        rc_buf_push_u64(words, look->counts[state] - count);
        rc_buf_push(words, RC_STR(" more"));
    }
    rc_buf_push_byte(words, ')');
}

static rc_code rest_of_pool(const rc_gate_world *world, const rc_target *target, const pool *look,
                            uint64_t now_ms, rc_buf *words)
{
    static const rc_credential_state order[] = {RC_CREDENTIAL_EXHAUSTED, RC_CREDENTIAL_DEAD,
                                                RC_CREDENTIAL_COOLING, RC_CREDENTIAL_HEALTHY};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        push_keys(world, target, look, order[i], now_ms, words);
    return code_of_pool(look);
}

/* "rate limited", "provider 5xx" */
static rc_code rest_of_target(const rc_target *target, rc_buf *words)
{
    char room[64];
    rc_buf name;
    rc_buf_init_fixed(&name, room, sizeof room);
    if (target->cooled_for == RC_CODE_QUOTA_EXHAUSTED) {
        rc_buf_push(words, RC_STR("quota used up"));
        return target->cooled_for;
    }
    rc_push_words(&name, rc_str_c(rc_code_name(target->cooled_for)));
    const rc_str text = rc_buf_get(&name);
    if (target->cooled_for == RC_CODE_NONE || text.len == 0)
        return RC_CODE_NONE;
    rc_buf_push_byte(words, rc_ascii_lower(text.ptr[0]));
    rc_buf_push(words, rc_str_slice(text, 1, text.len));
    return target->cooled_for;
}

static rc_gate_rest look_at_rest(const rc_gate_world *world, const rc_target *row, rc_reason reason,
                                 uint64_t now_ms, rc_buf *words)
{
    if (reason == RC_WHY_SKIP_BREAKER)
        return (rc_gate_rest){.code = row->failed_for};
    const pool look = look_at_pool(&world->shared, row, now_ms);
    const bool is_longer = look.until_ms > rc_cooldown_until_ms(&row->cooldown, false);
    if (row->credential_count > 0 && (reason != RC_WHY_SKIP_COOLING || is_longer))
        return (rc_gate_rest){.code = rest_of_pool(world, row, &look, now_ms, words),
                              .is_429 = look.is_429,
                              .is_named = look.is_named};
    return (rc_gate_rest){
        .code = rest_of_target(row, words), .is_429 = row->is_429, .is_named = row->is_named};
}

rc_gate_rest rc_gate_world_rest(rc_gate_world *world, uint16_t target, rc_reason reason,
                                uint64_t now_ms, rc_buf *words)
{
    rc_gate_rest rest = {.code = RC_CODE_NONE};
    const bool is_rest = reason == RC_WHY_SKIP_COOLING || reason == RC_WHY_SKIP_CREDENTIALS ||
                         reason == RC_WHY_CREDENTIALS_DEAD || reason == RC_WHY_SKIP_BREAKER;
    if (!is_rest)
        return rest;
    uv_mutex_lock(&world->lock);
    uv_mutex_lock(&world->shared_lock);
    if (target < world->target_count)
        rest = look_at_rest(world, &world->shared.targets[target], reason, now_ms, words);
    uv_mutex_unlock(&world->shared_lock);
    uv_mutex_unlock(&world->lock);
    return rest;
}
