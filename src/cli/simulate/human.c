/* The result of a simulation in the human format. Called by command.c; files.c uses the list of
 * faults. */
#include "base/str.h"
#include "cli/simulate/plot.h"
#include "cli/simulate/simulate.h"
#include "render/pen.h"

#define TEXT_MAX 1024
#define TEXT_WIDTH_MAX 100u
/* Smallest width of a chart; a narrower terminal wraps the lines of the chart. */
#define PLOT_WIDTH_MIN 30u

struct page {
    rc_buf *buf;
    const rc_sim_result *result;
    const rc_panel_style *style;
};

static void push_wrapped(const struct page *page, rc_tone tone, rc_str text)
{
    rc_panel_style style = *page->style;
    rc_pen pen;
    if (style.width > TEXT_WIDTH_MAX)
        style.width = TEXT_WIDTH_MAX;
    rc_pen_init(&pen, &style, page->buf);
    rc_pen_wrap(&pen, tone, 0, text);
}

void rc_simulate_push_faults(rc_buf *buf, const rc_sim_result *result)
{
    bool is_first = true;
    for (uint32_t i = 0; i < result->span_count; i++) {
        const rc_str label = rc_str_c(result->spans[i].label);
        uint32_t before = 0;
        while (before < i && !rc_str_eq(label, rc_str_c(result->spans[before].label)))
            before++;
        if (before < i)
            continue;
        rc_cli_text(buf, is_first ? "" : ", ");
        rc_buf_push(buf, label);
        is_first = false;
    }
}

static void push_span(rc_buf *buf, const rc_sim_span *span)
{
    rc_cli_text(buf, span->label);
    if (span->share_pct < 100) {
        rc_cli_text(buf, " of ");
        rc_buf_push_u64(buf, span->share_pct);
        rc_cli_text(buf, "% of the calls");
    }
    /* A fault on the side of the clients has no provider. */
    if (span->provider[0] != '\0')
        rc_cli_text(buf, " at ");
    rc_cli_text(buf, span->provider);
    rc_cli_text(buf, ", ");
    rc_chart_push_tick(buf, RC_UNIT_MS, (int64_t)span->from_ms);
    rc_cli_text(buf, " to ");
    rc_chart_push_tick(buf, RC_UNIT_MS, (int64_t)span->until_ms);
}

static void push_setup(const struct page *page)
{
    const rc_sim_result *result = page->result;
    char scratch[TEXT_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_chart_push_value(&text, RC_UNIT_COUNT, (int64_t)result->clients);
    rc_cli_text(&text, result->clients == 1 ? " client, " : " clients, ");
    if (result->policy_count > 0) {
        rc_chart_push_value(&text, RC_UNIT_COUNT, (int64_t)result->policies[0].requests);
        rc_cli_text(&text, " requests in ");
    }
    rc_chart_push_tick(&text, RC_UNIT_MS, (int64_t)result->duration_ms);
    rc_cli_text(&text, " of virtual time, deadline ");
    rc_chart_push_tick(&text, RC_UNIT_MS, (int64_t)result->deadline_ms);
    rc_cli_text(&text, ", seed ");
    rc_buf_push_u64(&text, result->seed);
    push_wrapped(page, RC_TONE_PLAIN, rc_buf_get(&text));
    for (uint32_t i = 0; i < result->span_count; i++) {
        rc_buf_reset(&text);
        push_span(&text, &result->spans[i]);
        push_wrapped(page, RC_TONE_PLAIN, rc_buf_get(&text));
    }
}

static void push_head(const struct page *page)
{
    char scratch[TEXT_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_cli_text(&text, page->result->scenario);
    if (page->result->about[0] != '\0') {
        rc_cli_text(&text, ": ");
        rc_cli_text(&text, page->result->about);
    }
    push_wrapped(page, RC_TONE_STRONG, rc_buf_get(&text));
    push_setup(page);
}

static rc_status push_plot(const struct page *page, const rc_alloc *alloc)
{
    rc_panel_style style = *page->style;
    if (style.width < PLOT_WIDTH_MIN)
        style.width = PLOT_WIDTH_MIN;
    char scratch[TEXT_MAX];
    rc_buf band;
    rc_buf_init_fixed(&band, scratch, sizeof(scratch));
    rc_simulate_push_faults(&band, page->result);

    rc_chart_set set;
    rc_status status = rc_chart_set_make(&set, page->result, rc_simulate_plot_steps(&style), alloc);
    if (status == RC_OK) {
        rc_buf_push_byte(page->buf, '\n');
        rc_simulate_plot_push(page->buf, &set, rc_buf_get(&band), &style);
    }
    rc_chart_set_done(&set);
    return status;
}

rc_status rc_simulate_human(rc_buf *buf, const rc_sim_result *result, const rc_panel_style *style,
                            bool has_plot, const rc_alloc *alloc)
{
    const struct page page = {.buf = buf, .result = result, .style = style};
    push_head(&page);
    rc_buf_push_byte(buf, '\n');
    const rc_status status = rc_simulate_push_table(buf, result, style, alloc);
    if (status != RC_OK)
        return status;
    push_wrapped(
        &page, RC_TONE_PLAIN,
        RC_STR("* the best value of its column. Success: delivered completely before the deadline. "
               "Added latency: of delivered requests, without the delivering call."));
    if (result->policy_count > 1) {
        rc_buf_push_byte(buf, '\n');
        rc_simulate_push_verdict(buf, result, style);
    }
    return has_plot ? push_plot(&page, alloc) : RC_OK;
}
