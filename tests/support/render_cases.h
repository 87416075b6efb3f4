/* Reports that are difficult to render, and every renderer under one signature. */
#ifndef TESTS_SUPPORT_RENDER_CASES_H
#define TESTS_SUPPORT_RENDER_CASES_H

#include <recourse/builder.h>
#include <recourse/json.h>
#include <recourse/render.h>
#include <recourse/stdlib.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render_checks.h"

#define CASE_NOW_UNIX_MS INT64_C(1794790923456) /* the time 2026-11-16T01:02:03.456Z */

/* --- reports --- */

static inline const rc_report *case_decode(rc_str json)
{
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *report = NULL;
    rc_decode_info info;
    if (rc_report_decode(json, RC_DECODE_TOLERANT, &alloc, &report, &info) != RC_OK) {
        fprintf(stderr, "case_decode: %s at byte %zu\n", info.message, info.offset);
        abort();
    }
    return report;
}

/* Returns a report whose fields are all absent. */
static inline const rc_report *case_bare(void)
{
    return case_decode(RC_STR("{}"));
}

/* A report with every field; each value is different from all others. */
static const char CASE_FULL[] =
    "{\"report_id\":\"rep_1\",\"error_type\":\"LLMCompletionError\","
    "\"error_class\":\"ProviderTransient\",\"error_code\":\"RateLimited\","
    "\"error_category\":\"transient\",\"error_domain\":\"runtime\",\"retryable\":true,"
    "\"message\":\"MESSAGE in /srv/ada/x.py\",\"detail\":\"DETAIL\","
    "\"user_action\":{\"kind\":\"wait_and_retry\",\"detail\":\"ADVICE\"},"
    "\"provider\":\"openai\",\"model\":\"gpt-4o\",\"provider_metadata\":{\"status\":429,"
    "\"type\":\"TYPE\",\"code\":\"CODE\",\"param\":\"PARAM\",\"request_id\":\"REQUEST\","
    "\"retry_after_ms\":4000,\"limit_kind\":\"tokens\",\"raw\":\"RAW\"},"
    "\"context\":{\"run_id\":\"RUN\",\"node_id\":\"NODE\",\"session_id\":\"SESSION\","
    "\"attempt\":3,\"region\":\"REGION\",\"is_last\":true,\"size\":17},"
    "\"attempts\":[{\"attempt\":1,\"provider\":\"openai\",\"model\":\"gpt-4o\","
    "\"credential\":\"KEY-1\",\"error_code\":\"Overloaded\",\"status\":503,"
    "\"duration_ms\":1200,\"wait_ms\":2000,\"reason\":\"REASON\"}],\"rule\":\"RULE\","
    "\"error_source\":[\"SOURCE @ a.c:1 (in f)\"],\"http_status\":429,"
    "\"cause\":{\"error_type\":\"CAUSE-TYPE\",\"error_code\":\"ConnectionReset\","
    "\"message\":\"CAUSE-MESSAGE\",\"detail\":\"CAUSE-DETAIL\","
    "\"error_source\":[\"CAUSE-SOURCE @ b.c:2 (in g)\"]}}";

static inline const rc_report *case_full(void)
{
    return case_decode(rc_str_c(CASE_FULL));
}

/* Text that tries to leave the syntax of each output: quotes, markup, line ends, escape
 * sequences. */
static const char CASE_NASTY[] =
    "plain \x1b[31mred\x1b[0m \x07\x08\x08 \r overwrite \xc2\x9b\x33\x31m C1 \xe2\x80\xae"
    "bidi\xe2\x80\xac \xe2\x81\xa6isolate\xe2\x81\xa9 tab\there zero\xe2\x80\x8bwidth \xef\xbb\xbf"
    "bom soft\xc2\xadhyphen tag\xf3\xa0\x81\x81 \xe2\x80\xa8separator\xe2\x80\xa9 \x7f\n"
    "# heading\n## [link](javascript:alert(1)) ![img](x) <script>alert(1)</script> &lt;\n"
    "- list\n1. one\n> quote\n```\nfence\n~~~\n---\n===\n| a | b |\n|---|---|\n    code\n"
    "*bold* _it_ `tick` ``two`` http://evil.example www.evil.example a@b.example $x$ ~~s~~\r\n"
    "\r\nevent: error\r\ndata: [DONE]\r\n\r\nx-evil: 1\r\n"
    "日本語のとても長い文章がここにあります。改行なしで続きます、絵文字"
    "🎉\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xf0\x9f\x8f\xbd\xe2\x9a\xa0\xef\xb8\x8f"
    "\xf0\x9f\x87\xab\xf0\x9f\x87\xb7 e\xcc\x81\xcc\x81 العربية עברית "
    "averyveryveryveryveryveryveryveryveryveryverylongwordthatnothingcanbreakbutwemust";

static inline const rc_report *case_nasty_with(const rc_alloc *alloc, rc_code code, rc_str text)
{
    rc_builder b;
    rc_builder_init(&b, alloc, RC_CODE_CONNECTION_RESET);
    rc_builder_set_error_type(&b, text);
    rc_builder_set_message(&b, text);
    rc_builder_set_detail(&b, text);
    rc_builder_add_source_text(&b, text);
    const rc_report *cause = rc_builder_finish(&b);

    rc_builder_init(&b, alloc, code);
    rc_builder_set_id_text(&b, text);
    rc_builder_set_error_type(&b, text);
    rc_builder_set_message(&b, text);
    rc_builder_set_detail(&b, text);
    rc_builder_set_action(&b, RC_ACTION_FIX_REQUEST, text);
    rc_builder_set_provider(&b, text);
    rc_builder_set_model(&b, text);
    rc_builder_set_rule(&b, text);
    rc_builder_set_provider_status(&b, 999);
    rc_builder_set_provider_type(&b, text);
    rc_builder_set_provider_code(&b, text);
    rc_builder_set_provider_param(&b, text);
    rc_builder_set_request_id(&b, text);
    rc_builder_set_retry_after_ms(&b, INT64_MAX);
    rc_builder_set_limit_kind(&b, RC_LIMIT_KIND_MODEL_CAPACITY);
    rc_builder_set_raw(&b, text);
    rc_builder_set_http_status(&b, 599);
    rc_builder_set_context(&b, RC_STR("run_id"), text);
    rc_builder_set_context(&b, RC_STR("session_id"), text);
    rc_builder_set_context(&b, RC_STR("node_id"), text);
    rc_builder_set_context_int(&b, RC_STR("attempt"), INT64_MAX);
    rc_builder_set_context_bool(&b, RC_STR("is_last"), true);
    rc_builder_set_context(&b, text, text);
    for (int64_t i = 0; i < RC_REPORT_ATTEMPTS_MAX; i++) {
        rc_report_attempt attempt = {.attempt = i % 2 ? INT64_MAX - i : i + 1,
                                     .provider = text,
                                     .model = text,
                                     .credential = text,
                                     .code = RC_CODE_CONTEXT_MUTATION_FORBIDDEN,
                                     .status = 999,
                                     .request_id = text,
                                     .started_unix_ms = INT64_MAX,
                                     .duration_ms = INT64_MAX,
                                     .wait_ms = INT64_MAX,
                                     .reason = text};
        rc_builder_add_attempt(&b, &attempt);
        rc_builder_add_source_text(&b, text);
    }
    rc_builder_set_cause(&b, cause);
    rc_report_free(cause);
    return rc_builder_finish(&b);
}

static inline const rc_report *case_nasty(void)
{
    rc_alloc alloc = rc_alloc_stdlib();
    return case_nasty_with(&alloc, RC_CODE_CONTEXT_WINDOW_TOO_SMALL, rc_str_c(CASE_NASTY));
}

/* Returns a report in which every text has its maximum length, in characters that need the longest
 * escapes. */
static inline const rc_report *case_maximal(char fill)
{
    rc_alloc alloc = rc_alloc_stdlib();
    size_t size = RC_REPORT_RAW_MAX + 100;
    char *text = malloc(size);
    if (!text)
        abort();
    memset(text, fill, size);
    const rc_report *report =
        case_nasty_with(&alloc, RC_CODE_CONTEXT_MUTATION_FORBIDDEN, rc_str_make(text, size));
    free(text);
    return report;
}

/* Returns a report with the longest possible chain of causes. */
static inline const rc_report *case_deep(void)
{
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *report = NULL;
    for (int i = 0; i <= RC_REPORT_CAUSE_DEPTH_MAX; i++) {
        rc_builder b;
        rc_builder_init(&b, &alloc, i ? RC_CODE_NONE : RC_CODE_CONNECTION_RESET);
        rc_builder_set_error_type(&b, RC_STR("LayerError"));
        rc_builder_set_message(&b, RC_STR("A layer failed because the one below it did."));
        rc_builder_set_detail(&b, RC_STR("layer"));
        rc_builder_add_source_text(&b, RC_STR("LayerError @ layer.c:1 (in layer)"));
        rc_builder_set_cause(&b, report);
        rc_report_free(report);
        report = rc_builder_finish(&b);
    }
    return report;
}

/* --- renderers --- */

typedef rc_status (*render_function)(const rc_report *report, rc_view view, rc_buf *buf);

static inline rc_status render_panel_as(const rc_report *report, rc_view view, unsigned width,
                                        bool has_utf8, bool has_colour, rc_buf *buf)
{
    rc_panel_style style = {.width = width,
                            .has_utf8 = has_utf8,
                            .has_colour = has_colour,
                            .now_unix_ms = CASE_NOW_UNIX_MS,
                            .utc_offset_s = has_colour ? 3600 : 0};
    return rc_render_human(report, view, &style, buf);
}

#define RENDER_PANEL(name, width, has_utf8, has_colour)                              \
    static inline rc_status name(const rc_report *report, rc_view view, rc_buf *buf) \
    {                                                                                \
        return render_panel_as(report, view, width, has_utf8, has_colour, buf);      \
    }
RENDER_PANEL(render_utf8_80, 80, true, false)
RENDER_PANEL(render_ascii_60, 60, false, false)
RENDER_PANEL(render_colour_100, 100, true, true)

#define RENDER_DIALECT(name, function, dialect)                                      \
    static inline rc_status name(const rc_report *report, rc_view view, rc_buf *buf) \
    {                                                                                \
        return function(report, dialect, view, buf);                                 \
    }
RENDER_DIALECT(render_problem, rc_render_body, RC_DIALECT_PROBLEM)
RENDER_DIALECT(render_openai_chat, rc_render_body, RC_DIALECT_OPENAI_CHAT)
RENDER_DIALECT(render_openai_responses, rc_render_body, RC_DIALECT_OPENAI_RESPONSES)
RENDER_DIALECT(render_anthropic, rc_render_body, RC_DIALECT_ANTHROPIC)
RENDER_DIALECT(render_gemini, rc_render_body, RC_DIALECT_GEMINI)
RENDER_DIALECT(render_problem_frame, rc_render_stream_frame, RC_DIALECT_PROBLEM)
RENDER_DIALECT(render_openai_chat_frame, rc_render_stream_frame, RC_DIALECT_OPENAI_CHAT)
RENDER_DIALECT(render_openai_responses_frame, rc_render_stream_frame, RC_DIALECT_OPENAI_RESPONSES)
RENDER_DIALECT(render_anthropic_frame, rc_render_stream_frame, RC_DIALECT_ANTHROPIC)
RENDER_DIALECT(render_gemini_frame, rc_render_stream_frame, RC_DIALECT_GEMINI)
RENDER_DIALECT(render_http, rc_render_http, RC_DIALECT_OPENAI_CHAT)

static inline rc_status render_agent(const rc_report *report, rc_view view, rc_buf *buf)
{
    return rc_render_agent_json(report, view, 0, buf);
}

static inline rc_status render_agent_indented(const rc_report *report, rc_view view, rc_buf *buf)
{
    return rc_render_agent_json(report, view, 2, buf);
}

static inline rc_status render_headers(const rc_report *report, rc_view view, rc_buf *buf)
{
    (void)view;
    return rc_render_headers(report, RC_DIALECT_ANTHROPIC, buf);
}

static inline rc_status render_log(const rc_report *report, rc_view view, rc_buf *buf)
{
    (void)view;
    return rc_render_log(report, CASE_NOW_UNIX_MS, buf);
}

static inline rc_status render_otel(const rc_report *report, rc_view view, rc_buf *buf)
{
    (void)view;
    return rc_render_otel(report, buf);
}

static const struct renderer {
    const char *name;
    render_function render;
    const char *(*check)(rc_str text); /* Check of the output; NULL: the output is a panel */
} RENDERERS[] = {
    {"utf8-80.txt", render_utf8_80, NULL},
    {"ascii-60.txt", render_ascii_60, NULL},
    {"colour-100.txt", render_colour_100, NULL},
    {"agent.json", render_agent, check_json},
    {"agent-indented.json", render_agent_indented, check_json},
    {"agent.md", rc_render_markdown, check_clean},
    {"problem.json", render_problem, check_json},
    {"openai-chat.json", render_openai_chat, check_json},
    {"openai-responses.json", render_openai_responses, check_json},
    {"anthropic.json", render_anthropic, check_json},
    {"gemini.json", render_gemini, check_json},
    {"problem.sse", render_problem_frame, check_frame},
    {"openai-chat.sse", render_openai_chat_frame, check_frame},
    {"openai-responses.sse", render_openai_responses_frame, check_frame},
    {"anthropic.sse", render_anthropic_frame, check_frame},
    {"gemini.sse", render_gemini_frame, check_frame},
    {"openai-chat.http", render_http, check_http},
    {"headers.txt", render_headers, check_headers},
    {"log.jsonl", render_log, check_log},
    {"otel.json", render_otel, check_json},
};
#define RENDERER_COUNT (sizeof RENDERERS / sizeof *RENDERERS)

static const rc_view CASE_VIEWS[] = {RC_VIEW_USER, RC_VIEW_MODEL, RC_VIEW_INTERNAL};
#define VIEW_COUNT (sizeof CASE_VIEWS / sizeof *CASE_VIEWS)

#endif
