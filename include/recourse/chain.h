/* rc_chain: the targets of a route in their order, and how a group of equal targets shares the
 * requests.
 *
 *   chain     entry 0 ──► group of entries 1, 2, 3 ──► entry 4
 *                          │
 *        members that may be used now, without failing ones ──► weight, calls in flight or
 *                                                               remaining limit ──► one member
 *
 * Consecutive entries with the same `group` number form a group (in the configuration: `any_of`).
 * A call uses each member of a group at most once before it continues behind the group. Members
 * that are closed (in a cooldown, without a usable key, out of service) are left out. A member
 * whose latest RC_GROUP_FAILING calls failed gets single probes, at growing intervals, until a call
 * succeeds; if every open member of the group fails, the members share the requests as before.
 *
 * By weight, the choice is weighted rendezvous hashing: each member gets a cost that depends on a
 * key and on the member's id, and the lowest cost wins. With a random key each member wins in
 * proportion to its weight. With a fixed key (a user, a session) the same member wins every time.
 * While the member cannot be used, another one wins for this key, and the other keys keep theirs.
 */
#ifndef RECOURSE_CHAIN_H
#define RECOURSE_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/export.h>
#include <recourse/policy.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* How a group chooses among the members that may be used. */
typedef enum rc_spread {
    RC_SPREAD_WEIGHT = 0,     /* at random, in proportion to the weights */
    RC_SPREAD_LEAST_BUSY = 1, /* the member with the fewest calls in flight per weight */
    RC_SPREAD_REMAINING = 2   /* at random, in proportion to weight times the number of calls for
                                 which the learned rate limits have room */
} rc_spread;

/* Maximum number of members of a group. Further entries with the same number form a new group. */
#define RC_GROUP_MAX 32u
/* Maximum weight. A weight of 0 counts as 1. */
#define RC_WEIGHT_MAX 10000u
/* Number of consecutive failures after which a member of a group gets only probes. */
#define RC_GROUP_FAILING 3u

/* One entry of a chain: a target and its limits. */
typedef struct rc_chain_entry {
    uint16_t target;       /* index of the target in rc_shared */
    uint16_t max_attempts; /* number of attempts before the call continues with the next entry; 0:
                              one attempt in each round (pass over the chain), in as many rounds as
                              the policy's rule allows */
    uint32_t capabilities; /* RC_NEED_ bits of the target's capabilities; all bits are set if the
                              capabilities are not known */
    uint16_t group;        /* number of the group; 0: the entry is not in a group */
    uint16_t weight;       /* share of the requests of the group, relative to the other members */
    uint32_t id;           /* identifies the target in rendezvous hashing, for example a hash of its
                              name, so that all processes choose alike */
    uint8_t spread;        /* an rc_spread; that of the group's first member applies */
    bool is_sticky;        /* calls with the same sticky_key (call.h) use the same member; that of
                              the group's first member applies */
} rc_chain_entry;

/* The chain and policy of a route; immutable, shared by any number of calls. */
typedef struct rc_plan {
    const rc_policy *policy;
    const rc_chain_entry *entries;
    uint16_t entry_count; /* number of entries; at least 1 */
    uint16_t overflow_to; /* index of the entry for contexts that are too long for other targets;
                             RC_NO_TARGET: none. An entry with an index >= chain_count is not part
                             of the chain. The entry is not used if its target is the one that
                             reported the overflow. */
    uint16_t chain_count; /* entries [0 .. chain_count) are the chain; 0: all entries are the
                             chain */
    /* `failover: last`: an entry without max_attempts gets all attempts of the policy's rule, with
     * their waits, before the call continues with the next entry. false: a failed attempt continues
     * at once with the next entry. */
    bool is_failover_last;
    const rc_code_set *fallback_on; /* fatal codes after which the next entry is tried; NULL:
                                       none */
} rc_plan;

/* A group of chain entries: entries [first .. first + count). An entry that is not in a group is a
 * group of its own. */
typedef struct rc_group {
    uint16_t first;
    uint16_t count;
} rc_group;

/* Returns the group of an entry. An entry outside the chain, such as the one for contexts that are
 * too long, is a group of its own. plan: borrows during the call. */
RC_API rc_group rc_plan_group(const rc_plan *plan, uint16_t entry);

/* Returns the hash of a text, for sticky_key and rc_chain_entry.id: the same in every process, and
 * never 0. text: borrows during the call. */
RC_API uint64_t rc_spread_hash(rc_str text);

/* Returns the cost of a member for a key, before the division by its weight. For random keys the
 * cost has an exponential distribution, in units of 2^-24 of log2; it is below 2^31. */
RC_API uint32_t rc_spread_cost(uint64_t key, uint32_t id);

/* Returns "weight", "least-busy" or "remaining". Any other value has the name "". The result is a
 * static string. */
RC_API const char *rc_spread_name(rc_spread spread);

/* rc_chain: the chain entry at which the calls of one route or session begin. */
typedef enum rc_revert {
    RC_REVERT_COOLDOWN_EXPIRY = 0, /* begin at the first entry again as soon as it is available */
    RC_REVERT_NEVER = 1            /* begin at the entry that succeeded last */
} rc_revert;

typedef struct rc_chain {
    rc_revert revert;
    uint16_t active; /* index of the entry that succeeded last; of a group, the first entry */
} rc_chain;

/* Initialises the state of a chain; the first call begins at entry 0. */
RC_API void rc_chain_init(rc_chain *chain, rc_revert revert);

/* Returns the value of first_entry for the rc_call_options of the next call. */
RC_API uint16_t rc_chain_first(const rc_chain *chain);

/* Records that a call succeeded at this entry. An entry outside the chain, such as the one for
 * contexts that are too long, changes nothing. plan: borrows during the call. */
RC_API void rc_chain_on_success(rc_chain *chain, const rc_plan *plan, uint16_t entry);

/* Returns the name of a value: "cooldown-expiry" or "never". Any other value has the name "". The
 * result is a static string. */
RC_API const char *rc_revert_name(rc_revert revert);

RC_END_DECLS

#endif
