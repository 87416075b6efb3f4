/* rc_admin_core: the operator's side without its sockets: who may ask, what is asked for, what is
 * answered.
 *
 *   head ──► rc_admin_accept ── true ──► body ──► rc_admin_handle ──► rc_admin_reply
 *                  └─────────── false: a refusal ───────────────────────┘
 *
 * The checks, in their order; the first that fails is told:
 *   1. without a token only this machine is served: loopback, or the Unix socket
 *   2. Host is a name of ours, so that no page whose name leads here by DNS can speak to us
 *   3. the token, in constant time; health needs none
 *   4. there is such a path, and it takes the method
 *   5. what changes something does not come from another site's page: Sec-Fetch-Site and Origin,
 *      and a content type or header that a form cannot send
 * There is no CORS: other sites cannot read any answer.
 *
 * Everything in a request is a view of its head, its body or its arena. */
#ifndef RC_GATEWAY_ADMIN_CORE_H
#define RC_GATEWAY_ADMIN_CORE_H

#include <recourse/buf.h>
#include <recourse/classify.h>
#include <recourse/id.h>

#include "base/secret.h"
#include "gateway/admin/source.h"
#include "gateway/observe/metrics_page.h"
#include "http/http1.h"
#include "sys/calls.h"

#define RC_ADMIN_BODY_MAX ((size_t)64 << 10)
#define RC_ADMIN_HEAD_MAX ((uint32_t)16 << 10)
#define RC_ADMIN_RESPONSE_MAX ((size_t)24 << 20)
#define RC_ADMIN_ARENA_MAX ((size_t)32 << 20)
#define RC_ADMIN_TABLES_MAX 8
#define RC_ADMIN_CAPTURES_MAX 4
#define RC_ADMIN_TOKEN_MAX 1024
#define RC_ADMIN_HOST_MAX 256
#define RC_ADMIN_FIELDS_MAX 4

typedef struct rc_admin_core rc_admin_core;
typedef struct rc_admin_request rc_admin_request;
typedef struct rc_admin_reply rc_admin_reply;
typedef struct rc_admin_stream rc_admin_stream; /* admin.h */

typedef enum rc_admin_access {
    RC_ADMIN_OPEN = 0,  /* for whoever can reach it */
    RC_ADMIN_READ = 1,  /* with the token, if there is one, and not from another site */
    RC_ADMIN_CHANGE = 2 /* and with a sign that no form has sent it */
} rc_admin_access;

/* A path and what answers it.
 *
 *   {}     one segment     {...}  one segment or more, at most once in a path
 * What they stand for is captured, with its escapes resolved. GET answers HEAD, too. Of two routes
 * that fit, the one that was added first counts.
 *
 * handle fills the reply. In its place, open answers when it likes, as a stream: see admin.h. */
typedef struct rc_admin_route {
    const char *method;
    const char *path;
    rc_admin_access access;
    void (*handle)(void *ctx, const rc_admin_request *request, rc_admin_reply *reply);
    void (*open)(void *ctx, const rc_admin_request *request, rc_admin_stream *stream);
} rc_admin_route;

/* All strings are static. ctx: of the handlers. */
typedef struct rc_admin_table {
    const rc_admin_route *routes;
    size_t count;
    void *ctx;
} rc_admin_table;

struct rc_admin_request {
    rc_admin_core *core;
    const rc_http1 *reader;
    const char *head;
    rc_str peer; /* an address; empty: a Unix socket */
    rc_arena *arena;
    rc_str path;  /* as it was written */
    rc_str query; /* without the question mark; see rc_admin_request_parameter */
    rc_str body;
    const rc_admin_route *route;
    void *route_ctx;
    rc_str captures[RC_ADMIN_CAPTURES_MAX]; /* UTF-8 without control characters */
    size_t capture_count;
};

/* The caller's storage: init, done. */
struct rc_admin_reply {
    int status;
    const char *type; /* static */
    rc_buf body;
    rc_header fields[RC_ADMIN_FIELDS_MAX]; /* beside those of rc_admin_fields */
    size_t field_count;
    bool is_page; /* one of our own, whose scripts and styles are files of ours */
};

/* The caller's storage; the fields are private. */
struct rc_admin_core {
    rc_alloc alloc;
    const rc_sys_calls *calls;
    rc_admin_source source;
    rc_metrics *metrics; /* NULL: there are none to show */
    rc_id_maker ids;
    char token[RC_ADMIN_TOKEN_MAX];
    size_t token_len;
    char host[RC_ADMIN_HOST_MAX];
    size_t host_len;
    rc_admin_table tables[RC_ADMIN_TABLES_MAX];
    size_t table_count;
};

typedef struct rc_admin_settings {
    rc_alloc alloc;
    const rc_sys_calls *calls; /* clock and entropy; borrows until the end */
    rc_admin_source source;
    rc_metrics *metrics; /* borrows until the end; NULL: none */
    rc_secret token;     /* empty: none; copies */
    rc_str host;         /* the configured one, as in [::1], without its port; copies */
} rc_admin_settings;

/* With the table of our own paths. False: the token or the host is too long. */
bool rc_admin_core_init(rc_admin_core *core, const rc_admin_settings *settings);
/* Wipes the token. */
void rc_admin_core_done(rc_admin_core *core);

/* Another token from now on; empty: none. False: it is too long, and nothing changed. */
bool rc_admin_core_set_token(rc_admin_core *core, rc_secret token);
/* Is it the one that holds? */
bool rc_admin_core_has_token(const rc_admin_core *core, rc_secret token);

/* More paths. False: there is no room for one more table. table: copies; its routes: borrows. */
bool rc_admin_core_add(rc_admin_core *core, const rc_admin_table *table);

/* Looks at a head. False: reply is the refusal. request: zeroed but for core, reader, head, peer
 * and arena. */
bool rc_admin_accept(rc_admin_request *request, rc_admin_reply *reply);

/* Answers a request that was accepted, whose body is there. */
void rc_admin_handle(const rc_admin_request *request, rc_admin_reply *reply);

void rc_admin_reply_init(rc_admin_reply *reply, const rc_alloc *alloc);
void rc_admin_reply_done(rc_admin_reply *reply);

/* ---- for handlers ---- */

/* A refusal or failure: a report as application/problem+json. status 0: the code's own. message: a
 * whole sentence; next: what to do about it. Copies. */
typedef struct rc_admin_problem {
    rc_code code;
    int status;
    rc_str message;
    rc_user_action action;
    rc_str next;
} rc_admin_problem;
void rc_admin_reply_problem(rc_admin_core *core, rc_admin_reply *reply,
                            const rc_admin_problem *problem);

/* The one for which there was no memory. */
void rc_admin_reply_no_memory(rc_admin_core *core, rc_admin_reply *reply);

/* Adds a header to the reply. value: borrows until the reply is sent; name: static. */
void rc_admin_reply_field(rc_admin_reply *reply, const char *name, rc_str value);

/* The value of a parameter of the query, with its escapes resolved. False: there is none, or it is
 * damaged. Views the arena. */
bool rc_admin_request_parameter(const rc_admin_request *request, rc_str name, rc_str *ret_value);

/* The only header of a lower-case name. False: there are several. Absent: empty. Views the head. */
bool rc_admin_request_header(const rc_admin_request *request, rc_str name, rc_str *ret_value);

/* The headers that every answer has; a page's differ. Views static strings. */
const rc_header *rc_admin_fields(bool is_page, size_t *ret_count);

/* ---- parts of it ---- */

/* admin_guard.c: checks 1 to 3, and 5. False: reply is the refusal. */
bool rc_admin_check_caller(const rc_admin_request *request, rc_admin_reply *reply);
bool rc_admin_check_token(const rc_admin_request *request, rc_admin_reply *reply);
bool rc_admin_check_site(const rc_admin_request *request, rc_admin_reply *reply);

/* admin_route.c: finds the route and its captures. False: reply is the refusal. */
bool rc_admin_find_route(rc_admin_request *request, rc_admin_reply *reply);

/* admin_paths.c: our own. ctx: the core. */
extern const rc_admin_route rc_admin_routes[];
extern const size_t rc_admin_route_count;

/* admin_state.c: a snapshot as JSON. */
typedef enum rc_admin_part {
    RC_ADMIN_PART_ALL = 0,
    RC_ADMIN_PART_TARGETS = 1,
    RC_ADMIN_PART_KEYS = 2,
    RC_ADMIN_PART_RETRY_BUDGET = 3,
    RC_ADMIN_PART_CONFIG = 4,
    RC_ADMIN_PART_MONEY_BUDGETS = 5
} rc_admin_part;
void rc_admin_push_state(rc_buf *buf, const rc_admin_snapshot *snapshot, rc_admin_part part);
/* Is it ready, and how does each target do that the configuration names? */
void rc_admin_push_ready(rc_buf *buf, const rc_admin_snapshot *snapshot);
void rc_admin_push_target(rc_buf *buf, const rc_admin_snapshot *snapshot,
                          const rc_admin_target *target);
void rc_admin_push_key(rc_buf *buf, const rc_admin_snapshot *snapshot, const rc_admin_key *key);
void rc_admin_push_money_budget(rc_buf *buf, const rc_admin_snapshot *snapshot,
                                const rc_admin_money_budget *spend);

/* admin_body.c: what changes something may have a body, {"usd": 5, "reason": "..."}, or none.
 * has_usd: it takes an amount, and needs one. False: it is something else; the arena has failed, or
 * not. Views the arena. */
typedef struct rc_admin_body {
    rc_str reason;
    uint64_t usd_micro;
} rc_admin_body;
bool rc_admin_body_read(const rc_admin_request *request, bool has_usd, rc_admin_body *ret_body);

/* admin_metrics.c: a snapshot as metrics. snapshot: borrows. */
rc_metrics_collector rc_admin_metrics_collector(const rc_admin_snapshot *snapshot);

#endif
