/* rc_admin_audit_query: parses the query of an audit path. Called by audit.c. */
#include "gateway/admin/audit_query.h"

#include <recourse/taxonomy.h>

#include "base/nearest.h"
#include "base/str.h"
#include "base/utf8.h"
#include "codec/datetime.h"
#include "codec/duration.h"
#include "gateway/request/model.h"
#include "store/operation_key.h"

#define HOUR_MS INT64_C(3600000)
#define SECOND_MS INT64_C(1000)
#define STEP_MIN_MS INT64_C(1000)
/* Number of steps that a chart shows well. */
#define STEPS_GOOD 72

typedef struct parse_state {
    rc_arena *arena;
    rc_admin_audit_query_kind kind;
    rc_admin_audit_query result;
    uint32_t seen; /* Bits of the parameters that were given. */
    rc_admin_problem *problem;
} parse_state;

/* ---- rejections ---- */

/* Joins the parts into the message and returns false. */
static bool refuse(parse_state *r, const char *next, const rc_str *parts, size_t count)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += parts[i].len;
    char *scratch = rc_arena_get_unset(r->arena, len + 1);
    rc_buf text;
    *r->problem =
        (rc_admin_problem){RC_CODE_SHAPE_INVALID, 400, RC_STR("The query makes no sense."),
                           RC_ACTION_FIX_REQUEST, rc_str_c(next)};
    if (scratch == NULL)
        return false;
    rc_buf_init_fixed(&text, scratch, len + 1);
    for (size_t i = 0; i < count; i++)
        rc_buf_push(&text, parts[i]);
    r->problem->message = rc_buf_get(&text);
    return false;
}

static bool refuse_value(parse_state *r, const char *name, rc_str value, const char *next)
{
    const rc_str parts[] = {RC_STR("The parameter "), rc_str_c(name), RC_STR(" cannot be \""),
                            rc_str_slice(value, 0, 100), RC_STR("\".")};
    return refuse(r, next, parts, sizeof(parts) / sizeof(parts[0]));
}

/* ---- values ---- */

static bool read_time(parse_state *r, const char *name, rc_str value, int64_t *ret_unix_ms)
{
    int64_t ms = 0;
    if (rc_duration_parse(value, RC_UNIT_NONE, &ms) == RC_OK) {
        *ret_unix_ms = r->result.now_unix_ms - ms;
        return true;
    }
    if (rc_rfc3339_parse(value, ret_unix_ms) == RC_OK ||
        rc_epoch_parse(value, ret_unix_ms) == RC_OK)
        return true;
    return refuse_value(r, name, value,
                        "Write so long ago as 15m, 1h or 7d, or a time as 2026-11-16T02:30:00Z.");
}

static bool read_since(parse_state *r, const char *name, rc_str value)
{
    return read_time(r, name, value, &r->result.query.filter.from_unix_ms);
}

static bool read_until(parse_state *r, const char *name, rc_str value)
{
    return read_time(r, name, value, &r->result.query.filter.until_unix_ms);
}

static bool read_client(parse_state *r, const char *name, rc_str value)
{
    (void)name;
    r->result.query.filter.client = value;
    return true;
}

static bool read_route(parse_state *r, const char *name, rc_str value)
{
    (void)name;
    r->result.query.filter.route = value;
    return true;
}

static bool read_model(parse_state *r, const char *name, rc_str value)
{
    (void)name;
    r->result.query.filter.model = value;
    return true;
}

static bool read_target(parse_state *r, const char *name, rc_str value)
{
    (void)name;
    r->result.query.filter.target = value;
    return true;
}

static bool read_report(parse_state *r, const char *name, rc_str value)
{
    (void)name;
    r->result.query.filter.report_id = value;
    return true;
}

static bool read_id(parse_state *r, const char *name, rc_str value)
{
    (void)name;
    r->result.id = value;
    return true;
}

static bool read_code(parse_state *r, const char *name, rc_str value)
{
    r->result.query.filter.code = rc_code_parse(value);
    return rc_code_get(r->result.query.filter.code) != NULL ||
           refuse_value(r, name, value, "Name a code of the taxonomy, such as RateLimited.");
}

static bool read_class(parse_state *r, const char *name, rc_str value)
{
    r->result.query.filter.error_class = rc_class_parse(value);
    return rc_class_get(r->result.query.filter.error_class) != NULL ||
           refuse_value(r, name, value, "Name a class of the taxonomy, such as ProviderTransient.");
}

static bool read_outcome(parse_state *r, const char *name, rc_str value)
{
    rc_store_filter *filter = &r->result.query.filter;
    filter->is_recovered = rc_str_eq(value, RC_STR("recovered"));
    filter->has_outcome = !filter->is_recovered;
    return filter->is_recovered || rc_outcome_parse(value, &filter->outcome) ||
           refuse_value(r, name, value,
                        "Name succeeded, recovered, failed, cancelled, open or notice.");
}

static bool read_limit(parse_state *r, const char *name, rc_str value)
{
    uint32_t limit = 0;
    for (size_t i = 0; i < value.len; i++) {
        if (!rc_ascii_is_digit(value.ptr[i]) || limit > RC_ADMIN_LIST_MAX)
            return refuse_value(r, name, value, "Write a number from 1 to 500.");
        limit = limit * 10 + (uint32_t)(value.ptr[i] - '0');
    }
    r->result.query.limit = limit;
    return (limit > 0 && limit <= RC_ADMIN_LIST_MAX) ||
           refuse_value(r, name, value, "Write a number from 1 to 500.");
}

static bool read_after(parse_state *r, const char *name, rc_str value)
{
    return rc_operation_key_parse(value, &r->result.query.beyond_key) ||
           refuse_value(r, name, value, "Send what stood in \"next\" of the page before.");
}

static bool read_step(parse_state *r, const char *name, rc_str value)
{
    int64_t ms = 0;
    if (rc_duration_parse(value, RC_UNIT_NONE, &ms) != RC_OK || ms < STEP_MIN_MS ||
        ms % SECOND_MS != 0)
        return refuse_value(r, name, value, "Write whole seconds or more, as in 30s, 5m or 1h.");
    r->result.step_ms = ms;
    return true;
}

static const struct {
    const char *name;
    uint32_t by;
} groups[] = {
    {"time", RC_STATS_BY_HOUR},     {"class", RC_STATS_BY_CLASS}, {"code", RC_STATS_BY_CODE},
    {"target", RC_STATS_BY_TARGET}, {"model", RC_STATS_BY_MODEL}, {"client", RC_STATS_BY_CLIENT},
    {"route", RC_STATS_BY_ROUTE},
};
#define GROUPS (sizeof(groups) / sizeof(groups[0]))

static uint32_t group_of(rc_str name)
{
    for (size_t i = 0; i < GROUPS; i++)
        if (rc_str_eq(name, rc_str_c(groups[i].name)))
            return groups[i].by;
    return 0;
}

static bool read_by(parse_state *r, const char *name, rc_str value)
{
    for (size_t at = 0; at <= value.len;) {
        size_t end = rc_str_find_byte(value, ',', at);
        end = end == RC_STR_NPOS ? value.len : end;
        const uint32_t by = group_of(rc_str_slice(value, at, end));
        if (by == 0)
            return refuse_value(r, name, value,
                                "Name time, class, code, target, model, client or route, with "
                                "commas in between.");
        r->result.by |= by;
        at = end + 1;
    }
    return true;
}

/* ---- table of parameters ---- */

static const struct {
    const char *name;
    unsigned kinds;
    bool (*read)(parse_state *r, const char *name, rc_str value);
} parameters[] = {
    {"since", RC_ADMIN_QUERY_LIST | RC_ADMIN_QUERY_STATS, read_since},
    {"until", RC_ADMIN_QUERY_LIST | RC_ADMIN_QUERY_STATS, read_until},
    {"client", RC_ADMIN_QUERY_LIST | RC_ADMIN_QUERY_STATS, read_client},
    {"route", RC_ADMIN_QUERY_LIST | RC_ADMIN_QUERY_STATS, read_route},
    {"model", RC_ADMIN_QUERY_LIST | RC_ADMIN_QUERY_STATS, read_model},
    {"target", RC_ADMIN_QUERY_LIST | RC_ADMIN_QUERY_STATS, read_target},
    {"code", RC_ADMIN_QUERY_LIST | RC_ADMIN_QUERY_STATS, read_code},
    {"class", RC_ADMIN_QUERY_LIST | RC_ADMIN_QUERY_STATS, read_class},
    {"outcome", RC_ADMIN_QUERY_LIST | RC_ADMIN_QUERY_STATS, read_outcome},
    {"report", RC_ADMIN_QUERY_LIST, read_report},
    {"id", RC_ADMIN_QUERY_LIST, read_id},
    {"limit", RC_ADMIN_QUERY_LIST, read_limit},
    {"after", RC_ADMIN_QUERY_LIST, read_after},
    {"by", RC_ADMIN_QUERY_STATS, read_by},
    {"step", RC_ADMIN_QUERY_STATS, read_step},
};
#define PARAMETERS (sizeof(parameters) / sizeof(parameters[0]))

/* The parameters of this kind of query, by index. */
static const char *name_at(const void *ctx, size_t index)
{
    const parse_state *r = ctx;
    for (size_t i = 0; i < PARAMETERS; i++) {
        if ((parameters[i].kinds & r->kind) == 0)
            continue;
        if (index-- == 0)
            return parameters[i].name;
    }
    return NULL;
}

static bool refuse_name(parse_state *r, rc_str name)
{
    const char *nearest = rc_nearest(name, name_at, r);
    const rc_str parts[] = {RC_STR("There is no parameter \""), rc_str_slice(name, 0, 100),
                            nearest != NULL ? RC_STR("\"; did you mean ") : RC_STR("\""),
                            nearest != NULL ? rc_str_c(nearest) : RC_STR(""),
                            nearest != NULL ? RC_STR("?") : RC_STR(".")};
    return refuse(r,
                  r->kind == RC_ADMIN_QUERY_LIST
                      ? "There are since, until, client, route, model, target, code, class, "
                        "outcome, report, id, limit and after."
                      : "There are since, until, client, route, model, target, code, class, "
                        "outcome, by and step.",
                  parts, sizeof(parts) / sizeof(parts[0]));
}

static bool read_parameter(parse_state *r, rc_str name, rc_str value)
{
    for (uint32_t i = 0; i < PARAMETERS; i++) {
        if ((parameters[i].kinds & r->kind) == 0 || !rc_str_eq(name, rc_str_c(parameters[i].name)))
            continue;
        if ((r->seen & 1u << i) != 0) {
            const rc_str parts[] = {RC_STR("The parameter "), name, RC_STR(" stands there twice.")};
            return refuse(r, "Name each parameter once.", parts, 3);
        }
        r->seen |= 1u << i;
        /* An empty value counts as absent: forms send empty fields. */
        return value.len == 0 || parameters[i].read(r, parameters[i].name, value);
    }
    return refuse_name(r, name);
}

/* ---- the whole query ---- */

static bool is_text(rc_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7F)
            return false;
    return rc_utf8_is_valid(text);
}

static bool decode(parse_state *r, rc_str written, rc_str *ret_text)
{
    char *scratch = rc_arena_get_unset(r->arena, written.len + 1);
    rc_buf buf;
    if (scratch == NULL)
        return false;
    rc_buf_init_fixed(&buf, scratch, written.len + 1);
    if (!rc_percent_decode(written, &buf) || !is_text(rc_buf_get(&buf))) {
        const rc_str message = RC_STR("The query has an escape that is damaged, or is no text.");
        return refuse(r, "Write what is no letter or digit as %XX, in UTF-8.", &message, 1);
    }
    *ret_text = rc_buf_get(&buf);
    return true;
}

static bool read_pair(parse_state *r, rc_str pair)
{
    const size_t equals = rc_str_find_byte(pair, '=', 0);
    rc_str name;
    rc_str value = rc_str_make(NULL, 0);
    if (pair.len == 0)
        return true;
    return decode(r, rc_str_slice(pair, 0, equals), &name) &&
           (equals == RC_STR_NPOS || decode(r, rc_str_slice(pair, equals + 1, pair.len), &value)) &&
           read_parameter(r, name, value);
}

/* The shortest step with which a chart of this range has at most STEPS_GOOD points. */
static int64_t good_step(int64_t range_ms)
{
    static const int64_t seconds[] = {5,    10,   15,   30,    60,    120,   300,   600,    900,
                                      1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800};
    const size_t count = sizeof(seconds) / sizeof(seconds[0]);
    for (size_t i = 0; i < count; i++)
        if (range_ms / (seconds[i] * SECOND_MS) <= STEPS_GOOD)
            return seconds[i] * SECOND_MS;
    const int64_t week_ms = seconds[count - 1] * SECOND_MS;
    return (range_ms / RC_ADMIN_STEPS_MAX / week_ms + 1) * week_ms;
}

static bool finish_stats(parse_state *r)
{
    rc_admin_audit_query *q = &r->result;
    rc_store_filter *filter = &q->query.filter;
    if (filter->from_unix_ms == 0)
        filter->from_unix_ms =
            (filter->until_unix_ms > 0 ? filter->until_unix_ms : q->now_unix_ms) - HOUR_MS;
    if (filter->from_unix_ms < 0)
        filter->from_unix_ms = 0;
    const int64_t until = filter->until_unix_ms > 0 ? filter->until_unix_ms : q->now_unix_ms;
    const int64_t range_ms = until > filter->from_unix_ms ? until - filter->from_unix_ms : 0;
    if (q->step_ms == 0)
        q->step_ms = good_step(range_ms);
    if ((q->by & RC_STATS_BY_HOUR) == 0 || range_ms / q->step_ms < RC_ADMIN_STEPS_MAX)
        return true;
    const rc_str message = RC_STR("These are too many steps of time for one answer.");
    return refuse(r, "Ask for at most 240 steps, or leave the parameter step out.", &message, 1);
}

static bool read_pairs(parse_state *r, rc_str text)
{
    while (text.len > 0) {
        const size_t end = rc_str_find_byte(text, '&', 0);
        if (!read_pair(r, rc_str_slice(text, 0, end)))
            return false;
        text = end == RC_STR_NPOS ? rc_str_make(NULL, 0) : rc_str_slice(text, end + 1, text.len);
    }
    return true;
}

bool rc_admin_audit_query_parse(rc_str text, rc_admin_audit_query_kind kind, int64_t now_unix_ms,
                                rc_arena *arena, rc_admin_audit_query *ret_query,
                                rc_admin_problem *ret_problem)
{
    parse_state r = {.arena = arena, .kind = kind, .problem = ret_problem};
    r.result.now_unix_ms = now_unix_ms;
    r.result.query.limit = RC_ADMIN_LIST_DEFAULT;
    if (text.len > RC_ADMIN_QUERY_MAX) {
        const rc_str message = RC_STR("The query is longer than 8 KiB.");
        return refuse(&r, "Ask for less at once.", &message, 1);
    }
    if (!read_pairs(&r, text) || (kind == RC_ADMIN_QUERY_STATS && !finish_stats(&r)))
        return false;
    *ret_query = r.result;
    return rc_arena_status(arena) == RC_OK;
}

rc_str rc_admin_operation_id(rc_str id)
{
    const bool has_head = rc_str_starts_with_nocase(id, RC_STR("req_")) ||
                          rc_str_starts_with_nocase(id, RC_STR("rep_"));
    return has_head ? rc_str_slice(id, 4, id.len) : id;
}
