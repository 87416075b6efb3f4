/* Compares recourse's policy with the best of the other policies, measure by measure. Called by
 * human.c. */
#include "base/str.h"
#include "cli/simulate/simulate.h"
#include "render/pen.h"
#include "sim/output/measure.h"

#define LABEL_INDENT 2u
#define LABEL_WIDTH 10u
#define LINE_MAX 512

struct verdict {
    rc_pen pen;
    const rc_sim_result *result;
    const rc_sim_policy_result *ours;
};

/* Returns the best policy for a measure that is not a policy of recourse; NULL: no such policy has
 * a value. */
static const rc_sim_policy_result *best_other(const struct verdict *v, const rc_measure *measure)
{
    const rc_sim_policy_result *best = NULL;
    for (uint32_t i = 0; i < v->result->policy_count; i++) {
        const rc_sim_policy_result *policy = &v->result->policies[i];
        if (policy->is_ours || policy->is_oracle || measure->get(policy) == RC_MEASURE_NONE)
            continue;
        const int64_t value = measure->get(policy);
        if (best == NULL || rc_measure_is_better(measure, value, measure->get(best)))
            best = policy;
    }
    return best;
}

/* Appends "success: 99.1%; openai-sdk 91.3%". If the measure is about delivered requests only and
 * the other policy delivers fewer, also appends the share that the other policy delivers. */
static void push_line(struct verdict *v, const rc_measure *measure,
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
    rc_pen_wrap(&v->pen, RC_TONE_PLAIN, LABEL_WIDTH, rc_buf_get(&line));
}

/* Returns 1 if the value of recourse (`ours`) is better, -1 if it is worse, 0 if the values are
 * equal. */
static int compare(const rc_measure *measure, int64_t ours, int64_t other)
{
    if (rc_measure_is_same(measure, ours, other))
        return 0;
    return rc_measure_is_better(measure, ours, other) ? 1 : -1;
}

static void push_standing(struct verdict *v, int wanted, rc_tone tone, const char *label)
{
    for (size_t i = 0; rc_measure_at(i) != NULL; i++) {
        const rc_measure *measure = rc_measure_at(i);
        const int64_t ours = measure->get(v->ours);
        const rc_sim_policy_result *other = best_other(v, measure);
        if (measure->sense == RC_MEASURE_NEUTRAL || ours == RC_MEASURE_NONE || other == NULL)
            continue;
        if (compare(measure, ours, measure->get(other)) != wanted)
            continue;
        /* A measure with two zeros gets no line. */
        if (wanted == 0 && ours == 0)
            continue;
        rc_pen_skip(&v->pen, LABEL_INDENT);
        rc_pen_text(&v->pen, tone, rc_str_c(label));
        rc_pen_to(&v->pen, LABEL_WIDTH);
        push_line(v, measure, other);
    }
}

static const rc_sim_policy_result *first_of(const rc_sim_result *result, bool is_ours)
{
    for (uint32_t i = 0; i < result->policy_count; i++)
        if (result->policies[i].is_ours == is_ours && !result->policies[i].is_oracle)
            return &result->policies[i];
    return NULL;
}

void rc_simulate_push_verdict(rc_buf *buf, const rc_sim_result *result, const rc_panel_style *style)
{
    struct verdict v = {.result = result, .ours = first_of(result, true)};
    if (v.ours == NULL || first_of(result, false) == NULL)
        return;
    char scratch[LINE_MAX];
    rc_buf head;
    rc_buf_init_fixed(&head, scratch, sizeof(scratch));
    rc_buf_push(&head, rc_str_c(v.ours->name));
    rc_buf_push(&head, RC_STR(" against the best of the others"));
    rc_pen_init(&v.pen, style, buf);
    rc_pen_cut(&v.pen, RC_TONE_PLAIN, rc_buf_get(&head), v.pen.width);
    rc_pen_end_line(&v.pen);
    push_standing(&v, 1, RC_TONE_GOOD, "ahead");
    push_standing(&v, 0, RC_TONE_FAINT, "even");
    push_standing(&v, -1, RC_TONE_WARN, "behind");
}
