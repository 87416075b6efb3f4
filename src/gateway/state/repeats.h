/* rc_repeats: counts requests that a client sends again, unchanged, after a final error.
 *
 *   an error with x-should-retry: false ──add──► [ hash, time ] ◄──check── every request
 *                                                      │ the same hash within two minutes
 *                                                      ▼
 *                                              the counter of the client's name
 *
 * Only a keyed hash of a request is stored (SipHash-2-4 with a key of the process). The table has a
 * fixed size; a new entry replaces the oldest entry of its set. A client is counted under its
 * configured name. If no clients are configured, a client is counted under the product at the start
 * of User-Agent. Clients whose names do not fit into the table are counted as "other". While no
 * entry is valid, a check is one atomic load. Any thread may call these functions. */
#ifndef RC_GATEWAY_STATE_REPEATS_H
#define RC_GATEWAY_STATE_REPEATS_H

#include <stdatomic.h>

#include <uv.h>

#include <recourse/codes.h>
#include <recourse/str.h>

#define RC_REPEATS_WINDOW_MS UINT64_C(120000)
/* A set-associative table: number of sets (a power of two) and entries per set. */
#define RC_REPEATS_SETS 128u
#define RC_REPEATS_WAYS 4u
/* Maximum number of counted names, including "other", which is the first name. */
#define RC_REPEATS_NAMES 33u
#define RC_REPEATS_NAME_MAX 64u
#define RC_REPEATS_PRODUCT_MAX 32u

typedef struct rc_repeats_entry {
    uint64_t hash;
    uint64_t until_ms; /* Time at which the entry expires. 0 if the entry is free. */
    rc_code code;      /* Code of the final error. */
} rc_repeats_entry;

typedef struct rc_repeats_client {
    uint8_t len;
    char name[RC_REPEATS_NAME_MAX];
    bool is_product; /* The name is a product from User-Agent, not a configured name. */
    rc_code code;    /* Code of the latest repeated request. */
    uint64_t count;
    int64_t last_unix_ms;
} rc_repeats_client;

typedef struct rc_repeats {
    uint64_t key[2];
    atomic_uint_least64_t armed_until_ms; /* Time at which the last valid entry expires. */
    uv_mutex_t lock;                      /* Guards the members below. */
    rc_repeats_entry entries[RC_REPEATS_SETS][RC_REPEATS_WAYS];
    rc_repeats_client clients[RC_REPEATS_NAMES];
    uint32_t client_count;
} rc_repeats;

/* Initialises the table. key: copies the bytes. Returns false if the lock could not be created. */
bool rc_repeats_init(rc_repeats *repeats, const uint8_t key[16]);
void rc_repeats_done(rc_repeats *repeats);

/* Whether at least one entry may be valid, so that rc_repeats_check is worth a hash. */
bool rc_repeats_is_armed(const rc_repeats *repeats, uint64_t now_ms);

/* Hashes the parts in order. The hash depends on the boundaries between the parts. parts: borrows
 * during the call. */
uint64_t rc_repeats_hash(const rc_repeats *repeats, const rc_str *parts, size_t count);

/* Adds a request that got a final error. */
void rc_repeats_add(rc_repeats *repeats, uint64_t hash, rc_code code, uint64_t now_ms);

/* The sender of a request. */
typedef struct rc_repeats_caller {
    rc_str name; /* An empty or too long name is counted as "other". */
    bool is_product;
} rc_repeats_caller;

/* Whether the request repeats a request that got a final error. If so, the repeat is counted for
 * the caller. caller: borrows during the call. */
bool rc_repeats_check(rc_repeats *repeats, uint64_t hash, const rc_repeats_caller *caller,
                      uint64_t now_ms, int64_t now_unix_ms);

/* Returns the product of a User-Agent, such as "langchain" of "langchain/0.3 (linux)"; empty if
 * there is no product or it is not a plain word. The result views (points into) user_agent. */
rc_str rc_repeats_product(rc_str user_agent);

/* Copies the names under which repeats were counted, and returns their number. ret_list: space for
 * RC_REPEATS_NAMES elements. */
uint32_t rc_repeats_list(rc_repeats *repeats, rc_repeats_client *ret_list);

#endif
