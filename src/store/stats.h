/* rc_stats: operations or attempts, added up by target, class, code, hour, client, model or route,
 * in a bounded space.
 *
 * Whoever reads rows adds one sample for each. A group is made when its key is first seen; when
 * there are too many, what is left goes to the last one of its kind, which says so. */
#ifndef RC_STORE_STATS_H
#define RC_STORE_STATS_H

#include <recourse/alloc.h>
#include <recourse/str.h>

#include "base/histogram.h"
#include "store/record.h"

/* By what. */
#define RC_STATS_BY_TARGET 1u
#define RC_STATS_BY_CLASS 2u
#define RC_STATS_BY_CODE 4u
#define RC_STATS_BY_HOUR 8u /* or any other time: rc_stats.span_ms */
#define RC_STATS_BY_CLIENT 16u
#define RC_STATS_BY_MODEL 32u
#define RC_STATS_BY_ROUTE 64u

/* Of names (targets, clients, models, routes), of all kinds together. Times, codes and classes have
 * room of their own: many names do not take it away. */
#define RC_STATS_NAMES_MAX 2048
#define RC_STATS_GROUPS_MAX (RC_STATS_NAMES_MAX + 512)

/* Places of the classes in a group; the last one is RC_CLASS_UNKNOWN's. */
#define RC_STATS_CLASSES 14

typedef struct rc_stats_group {
    uint32_t by;   /* one of the above; 0: everything */
    bool is_other; /* of its kind, those for whom there was no room */
    int64_t key;   /* rc_error_class, rc_code, the time's first Unix millisecond; else private */
    char label[RC_RECORD_NAME_MAX + 1]; /* of a target, client, model or route; ends in NUL */
    uint64_t count;
    uint64_t succeeded; /* of attempts: as rc_record_attempt_outcome says */
    uint64_t failed;
    uint64_t cancelled;
    uint64_t open;
    uint64_t faltered;  /* of operations: ended, and had an attempt that failed */
    uint64_t recovered; /* of operations: of these, succeeded. Of attempts: failed, and their
                           operation succeeded all the same */
    uint64_t attempts;  /* of operations: tries in all; of attempts the same as count */
    uint64_t wasted;    /* of these: nobody got an answer from them */
    uint64_t tokens_in;
    uint64_t tokens_out;
    uint64_t cost_usd_micro;
    uint64_t estimated;           /* of them: nobody told all of their tokens */
    uint64_t estimated_usd_micro; /* of the cost: of attempts whose tokens nobody measured */
    uint64_t unpriced;            /* used something without a price, which is not in the cost */
    uint64_t classes[RC_STATS_CLASSES]; /* of those that failed, by rc_stats_class_index */
    rc_histogram latency;               /* of those whose time is known */
    rc_histogram first_byte;            /* the same, until the first byte of content */
} rc_stats_group;

/* The caller's storage; `groups`, `count`, `total` and the two times are for reading, the rest but
 * for `span_ms` is private. */
typedef struct rc_stats {
    rc_alloc alloc;
    uint32_t by;
    bool is_of_attempts;
    bool is_out_of_memory;
    int64_t span_ms;       /* of RC_STATS_BY_HOUR: an hour, until somebody sets another, above 0 */
    int64_t first_unix_ms; /* of what was added; 0: nothing was */
    int64_t last_unix_ms;
    rc_stats_group *total;
    rc_stats_group **groups; /* in the order in which they were first seen */
    size_t count;
    size_t name_count;                       /* of these: groups of names */
    uint16_t slots[RC_STATS_GROUPS_MAX * 2]; /* a hash table: 1 + the place in groups */
} rc_stats;

/* One row. */
typedef struct rc_stats_sample {
    int64_t unix_ms;
    rc_outcome outcome;
    int64_t code;
    int64_t error_class;
    int64_t target; /* a number that stands for a name, like the next three */
    int64_t client;
    int64_t model;
    int64_t route;
    uint64_t attempts;
    uint64_t wasted;
    bool has_faltered; /* as in the group */
    bool has_recovered;
    int64_t latency_ms; /* -1: not known */
    int64_t first_byte_ms;
    uint64_t tokens_in;
    uint64_t tokens_out;
    uint64_t cost_usd_micro;
    uint64_t estimated_usd_micro; /* as in the group */
    bool is_unpriced;
    bool is_estimated; /* the tokens, or some of them */
} rc_stats_sample;

/* Starts empty. by: any of the above together; is_of_attempts: of attempts, not of operations.
 * alloc: copies. RC_E_NOMEM. Done is due in each case. */
rc_status rc_stats_init(rc_stats *stats, uint32_t by, bool is_of_attempts, const rc_alloc *alloc);
void rc_stats_done(rc_stats *stats);

/* The place of a class, and back; RC_CLASS_NONE's is 0. */
size_t rc_stats_class_index(int64_t error_class);
rc_error_class rc_stats_class_at(size_t index);

/* RC_E_NOMEM: it is not in all groups. sample: borrows. */
rc_status rc_stats_add(rc_stats *stats, const rc_stats_sample *sample);

#endif
