/* rc_repeats: counts requests that a client sends again, unchanged, after a final error.
 *
 *   an error with x-should-retry: false ──add──► [ hash, time ] ◄──check── every request
 *                                                      │ the same hash within two minutes
 *                                                      ▼
 *                                              the counter of the client's name
 *
 * Only a keyed hash of a request is stored (SipHash-2-4 with a key of the process). The table has a
 * fixed size; a new entry replaces the oldest of its set. Clients have their configured name;
 * without configured clients, the product at the start of User-Agent. Names that do not fit count
 * as "other". While no entry is valid, a check costs one atomic load. Any thread may use it. */
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
/* The first name is "other". */
#define RC_REPEATS_NAMES 33u
#define RC_REPEATS_NAME_MAX 64u
#define RC_REPEATS_PRODUCT_MAX 32u

typedef struct rc_repeats_entry {
    uint64_t hash;
    uint64_t until_ms; /* 0: free */
    rc_code code;      /* The error's code. */
} rc_repeats_entry;

typedef struct rc_repeats_client {
    uint8_t len;
    char name[RC_REPEATS_NAME_MAX];
    bool is_product; /* From User-Agent; else the configured name. */
    rc_code code;    /* Code of the latest repeated request. */
    uint64_t count;
    int64_t last_unix_ms;
} rc_repeats_client;

typedef struct rc_repeats {
    uint64_t key[2];
    atomic_uint_least64_t armed_until_ms; /* When the last entry expires. */
    uv_mutex_t lock;                      /* Guards the members below. */
    rc_repeats_entry entries[RC_REPEATS_SETS][RC_REPEATS_WAYS];
    rc_repeats_client clients[RC_REPEATS_NAMES];
    uint32_t client_count;
} rc_repeats;

/* Initialises it. key: copies. False: the lock could not be created. */
bool rc_repeats_init(rc_repeats *repeats, const uint8_t key[16]);
void rc_repeats_done(rc_repeats *repeats);

/* True: at least one entry may be valid. */
bool rc_repeats_is_armed(const rc_repeats *repeats, uint64_t now_ms);

/* Hashes the parts in order; the boundaries between them matter. parts: borrows. */
uint64_t rc_repeats_hash(const rc_repeats *repeats, const rc_str *parts, size_t count);

/* Adds a request that got a final error. */
void rc_repeats_add(rc_repeats *repeats, uint64_t hash, rc_code code, uint64_t now_ms);

/* The sender of a request. */
typedef struct rc_repeats_caller {
    rc_str name; /* Empty or too long: "other". */
    bool is_product;
} rc_repeats_caller;

/* True: the request repeats one that got a final error; it is counted for the caller. caller:
 * borrows. */
bool rc_repeats_check(rc_repeats *repeats, uint64_t hash, const rc_repeats_caller *caller,
                      uint64_t now_ms, int64_t now_unix_ms);

/* "langchain" of "langchain/0.3 (linux)". Empty: no product, or not a plain word. Views
 * user_agent. */
rc_str rc_repeats_product(rc_str user_agent);

/* Copies the clients with a count and returns their number. ret_list: RC_REPEATS_NAMES elements. */
uint32_t rc_repeats_list(rc_repeats *repeats, rc_repeats_client *ret_list);

#endif
