/* Two events, one behind the other: whether the second is of the first one's form or not, a walk
 * with the mould finds in it what a walk without one does. */
#ifndef TESTS_SUPPORT_MOULD_PAIR_H
#define TESTS_SUPPORT_MOULD_PAIR_H

#include <string.h>

#include "codec/stream_mould.h"

typedef struct mould_event {
    rc_str name;
    rc_str data;
} mould_event;

typedef struct mould_pair {
    bool is_right;  /* all is as without a mould */
    bool is_fit;    /* the second was known by its form */
    bool is_good;   /* the second is no damaged one */
    unsigned kinds; /* of the second */
} mould_pair;

static inline bool mould_is_same_view(rc_str a, rc_str b)
{
    return a.ptr == b.ptr && a.len == b.len;
}

static inline bool mould_is_same(const rc_stream_found *a, const rc_stream_found *b)
{
    return a->seen.kinds == b->seen.kinds && a->seen.finish == b->seen.finish &&
           a->seen.content_bytes == b->seen.content_bytes &&
           mould_is_same_view(a->seen.finish_text, b->seen.finish_text) &&
           mould_is_same_view(a->seen.error, b->seen.error) &&
           memcmp(a->usage.numbers, b->usage.numbers, sizeof a->usage.numbers) == 0 &&
           a->usage.images == b->usage.images && a->usage.weight == b->usage.weight &&
           a->usage.is_final == b->usage.is_final &&
           a->usage.is_output_bad == b->usage.is_output_bad && a->begun == b->begun &&
           a->has_numbers == b->has_numbers && a->finished == b->finished;
}

/* What both walks find in an event. */
static inline bool mould_walk(rc_stream_dialect dialect, mould_event e, rc_stream_mould *mould,
                              mould_pair *pair)
{
    rc_stream_found with = rc_stream_found_none();
    rc_stream_found without = rc_stream_found_none();
    rc_stream_found fit = rc_stream_found_none();
    pair->is_fit = rc_stream_mould_fits(mould, dialect, e.name, e.data, &fit);
    pair->is_good = rc_stream_walk(dialect, e.name, e.data, NULL, &without);
    pair->kinds = without.seen.kinds;
    bool is_good = rc_stream_walk(dialect, e.name, e.data, mould, &with);
    return is_good == pair->is_good && mould_is_same(&with, &without) &&
           (!pair->is_fit || (is_good && mould_is_same(&fit, &without)));
}

static inline mould_pair mould_pair_do(rc_stream_dialect dialect, mould_event first,
                                       mould_event second)
{
    static const rc_stream_mould none;
    rc_stream_mould mould = none;
    mould_pair pair;
    bool is_right = mould_walk(dialect, first, &mould, &pair);
    pair.is_right = mould_walk(dialect, second, &mould, &pair) && is_right;
    return pair;
}

#endif
