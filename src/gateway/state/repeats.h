/* rc_repeats: clients that send a request again, unchanged, after an answer that said not to.
 *
 *   an error with x-should-retry: false ──note──► [ hash, time ] ◄──check── every request
 *                                                      │ the same within two minutes
 *                                                      ▼
 *                                              a count for the client's name
 *
 * Of a request only a keyed hash is kept (SipHash-2-4 with a key of the process), and only of as
 * many as there is room for: the oldest makes room. Clients are those of the configuration; where
 * there are none, the product that User-Agent begins with. Names that do not fit are "other". While
 * no answer has said so lately, a check is one look at a number. Any thread. */
#ifndef RC_GATEWAY_STATE_REPEATS_H
#define RC_GATEWAY_STATE_REPEATS_H

#include <stdatomic.h>

#include <uv.h>

#include <recourse/codes.h>
#include <recourse/str.h>

#define RC_REPEATS_WINDOW_MS UINT64_C(120000)
/* Sets, a power of two, of so many requests each. */
#define RC_REPEATS_SETS 128u
#define RC_REPEATS_WAYS 4u
/* The first is "other". */
#define RC_REPEATS_NAMES 33u
#define RC_REPEATS_NAME_MAX 64u
#define RC_REPEATS_PRODUCT_MAX 32u

typedef struct rc_repeats_entry {
    uint64_t hash;
    uint64_t until_ms; /* 0: free */
    rc_code code;      /* that the answer had */
} rc_repeats_entry;

typedef struct rc_repeats_client {
    uint8_t len;
    char name[RC_REPEATS_NAME_MAX];
    bool is_product; /* of a User-Agent; else the configuration's */
    rc_code code;    /* of the latest */
    uint64_t count;
    int64_t last_unix_ms;
} rc_repeats_client;

typedef struct rc_repeats {
    uint64_t key[2];
    atomic_uint_least64_t armed_until_ms; /* no note holds longer */
    uv_mutex_t lock;                      /* of what follows */
    rc_repeats_entry entries[RC_REPEATS_SETS][RC_REPEATS_WAYS];
    rc_repeats_client clients[RC_REPEATS_NAMES];
    uint32_t client_count;
} rc_repeats;

/* False: there is no lock. key: copies. */
bool rc_repeats_init(rc_repeats *repeats, const uint8_t key[16]);
void rc_repeats_done(rc_repeats *repeats);

/* Is there anything to compare with? */
bool rc_repeats_is_armed(const rc_repeats *repeats, uint64_t now_ms);

/* Of all parts in their order; each ends where it ends. parts: borrows. */
uint64_t rc_repeats_hash(const rc_repeats *repeats, const rc_str *parts, size_t count);

/* The request was answered for good. */
void rc_repeats_add(rc_repeats *repeats, uint64_t hash, rc_code code, uint64_t now_ms);

/* A client. */
typedef struct rc_repeats_caller {
    rc_str name; /* empty or too long: "other" */
    bool is_product;
} rc_repeats_caller;

/* The request comes. True: it is one that was answered for good, and is counted. who: borrows. */
bool rc_repeats_check(rc_repeats *repeats, uint64_t hash, const rc_repeats_caller *caller,
                      uint64_t now_ms, int64_t now_unix_ms);

/* "langchain" of "langchain/0.3 (linux)"; empty: there is none, or it is no plain word. Views. */
rc_str rc_repeats_product(rc_str user_agent);

/* Copies those that were counted; gives how many. ret_list: RC_REPEATS_NAMES of them. */
uint32_t rc_repeats_list(rc_repeats *repeats, rc_repeats_client *ret_list);

#endif
