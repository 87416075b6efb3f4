/* rc_stats: sums of operations or attempts by target, class, code, hour, client, model or route, in
 * bounded memory.
 *
 * The store adds one sample per row. A group is created when its key first occurs. When there are
 * too many groups, samples with further keys are added to the group "other" of their kind
 * (is_other). */
#ifndef RC_STORE_STATS_H
#define RC_STORE_STATS_H

#include <recourse/alloc.h>
#include <recourse/str.h>

#include "base/histogram.h"
#include "store/record.h"

/* The kinds of groups, as bits. */
#define RC_STATS_BY_TARGET 1u
#define RC_STATS_BY_CLASS 2u
#define RC_STATS_BY_CODE 4u
#define RC_STATS_BY_HOUR 8u /* Groups by hour, or by the length of time in rc_stats.span_ms. */
#define RC_STATS_BY_CLIENT 16u
#define RC_STATS_BY_MODEL 32u
#define RC_STATS_BY_ROUTE 64u

/* Maximum number of groups by name (targets, clients, models and routes together). Groups by time,
 * code and class have space of their own. */
#define RC_STATS_NAMES_MAX 2048
#define RC_STATS_GROUPS_MAX (RC_STATS_NAMES_MAX + 512)

/* Number of class counters in a group. The last counter is for RC_CLASS_UNKNOWN. */
#define RC_STATS_CLASSES 14

typedef struct rc_stats_group {
    uint32_t by;   /* The kind of the group (RC_STATS_BY_...). 0 for the total. */
    bool is_other; /* The group collects the samples of its kind that have no group of their own. */
    int64_t key;   /* An rc_error_class, an rc_code, or the first Unix millisecond of a group by
                    * time. Private in groups by name. */
    char label[RC_RECORD_NAME_MAX + 1]; /* Name of a target, client, model or route; ends in NUL. */
    uint64_t count;
    uint64_t succeeded; /* Number of samples that succeeded. rc_record_attempt_outcome determines
                         * the outcome of an attempt. */
    uint64_t failed;
    uint64_t cancelled;
    uint64_t open;
    uint64_t faltered;  /* In groups of operations: number of operations that ended and had a failed
                         * attempt. */
    uint64_t recovered; /* In groups of operations: the operations of `faltered` that succeeded. In
                           groups of attempts: the failed attempts whose operation succeeded. */
    uint64_t attempts;  /* In groups of operations: the total of their attempts. In groups of
                           attempts: the same as `count`. */
    uint64_t wasted;    /* Number of attempts that gave no client a response. */
    uint64_t tokens_in;
    uint64_t tokens_out;
    uint64_t cost_usd_micro;
    uint64_t estimated;           /* Number of samples whose tokens were partly or wholly
                                   * estimated. */
    uint64_t estimated_usd_micro; /* Cost of the attempts whose tokens were estimated. */
    uint64_t unpriced;            /* Number of samples with usage that has no price, so that the
                                   * cost does not include it. */
    uint64_t classes[RC_STATS_CLASSES]; /* Number of failed samples of each class, by
                                         * rc_stats_class_index. */
    rc_histogram latency;               /* Latencies of the samples with a known latency. */
    rc_histogram first_byte;            /* Times to the first byte of content, of the samples with a
                                           known time. */
} rc_stats_group;

/* Lives in the caller's storage. The caller may read `groups`, `count`, `total`, `first_unix_ms`
 * and `last_unix_ms`, and may set `span_ms`. All other members are private. */
typedef struct rc_stats {
    rc_alloc alloc;
    uint32_t by;
    bool is_of_attempts;
    bool is_out_of_memory;
    int64_t span_ms;       /* Length of a group by time (RC_STATS_BY_HOUR). The default is an hour;
                            * the caller may set another value above 0. */
    int64_t first_unix_ms; /* Time of the first sample. 0 if there is no sample. */
    int64_t last_unix_ms;
    rc_stats_group *total;
    rc_stats_group **groups; /* The groups in the order of their first samples. */
    size_t count;
    size_t name_count;                       /* The number of groups by name. */
    uint16_t slots[RC_STATS_GROUPS_MAX * 2]; /* Hash table: 1 + the index in `groups`. 0 marks a
                                              * free slot. */
} rc_stats;

/* One row that is added to the groups. */
typedef struct rc_stats_sample {
    int64_t unix_ms;
    rc_outcome outcome;
    int64_t code;
    int64_t error_class;
    int64_t target; /* target, client, model and route are numbers that stand for names. */
    int64_t client;
    int64_t model;
    int64_t route;
    uint64_t attempts;
    uint64_t wasted;
    bool has_faltered; /* Same meaning as rc_stats_group.faltered. */
    bool has_recovered;
    int64_t latency_ms; /* Duration. -1 if unknown. */
    int64_t first_byte_ms;
    uint64_t tokens_in;
    uint64_t tokens_out;
    uint64_t cost_usd_micro;
    uint64_t estimated_usd_micro; /* Same meaning as rc_stats_group.estimated_usd_micro. */
    bool is_unpriced;
    bool is_estimated; /* The tokens are partly or wholly estimated. */
} rc_stats_sample;

/* Initialises empty statistics. by: kinds of groups, combined by `|`. is_of_attempts: samples are
 * attempts, not operations. alloc: copies the struct. Returns RC_E_NOMEM if memory runs out;
 * rc_stats_done must be called even then. */
rc_status rc_stats_init(rc_stats *stats, uint32_t by, bool is_of_attempts, const rc_alloc *alloc);
void rc_stats_done(rc_stats *stats);

/* rc_stats_class_index: returns the index of a class in rc_stats_group.classes. rc_stats_class_at:
 * returns the class of an index. The index of RC_CLASS_NONE is 0. */
size_t rc_stats_class_index(int64_t error_class);
rc_error_class rc_stats_class_at(size_t index);

/* Adds a sample. sample: borrows during the call. Returns RC_E_NOMEM if memory runs out; the sample
 * is then missing in some groups. */
rc_status rc_stats_add(rc_stats *stats, const rc_stats_sample *sample);

#endif
