/* rc_client_table: the limits of all clients of the gateway, by name, with their state.
 *
 *   configuration load ──► apply: a row for each client with a limit, which survives reloads
 *   request ──► take: check and start ──► release: correct the tokens
 *
 * A row is never freed before the table, so a request may keep its row across a reload. The
 * functions lock the table; any thread may call them. */
#ifndef RC_GATEWAY_STATE_CLIENT_LIMITS_H
#define RC_GATEWAY_STATE_CLIENT_LIMITS_H

#include <uv.h>

#include <recourse/alloc.h>

#include "config/config.h"
#include "policy/admission/client_limits.h"

typedef struct rc_client_row {
    struct rc_client_row *next;
    rc_client_limits limits;
    uint64_t refused[RC_CLIENT_LIMIT_IN_FLIGHT + 1]; /* Refused requests, by limit. */
    size_t name_len;
    char name[]; /* Not terminated. */
} rc_client_row;

typedef struct rc_client_table {
    rc_alloc alloc;
    uv_mutex_t lock;
    rc_client_row *rows;
} rc_client_table;

/* Initialises an empty table. alloc: copies the struct. Returns false if the lock cannot be
 * made. */
bool rc_client_table_init(rc_client_table *table, const rc_alloc *alloc);
/* Frees all rows. Called when no request has a row any more. */
void rc_client_table_done(rc_client_table *table);

/* rc_client_table_reserve adds the rows of clients that are new; they have no limits until
 * rc_client_table_apply applies the limits of the configuration. Clients keep the state of their
 * limits by their names; clients that the configuration does not have lose their limits.
 * rc_client_table_reserve returns false if memory ran out. config: borrows during the call. */
bool rc_client_table_reserve(rc_client_table *table, const rc_config *config);
void rc_client_table_apply(rc_client_table *table, const rc_config *config, uint64_t now_ms);

/* Returns the row of a client; NULL if the client has no limits. name: borrows during the call. */
rc_client_row *rc_client_table_find(rc_client_table *table, rc_str name);

/* The state of a client's limits after a refusal. */
typedef struct rc_client_refusal {
    rc_client_verdict verdict;
    rc_client_limit_state requests;
    rc_client_limit_state tokens;
} rc_client_refusal;

/* Starts a request if the client's limits have room. Returns true and writes *ret_estimate, or
 * returns false and writes *ret_refusal. */
bool rc_client_table_take(rc_client_table *table, rc_client_row *row, const rc_client_need *need,
                          uint64_t now_ms, uint64_t *ret_estimate, rc_client_refusal *ret_refusal);

/* Ends a request that was started. input, output: the tokens that it used. */
void rc_client_table_release(rc_client_table *table, rc_client_row *row, uint64_t estimate,
                             uint64_t input, uint64_t output, uint64_t now_ms);

/* The limits of one client as they are now. */
typedef struct rc_client_info {
    rc_str name; /* Views the table. */
    rc_client_limit_state requests;
    rc_client_limit_state tokens;
    uint64_t max_in_flight;
    uint64_t in_flight;
    uint64_t refused[RC_CLIENT_LIMIT_IN_FLIGHT + 1]; /* Refused requests, by limit. */
} rc_client_info;

/* Writes the clients that have limits, at most `max` of them. Returns the number of all such
 * clients. */
size_t rc_client_table_list(rc_client_table *table, rc_client_info *list, size_t max,
                            uint64_t now_ms);

#endif
