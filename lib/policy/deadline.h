/* Deadlines: finds which of several time limits ends a call first, and who set that limit. The
 * clock is an argument; all times are in milliseconds of the caller's monotonic clock. */
#ifndef RC_POLICY_DEADLINE_H
#define RC_POLICY_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/connections.h>

/* The header in which an SDK announces how long it waits for a response to begin. */
typedef enum rc_announced_by {
    RC_ANNOUNCED_TIMEOUT = 0,       /* x-stainless-timeout */
    RC_ANNOUNCED_READ_TIMEOUT = 1,  /* x-stainless-read-timeout */
    RC_ANNOUNCED_SERVER_TIMEOUT = 2 /* X-Server-Timeout */
} rc_announced_by;

/* The time limits of one call. */
typedef struct rc_deadline_limits {
    uint64_t received_ms;  /* when the first byte of the request arrived */
    uint64_t called_ms;    /* when the call began, that is, when its body was complete and its route
                              known */
    uint64_t client_ms;    /* length of the client's own deadline, from received_ms; 0: none */
    uint64_t announced_ms; /* the SDK's announced timeout, from called_ms; 0: none */
    rc_announced_by announced_by;
    uint64_t route_ms;        /* length of the route's deadline, from called_ms; client_ms replaces
                                 it */
    uint64_t route_policy_ms; /* budget_ms of the route's policy; RC_UNLIMITED: none */
    uint64_t policy_ms;       /* budget_ms of the policy in use; RC_UNLIMITED: none */
    bool is_called;           /* false: the body is still arriving */
    bool is_committed;        /* content was forwarded: the announced timeout is over */
} rc_deadline_limits;

/* The limit that ends a call first. */
typedef struct rc_deadline {
    rc_connection_fault fault; /* names the limit and its setting */
    const char *rule;          /* the id of its rule in spec/classify.rules; static */
    uint64_t limit_ms;         /* length of the limit */
    uint64_t at_ms;            /* time at which the limit ends; RC_UNLIMITED: there is no limit */
} rc_deadline;

/* Returns the time at which the client's own deadline ends; RC_UNLIMITED if the client set none.
 * limits: borrows during the call. */
uint64_t rc_deadline_of_client(const rc_deadline_limits *limits);

/* Returns the deadline that ends the call first. While the request body is still arriving
 * (is_called is false), this is the client's own deadline. limits: borrows during the call. */
rc_deadline rc_deadline_of(const rc_deadline_limits *limits);

/* Returns whether an attempt that the deadline ended after elapsed_ms had a fair share of the time,
 * so that its missing response says something about the target. A client's short deadline must not
 * close a target for other clients. If the deadline was the client's, the share is measured against
 * the route's deadline, so that a long silence still counts. limits: borrows during the call. */
bool rc_deadline_was_fair(const rc_deadline_limits *limits, uint64_t elapsed_ms);

#endif
