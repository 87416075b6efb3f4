/* Output at the end of a call: a line of totals and a panel, a JSON object, or Markdown. Called by
 * call.c. */
#include <string.h>

#include <recourse/render.h>

#include "base/str.h"
#include "cli/call/call.h"
#include "codec/duration.h"
#include "render/symbol.h"
#include "render/tone.h"
#include "render/wrap.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "json/writer.h"

#define LINE_BYTES 2048

/* Totals of the call. */
typedef struct totals {
    rc_str target;
    uint32_t attempts;
    uint32_t switches;
    uint64_t wait_ms;
    int64_t first_text_ms;
    uint64_t total_ms;
    int64_t tokens_in;
    int64_t tokens_out;
    uint64_t cost_micro_usd; /* 0: unknown. */
} totals;

static totals totals_of(const rc_caller *c)
{
    const rc_client_call_facts *facts = &c->call.facts;
    return (totals){
        .target = rc_str_c(facts->target),
        .attempts = facts->attempts,
        .switches = facts->switches,
        .wait_ms = facts->wait_ms,
        .first_text_ms = c->is_started ? facts->first_text_ms : -1,
        .total_ms = c->ended_ms - c->started_ms,
        .tokens_in = c->is_started ? facts->usage.input : -1,
        .tokens_out = c->is_started ? facts->usage.output : -1,
        .cost_micro_usd = facts->cost_micro_usd,
    };
}

/* ---- human format ---- */

static void push_time(rc_buf *buf, uint64_t ms)
{
    if (ms < 1000 || ms >= 60000) {
        rc_duration_push(buf, (int64_t)ms);
        return;
    }
    rc_buf_push_u64(buf, ms / 1000);
    rc_buf_push_byte(buf, '.');
    rc_buf_push_u64(buf, ms % 1000 / 100);
    rc_buf_push_byte(buf, 's');
}

#define DECIMALS 6

/* Appends "$0.0123" with at most six decimals and without trailing zeros. */
static void push_dollars(rc_buf *buf, uint64_t micro)
{
    char digits[DECIMALS];
    size_t len = DECIMALS;
    uint64_t part = micro % 1000000;
    for (size_t i = DECIMALS; i > 0; i--) {
        digits[i - 1] = (char)('0' + part % 10);
        part /= 10;
    }
    while (len > 0 && digits[len - 1] == '0')
        len--;
    rc_buf_push_byte(buf, '$');
    rc_buf_push_u64(buf, micro / 1000000);
    rc_buf_push(buf, len > 0 ? RC_STR(".") : RC_STR(""));
    rc_buf_push(buf, rc_str_make(digits, len));
}

/* Text made of parts separated by dots, broken into lines that fit the terminal. */
typedef struct parts {
    rc_buf *buf;
    unsigned width;
    unsigned used;
    unsigned count;
    bool has_utf8;
} parts;

static void add_part(parts *p, const rc_buf *part)
{
    const rc_str text = rc_buf_get(part);
    const unsigned width = rc_visible_width(text, p->has_utf8);
    const rc_str separator = rc_symbol_text(RC_SYMBOL_SEPARATOR, p->has_utf8);
    const unsigned between = rc_visible_width(separator, p->has_utf8);
    if (text.len == 0)
        return;
    if (p->count > 0 && p->used + between + width > p->width) {
        rc_buf_push_byte(p->buf, '\n');
        p->used = 0;
    } else if (p->count > 0) {
        rc_buf_push(p->buf, separator);
        p->used += between;
    }
    rc_visible_push(p->buf, text, p->has_utf8);
    p->used += width;
    p->count++;
}

static void add_count(parts *p, uint64_t count, const char *one, const char *many)
{
    char scratch[64];
    rc_buf part;
    rc_buf_init_fixed(&part, scratch, sizeof scratch);
    rc_buf_push_u64(&part, count);
    rc_buf_push(&part, rc_str_c(count == 1 ? one : many));
    add_part(p, &part);
}

static void add_time(parts *p, const char *label, uint64_t ms)
{
    char scratch[64];
    rc_buf part;
    rc_buf_init_fixed(&part, scratch, sizeof scratch);
    rc_buf_push(&part, rc_str_c(label));
    push_time(&part, ms);
    add_part(p, &part);
}

static void add_tokens(parts *p, const totals *t)
{
    char scratch[96];
    rc_buf part;
    rc_buf_init_fixed(&part, scratch, sizeof scratch);
    if (t->tokens_in >= 0) {
        rc_buf_push_i64(&part, t->tokens_in);
        rc_buf_push(&part, t->tokens_in == 1 ? RC_STR(" token in") : RC_STR(" tokens in"));
    }
    if (t->tokens_out >= 0) {
        rc_buf_push(&part, t->tokens_in >= 0 ? RC_STR(", ") : RC_STR(""));
        rc_buf_push_i64(&part, t->tokens_out);
        rc_buf_push(&part, t->tokens_in >= 0 ? RC_STR(" out") : RC_STR(" tokens out"));
    }
    add_part(p, &part);
}

static void add_cost(parts *p, const totals *t)
{
    char scratch[64];
    rc_buf part;
    rc_buf_init_fixed(&part, scratch, sizeof scratch);
    if (t->cost_micro_usd > 0)
        push_dollars(&part, t->cost_micro_usd);
    add_part(p, &part);
}

static void add_name(parts *p, rc_str name)
{
    char scratch[RC_CLIENT_NAME_MAX];
    rc_buf part;
    rc_buf_init_fixed(&part, scratch, sizeof scratch);
    rc_buf_push(&part, name);
    add_part(p, &part);
}

/* Appends a line such as "openai/gpt-4o · 2 attempts · waited 4.0s · total 6.1s · 12 tokens in, 40
 * out". used: columns of the line that are already filled. */
static void push_totals(const rc_caller *c, rc_buf *buf, unsigned used)
{
    const totals t = totals_of(c);
    const bool is_plain = !c->console.line.is_live;
    parts p = {.buf = buf,
               .width = is_plain ? UINT16_MAX : rc_status_line_columns(&c->console.line),
               .used = used,
               .has_utf8 = c->cli->err_terminal.has_utf8};
    add_name(&p, t.target.len > 0 ? t.target : c->model);
    if (t.attempts > 0)
        add_count(&p, t.attempts, " attempt", " attempts");
    if (t.switches > 0)
        add_count(&p, t.switches, " switch", " switches");
    if (t.wait_ms > 0)
        add_time(&p, "waited ", t.wait_ms);
    if (t.first_text_ms >= 0)
        add_time(&p, "first token ", (uint64_t)t.first_text_ms);
    add_time(&p, "total ", t.total_ms);
    add_tokens(&p, &t);
    add_cost(&p, &t);
}

/* Prints the line of totals, dim on a terminal. */
static void show_totals(rc_caller *c, const char *before)
{
    rc_buf *err = &c->cli->err;
    const bool is_dim = c->console.line.is_live && c->has_colour;
    if (c->is_quiet || !c->is_started)
        return;
    rc_tone_begin(err, RC_TONE_FAINT, is_dim);
    if (!c->console.line.is_live)
        rc_cli_err_prefix(c->cli, "call");
    rc_cli_text(err, before);
    push_totals(c, err, (unsigned)strlen(before));
    rc_tone_end(err, RC_TONE_FAINT, is_dim);
    rc_buf_push_byte(err, '\n');
}

static void note_line(rc_caller *c, const char *text)
{
    if (!c->console.line.is_live)
        rc_cli_err_prefix(c->cli, "call");
    rc_cli_text(&c->cli->err, text);
    rc_buf_push_byte(&c->cli->err, '\n');
}

static void show_notes(rc_caller *c)
{
    const rc_client_call_facts *facts = &c->call.facts;
    if (c->is_quiet || c->report != NULL)
        return;
    if (c->call.facts.text_bytes == 0)
        note_line(c, "The response has no text.");
    if (facts->finish == RC_STREAM_FINISH_LENGTH)
        note_line(c, "The response was cut at its token limit; --max-tokens sets it.");
    if (c->quota_warning[0] != '\0')
        note_line(c, c->quota_warning);
}

/* Returns whether the internal view of the report shows more than the user view: after several
 * attempts, or if the connection failed (address and TLS details). */
static bool has_more_to_know(const rc_report *report)
{
    const rc_report *cause = rc_report_cause(report);
    return rc_report_attempt_count(report) > 1 ||
           (rc_report_provider_status(report) == 0 && cause != NULL &&
            rc_report_detail(cause).len > 0);
}

static void show_panel(rc_caller *c)
{
    const int64_t now_unix_ms = rc_clock_unix_ms(c->calls);
    const rc_panel_style style = {
        .width = c->console.line.width,
        .has_colour = c->has_colour,
        .has_utf8 = c->cli->err_terminal.has_utf8,
        .is_status_hidden = rc_report_provider_status(c->report) == 0,
        .now_unix_ms = now_unix_ms,
        .utc_offset_s = rc_clock_utc_offset_s(c->calls, now_unix_ms),
    };
    const rc_view view = has_more_to_know(c->report) ? RC_VIEW_INTERNAL : RC_VIEW_USER;
    rc_render_human(c->report, view, &style, &c->cli->err);
}

static void show_human(rc_caller *c)
{
    const bool is_cancelled = c->report != NULL && (c->is_escaped || c->signal != 0);
    if (c->is_started && c->call.facts.text_bytes > 0 && c->out.error == 0 && c->out.is_mid_line)
        rc_outlet_push(&c->out, RC_STR("\n"));
    if (is_cancelled) {
        /* The program that reads our output may have printed an unfinished line on the same
         * terminal. */
        if (c->out.is_own && !c->cli->out_terminal.is_tty && c->call.facts.text_bytes > 0)
            c->err_outlet.is_mid_line = true;
        show_totals(c, "Cancelled: ");
    } else if (c->report != NULL) {
        show_panel(c);
        if (c->is_started && totals_of(c).attempts > 1)
            show_totals(c, "");
    } else if (c->is_started) {
        show_notes(c);
        show_totals(c, "");
    }
}

/* ---- JSON and Markdown ---- */

static void put_count(rc_json_writer *w, rc_str key, int64_t count)
{
    if (count >= 0)
        rc_json_member_i64(w, key, count);
}

static void put_usage(rc_json_writer *w, const rc_caller *c, const totals *t)
{
    const rc_usage_count *usage = &c->call.facts.usage;
    if (t->tokens_in < 0 && t->tokens_out < 0)
        return;
    rc_json_key(w, RC_STR("usage"));
    rc_json_object_begin(w);
    put_count(w, RC_STR("input_tokens"), t->tokens_in);
    put_count(w, RC_STR("output_tokens"), t->tokens_out);
    put_count(w, RC_STR("cached_tokens"), usage->cached);
    put_count(w, RC_STR("reasoning_tokens"), usage->reasoning);
    rc_json_object_end(w);
}

static void put_cost(rc_json_writer *w, uint64_t micro)
{
    char scratch[32];
    rc_buf number;
    if (micro == 0)
        return;
    rc_buf_init_fixed(&number, scratch, sizeof scratch);
    push_dollars(&number, micro);
    rc_json_key(w, RC_STR("cost_usd"));
    rc_json_raw(w, rc_str_slice(rc_buf_get(&number), 1, RC_STR_NPOS));
}

static void push_response_json(const rc_caller *c, rc_buf *out)
{
    const totals t = totals_of(c);
    rc_json_writer w;
    rc_json_writer_init(&w, out, 0);
    rc_json_object_begin(&w);
    rc_json_member_bool(&w, RC_STR("error"), false);
    rc_json_member_string(&w, RC_STR("model"), c->model);
    if (t.target.len > 0)
        rc_json_member_string(&w, RC_STR("target"), t.target);
    rc_json_member_string(&w, RC_STR("text"), rc_buf_get(&c->response_text));
    rc_json_member_bool(&w, RC_STR("is_truncated"),
                        c->call.facts.finish == RC_STREAM_FINISH_LENGTH);
    if (t.attempts > 0)
        rc_json_member_i64(&w, RC_STR("attempts"), t.attempts);
    rc_json_member_i64(&w, RC_STR("switches"), t.switches);
    rc_json_member_i64(&w, RC_STR("wait_ms"), (int64_t)t.wait_ms);
    put_count(&w, RC_STR("first_token_ms"), t.first_text_ms);
    rc_json_member_i64(&w, RC_STR("total_ms"), (int64_t)t.total_ms);
    put_usage(&w, c, &t);
    put_cost(&w, t.cost_micro_usd);
    if (c->call.facts.request_id[0] != '\0')
        rc_json_member_string(&w, RC_STR("request_id"), rc_str_c(c->call.facts.request_id));
    if (c->via == NULL)
        rc_json_member_bool(&w, RC_STR("recorded"),
                            rc_client_store_fault(&c->client) == 0 &&
                                !rc_client_has_lost_record(&c->client));
    rc_json_object_end(&w);
    rc_buf_push_byte(out, '\n');
}

/* Appends the report in the JSON form that all commands use, and the received part of the response
 * as "partial_text". */
static void push_error_json(const rc_caller *c, rc_buf *out)
{
    rc_buf object;
    rc_buf_init(&object, &c->cli->alloc, RC_CLI_OUTPUT_MAX);
    rc_render_agent_json(c->report, RC_VIEW_INTERNAL, 0, &object);
    const rc_str text = rc_buf_get(&object);
    const rc_str response_text = rc_buf_get(&c->response_text);
    if (rc_buf_status(&object) != RC_OK || text.len < 2) {
        /* The report did not fit into memory, so a constant report is printed instead. */
        rc_cli_text(out, "{\"error\":true,\"error_code\":\"Internal\"}\n");
    } else if (response_text.len == 0) {
        rc_buf_push(out, text);
        rc_buf_push_byte(out, '\n');
    } else {
        rc_buf_push(out, rc_str_slice(text, 0, text.len - 1));
        rc_cli_text(out, ",\"partial_text\":");
        rc_json_push_quoted(out, response_text);
        rc_cli_text(out, "}\n");
    }
    rc_buf_done(&object);
}

static void push_markdown(const rc_caller *c, rc_buf *out)
{
    const rc_str response_text = rc_buf_get(&c->response_text);
    if (c->report != NULL) {
        rc_render_markdown(c->report, RC_VIEW_INTERNAL, out);
        if (response_text.len > 0)
            rc_cli_text(out, "\n## Received part of the response\n\n");
    }
    rc_buf_push(out, response_text);
    if (response_text.len > 0 && response_text.ptr[response_text.len - 1] != '\n')
        rc_buf_push_byte(out, '\n');
}

/* ---- all formats ---- */

static void show(rc_caller *c)
{
    rc_buf *out = &c->cli->out;
    switch (c->format) {
    case RC_CALLER_HUMAN:
        show_human(c);
        return;
    case RC_CALLER_JSON:
        if (c->report != NULL)
            push_error_json(c, out);
        else
            push_response_json(c, out);
        return;
    case RC_CALLER_MARKDOWN:
        push_markdown(c, out);
        return;
    }
}

/* Appends to err why output was lost, unless the reader closed the pipe. */
static int show_lost_output(rc_caller *c)
{
    return rc_cli_output_lost(c->cli, c->out.error);
}

static int status_of(const rc_caller *c)
{
    if (c->signal != 0)
        return 128 + c->signal;
    if (c->exit_status != RC_EXIT_OK)
        return c->exit_status;
    return c->report != NULL ? rc_report_exit_status(c->report) : RC_EXIT_OK;
}

static void push_err(rc_caller *c)
{
    const rc_str text = rc_buf_get(&c->cli->err);
    if (c->err_outlet.fd < 0 || !c->is_started || text.len == 0)
        return;
    rc_outlet_begin_line(&c->err_outlet);
    if (rc_outlet_push(&c->err_outlet, text))
        rc_buf_reset(&c->cli->err);
}

int rc_caller_show_result(rc_caller *c)
{
    int result;
    if (c->exit_status == RC_EXIT_INTERNAL && !c->is_escaped && c->signal == 0)
        rc_caller_fail(c, RC_CODE_INTERNAL, RC_STR("There is no memory for the response."),
                       RC_STR(""));
    else if (c->report == NULL && c->call.facts.report != NULL)
        c->report = rc_report_dup(c->call.facts.report);
    if (c->out.error != 0) {
        result = show_lost_output(c);
    } else {
        show(c);
        result = status_of(c);
    }
    if (rc_client_has_lost_record(&c->client) && c->format == RC_CALLER_HUMAN)
        note_line(c, "This call was not recorded: the store failed.");
    push_err(c);
    rc_client_call_done(&c->call);
    return result;
}
