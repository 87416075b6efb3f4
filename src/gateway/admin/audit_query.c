/* Parses the query string of an audit path into an rc_audit_query. Called by audit.c. */
#include "gateway/admin/audit_query.h"

#include "base/nearest.h"
#include "base/str.h"
#include "base/utf8.h"
#include "gateway/request/model.h"

#define TEXT_BYTES 512
#define QUOTE_MAX 100

typedef struct parse_state {
    rc_arena *arena;
    rc_audit_query query;
    rc_admin_problem *problem;
} parse_state;

/* ---- rejections ---- */

/* Sets the problem that rejects the query and returns false. The texts are copied into the
 * arena. */
static bool refuse(parse_state *r, rc_str message, rc_str next)
{
    *r->problem = (rc_admin_problem){RC_CODE_SHAPE_INVALID, 400, rc_arena_dup(r->arena, message),
                                     RC_ACTION_FIX_REQUEST, rc_arena_dup(r->arena, next)};
    return false;
}

/* Appends the list of parameters, such as "There are since, until and step." */
static void push_parameters(rc_buf *buf, const rc_audit_query *query)
{
    for (size_t i = 0; rc_audit_parameter_at(query, i) != NULL; i++) {
        const bool is_last = rc_audit_parameter_at(query, i + 1) == NULL;
        rc_buf_push(buf, i == 0 ? RC_STR("There are ") : is_last ? RC_STR(" and ") : RC_STR(", "));
        rc_buf_push(buf, rc_str_c(rc_audit_parameter_at(query, i)));
    }
    rc_buf_push_byte(buf, '.');
}

/* Rejects an unknown parameter. The message suggests the parameter with the nearest name and lists
 * all parameters. */
static bool refuse_name(parse_state *r, const rc_audit_refusal *refusal)
{
    char message_text[TEXT_BYTES];
    char next_text[TEXT_BYTES];
    rc_buf message;
    rc_buf next;
    rc_buf_init_fixed(&message, message_text, sizeof(message_text));
    rc_buf_push(&message, RC_STR("There is no parameter \""));
    rc_buf_push(&message, rc_str_slice(refusal->text, 0, QUOTE_MAX));
    rc_buf_push_byte(&message, '"');
    if (refusal->nearest != NULL)
        rc_nearest_push(&message, "", refusal->nearest);
    else
        rc_buf_push_byte(&message, '.');
    rc_buf_init_fixed(&next, next_text, sizeof(next_text));
    push_parameters(&next, &r->query);
    return refuse(r, rc_buf_get(&message), rc_buf_get(&next));
}

static bool refuse_pair(parse_state *r, const rc_audit_refusal *refusal)
{
    char scratch[TEXT_BYTES];
    rc_buf message;
    if (refusal->reason == RC_AUDIT_UNKNOWN_PARAMETER)
        return refuse_name(r, refusal);
    rc_buf_init_fixed(&message, scratch, sizeof(scratch));
    rc_buf_push(&message, RC_STR("The parameter "));
    rc_buf_push(&message, rc_str_c(refusal->parameter->name));
    if (refusal->reason == RC_AUDIT_REPEATED_PARAMETER) {
        rc_buf_push(&message, RC_STR(" appears twice."));
        return refuse(r, rc_buf_get(&message), RC_STR("Use each parameter once."));
    }
    rc_buf_push(&message, RC_STR(" cannot be \""));
    rc_buf_push(&message, rc_str_slice(refusal->text, 0, QUOTE_MAX));
    rc_buf_push(&message, RC_STR("\"."));
    return refuse(r, rc_buf_get(&message), rc_str_c(refusal->parameter->advice));
}

/* ---- pairs ---- */

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
    if (!rc_percent_decode(written, &buf) || !is_text(rc_buf_get(&buf)))
        return refuse(r, RC_STR("The query has an invalid escape or is not UTF-8."),
                      RC_STR("Percent-encode characters other than letters and digits as UTF-8."));
    *ret_text = rc_buf_get(&buf);
    return true;
}

static bool read_pair(parse_state *r, rc_str pair)
{
    const size_t equals = rc_str_find_byte(pair, '=', 0);
    rc_audit_refusal refusal;
    rc_str name;
    rc_str value = rc_str_make(NULL, 0);
    if (pair.len == 0)
        return true;
    if (!decode(r, rc_str_slice(pair, 0, equals), &name) ||
        (equals != RC_STR_NPOS && !decode(r, rc_str_slice(pair, equals + 1, pair.len), &value)))
        return false;
    const bool is_good = value.len > 0 ? rc_audit_query_set(&r->query, name, value, &refusal)
                                       : rc_audit_query_set_empty(&r->query, name, &refusal);
    return is_good || refuse_pair(r, &refusal);
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

bool rc_admin_audit_query_parse(rc_str text, rc_audit_query_kind kind, const rc_audit_clock *clock,
                                rc_arena *arena, rc_audit_query *ret_query,
                                rc_admin_problem *ret_problem)
{
    parse_state r = {.arena = arena, .problem = ret_problem};
    rc_audit_query_init(&r.query, kind, clock);
    if (kind == RC_AUDIT_QUERY_LIST)
        r.query.select.limit = RC_ADMIN_LIST_DEFAULT;
    if (text.len > RC_ADMIN_QUERY_MAX)
        return refuse(&r, RC_STR("The query is longer than 8 KiB."), RC_STR("Shorten the query."));
    if (!read_pairs(&r, text))
        return false;
    if (kind == RC_AUDIT_QUERY_STATS && !rc_audit_query_fit_steps(&r.query))
        return refuse(&r, RC_STR("The query has too many time steps for one response."),
                      RC_STR("Use at most 240 steps, or leave out the parameter step."));
    *ret_query = r.query;
    return rc_arena_status(arena) == RC_OK;
}
