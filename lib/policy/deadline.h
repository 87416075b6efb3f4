/* Deadlines: finds which of several time limits ends a call first, and who set that limit. The
 * clock is an argument; all times are in milliseconds of the caller's monotonic clock. */
#ifndef RC_POLICY_DEADLINE_H
#define RC_POLICY_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/connections.h>

/* The request header in which an SDK announces how long it waits for a response. */
typedef enum rc_announced_by {
    RC_ANNOUNCED_TIMEOUT = 0,       /* x-stainless-timeout */
    RC_ANNOUNCED_READ_TIMEOUT = 1,  /* x-stainless-read-timeout */
    RC_ANNOUNCED_SERVER_TIMEOUT = 2 /* X-Server-Timeout */
} rc_announced_by;

/* The time limits of one call. */
typedef struct rc_deadline_limits {
    uint64_t received_ms;  /* when the first byte of the request arrived */
    uint64_t called_ms;    /* when the call began: the body was complete and the route known */
    uint64_t client_ms;    /* length of the deadline that the client set, measured from received_ms;
                              0: none */
    uint64_t announced_ms; /* timeout that the SDK announced, measured from called_ms; 0: none */
    rc_announced_by announced_by;
    uint64_t route_ms;        /* length of the route's deadline, measured from called_ms; unused if
                                 client_ms is set */
    uint64_t route_policy_ms; /* budget_ms of the policy of the route; RC_UNLIMITED: none */
    uint64_t policy_ms;       /* budget_ms of the policy that the call uses; RC_UNLIMITED: none */
    bool is_called;           /* true: called_ms is set; false: the request body is still
                                 arriving */
    bool is_committed;        /* content was sent to the client, so announced_ms no longer
                                 applies */
} rc_deadline_limits;

/* The time limit that ends a call first. */
typedef struct rc_deadline {
    rc_connection_fault fault; /* identifies the limit in error messages */
    const char *rule;          /* id of the limit's rule in spec/classify.rules; static */
    uint64_t limit_ms;         /* length of the limit from its start */
    uint64_t at_ms;            /* time at which the limit ends; RC_UNLIMITED: there is no limit */
} rc_deadline;

/* Returns the time at which the deadline that the client set ends; RC_UNLIMITED if the client set
 * none. limits: borrows during the call. */
uint64_t rc_deadline_of_client(const rc_deadline_limits *limits);

/* Returns the deadline that ends the call first. While the request body is still arriving
 * (is_called is false), this is the client's own deadline. limits: borrows during the call. */
rc_deadline rc_deadline_of(const rc_deadline_limits *limits);

/* Returns whether the deadline left the target enough time to respond, so that the missing response
 * counts against the target. elapsed_ms is the duration of the attempt that the deadline ended. A
 * client's short deadline must not close a target for other clients, so the duration is then
 * compared with the route's deadline. limits: borrows during the call. */
bool rc_deadline_was_fair(const rc_deadline_limits *limits, uint64_t elapsed_ms);

#endif
