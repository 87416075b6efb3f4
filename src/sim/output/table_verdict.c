/* Compares recourse's policy with the best of the others, measure by measure. Called by recourse
 * simulate. */
#include "render/wrap.h"
#include "sim/output/table.h"

#define LABEL_WIDTH 10u
#define LINE_MAX 512

struct verdict {
    rc_buf *buf;
    const rc_table_style *style;
    const rc_sim_result *result;
    const rc_sim_policy_result *ours;
};

/* The best policy that is not recourse's; NULL: none has a value. */
static const rc_sim_policy_result *best_other(const struct verdict *v, const rc_measure *measure)
{
    const rc_sim_policy_result *best = NULL;
    for (uint32_t i = 0; i < v->result->policy_count; i++) {
        const rc_sim_policy_result *policy = &v->result->policies[i];
        if (policy->is_ours || measure->get(policy) == RC_MEASURE_NONE)
            continue;
        const int64_t value = measure->get(policy);
        if (best == NULL || rc_measure_is_better(measure, value, measure->get(best)))
            best = policy;
    }
    return best;
}

static void push_label(const struct verdict *v, const char *sgr, const char *label)
{
    if (v->style->has_colour) {
        rc_buf_push(v->buf, RC_STR("\033["));
        rc_buf_push(v->buf, rc_str_c(sgr));
        rc_buf_push_byte(v->buf, 'm');
    }
    rc_buf_push(v->buf, RC_STR("  "));
    rc_buf_push(v->buf, rc_str_c(label));
    if (v->style->has_colour)
        rc_buf_push(v->buf, RC_STR("\033[0m"));
    for (size_t i = 2 + rc_str_c(label).len; i < LABEL_WIDTH; i++)
        rc_buf_push_byte(v->buf, ' ');
}

static void push_wrapped(const struct verdict *v, rc_str text)
{
    const unsigned width = v->style->width > LABEL_WIDTH + RC_VISIBLE_CHAR_WIDTH_MAX
                               ? v->style->width - LABEL_WIDTH
                               : RC_VISIBLE_CHAR_WIDTH_MAX;
    rc_wrap wrap;
    rc_wrap_line line;
    bool is_first = true;
    rc_wrap_init(&wrap, text, v->style->has_utf8);
    while (rc_wrap_next(&wrap, width, &line)) {
        for (unsigned i = 0; !is_first && i < LABEL_WIDTH; i++)
            rc_buf_push_byte(v->buf, ' ');
        rc_visible_push(v->buf, line.text, v->style->has_utf8);
        rc_buf_push_byte(v->buf, '\n');
        is_first = false;
    }
}

/* Appends "success: 99.1%; openai-sdk 91.3%". If the measure counts delivered requests only and the
 * other policy delivers fewer, adds how many. */
static void push_line(const struct verdict *v, const rc_measure *measure,
                      const rc_sim_policy_result *other)
{
    char scratch[LINE_MAX];
    rc_buf line;
    rc_buf_init_fixed(&line, scratch, sizeof(scratch));
    rc_buf_push(&line, rc_str_c(measure->phrase));
    rc_buf_push(&line, RC_STR(": "));
    rc_measure_push(&line, measure, measure->get(v->ours));
    rc_buf_push(&line, RC_STR("; "));
    rc_buf_push(&line, rc_str_c(other->name));
    rc_buf_push_byte(&line, ' ');
    rc_measure_push(&line, measure, measure->get(other));
    if (measure->is_of_delivered && other->success_milli_pct < v->ours->success_milli_pct) {
        rc_buf_push(&line, RC_STR(", of the "));
        rc_chart_push_value(&line, RC_UNIT_PERCENT, other->success_milli_pct);
        rc_buf_push(&line, RC_STR(" that it delivers"));
    }
    push_wrapped(v, rc_buf_get(&line));
}

/* Compares two values: 1 if ours is better, -1 if worse, 0 if equal. */
static int compare(const rc_measure *measure, int64_t ours, int64_t other)
{
    if (rc_measure_is_same(measure, ours, other))
        return 0;
    return rc_measure_is_better(measure, ours, other) ? 1 : -1;
}

static void push_standing(const struct verdict *v, int wanted, const char *sgr, const char *label)
{
    for (size_t i = 0; rc_measure_at(i) != NULL; i++) {
        const rc_measure *measure = rc_measure_at(i);
        const int64_t ours = measure->get(v->ours);
        const rc_sim_policy_result *other = best_other(v, measure);
        if (measure->sense == RC_MEASURE_NEUTRAL || ours == RC_MEASURE_NONE || other == NULL)
            continue;
        if (compare(measure, ours, measure->get(other)) != wanted)
            continue;
        /* Two zeros need no line. */
        if (wanted == 0 && ours == 0)
            continue;
        push_label(v, sgr, label);
        push_line(v, measure, other);
    }
}

static const rc_sim_policy_result *first_of(const rc_sim_result *result, bool is_ours)
{
    for (uint32_t i = 0; i < result->policy_count; i++)
        if (result->policies[i].is_ours == is_ours)
            return &result->policies[i];
    return NULL;
}

void rc_table_push_verdict(rc_buf *buf, const rc_sim_result *result, const rc_table_style *style)
{
    const struct verdict v = {
        .buf = buf, .style = style, .result = result, .ours = first_of(result, true)};
    if (v.ours == NULL || first_of(result, false) == NULL)
        return;
    char scratch[LINE_MAX];
    rc_buf head;
    rc_buf_init_fixed(&head, scratch, sizeof(scratch));
    rc_buf_push(&head, rc_str_c(v.ours->name));
    rc_buf_push(&head, RC_STR(" against the best of the others"));
    rc_visible_push_cut(buf, rc_buf_get(&head), style->width, style->has_utf8);
    rc_buf_push_byte(buf, '\n');
    push_standing(&v, 1, "32", "ahead");
    push_standing(&v, 0, "2", "even");
    push_standing(&v, -1, "33", "behind");
}
