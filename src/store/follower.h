/* rc_follower: delivers each operation once, when it has ended.
 *
 * Rows are in the order in which operations began. An operation that takes an hour ends after
 * thousands of shorter operations that began later. Therefore each step scans the operations that
 * began recently, each 16th step scans further back and each 256th step scans even further.
 * Operations that run for longer than eight hours are not found.
 *
 *   step          finds operations that ended since its last scan and began in the last
 *   each          2 minutes
 *   each 16th     30 minutes
 *   each 256th    8 hours
 *
 * A record may be written some time after its operation ended, so the scans overlap and the
 * follower remembers the operations that it has delivered. Each step may use another rc_store, for
 * example after a gateway was restarted. */
#ifndef RC_STORE_FOLLOWER_H
#define RC_STORE_FOLLOWER_H

#include "store/store.h"

#define RC_FOLLOWER_SCANS 3
/* Maximum number of operations that one step delivers; the next step continues. */
#define RC_FOLLOWER_STEP_MAX 1000
/* Maximum number of delivered operations that the follower remembers. If more operations are
 * delivered, the follower may miss operations that end late. */
#define RC_FOLLOWER_SEEN_MAX ((size_t)1 << 20)

typedef struct rc_follower_seen {
    int64_t key; /* Key of a delivered operation. 0 marks a free slot. */
    int64_t ended_unix_ms;
} rc_follower_seen;

/* Lives in the caller's storage. The members are private. */
typedef struct rc_follower {
    rc_alloc alloc;
    rc_store_filter filter;
    bool has_notices;
    uint64_t steps;
    int64_t from_unix_ms; /* Operations that ended before this time are not delivered. */
    int64_t scanned_unix_ms[RC_FOLLOWER_SCANS]; /* Time of the latest scan of each kind. */
    rc_follower_seen *seen;
    size_t seen_count;
    size_t seen_slots; /* Slots of the table, a power of two. 0 if there is no table yet. */
} rc_follower;

/* Initialises a follower that delivers operations ending at now_unix_ms or later. filter: copies
 * the struct, borrows its strings until rc_follower_done; its times are ignored. has_notices:
 * notices are also delivered, although the filter does not select them. alloc: copies the
 * struct. */
void rc_follower_init(rc_follower *follower, const rc_store_filter *filter, bool has_notices,
                      int64_t now_unix_ms, const rc_alloc *alloc);
void rc_follower_done(rc_follower *follower);

/* Marks an operation as delivered. Returns RC_E_NOMEM if memory runs out. */
rc_status rc_follower_skip(rc_follower *follower, const rc_record *operation);

/* Passes the operations that have ended since the last step to `each`. The caller must call this
 * function repeatedly, for example every second. `each` runs while the store is being read, so it
 * should be quick. */
bool rc_follower_step(rc_follower *follower, rc_store *store, int64_t now_unix_ms,
                      rc_record_each each, void *ctx, rc_store_fault *fault);

#endif
