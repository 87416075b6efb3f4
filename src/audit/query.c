/* rc_audit_query: builds a query of the audit from pairs of a parameter and its value. Called by
 * `recourse audit` and by the admin interface. */
#include "audit/query.h"

#include <stddef.h>

#include <recourse/taxonomy.h>

#include "base/nearest.h"
#include "base/str.h"
#include "codec/duration.h"
#include "store/operation_key.h"

#define HOUR_MS INT64_C(3600000)
#define SECOND_MS INT64_C(1000)
#define STEP_MIN_MS INT64_C(1000)
/* Maximum number of points of a chart that has no explicit step. */
#define STEPS_GOOD 72

/* ---- values ---- */

/* Parses a time for a filter, in which 0 means that no time was given. A given time of 0 becomes 1,
 * which selects the same operations. */
static bool read_time(const rc_audit_query *q, rc_str value, int64_t *ret_unix_ms)
{
    if (!rc_audit_time_parse(value, &q->clock, ret_unix_ms))
        return false;
    if (*ret_unix_ms == 0)
        *ret_unix_ms = 1;
    return true;
}

static bool read_since(rc_audit_query *q, rc_str value, rc_audit_refusal *refusal)
{
    (void)refusal;
    return read_time(q, value, &q->select.filter.from_unix_ms);
}

static bool read_until(rc_audit_query *q, rc_str value, rc_audit_refusal *refusal)
{
    (void)refusal;
    return read_time(q, value, &q->select.filter.until_unix_ms);
}

static const char *code_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < rc_code_count() ? rc_code_at(index)->name : NULL;
}

static const char *class_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < rc_class_count() ? rc_class_at(index)->name : NULL;
}

#define RECOVERED "recovered"

const char *rc_audit_outcome_at(const void *ctx, size_t index)
{
    static const char *const names[] = {
#define RC_AUDIT_OUTCOME(number, ID, name, text) name,
#include "spec/audit.def"
        RECOVERED,
    };
    (void)ctx;
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : NULL;
}

/* Finds a name in a table, ignoring the case of letters. If the name is missing, stores the nearest
 * name in `refusal` and returns false. */
static bool find_name(rc_name_at name_at, rc_str value, size_t *ret_index,
                      rc_audit_refusal *refusal)
{
    for (size_t i = 0; name_at(NULL, i) != NULL; i++)
        if (rc_str_eq_nocase(rc_str_c(name_at(NULL, i)), value)) {
            *ret_index = i;
            return true;
        }
    refusal->nearest = rc_nearest(value, name_at, NULL);
    return false;
}

static bool read_code(rc_audit_query *q, rc_str value, rc_audit_refusal *refusal)
{
    size_t index = 0;
    if (!find_name(code_at, value, &index, refusal))
        return false;
    q->select.filter.code = rc_code_at(index)->code;
    return true;
}

static bool read_class(rc_audit_query *q, rc_str value, rc_audit_refusal *refusal)
{
    size_t index = 0;
    if (!find_name(class_at, value, &index, refusal))
        return false;
    q->select.filter.error_class = rc_class_at(index)->error_class;
    return true;
}

static bool read_outcome(rc_audit_query *q, rc_str value, rc_audit_refusal *refusal)
{
    rc_store_filter *filter = &q->select.filter;
    filter->is_recovered = rc_str_eq(value, RC_STR(RECOVERED));
    filter->has_outcome = rc_outcome_parse(value, &filter->outcome);
    if (!filter->is_recovered && !filter->has_outcome)
        refusal->nearest = rc_nearest(value, rc_audit_outcome_at, NULL);
    return filter->is_recovered || filter->has_outcome;
}

static bool read_limit(rc_audit_query *q, rc_str value, rc_audit_refusal *refusal)
{
    uint32_t limit = 0;
    (void)refusal;
    for (size_t i = 0; i < value.len; i++) {
        if (!rc_ascii_is_digit(value.ptr[i]) || limit > RC_AUDIT_PAGE_MAX)
            return false;
        limit = limit * 10 + (uint32_t)(value.ptr[i] - '0');
    }
    q->select.limit = limit;
    return limit > 0 && limit <= RC_AUDIT_PAGE_MAX;
}

static bool read_after(rc_audit_query *q, rc_str value, rc_audit_refusal *refusal)
{
    (void)refusal;
    return rc_operation_key_parse(value, &q->select.beyond_key);
}

static bool read_step(rc_audit_query *q, rc_str value, rc_audit_refusal *refusal)
{
    int64_t ms = 0;
    (void)refusal;
    if (rc_duration_parse(value, RC_UNIT_NONE, &ms) != RC_OK || ms < STEP_MIN_MS ||
        ms % SECOND_MS != 0)
        return false;
    q->step_ms = ms;
    return true;
}

/* The entries from index RC_AUDIT_GROUPS_MAX on are aliases of groups. */
static const rc_audit_group groups[] = {
    {"time", RC_STATS_BY_HOUR},     {"class", RC_STATS_BY_CLASS}, {"code", RC_STATS_BY_CODE},
    {"target", RC_STATS_BY_TARGET}, {"model", RC_STATS_BY_MODEL}, {"client", RC_STATS_BY_CLIENT},
    {"route", RC_STATS_BY_ROUTE},   {"hour", RC_STATS_BY_HOUR},
};

static const char *group_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < sizeof(groups) / sizeof(groups[0]) ? groups[index].name : NULL;
}

const rc_audit_group *rc_audit_group_at(size_t index)
{
    return index < RC_AUDIT_GROUPS_MAX ? &groups[index] : NULL;
}

static bool read_by(rc_audit_query *q, rc_str value, rc_audit_refusal *refusal)
{
    for (size_t at = 0; at <= value.len;) {
        size_t index = 0;
        size_t end = rc_str_find_byte(value, ',', at);
        end = end == RC_STR_NPOS ? value.len : end;
        refusal->text = rc_str_trim(rc_str_slice(value, at, end));
        if (!find_name(group_name_at, refusal->text, &index, refusal))
            return false;
        if ((q->by & groups[index].by) == 0)
            q->groups[q->group_count++] = groups[index].by;
        q->by |= groups[index].by;
        at = end + 1;
    }
    return true;
}

/* ---- table of parameters ---- */

#define LIST RC_AUDIT_QUERY_LIST
#define STATS RC_AUDIT_QUERY_STATS
#define TAKES_TIME "a time: 2h (ago), 02:30, yesterday, 2026-11-16, 2026-11-16T02:30:00Z"
#define ADVICE_TIME \
    "Use a duration before now, as in 15m, 1h or 7d, or a time, as in 2026-11-16T02:30:00Z."
#define TEXT(name_, kinds_, member)                                     \
    {                                                                   \
        .shown = {.name = (name_)}, .kinds = (kinds_), .narrows = true, \
        .text = offsetof(rc_audit_query, member)                        \
    }

static const struct {
    rc_audit_parameter shown;
    unsigned kinds;
    bool narrows;
    /* Reads the value. NULL if the value is stored as a text. */
    bool (*read)(rc_audit_query *q, rc_str value, rc_audit_refusal *refusal);
    size_t text; /* If `read` is NULL: offset of the text member in rc_audit_query. */
} parameters[] = {
    {{"since", TAKES_TIME, ADVICE_TIME}, LIST | STATS, false, read_since, 0},
    {{"until", TAKES_TIME, ADVICE_TIME}, LIST | STATS, false, read_until, 0},
    TEXT("client", LIST | STATS, select.filter.client),
    TEXT("route", LIST | STATS, select.filter.route),
    TEXT("model", LIST | STATS, select.filter.model),
    TEXT("target", LIST | STATS, select.filter.target),
    {{"code", "an error code, as recourse errors lists them",
      "Use a code of the taxonomy, such as RateLimited."},
     LIST | STATS,
     true,
     read_code,
     0},
    {{"class", "a class of errors, as recourse errors lists them",
      "Use a class of the taxonomy, such as ProviderTransient."},
     LIST | STATS,
     true,
     read_class,
     0},
    {{"outcome", "an outcome: succeeded, recovered, failed, cancelled, open or notice",
      "Use succeeded, recovered, failed, cancelled, open or notice."},
     LIST | STATS,
     true,
     read_outcome,
     0},
    TEXT("report", LIST | STATS, select.filter.report_id),
    TEXT("id", LIST, id),
    {{"limit", "a number from 1 to 500", "Use a number from 1 to 500."},
     LIST,
     false,
     read_limit,
     0},
    {{"after", "a key from the list, such as 01KE8V3Q5W-8ST",
      "Use the value of \"next\" from the previous page."},
     LIST,
     false,
     read_after,
     0},
    {{"by", "groups: time, class, code, target, model, client, route",
      "Use time, class, code, target, model, client or route, separated by commas."},
     STATS,
     false,
     read_by,
     0},
    {{"step", "a duration of whole seconds: 30s, 5m, 1h",
      "Use a duration of at least one second, as in 30s, 5m or 1h."},
     STATS,
     false,
     read_step,
     0},
};
#define PARAMETERS (sizeof(parameters) / sizeof(parameters[0]))
_Static_assert(PARAMETERS <= 32, "each parameter has a bit in rc_audit_query.given");

const char *rc_audit_parameter_at(const void *query, size_t index)
{
    const rc_audit_query *q = query;
    for (size_t i = 0; i < PARAMETERS; i++)
        if ((parameters[i].kinds & q->kind) != 0 && index-- == 0)
            return parameters[i].shown.name;
    return NULL;
}

/* ---- pairs ---- */

void rc_audit_query_init(rc_audit_query *query, rc_audit_query_kind kind,
                         const rc_audit_clock *clock)
{
    *query = (rc_audit_query){.kind = kind, .clock = *clock};
}

/* Marks a parameter as set. Returns the index of the parameter, or PARAMETERS if the parameter is
 * refused. */
static size_t give(rc_audit_query *q, rc_str name, rc_audit_refusal *refusal)
{
    size_t i = 0;
    while (i < PARAMETERS && ((parameters[i].kinds & q->kind) == 0 ||
                              !rc_str_eq(name, rc_str_c(parameters[i].shown.name))))
        i++;
    if (i == PARAMETERS) {
        *refusal = (rc_audit_refusal){.reason = RC_AUDIT_UNKNOWN_PARAMETER,
                                      .text = name,
                                      .nearest = rc_nearest(name, rc_audit_parameter_at, q)};
        return PARAMETERS;
    }
    if ((q->given & UINT32_C(1) << i) != 0) {
        *refusal = (rc_audit_refusal){.reason = RC_AUDIT_REPEATED_PARAMETER,
                                      .parameter = &parameters[i].shown};
        return PARAMETERS;
    }
    q->given |= UINT32_C(1) << i;
    return i;
}

bool rc_audit_query_set(rc_audit_query *query, rc_str name, rc_str value,
                        rc_audit_refusal *ret_refusal)
{
    const size_t i = give(query, name, ret_refusal);
    if (i == PARAMETERS)
        return false;
    query->is_narrowed = query->is_narrowed || parameters[i].narrows;
    if (parameters[i].read == NULL) {
        *(rc_str *)((char *)query + parameters[i].text) = value;
        return true;
    }
    rc_audit_refusal refusal = {
        .reason = RC_AUDIT_INVALID_VALUE, .parameter = &parameters[i].shown, .text = value};
    if (parameters[i].read(query, value, &refusal))
        return true;
    *ret_refusal = refusal;
    return false;
}

bool rc_audit_query_set_empty(rc_audit_query *query, rc_str name, rc_audit_refusal *ret_refusal)
{
    return give(query, name, ret_refusal) != PARAMETERS;
}

/* ---- steps of time ---- */

/* Returns the shortest step for which a chart of this range has at most STEPS_GOOD points. */
static int64_t good_step(int64_t range_ms)
{
    static const int64_t seconds[] = {5,    10,   15,   30,    60,    120,   300,   600,    900,
                                      1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800};
    const size_t count = sizeof(seconds) / sizeof(seconds[0]);
    for (size_t i = 0; i < count; i++)
        if (range_ms / (seconds[i] * SECOND_MS) <= STEPS_GOOD)
            return seconds[i] * SECOND_MS;
    const int64_t week_ms = seconds[count - 1] * SECOND_MS;
    return (range_ms / RC_AUDIT_STEPS_MAX / week_ms + 1) * week_ms;
}

bool rc_audit_query_fit_steps(rc_audit_query *query)
{
    rc_store_filter *filter = &query->select.filter;
    const int64_t until =
        filter->until_unix_ms > 0 ? filter->until_unix_ms : query->clock.now_unix_ms;
    if (filter->from_unix_ms == 0)
        filter->from_unix_ms = until > HOUR_MS ? until - HOUR_MS : 0;
    const int64_t range_ms = until > filter->from_unix_ms ? until - filter->from_unix_ms : 0;
    if (query->step_ms == 0)
        query->step_ms = good_step(range_ms);
    return (query->by & RC_STATS_BY_HOUR) == 0 || range_ms / query->step_ms < RC_AUDIT_STEPS_MAX;
}
