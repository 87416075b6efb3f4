/* Quotas: reads rate limit headers of successful responses and decides whether a warning is due.
 * Called by the gateway's attempt_response.c. */
#include "policy/quota.h"

#include "base/str.h"
#include "classify/hints/parts.h"
#include "codec/duration.h"
#include "scrub/scrub.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Larger than any real limit; a header with a larger number is ignored. */
#define NUMBER_MAX INT64_C(1000000000000000)

typedef struct left_row {
    rc_str name;
    uint8_t group;
    rc_hint_left form;
} left_row;

typedef struct reset_row {
    rc_str name;
    uint8_t group;
    rc_hint_form form;
} reset_row;

typedef struct limit_row {
    rc_str name;
    uint8_t group;
} limit_row;

static const left_row LEFTS[] = {
#define RC_HINT_LEFT(name, GROUP, LEFT, text) \
    {RC_STR_INIT(name), RC_HINT_GROUP_##GROUP, RC_HINT_LEFT_##LEFT},
#include "spec/hints.def"
};

static const reset_row RESETS[] = {
#define RC_HINT_RESET(name, GROUP, FORM, text) \
    {RC_STR_INIT(name), RC_HINT_GROUP_##GROUP, RC_HINT_FORM_##FORM},
#include "spec/hints.def"
};

static const limit_row LIMITS[] = {
#define RC_HINT_LIMIT(name, GROUP, text) {RC_STR_INIT(name), RC_HINT_GROUP_##GROUP},
#include "spec/hints.def"
};

/* --- numbers --- */

/* Parses a whole number and drops its decimals. Returns -1 if value is not a number. */
static int64_t whole_of(rc_str value)
{
    rc_str text = rc_str_trim(value);
    int64_t number = 0;
    size_t at = 0;
    for (; at < text.len && rc_ascii_is_digit(text.ptr[at]); at++)
        number = number > NUMBER_MAX ? number : number * 10 + (text.ptr[at] - '0');
    if (at == 0 || number > NUMBER_MAX || (at < text.len && text.ptr[at] != '.'))
        return -1;
    for (size_t i = at + 1; i < text.len; i++)
        if (!rc_ascii_is_digit(text.ptr[i]))
            return -1;
    return number;
}

/* Parses a share such as "0.93" into hundredths, rounded down. Returns -1 if value is not a
 * share. */
static int64_t hundredths_of(rc_str value)
{
    rc_str text = rc_str_trim(value);
    int64_t whole = whole_of(text);
    size_t point = rc_str_find_byte(text, '.', 0);
    if (whole < 0 || whole > 1)
        return -1;
    int64_t parts = 0;
    for (size_t i = 1; i <= 2; i++) {
        bool has_digit = point != RC_STR_NPOS && point + i < text.len;
        parts = parts * 10 + (has_digit ? text.ptr[point + i] - '0' : 0);
    }
    return whole * 100 + parts;
}

/* --- limits --- */

static bool contains(rc_str name, rc_str word)
{
    for (size_t i = 0; i + word.len <= name.len; i++)
        if (rc_ascii_lower(name.ptr[i]) == word.ptr[0] &&
            rc_str_eq_nocase(rc_str_slice(name, i, i + word.len), word))
            return true;
    return false;
}

/* Returns whether `name` matches the pattern, whose * stands for a part of the name. The last
 * letters are compared first, because most header names differ at their end. `pattern`: in lower
 * case. */
static inline bool matches(rc_str pattern, rc_str name, rc_str *ret_star)
{
    const bool is_open = pattern.ptr[pattern.len - 1] == '*';
    const size_t at = is_open ? pattern.len - 2 : name.len - 1;
    const char last = pattern.ptr[pattern.len - (is_open ? 2 : 1)];
    return at < name.len && rc_ascii_lower(name.ptr[at]) == last &&
           rc_hint_match(pattern, name, ret_star);
}

static rc_quota_kind kind_of(rc_str name)
{
    if (contains(name, RC_STR("token"))) {
        if (contains(name, RC_STR("input")))
            return RC_QUOTA_INPUT_TOKENS;
        return contains(name, RC_STR("output")) ? RC_QUOTA_OUTPUT_TOKENS : RC_QUOTA_TOKENS;
    }
    return contains(name, RC_STR("request")) ? RC_QUOTA_REQUESTS : RC_QUOTA_OTHER;
}

/* Finds or adds the limit with this header group and name. Returns NULL if the list is full. */
static rc_quota *quota_of(rc_quotas *quotas, uint8_t group, rc_str name)
{
    for (uint32_t i = 0; i < quotas->count; i++) {
        rc_quota *quota = &quotas->list[i];
        if (quota->group == group && rc_str_eq_nocase(quota->name, name))
            return quota;
    }
    if (quotas->count == RC_QUOTAS_MAX)
        return NULL;
    rc_quota *quota = &quotas->list[quotas->count++];
    *quota = (rc_quota){.kind = kind_of(name),
                        .name = name,
                        .remaining = -1,
                        .limit = -1,
                        .reset_ms = -1,
                        .group = group};
    return quota;
}

void rc_quotas_init(rc_quotas *quotas, int64_t now_unix_ms)
{
    quotas->now_unix_ms = now_unix_ms;
    quotas->count = 0;
}

static void put_left(rc_quotas *quotas, const left_row *row, rc_str name, rc_str value)
{
    int64_t number = row->form == RC_HINT_LEFT_FRACTION ? hundredths_of(value) : whole_of(value);
    if (number < 0 || row->form == RC_HINT_LEFT_STATUS)
        return;
    rc_quota *quota = quota_of(quotas, row->group, name);
    if (!quota)
        return;
    if (row->form == RC_HINT_LEFT_COUNT) {
        quota->remaining = number;
        return;
    }
    quota->limit = 100;
    quota->remaining = number < 100 ? 100 - number : 0;
}

static bool take_left(rc_quotas *quotas, uint8_t group, rc_str name, rc_str value)
{
    rc_str star;
    for (size_t i = 0; i < COUNT(LEFTS); i++) {
        if (LEFTS[i].group != group || !matches(LEFTS[i].name, name, &star))
            continue;
        put_left(quotas, &LEFTS[i], star, value);
        return true;
    }
    return false;
}

static bool take_reset(rc_quotas *quotas, uint8_t group, rc_str name, rc_str value)
{
    rc_str star;
    for (size_t i = 0; i < COUNT(RESETS); i++) {
        if (RESETS[i].group != group || RESETS[i].form == RC_HINT_FORM_POLICY ||
            !matches(RESETS[i].name, name, &star))
            continue;
        int64_t wait_ms = rc_hint_read(RESETS[i].form, value, quotas->now_unix_ms).wait_ms;
        rc_quota *quota = wait_ms >= 0 ? quota_of(quotas, RESETS[i].group, star) : NULL;
        if (quota)
            quota->reset_ms = wait_ms;
        return true;
    }
    return false;
}

static void take_limit(rc_quotas *quotas, uint8_t group, rc_str name, rc_str value)
{
    rc_str star;
    for (size_t i = 0; i < COUNT(LIMITS); i++) {
        if (LIMITS[i].group != group || !matches(LIMITS[i].name, name, &star))
            continue;
        int64_t number = whole_of(value);
        rc_quota *quota = number > 0 ? quota_of(quotas, LIMITS[i].group, star) : NULL;
        if (quota)
            quota->limit = number;
        return;
    }
}

/* Returns the header group that a name may belong to, derived from the few letters in which the
 * prefixes of the groups differ. */
static uint8_t group_of(rc_str name)
{
    const char first = rc_ascii_lower(name.ptr[0]);
    if (first == 'a')
        return RC_HINT_GROUP_ANTHROPIC;
    if (first == 'r')
        return name.ptr[9] == '-' ? RC_HINT_GROUP_RATELIMIT : RC_HINT_GROUP_RATELIMITBYSIZE;
    if (rc_ascii_lower(name.ptr[2]) == 'c')
        return RC_HINT_GROUP_X_CODEX;
    if (name.ptr[6] == '-')
        return RC_HINT_GROUP_X_RATE_LIMIT;
    return name.ptr[11] == '-' ? RC_HINT_GROUP_X_RATELIMIT : RC_HINT_GROUP_X_RATELIMITBYSIZE;
}

void rc_quotas_add_header(rc_quotas *quotas, rc_str name, rc_str value)
{
    if (!rc_quotas_is_candidate(name))
        return;
    const uint8_t group = group_of(name);
    if (!take_left(quotas, group, name, value) && !take_reset(quotas, group, name, value))
        take_limit(quotas, group, name, value);
}

/* --- warnings --- */

bool rc_quota_is_sound(const rc_quota *quota)
{
    return quota->limit > 0 && quota->remaining >= 0 && quota->remaining <= quota->limit;
}

bool rc_quota_is_low(const rc_quota *quota, unsigned percent)
{
    return rc_quota_is_sound(quota) && quota->remaining * 100 < quota->limit * (int64_t)percent;
}

int64_t rc_quota_window_ms(const rc_quota *quota)
{
    if (quota->reset_ms < RC_QUOTA_WINDOW_MIN_MS)
        return RC_QUOTA_WINDOW_MIN_MS;
    return quota->reset_ms < RC_QUOTA_WINDOW_MAX_MS ? quota->reset_ms : RC_QUOTA_WINDOW_MAX_MS;
}

bool rc_quota_is_lower(const rc_quota *a, const rc_quota *b)
{
    return (double)a->remaining * (double)b->limit < (double)b->remaining * (double)a->limit;
}

void rc_quotas_scrub(rc_quotas *quotas)
{
    for (uint32_t i = 0; i < quotas->count; i++)
        if (!rc_scrub_is_clean(quotas->list[i].name))
            quotas->list[i].name = RC_STR("");
}

/* Returns the FNV-1a hash of the limit's header group and lower-case name. */
static uint32_t digest(const rc_quota *quota)
{
    uint32_t hash = UINT32_C(2166136261) ^ quota->group;
    for (size_t i = 0; i < quota->name.len; i++)
        hash = (hash ^ (unsigned char)rc_ascii_lower(quota->name.ptr[i])) * UINT32_C(16777619);
    return hash;
}

/* Returns whether the time without warnings about a limit has ended. If this time would last longer
 * than the longest window, the clock was set back, so the time counts as ended. */
static bool is_silence_over(int64_t until_unix_ms, int64_t now_unix_ms)
{
    return now_unix_ms >= until_unix_ms || until_unix_ms - now_unix_ms > RC_QUOTA_WINDOW_MAX_MS;
}

/* Returns whether the alarm allows a warning about the limit now. A limit with a provider-specific
 * name needs a free slot of the alarm. If all slots are used, such a limit gets no warning, because
 * the alarm could not prevent its repetition. */
static bool may_warn(const rc_quota_alarm *alarm, const rc_quota *quota, int64_t now_unix_ms)
{
    if (quota->kind != RC_QUOTA_OTHER)
        return is_silence_over(alarm->silent_until_unix_ms[quota->kind], now_unix_ms);
    const uint32_t name = digest(quota);
    bool has_free_slot = false;
    for (size_t i = 0; i < RC_QUOTA_ALARM_OTHERS; i++) {
        const bool is_over = is_silence_over(alarm->others[i].silent_until_unix_ms, now_unix_ms);
        if (alarm->others[i].name == name && !is_over)
            return false;
        has_free_slot = has_free_slot || is_over;
    }
    return has_free_slot;
}

static void silence(rc_quota_alarm *alarm, const rc_quota *quota, int64_t now_unix_ms)
{
    const int64_t until_unix_ms = now_unix_ms + rc_quota_window_ms(quota);
    if (quota->kind != RC_QUOTA_OTHER) {
        alarm->silent_until_unix_ms[quota->kind] = until_unix_ms;
        return;
    }
    size_t at = 0;
    while (at + 1 < RC_QUOTA_ALARM_OTHERS &&
           !is_silence_over(alarm->others[at].silent_until_unix_ms, now_unix_ms))
        at++;
    alarm->others[at].name = digest(quota);
    alarm->others[at].silent_until_unix_ms = until_unix_ms;
}

const rc_quota *rc_quota_alarm_next(rc_quota_alarm *alarm, const rc_quotas *quotas)
{
    const int64_t now_unix_ms = quotas->now_unix_ms;
    const rc_quota *lowest = NULL;
    for (uint32_t i = 0; i < quotas->count; i++) {
        const rc_quota *quota = &quotas->list[i];
        if (rc_quota_is_low(quota, RC_QUOTA_LOW_PERCENT) && may_warn(alarm, quota, now_unix_ms) &&
            (!lowest || rc_quota_is_lower(quota, lowest)))
            lowest = quota;
    }
    if (lowest)
        silence(alarm, lowest, now_unix_ms);
    return lowest;
}

/* Appends the name of the limit: " of requests" for a known kind, " unified-5h" for a
 * provider-specific name. */
static void push_limit_name(const rc_quota *quota, rc_buf *text)
{
    if (quota->name.len == 0)
        return;
    const bool is_named = quota->kind != RC_QUOTA_OTHER;
    rc_buf_push(text, is_named ? RC_STR(" of ") : RC_STR(" "));
    for (size_t i = 0; i < quota->name.len; i++)
        rc_buf_push_byte(text, is_named && quota->name.ptr[i] == '-' ? ' ' : quota->name.ptr[i]);
}

void rc_quota_push_state(const rc_quota *quota, rc_buf *text)
{
    rc_buf_push(text, quota->remaining > 0 ? RC_STR("is near its limit")
                                           : RC_STR("has used up its limit"));
    push_limit_name(quota, text);
    rc_buf_push(text, RC_STR(": "));
    rc_buf_push_i64(text, quota->remaining);
    rc_buf_push(text, RC_STR(" of "));
    rc_buf_push_i64(text, quota->limit);
    rc_buf_push(text, quota->remaining == 1 ? RC_STR(" is left") : RC_STR(" are left"));
    if (quota->reset_ms > 0) {
        rc_buf_push(text, RC_STR(", renews in "));
        rc_duration_push(text, quota->reset_ms);
    }
}

void rc_quota_push_text(const rc_quota *quota, rc_str model, rc_str credential, rc_buf *text)
{
    rc_buf_push(text, model);
    if (credential.len > 0) {
        rc_buf_push(text, RC_STR(" with key "));
        rc_buf_push(text, credential);
    }
    rc_buf_push_byte(text, ' ');
    rc_quota_push_state(quota, text);
}

/* Name in events of a limit without a name. */
#define UNNAMED RC_STR("limit")

void rc_quota_event(const rc_quota *quota, rc_str model, rc_str credential, rc_event *ret_event)
{
    ret_event->type = RC_EVENT_TYPE_QUOTA_WARNING;
    ret_event->as.quota_warning = (rc_event_quota_warning){
        .model = model,
        .credential = credential,
        .kind = quota->name.len > 0 ? quota->name : UNNAMED,
        .remaining = quota->remaining > 0 ? (uint64_t)quota->remaining : 0,
        .limit = quota->limit > 0 ? (uint64_t)quota->limit : 0,
        .reset_ms = quota->reset_ms > 0 ? (uint64_t)quota->reset_ms : 0,
    };
}

rc_quota rc_quota_from_event_view(const rc_event_view *view)
{
    const rc_str name = rc_str_eq(view->kind, UNNAMED) ? RC_STR("") : view->kind;
    return (rc_quota){.kind = kind_of(name),
                      .name = name,
                      .remaining = (int64_t)view->remaining,
                      .limit = (int64_t)view->limit,
                      .reset_ms = view->reset_ms > 0 ? (int64_t)view->reset_ms : -1};
}
