/* rc_follower: operations as they end, each of them once.
 *
 * Rows lie in the order in which operations began, and one that took an hour ends behind thousands
 * that were quicker. So every step looks at those that began a short while ago, every 16th step
 * further back, and every 256th further still; what is longer ago than that is not looked for.
 *
 *   step          began in the last    ended since the look of that kind before, and a bit earlier
 *   each          2 minutes
 *   each 16th     30 minutes
 *   each 256th    8 hours
 *
 * A record may be written a while after its operation ended: what was given lately is remembered,
 * and the looks overlap. The store may be another one from step to step: that of a gateway that was
 * started anew. */
#ifndef RC_STORE_FOLLOWER_H
#define RC_STORE_FOLLOWER_H

#include "store/store.h"

#define RC_FOLLOWER_SCANS 3
/* Operations that one step gives at most; the next one goes on. */
#define RC_FOLLOWER_STEP_MAX 1000
/* Operations that are remembered at most. When there are more, those that end late are missed. */
#define RC_FOLLOWER_SEEN_MAX ((size_t)1 << 20)

typedef struct rc_follower_seen {
    int64_t key; /* 0: free */
    int64_t ended_unix_ms;
} rc_follower_seen;

/* The caller's storage; the fields are private. */
typedef struct rc_follower {
    rc_alloc alloc;
    rc_store_filter filter;
    bool has_notices;
    uint64_t steps;
    int64_t from_unix_ms;                       /* what ended before is not given */
    int64_t scanned_unix_ms[RC_FOLLOWER_SCANS]; /* when each look was last taken */
    rc_follower_seen *seen;
    size_t seen_count;
    size_t seen_slots; /* a power of two; 0: none yet */
} rc_follower;

/* From now on. filter: its strings are borrowed until done; its times are not looked at.
 * has_notices: give notices too, though the filter does not ask for them. alloc: copies. */
void rc_follower_init(rc_follower *follower, const rc_store_filter *filter, bool has_notices,
                      int64_t now_unix_ms, const rc_alloc *alloc);
void rc_follower_done(rc_follower *follower);

/* Do not give this one: it is known. RC_E_NOMEM. */
rc_status rc_follower_skip(rc_follower *follower, const rc_record *operation);

/* Gives what has ended. Call it again and again, a short while apart. `each` is called while the
 * store is being read: it should not take long. */
bool rc_follower_step(rc_follower *follower, rc_store *store, int64_t now_unix_ms,
                      rc_record_each each, void *ctx, rc_store_fault *fault);

#endif
