/* Table of the report formats; called by `render` and `explain`. */
#include "cli/formats.h"

static rc_status render_human(const rc_format_input *in, rc_buf *buf)
{
    return rc_render_human(in->report, in->view, &in->style, buf);
}

static rc_status render_agent_json(const rc_format_input *in, rc_buf *buf)
{
    return rc_render_agent_json(in->report, in->view, in->indent, buf);
}

static rc_status render_markdown(const rc_format_input *in, rc_buf *buf)
{
    return rc_render_markdown(in->report, in->view, buf);
}

static rc_status render_http(const rc_format_input *in, rc_buf *buf)
{
    return rc_render_http(in->report, in->dialect, in->view, buf);
}

static rc_status render_report(const rc_format_input *in, rc_buf *buf)
{
    return rc_report_encode(in->report, in->view, buf);
}

static rc_status render_dialect(const rc_format_input *in, rc_buf *buf)
{
    if (in->is_stream)
        return rc_render_stream_frame(in->report, in->dialect, in->view, buf);
    return rc_render_body(in->report, in->dialect, in->view, buf);
}

static rc_status render_log(const rc_format_input *in, rc_buf *buf)
{
    return rc_render_log(in->report, in->style.now_unix_ms, buf);
}

static rc_status render_otel(const rc_format_input *in, rc_buf *buf)
{
    return rc_render_otel(in->report, buf);
}

#define DIALECT(name_, dialect_, help_)                                                         \
    {                                                                                           \
        .name = (name_), .render = render_dialect, .dialect = (dialect_), .view = RC_VIEW_USER, \
        .takes_view = true, .takes_stream = true, .help = (help_)                               \
    }

static const rc_format formats[] = {
    {.name = "human",
     .render = render_human,
     .view = RC_VIEW_USER,
     .takes_view = true,
     .help = "a panel for a person (default)"},
    {.name = "json",
     .render = render_agent_json,
     .view = RC_VIEW_MODEL,
     .takes_view = true,
     .takes_indent = true,
     .help = "JSON for an agent"},
    {.name = "markdown",
     .render = render_markdown,
     .view = RC_VIEW_MODEL,
     .takes_view = true,
     .help = "Markdown for an agent"},
    {.name = "http",
     .render = render_http,
     .view = RC_VIEW_USER,
     .takes_view = true,
     .takes_dialect = true,
     .is_exact = true,
     .help = "a complete HTTP response, in the dialect of --dialect"},
    {.name = "report",
     .render = render_report,
     .view = RC_VIEW_INTERNAL,
     .takes_view = true,
     .help = "the JSON of the report, which render can read"},
    DIALECT("problem", RC_DIALECT_PROBLEM, "application/problem+json"),
    DIALECT("openai-chat", RC_DIALECT_OPENAI_CHAT, "the error body of OpenAI chat completions"),
    DIALECT("openai-responses", RC_DIALECT_OPENAI_RESPONSES, "the error body of OpenAI responses"),
    DIALECT("anthropic", RC_DIALECT_ANTHROPIC, "the error body of Anthropic messages"),
    DIALECT("gemini", RC_DIALECT_GEMINI, "the error body of Gemini"),
    {.name = "log",
     .render = render_log,
     .view = RC_VIEW_INTERNAL,
     .is_exact = true,
     .help = "one line of JSON for an operator's log"},
    {.name = "otel",
     .render = render_otel,
     .view = RC_VIEW_INTERNAL,
     .help = "OpenTelemetry attributes"},
};

const rc_format *rc_format_at(size_t index)
{
    return index < sizeof(formats) / sizeof(formats[0]) ? &formats[index] : NULL;
}

const rc_format *rc_format_find(const char *name)
{
    for (size_t i = 0; rc_format_at(i) != NULL; i++)
        if (rc_str_eq(rc_str_c(rc_format_at(i)->name), rc_str_c(name)))
            return rc_format_at(i);
    return NULL;
}

void rc_format_push(const rc_format *format, const rc_format_input *input, const char *dialect,
                    rc_buf *buf)
{
    rc_format_input whole = *input;
    whole.dialect = format->dialect;
    if (format->takes_dialect)
        whole.dialect = dialect != NULL ? rc_dialect_parse(rc_str_c(dialect)) : RC_DIALECT_PROBLEM;
    format->render(&whole, buf);
    const rc_str text = rc_buf_get(buf);
    if (!format->is_exact && text.len > 0 && text.ptr[text.len - 1] != '\n')
        rc_buf_push_byte(buf, '\n');
}

const char *rc_format_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return rc_format_at(index) != NULL ? rc_format_at(index)->name : NULL;
}

const char *rc_view_name_at(const void *ctx, size_t index)
{
    static const rc_view views[] = {RC_VIEW_USER, RC_VIEW_MODEL, RC_VIEW_INTERNAL};
    (void)ctx;
    return index < 3 ? rc_view_name(views[index]) : NULL;
}

const char *rc_dialect_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < RC_DIALECT_GEMINI ? rc_dialect_name((rc_dialect)(index + 1)) : NULL;
}
