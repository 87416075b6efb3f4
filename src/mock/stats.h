/* rc_mock_stats: counts of the requests that the mock provider received, for tests.
 *
 * API keys are counted by their name in the scenario, or by an id that does not reveal the key:
 * eight digits of a hash, and for long keys also the last four characters. The tables have a
 * maximum size; further entries are counted under "(others)". */
#ifndef RC_MOCK_STATS_H
#define RC_MOCK_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>

#include "mock/request.h"
#include "mock/response.h"
#include "json/writer.h"

#define RC_MOCK_NAME_MAX 128
#define RC_MOCK_ROWS_MAX 128
#define RC_MOCK_PAIRS_MAX 4096
#define RC_MOCK_RECENT_MAX 32
#define RC_MOCK_KEY_ID_MAX 40

typedef struct rc_mock_row {
    char name[RC_MOCK_NAME_MAX]; /* NUL-terminated and truncated. */
    uint64_t requests;
    uint64_t tokens_in;
    uint64_t billed_in;  /* Input tokens that are billed. */
    uint64_t tokens_out; /* Output tokens sent. */
} rc_mock_row;

/* A table of rows. The last row is for entries that do not fit. */
typedef struct rc_mock_table {
    rc_mock_row rows[RC_MOCK_ROWS_MAX + 1];
    uint32_t count;
} rc_mock_table;

/* Number of requests with one key for one model. */
typedef struct rc_mock_pair {
    uint64_t hash; /* 0: unused entry. */
    uint64_t count;
} rc_mock_pair;

typedef struct rc_mock_recent_request {
    char method[16];
    char path[RC_MOCK_NAME_MAX];
    char model[RC_MOCK_NAME_MAX];
    char key[RC_MOCK_KEY_ID_MAX];
    char names[512]; /* Names of the headers, each followed by a newline. */
    char sha256[65];
    uint64_t body_bytes;
    int status;
} rc_mock_recent_request;

/* Counts of requests and responses. An all-zero struct has counted nothing. */
typedef struct rc_mock_stats {
    uint64_t requests;
    uint64_t tokens_in;
    uint64_t billed_in;
    uint64_t tokens_out;
    uint64_t disconnects; /* Clients that disconnected before the response was complete. */
    rc_mock_table models;
    rc_mock_table keys;
    rc_mock_table paths;
    rc_mock_pair pairs[RC_MOCK_PAIRS_MAX];
    uint32_t pair_count;
    uint64_t spare_pair; /* Number of requests whose pair of key and model does not fit into the
                          * table. */
    rc_mock_recent_request recent[RC_MOCK_RECENT_MAX];
    uint64_t recent_count; /* Number of all requests; the list has the latest. */
    uint32_t generation;   /* Incremented by each reset. */
} rc_mock_stats;

/* The rows in which a request was counted, so that later counts are added to the same rows. */
typedef struct rc_mock_ticket {
    uint32_t model;
    uint32_t key;
    uint32_t path;
    uint32_t generation; /* Generation of the stats. A ticket of an earlier generation is
                          * ignored. */
    bool holds_slot;     /* The call holds a slot of the script's provider. */
    uint32_t restarts;   /* Number of restarts of the script when the call took the slot. */
} rc_mock_ticket;

/* Returns the id of a key as described above, or "none" for an empty key. key: borrows during the
 * call. */
void rc_mock_key_id(rc_str key, char ret_id[RC_MOCK_KEY_ID_MAX]);

/* Counts a request with this key and model, and returns how many of them were counted so far. key,
 * model: borrows during the call. */
uint64_t rc_mock_stats_nth(rc_mock_stats *stats, rc_str key, rc_str model);

/* Counts a request and its response. All pointer parameters: borrows during the call. */
rc_mock_ticket rc_mock_stats_add(rc_mock_stats *stats, const rc_mock_message *message,
                                 const rc_mock_request *request, const char *key_id,
                                 const rc_mock_response *response);

/* rc_mock_stats_add_sent adds output tokens that were sent, rc_mock_stats_add_disconnect a client
 * that disconnected. ticket: borrows during the call. */
void rc_mock_stats_add_sent(rc_mock_stats *stats, const rc_mock_ticket *ticket, uint64_t tokens);
void rc_mock_stats_add_disconnect(rc_mock_stats *stats);

/* Appends the counts as members of an open JSON object. stats: borrows during the call. */
void rc_mock_stats_push(const rc_mock_stats *stats, rc_json_writer *w);

#endif
