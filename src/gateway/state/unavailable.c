/* Describes why a target was skipped, naming its keys. Called by exchange_unavailable.c. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "gateway/state/hub.h"
#include "gateway/state/unavailable.h"
#include "policy/outcome.h"
#include "render/text.h"

/* Maximum number of keys that the text names; further keys are only counted. */
#define KEYS_NAMED 3u

/* Returns the state that makes the credential unusable at this target. A credential has a general
 * state and a state at this target; the state that lasts longer counts. */
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

/* Summary of a target's pool of credentials. */
typedef struct pool {
    uint32_t counts[RC_CREDENTIAL_DEAD + 1]; /* Number of credentials by state. */
    uint64_t until_ms; /* Time at which the first credential can be used. RC_UNLIMITED if no
                        * credential will become usable without an operator. */
    bool is_429;       /* The provider limited a credential with status 429. */
    bool is_named;     /* The provider stated the time in until_ms. */
} pool;

static pool read_pool(const rc_shared *shared, const rc_target *target, uint64_t now_ms)
{
    pool summary = {.until_ms = RC_UNLIMITED};
    for (uint32_t i = 0; i < target->credential_count; i++) {
        const uint16_t credential = (uint16_t)(target->first_credential + i);
        const rc_credential *known = &shared->credentials[credential];
        const rc_credential *limit = rc_target_limit(target, credential);
        summary.counts[state_of(shared, target, credential, now_ms)]++;
        uint64_t until_ms = rc_credential_ready_at_ms(known, false);
        const uint64_t here_ms = limit != NULL ? rc_credential_ready_at_ms(limit, false) : 0;
        const rc_credential *longer = here_ms > until_ms ? limit : known;
        until_ms = here_ms > until_ms ? here_ms : until_ms;
        summary.is_429 = summary.is_429 || longer->is_429;
        if (until_ms < summary.until_ms)
            summary.is_named = longer->cooldown_count == 0;
        summary.until_ms = until_ms < summary.until_ms ? until_ms : summary.until_ms;
    }
    return summary;
}

/* Appends the keys that are in a state, such as "quota used up (keys m:1, m:2 and 4 more)". */
static void push_keys(const rc_hub *hub, const rc_target *target, const pool *summary,
                      rc_credential_state state, uint64_t now_ms, rc_buf *words)
{
    static const char *const names[] = {"being refreshed", "rate limited", "quota used up",
                                        "refused"};
    uint32_t count = 0;
    if (summary->counts[state] == 0)
        return;
    rc_buf_push(words, rc_buf_get(words).len > 0 ? RC_STR(", ") : RC_STR(""));
    rc_buf_push(words, rc_str_c(names[state]));
    rc_buf_push(words, summary->counts[state] > 1 ? RC_STR(" (keys ") : RC_STR(" (key "));
    for (uint32_t i = 0; i < target->credential_count && count < KEYS_NAMED; i++) {
        const uint16_t credential = (uint16_t)(target->first_credential + i);
        const rc_hub_credential *row = &hub->credentials[credential];
        if (state_of(&hub->shared, target, credential, now_ms) != state)
            continue;
        rc_buf_push(words, count++ > 0 ? RC_STR(", ") : RC_STR(""));
        rc_buf_push(words, rc_str_make(row->name, row->name_len));
    }
    if (summary->counts[state] > count) {
        rc_buf_push(words, RC_STR(" and "));
        rc_buf_push_u64(words, summary->counts[state] - count);
        rc_buf_push(words, RC_STR(" more"));
    }
    rc_buf_push_byte(words, ')');
}

static rc_code describe_pool(const rc_hub *hub, const rc_target *target, const pool *summary,
                             uint64_t now_ms, rc_buf *words)
{
    static const rc_credential_state order[] = {RC_CREDENTIAL_EXHAUSTED, RC_CREDENTIAL_DEAD,
                                                RC_CREDENTIAL_COOLING, RC_CREDENTIAL_HEALTHY};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        push_keys(hub, target, summary, order[i], now_ms, words);
    return rc_outcome_of_keys(summary->counts);
}

/* Appends the failure that closed the target, such as "rate limited" or "provider 5xx", and returns
 * its code. */
static rc_code describe_target(const rc_target *target, rc_buf *words)
{
    char scratch[64];
    rc_buf name;
    rc_buf_init_fixed(&name, scratch, sizeof scratch);
    if (rc_outcome_is_used_up(target->cooled_for)) {
        rc_buf_push(words, RC_STR("quota used up"));
        return target->cooled_for;
    }
    rc_render_words(&name, rc_str_c(rc_code_name(target->cooled_for)));
    const rc_str text = rc_buf_get(&name);
    if (target->cooled_for == RC_CODE_NONE || text.len == 0)
        return RC_CODE_NONE;
    rc_buf_push_byte(words, rc_ascii_lower(text.ptr[0]));
    rc_buf_push(words, rc_str_slice(text, 1, text.len));
    return target->cooled_for;
}

/* Appends "hardly any call succeeds, so only single calls probe it (latest failure: provider 5xx)".
 */
static void describe_down(const rc_target *row, rc_buf *words)
{
    char scratch[64];
    rc_buf name;
    rc_buf_init_fixed(&name, scratch, sizeof scratch);
    rc_buf_push(words, RC_STR("hardly any call succeeds, so only single calls probe it"));
    rc_render_words(&name, rc_str_c(rc_code_name(row->failed_for)));
    const rc_str text = rc_buf_get(&name);
    if (row->failed_for == RC_CODE_NONE || text.len == 0)
        return;
    rc_buf_push(words, RC_STR(" (latest failure: "));
    rc_buf_push_byte(words, rc_ascii_lower(text.ptr[0]));
    rc_buf_push(words, rc_str_slice(text, 1, text.len));
    rc_buf_push_byte(words, ')');
}

/* Appends "gets at most 9.5 calls per second, because it refused more". */
static void describe_pace(const rc_target *row, rc_buf *words)
{
    const uint64_t rate_milli = row->admission.pacer.rate_milli;
    if (rate_milli == 0)
        return;
    rc_buf_push(words, RC_STR("gets at most "));
    rc_buf_push_u64(words, rate_milli / 1000);
    rc_buf_push_byte(words, '.');
    rc_buf_push_u64(words, rate_milli % 1000 / 100);
    rc_buf_push(words, RC_STR(" calls per second, because it failed or refused more"));
}

/* Returns the learned limit of the row of `learned` that has the smallest remaining share; its axis
 * is RC_LIMIT_AXES if no limit is known. */
static rc_limit_axis lowest_limit(const rc_rate_limits *learned, uint64_t now_ms,
                                  rc_limit_view *ret_view)
{
    rc_limit_axis found = RC_LIMIT_AXES;
    for (uint32_t axis = 0; axis < RC_LIMIT_AXES; axis++) {
        rc_limit_view view;
        if (!rc_rate_limits_view(learned, (rc_limit_axis)axis, now_ms, &view) ||
            (found != RC_LIMIT_AXES &&
             view.remaining * 1000 / view.limit >= ret_view->remaining * 1000 / ret_view->limit))
            continue;
        *ret_view = view;
        found = (rc_limit_axis)axis;
    }
    return found;
}

/* Appends the lowest learned limit of each key, such as "the provider's rate limit has no room now:
 * 0 of 600 requests left (key m:1)". */
static void describe_limit(const rc_hub *hub, const rc_target *row, uint64_t now_ms, rc_buf *words)
{
    static const char *const names[] = {" requests left", " tokens left", " input tokens left",
                                        " output tokens left"};
    const uint32_t count = row->credential_count > 0 ? row->credential_count : 1;
    rc_buf_push(words, RC_STR("the provider's rate limit has no room now"));
    for (uint32_t i = 0, named = 0; row->learned != NULL && i < count && named < KEYS_NAMED; i++) {
        rc_limit_view view;
        const rc_limit_axis axis = lowest_limit(&row->learned[i], now_ms, &view);
        if (axis == RC_LIMIT_AXES)
            continue;
        rc_buf_push(words, named++ > 0 ? RC_STR(", ") : RC_STR(": "));
        rc_buf_push_u64(words, view.remaining > 0 ? (uint64_t)view.remaining : 0);
        rc_buf_push(words, RC_STR(" of "));
        rc_buf_push_u64(words, (uint64_t)view.limit);
        rc_buf_push(words, rc_str_c(names[axis]));
        if (row->credential_count == 0)
            continue;
        const rc_hub_credential *key = &hub->credentials[row->first_credential + i];
        rc_buf_push(words, RC_STR(" (key "));
        rc_buf_push(words, rc_str_make(key->name, key->name_len));
        rc_buf_push_byte(words, ')');
    }
}

/* Describes a target to which the admission sends no call now, and returns whether `reason` is such
 * a reason. */
static bool describe_held(const rc_hub *hub, const rc_target *row, rc_reason reason,
                          uint64_t now_ms, rc_buf *words)
{
    if (reason == RC_WHY_SKIP_DOWN)
        describe_down(row, words);
    else if (reason == RC_WHY_SKIP_PACED)
        describe_pace(row, words);
    else if (reason == RC_WHY_SKIP_LIMIT)
        describe_limit(hub, row, now_ms, words);
    else
        return false;
    return true;
}

static rc_unavailable describe_unavailable(const rc_hub *hub, const rc_target *row,
                                           rc_reason reason, uint64_t now_ms, rc_buf *words)
{
    if (describe_held(hub, row, reason, now_ms, words))
        return (rc_unavailable){.code = RC_CODE_NONE};
    if (reason == RC_WHY_SKIP_BREAKER)
        return (rc_unavailable){.code = row->failed_for};
    const pool summary = read_pool(&hub->shared, row, now_ms);
    const bool is_longer = summary.until_ms > rc_cooldown_until_ms(&row->cooldown, false);
    if (row->credential_count > 0 && (reason != RC_WHY_SKIP_COOLING || is_longer))
        return (rc_unavailable){.code = describe_pool(hub, row, &summary, now_ms, words),
                                .is_429 = summary.is_429,
                                .is_time_named = summary.is_named};
    return (rc_unavailable){.code = describe_target(row, words),
                            .is_429 = row->is_429,
                            .is_time_named = row->is_cooldown_hinted};
}

rc_unavailable rc_hub_why_unavailable(rc_hub *hub, uint16_t target, rc_reason reason,
                                      uint64_t now_ms, rc_buf *words)
{
    rc_unavailable unavailable = {.code = RC_CODE_NONE};
    const bool is_unavailable =
        reason == RC_WHY_SKIP_COOLING || reason == RC_WHY_SKIP_CREDENTIALS ||
        reason == RC_WHY_CREDENTIALS_DEAD || reason == RC_WHY_SKIP_BREAKER ||
        reason == RC_WHY_SKIP_DOWN || reason == RC_WHY_SKIP_PACED || reason == RC_WHY_SKIP_LIMIT;
    if (!is_unavailable)
        return unavailable;
    uv_mutex_lock(&hub->lock);
    uv_mutex_lock(&hub->shared_lock);
    if (target < hub->target_count)
        unavailable =
            describe_unavailable(hub, &hub->shared.targets[target], reason, now_ms, words);
    uv_mutex_unlock(&hub->shared_lock);
    uv_mutex_unlock(&hub->lock);
    return unavailable;
}
