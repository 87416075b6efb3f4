/* rc_mock_stats: what the failing provider was asked, for tests that want to know.
 *
 * Keys are counted by a name, or by an id that does not tell them: eight digits of a hash, and the
 * last four characters of a key that is long enough. Tables have ceilings; what does not fit is
 * counted under "(others)". */
#ifndef RC_MOCK_STATS_H
#define RC_MOCK_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>

#include "mock/request.h"
#include "mock/response.h"

#define RC_MOCK_NAME_MAX 128
#define RC_MOCK_ROWS_MAX 128
#define RC_MOCK_PAIRS_MAX 4096
#define RC_MOCK_RECENT_MAX 32
#define RC_MOCK_KEY_ID_MAX 40

typedef struct rc_mock_row {
    char name[RC_MOCK_NAME_MAX]; /* ends in NUL, cut where too long */
    uint64_t requests;
    uint64_t tokens_in;
    uint64_t billed_in;  /* of those that are paid for */
    uint64_t tokens_out; /* that were sent */
} rc_mock_row;

/* The last row is for the rest. */
typedef struct rc_mock_table {
    rc_mock_row rows[RC_MOCK_ROWS_MAX + 1];
    uint32_t count;
} rc_mock_table;

/* How often a key asked for a model. */
typedef struct rc_mock_pair {
    uint64_t hash; /* 0: free */
    uint64_t count;
} rc_mock_pair;

typedef struct rc_mock_recent_request {
    char method[16];
    char path[RC_MOCK_NAME_MAX];
    char model[RC_MOCK_NAME_MAX];
    char key[RC_MOCK_KEY_ID_MAX];
    char names[512]; /* of the headers, each with a newline behind it */
    char sha256[65];
    uint64_t body_bytes;
    int status;
} rc_mock_recent_request;

/* All zero is empty. */
typedef struct rc_mock_stats {
    uint64_t requests;
    uint64_t tokens_in;
    uint64_t billed_in;
    uint64_t tokens_out;
    uint64_t disconnects; /* of clients, before the answer was whole */
    rc_mock_table models;
    rc_mock_table keys;
    rc_mock_table paths;
    rc_mock_pair pairs[RC_MOCK_PAIRS_MAX];
    uint32_t pair_count;
    uint64_t spare_pair; /* counts those that do not fit */
    rc_mock_recent_request recent[RC_MOCK_RECENT_MAX];
    uint64_t recent_count; /* ever */
    uint32_t generation;
} rc_mock_stats;

/* Where a request was counted, for what is known of it later. */
typedef struct rc_mock_ticket {
    uint32_t model;
    uint32_t key;
    uint32_t path;
    uint32_t generation; /* of the ledger: after a reset the rows are others' */
} rc_mock_ticket;

/* The id of a key: see above. "none" without one. key: borrows. */
void rc_mock_key_id(rc_str key, char ret_id[RC_MOCK_KEY_ID_MAX]);

/* Counts a request of that key and model: which one it is, from 1 on. Both: borrow. */
uint64_t rc_mock_stats_nth(rc_mock_stats *stats, rc_str key, rc_str model);

/* Counts a request with its answer. All: borrow. */
rc_mock_ticket rc_mock_stats_add(rc_mock_stats *stats, const rc_mock_message *message,
                                 const rc_mock_request *request, const char *key_id,
                                 const rc_mock_response *response);

/* Output tokens that were sent; a client that left. ticket: borrows. */
void rc_mock_stats_add_sent(rc_mock_stats *stats, const rc_mock_ticket *ticket, uint64_t tokens);
void rc_mock_stats_add_disconnect(rc_mock_stats *stats);

/* Appends all of it as JSON. ledger: borrows. */
void rc_mock_stats_push(const rc_mock_stats *stats, rc_buf *buf);

#endif
