/* Collection of hints (waits that a provider names): recognises headers and JSON members, finds the
 * limits that are exhausted, selects the wait. Called by headers.c, classify.c, evidence.c, unwrap/
 * and policy/quota.c. */
#include "classify/hints/hints.h"

#include "base/str.h"
#include "classify/hints/parts.h"
#include "codec/duration.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Whether anything is left of a limit. If two headers disagree about one limit, the lower value is
 * used, because the call was refused. */
enum {
    LEFT_UNKNOWN,
    LEFT_SOME,
    LEFT_NONE
};

typedef struct header_row {
    rc_str name;
    rc_hint_form form;
} header_row;

typedef struct reset_row {
    rc_str name;
    uint8_t group;
    rc_hint_form form;
} reset_row;

typedef struct left_row {
    rc_str name;
    uint8_t group;
    rc_hint_left form;
} left_row;

static const header_row headers[] = {
#define RC_HINT_HEADER(name, FORM, text) {RC_STR_INIT(name), RC_HINT_FORM_##FORM},
#include "spec/hints.def"
};

static const header_row fields[] = {
#define RC_HINT_FIELD(name, FORM, text) {RC_STR_INIT(name), RC_HINT_FORM_##FORM},
#include "spec/hints.def"
};

static const reset_row resets[] = {
#define RC_HINT_RESET(name, GROUP, FORM, text) \
    {RC_STR_INIT(name), RC_HINT_GROUP_##GROUP, RC_HINT_FORM_##FORM},
#include "spec/hints.def"
};

static const left_row lefts[] = {
#define RC_HINT_LEFT(name, GROUP, LEFT, text) \
    {RC_STR_INIT(name), RC_HINT_GROUP_##GROUP, RC_HINT_LEFT_##LEFT},
#include "spec/hints.def"
};

/* ---- trace ---- */

static void note(const rc_hints *h, rc_trace_step step, rc_str subject, rc_str text,
                 int64_t wait_ms)
{
    if (!h->trace || !h->trace->on_note)
        return;
    rc_trace_note trace_note = {.step = step, .subject = subject, .text = text, .wait_ms = wait_ms};
    h->trace->on_note(h->trace->ctx, &trace_note);
}

void rc_hints_note_rejected(const rc_hints *h, rc_str where, rc_str why)
{
    note(h, RC_TRACE_IGNORED, where, why, -1);
}

void rc_hints_offer(rc_hints *h, rc_hint *best, const rc_hint *offered)
{
    note(h, RC_TRACE_HINT, offered->where, offered->value, offered->wait_ms);
    if (offered->wait_ms > best->wait_ms)
        *best = *offered;
}

static void offer_reading(rc_hints *h, rc_hint *best, rc_hint offered, rc_hint_reading reading)
{
    offered.wait_ms = reading.wait_ms;
    if (reading.wait_ms < 0)
        rc_hints_note_rejected(h, offered.where, reading.why);
    else
        rc_hints_offer(h, best, &offered);
}

/* ---- names of headers and fields ---- */

/* A set of letters: bit n is letter n of the alphabet. */
#define LETTER(c) (1u << ((c) - 'a'))

static bool is_among(uint32_t letters, char c)
{
    char lower = rc_ascii_lower(c);
    return lower >= 'a' && lower <= 'z' && (letters >> (lower - 'a') & 1);
}

/* Returns false for most header names that are not in the table: compares a few letters of the name
 * with the letters that occur at these positions in the rows of the table. The sets of letters are
 * compile-time constants. */
static bool may_be_header(rc_str name)
{
    const uint32_t first = 0u
#define RC_HINT_HEADER(name, FORM, text) | LETTER((name)[0])
#define RC_HINT_RESET(name, GROUP, FORM, text) | LETTER((name)[0])
#define RC_HINT_LEFT(name, GROUP, LEFT, text) | LETTER((name)[0])
#include "spec/hints.def"
        ;
    const uint32_t third = 0u
#define RC_HINT_HEADER(name, FORM, text) | LETTER((name)[2])
#define RC_HINT_RESET(name, GROUP, FORM, text) | LETTER((name)[2])
#define RC_HINT_LEFT(name, GROUP, LEFT, text) | LETTER((name)[2])
#include "spec/hints.def"
        ;
    return name.len > 3 && is_among(first, name.ptr[0]) && is_among(third, name.ptr[2]);
}

static bool may_be_field(rc_str key)
{
    const uint32_t first = 0u
#define RC_HINT_FIELD(name, FORM, text) | LETTER((name)[0])
#include "spec/hints.def"
        ;
    const uint32_t second = 0u
#define RC_HINT_FIELD(name, FORM, text) | LETTER((name)[1])
#include "spec/hints.def"
        ;
    const uint32_t third = 0u
#define RC_HINT_FIELD(name, FORM, text) | LETTER((name)[2])
#include "spec/hints.def"
        ;
    return key.len > 3 && is_among(first, key.ptr[0]) && is_among(second, key.ptr[1]) &&
           is_among(third, key.ptr[2]);
}

bool rc_hint_match(rc_str pattern, rc_str name, rc_str *ret_star)
{
    char last = pattern.ptr[pattern.len - 1];
    if (name.len < pattern.len - 1 ||
        (last != '*' && last != rc_ascii_lower(name.ptr[name.len - 1])))
        return false;
    size_t at = 0;
    while (at < pattern.len && at < name.len && pattern.ptr[at] == rc_ascii_lower(name.ptr[at]))
        at++;
    if (at < pattern.len && pattern.ptr[at] != '*')
        return false;
    *ret_star = rc_str_slice(name, name.len, name.len);
    if (at == pattern.len)
        return at == name.len;
    rc_str tail = rc_str_slice(pattern, at + 1, pattern.len);
    size_t end = name.len - tail.len;
    if (!rc_str_eq_nocase(rc_str_slice(name, end, name.len), tail))
        return false;
    while (at < end && name.ptr[at] == '-')
        at++;
    while (at < end && name.ptr[end - 1] == '-')
        end--;
    *ret_star = rc_str_slice(name, at, end);
    return true;
}

static bool is_separator(char c)
{
    return c == '_' || c == '-';
}

/* Compares two names; letter case and separators are ignored. */
static bool is_same_field(rc_str key, rc_str name)
{
    size_t at = 0;
    for (size_t i = 0; i < key.len; i++) {
        if (is_separator(key.ptr[i]))
            continue;
        while (at < name.len && is_separator(name.ptr[at]))
            at++;
        if (at == name.len || rc_ascii_lower(key.ptr[i]) != name.ptr[at])
            return false;
        at++;
    }
    return at == name.len;
}

bool rc_hint_find_field(rc_str key, rc_hint_form *ret_form)
{
    if (!may_be_field(key))
        return false;
    for (size_t i = 0; i < COUNT(fields); i++) {
        if (is_same_field(key, fields[i].name)) {
            *ret_form = fields[i].form;
            return true;
        }
    }
    return false;
}

/* ---- limits ---- */

/* Returns the limit with this group and name, which is added if necessary; NULL if there are
 * RC_HINT_LIMITS_MAX limits already. */
static rc_hint_limit *find_limit(rc_hints *h, uint8_t group, rc_str name)
{
    for (size_t i = 0; i < h->limit_count; i++) {
        rc_hint_limit *limit = &h->limits[i];
        if (limit->group == group && rc_str_eq_nocase(limit->name, name))
            return limit;
    }
    if (h->limit_count == RC_HINT_LIMITS_MAX)
        return NULL;
    rc_hint_limit *limit = &h->limits[h->limit_count++];
    *limit = (rc_hint_limit){.group = group, .name = name, .reset = {.wait_ms = -1}};
    return limit;
}

static void note_not_exhausted(const rc_hints *h, rc_str where)
{
    rc_hints_note_rejected(h, where, RC_STR("the limit of this reset is not used up"));
}

static void offer_reset(rc_hints *h, uint8_t group, rc_str name, rc_hint offered,
                        rc_hint_reading reading)
{
    rc_hint_limit *limit = find_limit(h, group, name);
    if (!limit) {
        rc_hints_note_rejected(h, offered.where, RC_STR("too many limits"));
        return;
    }
    if (limit->left != LEFT_SOME || reading.wait_ms < 0) {
        offer_reading(h, &limit->reset, offered, reading);
        return;
    }
    /* The limit is not exhausted so far. The reset time is stored nevertheless, because a later
     * header may report that nothing is left of the limit. */
    offered.wait_ms = reading.wait_ms;
    if (offered.wait_ms > limit->reset.wait_ms)
        limit->reset = offered;
    note_not_exhausted(h, offered.where);
}

static void offer_left(rc_hints *h, uint8_t group, rc_str name, uint8_t left)
{
    rc_hint_limit *limit = find_limit(h, group, name);
    if (!limit || left <= limit->left)
        return;
    bool was_ignored = limit->left == LEFT_SOME;
    limit->left = left;
    const rc_hint *reset = &limit->reset;
    if (reset->wait_ms >= 0 && left == LEFT_SOME)
        note_not_exhausted(h, reset->where);
    if (reset->wait_ms >= 0 && was_ignored)
        note(h, RC_TRACE_HINT, reset->where, reset->value, reset->wait_ms);
}

/* Reads the remaining amount of a limit. The number is parsed like a duration in seconds, because
 * that parser accepts all notations and is exact to a thousandth. */
static uint8_t read_left(rc_hint_left form, rc_str value)
{
    if (form == RC_HINT_LEFT_STATUS)
        return rc_str_eq_nocase(rc_str_trim(value), RC_STR("rejected")) ? LEFT_NONE : LEFT_SOME;
    int64_t thousandths;
    rc_status status = rc_duration_parse(value, RC_UNIT_S, &thousandths);
    bool is_negative = rc_str_starts_with(rc_str_trim(value), RC_STR("-"));
    if (status == RC_E_SYNTAX)
        return LEFT_UNKNOWN;
    if (status == RC_E_RANGE)
        return (form == RC_HINT_LEFT_COUNT) == is_negative ? LEFT_NONE : LEFT_SOME;
    if (form == RC_HINT_LEFT_COUNT)
        return thousandths == 0 ? LEFT_NONE : LEFT_SOME;
    return thousandths >= (form == RC_HINT_LEFT_PERCENT ? 100000 : 1000) ? LEFT_NONE : LEFT_SOME;
}

/* ---- the RateLimit header ---- */

/* One limit of a RateLimit header, in which a limit is called a policy: `limit=100, remaining=0,
 * reset=30`, or `"default";r=0;t=30`. */
typedef struct policy {
    rc_str name;
    rc_str remaining;
    rc_str reset;
} policy;

static void settle_policy(rc_hints *h, uint8_t group, rc_str where, const policy *p)
{
    if (p->reset.len > 0) {
        rc_hint offered = {.rank = RC_HINT_RANK_RESET, .where = where, .value = p->reset};
        rc_hint_reading reading = rc_hint_read(RC_HINT_FORM_AUTO, p->reset, h->now_unix_ms);
        offer_reset(h, group, p->name, offered, reading);
    }
    if (p->remaining.len > 0)
        offer_left(h, group, p->name, read_left(RC_HINT_LEFT_COUNT, p->remaining));
}

static bool is_policy_gap(char c)
{
    return c == ',' || c == ';' || rc_ascii_is_space(c);
}

/* Stores the remaining amount or the reset time of a "key=value" parameter in the policy. Other
 * keys are ignored. */
static void take_parameter(rc_str parameter, policy *p)
{
    size_t equals = rc_str_find_byte(parameter, '=', 0);
    if (equals == RC_STR_NPOS)
        return;
    rc_str key = rc_str_slice(parameter, 0, equals);
    rc_str value = rc_str_slice(parameter, equals + 1, parameter.len);
    if (rc_str_eq_nocase(key, RC_STR("remaining")) || rc_str_eq_nocase(key, RC_STR("r")))
        p->remaining = value;
    if (rc_str_eq_nocase(key, RC_STR("reset")) || rc_str_eq_nocase(key, RC_STR("t")))
        p->reset = value;
}

static void read_policies(rc_hints *h, uint8_t group, rc_str where, rc_str value)
{
    policy p = {.name = rc_str_slice(value, value.len, value.len)};
    size_t at = 0;
    while (at < value.len) {
        if (is_policy_gap(value.ptr[at])) {
            at++;
            continue;
        }
        size_t from = at;
        if (value.ptr[at] == '"') { /* a quoted name begins the next policy */
            size_t end = rc_str_find_byte(value, '"', at + 1);
            at = end == RC_STR_NPOS ? value.len : end + 1;
            settle_policy(h, group, where, &p);
            p = (policy){.name = rc_str_slice(value, from, at)};
            continue;
        }
        while (at < value.len && !is_policy_gap(value.ptr[at]))
            at++;
        take_parameter(rc_str_slice(value, from, at), &p);
    }
    settle_policy(h, group, where, &p);
}

/* ---- interface ---- */

void rc_hints_init(rc_hints *h, int64_t now_unix_ms, const rc_trace *trace)
{
    rc_hint none = {.wait_ms = -1};
    h->now_unix_ms = now_unix_ms;
    h->trace = trace;
    h->wording = none;
    h->field = none;
    h->header = none;
    h->limit_count = 0;
}

static bool take_explicit(rc_hints *h, rc_str name, rc_str value)
{
    for (size_t i = 0; i < COUNT(headers); i++) {
        rc_str star;
        if (!rc_hint_match(headers[i].name, name, &star))
            continue;
        rc_hint offered = {.rank = RC_HINT_RANK_HEADER, .where = name, .value = value};
        offer_reading(h, &h->header, offered, rc_hint_read(headers[i].form, value, h->now_unix_ms));
        return true;
    }
    return false;
}

static bool take_reset(rc_hints *h, rc_str name, rc_str value)
{
    for (size_t i = 0; i < COUNT(resets); i++) {
        rc_str star;
        if (!rc_hint_match(resets[i].name, name, &star))
            continue;
        if (resets[i].form == RC_HINT_FORM_POLICY) {
            read_policies(h, resets[i].group, name, value);
            return true;
        }
        rc_hint offered = {.rank = RC_HINT_RANK_RESET, .where = name, .value = value};
        offer_reset(h, resets[i].group, star, offered,
                    rc_hint_read(resets[i].form, value, h->now_unix_ms));
        return true;
    }
    return false;
}

static void take_left(rc_hints *h, rc_str name, rc_str value)
{
    for (size_t i = 0; i < COUNT(lefts); i++) {
        rc_str star;
        if (!rc_hint_match(lefts[i].name, name, &star))
            continue;
        offer_left(h, lefts[i].group, star, read_left(lefts[i].form, value));
        return;
    }
}

void rc_hints_add_header(rc_hints *h, rc_str name, rc_str value)
{
    if (!may_be_header(name))
        return;
    if (!take_explicit(h, name, value) && !take_reset(h, name, value))
        take_left(h, name, value);
}

bool rc_hints_is_field(rc_str key)
{
    rc_hint_form form;
    return rc_hint_find_field(key, &form);
}

void rc_hints_add_field(rc_hints *h, rc_str key, rc_str value, bool is_number)
{
    rc_hint_form form;
    if (!rc_hint_find_field(key, &form))
        return;
    rc_hint offered = {.rank = RC_HINT_RANK_FIELD, .where = key, .value = value};
    if (!is_number && rc_str_trim(value).len == 0) /* relays write an empty string for "no wait" */
        return;
    offer_reading(h, &h->field, offered, rc_hint_read(form, value, h->now_unix_ms));
}

rc_hint rc_hints_best(const rc_hints *h)
{
    rc_hint best = {.wait_ms = -1};
    for (size_t i = 0; i < h->limit_count; i++) {
        const rc_hint_limit *limit = &h->limits[i];
        if (limit->left == LEFT_SOME || limit->reset.wait_ms < 0)
            continue;
        rc_hint reset = limit->reset;
        reset.rank = limit->left == LEFT_NONE ? RC_HINT_RANK_RESET_EXHAUSTED : RC_HINT_RANK_RESET;
        bool is_better =
            reset.rank > best.rank || (reset.rank == best.rank && reset.wait_ms > best.wait_ms);
        if (is_better)
            best = reset;
    }
    if (h->wording.wait_ms >= 0)
        best = h->wording;
    if (h->field.wait_ms >= 0)
        best = h->field;
    if (h->header.wait_ms >= 0)
        best = h->header;
    return best;
}

int64_t rc_hints_wait_ms(const rc_hints *h)
{
    return rc_hints_best(h).wait_ms;
}
