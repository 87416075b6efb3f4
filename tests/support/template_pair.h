/* Two consecutive events: the walk over the second one must find the same values with the template
 * of the first event as without a template, whether the events have the same form or not. */
#ifndef TESTS_SUPPORT_MOULD_PAIR_H
#define TESTS_SUPPORT_MOULD_PAIR_H

#include <string.h>

#include "dialect/event_template.h"

typedef struct template_event {
    rc_str name;
    rc_str data;
} template_event;

typedef struct template_pair {
    bool is_right;  /* the results with and without a template are equal */
    bool is_fit;    /* the second event matched the template */
    bool is_good;   /* the second event is not damaged */
    unsigned kinds; /* kinds of the second event */
} template_pair;

static inline bool template_is_same_view(rc_str a, rc_str b)
{
    return a.ptr == b.ptr && a.len == b.len;
}

static inline bool template_is_same(const rc_stream_walk_result *a, const rc_stream_walk_result *b)
{
    return a->info.kinds == b->info.kinds && a->info.finish == b->info.finish &&
           a->info.content_bytes == b->info.content_bytes &&
           template_is_same_view(a->info.finish_text, b->info.finish_text) &&
           template_is_same_view(a->info.error, b->info.error) &&
           memcmp(a->usage.numbers, b->usage.numbers, sizeof a->usage.numbers) == 0 &&
           a->usage.images == b->usage.images && a->usage.weight == b->usage.weight &&
           a->usage.is_final == b->usage.is_final &&
           a->usage.is_output_bad == b->usage.is_output_bad && a->begun == b->begun &&
           a->has_numbers == b->has_numbers && a->finished == b->finished;
}

/* Walks over an event with and without the template, and compares the results. */
static inline bool template_walk(rc_stream_dialect dialect, template_event e,
                                 rc_event_template *template, template_pair *pair)
{
    rc_stream_walk_result with = rc_stream_walk_result_none();
    rc_stream_walk_result without = rc_stream_walk_result_none();
    rc_stream_walk_result fit = rc_stream_walk_result_none();
    pair->is_fit = rc_event_template_matches(template, dialect, e.name, e.data, &fit);
    pair->is_good = rc_stream_walk(dialect, e.name, e.data, NULL, &without);
    pair->kinds = without.info.kinds;
    bool is_good = rc_stream_walk(dialect, e.name, e.data, template, &with);
    return is_good == pair->is_good && template_is_same(&with, &without) &&
           (!pair->is_fit || (is_good && template_is_same(&fit, &without)));
}

static inline template_pair template_pair_do(rc_stream_dialect dialect, template_event first,
                                             template_event second)
{
    static const rc_event_template none;
    rc_event_template template = none;
    template_pair pair;
    bool is_right = template_walk(dialect, first, &template, &pair);
    pair.is_right = template_walk(dialect, second, &template, &pair) && is_right;
    return pair;
}

#endif
