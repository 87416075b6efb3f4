#include "gateway/log_line.h"

#include <recourse/taxonomy.h>

#include "base/json_writer.h"
#include "core/render_json.h"
#include "core/scrub.h"
#include "sys/clock.h"

/* How long a text may be, as JSON: the first allowance with which the line is short enough. With
 * the last one every line is. */
static const size_t allowances[] = {512, 160, 80, 40};
#define ALLOWANCES (sizeof(allowances) / sizeof(allowances[0]))

/* ---- names ---- */

const char *rc_log_outcome_name(rc_log_outcome outcome)
{
    static const char *const names[] = {"succeeded", "failed", "interrupted", "cancelled",
                                        "refused"};
    return (size_t)outcome < sizeof(names) / sizeof(names[0]) ? names[outcome] : "failed";
}

static const struct {
    const char *name;
    const char *level;
} events[] = {
#define LEVEL_INFO "info"
#define LEVEL_WARN "warn"
#define LEVEL_ERROR "error"
#define EVENT(ID, LEVEL, name) {name, LEVEL_##LEVEL},
    RC_LOG_EVENTS(EVENT)
#undef EVENT
};

const char *rc_log_event_name(rc_log_event event)
{
    return events[event].name;
}

const char *rc_log_event_level(rc_log_event event)
{
    return events[event].level;
}

/* What an operator has to look at, what a client has done, and all else. */
const char *rc_log_request_level(const rc_log_request *request)
{
    if (request->outcome == RC_LOG_SUCCEEDED || request->outcome == RC_LOG_CANCELLED)
        return "info";
    return request->status >= 500 || request->outcome == RC_LOG_INTERRUPTED ? "error" : "warn";
}

bool rc_log_style_choose(rc_config_log_format format, const rc_terminal *terminal, bool is_file,
                         rc_log_style *ret_style)
{
    const bool is_tty = terminal->is_tty && !is_file;
    if (format == RC_LOG_OFF)
        return false;
    *ret_style = (rc_log_style){
        .is_json = format == RC_LOG_JSON || (format == RC_LOG_AUTO && !is_tty),
        .has_colour = is_tty && terminal->has_colour,
        .has_utf8 = terminal->has_utf8,
    };
    return true;
}

/* ---- JSON ---- */

void rc_log_push_clean(rc_buf *buf, rc_str text)
{
    (void)rc_scrub(text, RC_LOG_CLEAN_MAX, buf);
}

static void put_text(rc_json_writer *w, const char *key, rc_str text, size_t allowance)
{
    char room[RC_LOG_CLEAN_MAX];
    rc_buf clean;
    if (text.len == 0)
        return;
    rc_buf_init_fixed(&clean, room, sizeof(room));
    rc_log_push_clean(&clean, text);
    rc_render_member_cut(w, rc_str_c(key), rc_buf_get(&clean), allowance);
}

static void put_number(rc_json_writer *w, const char *key, uint64_t number)
{
    rc_json_key(w, rc_str_c(key));
    rc_json_u64(w, number);
}

static void put_known(rc_json_writer *w, const char *key, int64_t number)
{
    if (number >= 0)
        put_number(w, key, (uint64_t)number);
}

static void put_head(rc_json_writer *w, int64_t unix_ms, const char *level, const char *event)
{
    if (unix_ms > 0)
        rc_render_member_time(w, RC_STR("time"), unix_ms);
    rc_json_member_string(w, RC_STR("level"), rc_str_c(level));
    rc_json_member_string(w, RC_STR("event"), rc_str_c(event));
}

static void put_usage(rc_json_writer *w, const rc_log_request *request)
{
    put_known(w, "tokens_in", request->tokens_in);
    put_known(w, "tokens_out", request->tokens_out);
    if (request->is_estimated && (request->tokens_in >= 0 || request->tokens_out >= 0))
        rc_json_member_bool(w, RC_STR("estimated"), true);
    if (request->cost_usd_micro >= 0) {
        char room[RC_DECIMAL_ROOM];
        rc_json_key(w, RC_STR("cost_usd"));
        rc_json_raw(w, rc_config_decimal(room, (uint64_t)request->cost_usd_micro, 6));
    }
}

static void put_request(rc_json_writer *w, const rc_log_request *request, size_t allowance)
{
    put_head(w, request->unix_ms, rc_log_request_level(request), "request");
    put_text(w, "request_id", request->request_id, allowance);
    put_text(w, "report_id", request->report_id, allowance);
    put_text(w, "client", request->client, allowance);
    put_text(w, "route", request->route, allowance);
    put_text(w, "model", request->model, allowance);
    put_text(w, "target", request->target, allowance);
    put_text(w, "provider_request_id", request->provider_request_id, allowance);
    if (request->status > 0)
        put_number(w, "status", (uint64_t)request->status);
    rc_json_member_string(w, RC_STR("outcome"), rc_str_c(rc_log_outcome_name(request->outcome)));
    rc_render_member_name(w, RC_STR("code"), rc_code_name(request->code));
    put_number(w, "attempts", request->attempts);
    put_number(w, "switches", request->switches);
    put_number(w, "wait_ms", request->wait_ms);
    put_known(w, "latency_ms", request->latency_ms);
    put_known(w, "first_byte_ms", request->first_byte_ms);
    put_usage(w, request);
    put_number(w, "bytes", request->bytes);
    put_text(w, "trace_id", request->trace_id, allowance);
    rc_json_member_bool(w, RC_STR("committed"), request->is_committed);
}

static void put_event(rc_json_writer *w, int64_t unix_ms, rc_log_event event,
                      const rc_log_field *fields, size_t count, size_t allowance)
{
    put_head(w, unix_ms, rc_log_event_level(event), rc_log_event_name(event));
    for (size_t i = 0; i < count; i++) {
        if (fields[i].text.ptr != NULL)
            put_text(w, fields[i].key, fields[i].text, allowance);
        else
            rc_json_member_i64(w, rc_str_c(fields[i].key), fields[i].number);
    }
}

rc_status rc_log_push_request(rc_buf *buf, const rc_log_style *style, const rc_log_request *request)
{
    char room[RC_LOG_LINE_MAX];
    rc_buf line;
    if (!style->is_json)
        return rc_log_human_request(buf, style, request);
    for (size_t i = 0; i < ALLOWANCES; i++) {
        rc_json_writer w;
        rc_buf_init_fixed(&line, room, sizeof(room));
        rc_json_writer_init(&w, &line, 0);
        rc_json_object_begin(&w);
        put_request(&w, request, allowances[i]);
        rc_json_object_end(&w);
        if (rc_buf_push_byte(&line, '\n') == RC_OK)
            break;
    }
    return rc_buf_push(buf, rc_buf_get(&line));
}

rc_status rc_log_push_event(rc_buf *buf, const rc_log_style *style, int64_t unix_ms,
                            rc_log_event event, const rc_log_field *fields, size_t count)
{
    char room[RC_LOG_LINE_MAX];
    rc_buf line;
    count = count < RC_LOG_FIELDS_MAX ? count : RC_LOG_FIELDS_MAX;
    if (!style->is_json)
        return rc_log_human_event(buf, style, unix_ms, event, fields, count);
    for (size_t i = 0; i < ALLOWANCES; i++) {
        rc_json_writer w;
        rc_buf_init_fixed(&line, room, sizeof(room));
        rc_json_writer_init(&w, &line, 0);
        rc_json_object_begin(&w);
        put_event(&w, unix_ms, event, fields, count, allowances[i]);
        rc_json_object_end(&w);
        if (rc_buf_push_byte(&line, '\n') == RC_OK)
            break;
    }
    return rc_buf_push(buf, rc_buf_get(&line));
}

size_t rc_log_format_dropped(void *ctx, uint64_t count, char *room, size_t size)
{
    const rc_log_teller *teller = ctx;
    const rc_log_field field = {.key = "lines", .number = (int64_t)count};
    rc_buf line;
    rc_buf_init_fixed(&line, room, size);
    rc_log_push_event(&line, &teller->style, rc_clock_unix_ms(teller->calls),
                      RC_LOG_EVENT_LOG_DROPPED, &field, 1);
    return rc_buf_get(&line).len;
}
