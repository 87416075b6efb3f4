/* Formats log lines as JSON. Called by src/cli/serve. Lines for people are in log_human.c. */
#include "gateway/observe/log_line.h"

#include <recourse/taxonomy.h>

#include "codec/datetime.h"
#include "report/view_json.h"
#include "scrub/scrub.h"
#include "sys/clock.h"
#include "json/writer.h"

/* Maximum number of bytes of each text in a JSON line. If the line becomes too long, it is written
 * again with the next smaller value. The last value makes every line short enough. */
static const size_t allowances[] = {512, 160, 80, 40, 24};
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

/* Returns "info" for a request that succeeded or was cancelled, "error" for a status of 500 or more
 * and for a response that was cut off, "warn" for all other requests. */
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

/* The keys of a line with their quotes, prepared at compile time, because most of a line's bytes
 * are keys. */
#define READY(name) static const rc_json_ready_key key_##name = RC_JSON_READY_KEY(#name)
READY(time);
READY(level);
READY(event);
READY(request_id);
READY(report_id);
READY(client);
READY(route);
READY(model);
READY(target);
READY(provider_request_id);
READY(method);
READY(path);
READY(status);
READY(outcome);
READY(code);
READY(rule);
READY(message);
READY(attempts);
READY(switches);
READY(wait_ms);
READY(latency_ms);
READY(first_byte_ms);
READY(tokens_in);
READY(tokens_out);
READY(estimated);
READY(cost_usd);
READY(bytes);
READY(trace_id);
READY(translated);
READY(client_retry);
READY(committed);
#undef READY

/* Returns the text without secrets. If the text contains no secret, the result is the text itself;
 * otherwise the result views (points into) scratch. */
static rc_str clean_of(rc_str text, rc_buf *scratch)
{
    if (text.len <= RC_LOG_CLEAN_MAX && rc_scrub_is_clean(text))
        return text;
    rc_log_push_clean(scratch, text);
    return rc_buf_get(scratch);
}

/* Writes a member with a text. The key is `ready` or, if `ready` is NULL, `key`. */
static void put_either(rc_json_writer *w, const rc_json_ready_key *ready, const char *key,
                       rc_str text, size_t allowance)
{
    char memory[RC_LOG_CLEAN_MAX];
    rc_buf scratch;
    rc_buf_init_fixed(&scratch, memory, sizeof(memory));
    const rc_str clean = clean_of(text, &scratch);
    if (clean.len == 0)
        return;
    if (ready != NULL)
        rc_json_ready_key_push(w, ready);
    else
        rc_json_key(w, rc_str_c(key));
    rc_view_json_cut(w, clean, allowance);
}

static void put_text(rc_json_writer *w, const rc_json_ready_key *key, rc_str text, size_t allowance)
{
    if (text.len > 0)
        put_either(w, key, NULL, text, allowance);
}

static void put_name(rc_json_writer *w, const rc_json_ready_key *key, const char *name)
{
    rc_json_ready_key_push(w, key);
    rc_json_string_verbatim(w, rc_str_c(name));
}

static void put_number(rc_json_writer *w, const rc_json_ready_key *key, uint64_t number)
{
    rc_json_ready_key_push(w, key);
    rc_json_u64(w, number);
}

static void put_known(rc_json_writer *w, const rc_json_ready_key *key, int64_t number)
{
    if (number >= 0)
        put_number(w, key, (uint64_t)number);
}

static void put_bool(rc_json_writer *w, const rc_json_ready_key *key, bool value)
{
    rc_json_ready_key_push(w, key);
    rc_json_bool(w, value);
}

static void put_time(rc_json_writer *w, int64_t unix_ms)
{
    char scratch[64];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_rfc3339_push(&text, unix_ms);
    rc_json_ready_key_push(w, &key_time);
    rc_json_string_verbatim(w, rc_buf_get(&text));
}

static void put_head(rc_json_writer *w, int64_t unix_ms, const char *level, const char *event)
{
    if (unix_ms > 0)
        put_time(w, unix_ms);
    put_name(w, &key_level, level);
    put_name(w, &key_event, event);
}

static void put_usage(rc_json_writer *w, const rc_log_request *request)
{
    put_known(w, &key_tokens_in, request->tokens_in);
    put_known(w, &key_tokens_out, request->tokens_out);
    if (request->is_estimated && (request->tokens_in >= 0 || request->tokens_out >= 0))
        put_bool(w, &key_estimated, true);
    if (request->cost_usd_micro >= 0) {
        char scratch[RC_DECIMAL_CAPACITY];
        rc_json_ready_key_push(w, &key_cost_usd);
        rc_json_raw(w, rc_config_decimal(scratch, (uint64_t)request->cost_usd_micro, 6));
    }
}

static void put_request(rc_json_writer *w, const rc_log_request *request, size_t allowance)
{
    put_head(w, request->unix_ms, rc_log_request_level(request), "request");
    put_text(w, &key_request_id, request->request_id, allowance);
    put_text(w, &key_report_id, request->report_id, allowance);
    put_text(w, &key_client, request->client, allowance);
    put_text(w, &key_route, request->route, allowance);
    put_text(w, &key_model, request->model, allowance);
    put_text(w, &key_target, request->target, allowance);
    put_text(w, &key_provider_request_id, request->provider_request_id, allowance);
    put_text(w, &key_method, request->method, allowance);
    put_text(w, &key_path, request->path, allowance);
    if (request->status > 0)
        put_number(w, &key_status, (uint64_t)request->status);
    put_name(w, &key_outcome, rc_log_outcome_name(request->outcome));
    if (request->code != RC_CODE_NONE)
        put_name(w, &key_code, rc_code_name(request->code));
    put_text(w, &key_rule, request->rule, allowance);
    put_text(w, &key_message, request->message, allowance);
    put_number(w, &key_attempts, request->attempts);
    put_number(w, &key_switches, request->switches);
    put_number(w, &key_wait_ms, request->wait_ms);
    put_known(w, &key_latency_ms, request->latency_ms);
    put_known(w, &key_first_byte_ms, request->first_byte_ms);
    put_usage(w, request);
    put_number(w, &key_bytes, request->bytes);
    put_text(w, &key_translated, request->translated, allowance);
    put_text(w, &key_trace_id, request->trace_id, allowance);
    if (request->client_retry > 0)
        put_number(w, &key_client_retry, request->client_retry);
    put_bool(w, &key_committed, request->is_committed);
}

static void put_event(rc_json_writer *w, int64_t unix_ms, rc_log_event event,
                      const rc_log_field *fields, size_t count, size_t allowance)
{
    put_head(w, unix_ms, rc_log_event_level(event), rc_log_event_name(event));
    for (size_t i = 0; i < count; i++) {
        if (fields[i].text.ptr != NULL)
            put_either(w, NULL, fields[i].key, fields[i].text, allowance);
        else
            rc_json_member_i64(w, rc_str_c(fields[i].key), fields[i].number);
    }
}

rc_status rc_log_push_request(rc_buf *buf, const rc_log_style *style, const rc_log_request *request)
{
    char scratch[RC_LOG_LINE_MAX];
    rc_buf line;
    if (!style->is_json)
        return rc_log_human_request(buf, style, request);
    for (size_t i = 0; i < ALLOWANCES; i++) {
        rc_json_writer w;
        rc_buf_init_fixed(&line, scratch, sizeof(scratch));
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
    char scratch[RC_LOG_LINE_MAX];
    rc_buf line;
    count = count < RC_LOG_FIELDS_MAX ? count : RC_LOG_FIELDS_MAX;
    if (!style->is_json)
        return rc_log_human_event(buf, style, unix_ms, event, fields, count);
    for (size_t i = 0; i < ALLOWANCES; i++) {
        rc_json_writer w;
        rc_buf_init_fixed(&line, scratch, sizeof(scratch));
        rc_json_writer_init(&w, &line, 0);
        rc_json_object_begin(&w);
        put_event(&w, unix_ms, event, fields, count, allowances[i]);
        rc_json_object_end(&w);
        if (rc_buf_push_byte(&line, '\n') == RC_OK)
            break;
    }
    return rc_buf_push(buf, rc_buf_get(&line));
}

rc_status rc_log_push_json(rc_buf *buf, int64_t unix_ms, rc_log_event event, const char *key,
                           rc_str json)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    put_head(&w, unix_ms, rc_log_event_level(event), rc_log_event_name(event));
    rc_json_key(&w, rc_str_c(key));
    rc_json_raw(&w, json);
    rc_json_object_end(&w);
    return rc_buf_push_byte(buf, '\n');
}

size_t rc_log_format_dropped(void *ctx, uint64_t count, char *scratch, size_t size)
{
    const rc_log_formatter *formatter = ctx;
    const rc_log_field field = {.key = "lines", .number = (int64_t)count};
    rc_buf line;
    rc_buf_init_fixed(&line, scratch, size);
    rc_log_push_event(&line, &formatter->style, rc_clock_unix_ms(formatter->calls),
                      RC_LOG_EVENT_LOG_DROPPED, &field, 1);
    return rc_buf_get(&line).len;
}
