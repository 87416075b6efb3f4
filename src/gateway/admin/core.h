/* rc_admin_core: the admin interface without its sockets: access checks, routing and responses.
 *
 *   head ──► rc_admin_accept ── true ──► body ──► rc_admin_handle ──► rc_admin_reply
 *                  └─────────── false: a rejection ─────────────────────┘
 *
 * The checks run in this order; the first that fails is reported:
 *   1. without a token only this machine is served: loopback, or the Unix socket
 *   2. Host is a name of ours, against DNS rebinding
 *   3. the token, compared in constant time; health endpoints need none
 *   4. the path exists and allows the method
 *   5. the request does not come from another site's page: Sec-Fetch-Site and Origin; a change also
 *      needs a content type or header that an HTML form cannot send
 * There is no CORS: other sites cannot read any response.
 *
 * All strings of a request view its head, its body or its arena. */
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
typedef struct rc_admin_stream rc_admin_stream; /* See server.h. */

typedef enum rc_admin_access {
    RC_ADMIN_OPEN = 0,  /* Available to everyone who can reach the server. */
    RC_ADMIN_READ = 1,  /* Needs the token, if one is set, and must not come from another site. */
    RC_ADMIN_CHANGE = 2 /* Access as READ, plus proof that no HTML form sent the request. */
} rc_admin_access;

/* A path and its handler.
 *
 *   {}     one segment     {...}  one segment or more, at most once in a path
 * The segments they match are captured, with escapes decoded. GET routes also serve HEAD. If two
 * routes match, the one that was added first is used.
 *
 * handle fills the reply. A route with `open` instead responds later or as a stream: see
 * server.h. */
typedef struct rc_admin_route {
    const char *method;
    const char *path;
    rc_admin_access access;
    void (*handle)(void *ctx, const rc_admin_request *request, rc_admin_reply *reply);
    void (*open)(void *ctx, const rc_admin_request *request, rc_admin_stream *stream);
} rc_admin_route;

/* A table of routes. All strings are static. ctx: passed to the handlers. */
typedef struct rc_admin_table {
    const rc_admin_route *routes;
    size_t count;
    void *ctx;
} rc_admin_table;

struct rc_admin_request {
    rc_admin_core *core;
    const rc_http1 *reader;
    const char *head;
    rc_str peer; /* An address. Empty: a Unix socket. */
    rc_arena *arena;
    rc_str path;  /* The path as written. */
    rc_str query; /* Without the question mark. See rc_admin_request_parameter. */
    rc_str body;
    const rc_admin_route *route;
    void *route_ctx;
    rc_str captures[RC_ADMIN_CAPTURES_MAX]; /* UTF-8 without control characters. */
    size_t capture_count;
};

/* Caller's storage: init, done. */
struct rc_admin_reply {
    int status;
    const char *type; /* Static. */
    rc_buf body;
    rc_header fields[RC_ADMIN_FIELDS_MAX]; /* In addition to those of rc_admin_fields. */
    size_t field_count;
    bool is_page; /* A page of the dashboard: it may load our own scripts and styles. */
};

/* Caller's storage; the fields are private. */
struct rc_admin_core {
    rc_alloc alloc;
    const rc_sys_calls *calls;
    rc_admin_source source;
    rc_metrics *metrics; /* NULL: no metrics to show. */
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
    const rc_sys_calls *calls; /* Clock and entropy. Borrows until the end. */
    rc_admin_source source;
    rc_metrics *metrics; /* Borrows until the end. NULL: none. */
    rc_secret token;     /* Copies. Empty: none. */
    rc_str host;         /* Copies. The configured host without its port, as in [::1]. */
} rc_admin_settings;

/* Initialises the core with the table of paths.c. False: the token or the host is too long. */
bool rc_admin_core_init(rc_admin_core *core, const rc_admin_settings *settings);
/* Wipes the token. */
void rc_admin_core_done(rc_admin_core *core);

/* Replaces the token. token: copies; empty: none. False: too long; nothing has changed. */
bool rc_admin_core_set_token(rc_admin_core *core, rc_secret token);
/* True: it is the current token. */
bool rc_admin_core_has_token(const rc_admin_core *core, rc_secret token);

/* Adds a table. table: copies; its routes: borrows. False: RC_ADMIN_TABLES_MAX is reached. */
bool rc_admin_core_add(rc_admin_core *core, const rc_admin_table *table);

/* Checks the head of a request. request: zeroed except for core, reader, head, peer and arena.
 * False: reply is the rejection. */
bool rc_admin_accept(rc_admin_request *request, rc_admin_reply *reply);

/* Responds to an accepted request whose body is complete. */
void rc_admin_handle(const rc_admin_request *request, rc_admin_reply *reply);

void rc_admin_reply_init(rc_admin_reply *reply, const rc_alloc *alloc);
void rc_admin_reply_done(rc_admin_reply *reply);

/* ---- for handlers ---- */

/* A rejection or failure, sent as a report in application/problem+json. status: 0: the code's own.
 * message: a whole sentence. next: advice. rc_admin_reply_problem copies the texts. */
typedef struct rc_admin_problem {
    rc_code code;
    int status;
    rc_str message;
    rc_user_action action;
    rc_str next;
} rc_admin_problem;
void rc_admin_reply_problem(rc_admin_core *core, rc_admin_reply *reply,
                            const rc_admin_problem *problem);

/* Replies that there is not enough memory for the response. */
void rc_admin_reply_no_memory(rc_admin_core *core, rc_admin_reply *reply);

/* Adds a header to the reply. name: static. value: borrows until the reply is sent. */
void rc_admin_reply_field(rc_admin_reply *reply, const char *name, rc_str value);

/* Gets a parameter of the query, with escapes decoded. ret_value: views the arena. False: absent or
 * malformed. */
bool rc_admin_request_parameter(const rc_admin_request *request, rc_str name, rc_str *ret_value);

/* Gets a header by its lower-case name. ret_value: views the head; empty: absent. False: it occurs
 * more than once. */
bool rc_admin_request_header(const rc_admin_request *request, rc_str name, rc_str *ret_value);

/* The headers of every response; those of pages differ. Static. */
const rc_header *rc_admin_fields(bool is_page, size_t *ret_count);

/* ---- parts of the core ---- */

/* guard.c: checks 1 to 3, and 5. False: reply is the rejection. */
bool rc_admin_check_caller(const rc_admin_request *request, rc_admin_reply *reply);
bool rc_admin_check_token(const rc_admin_request *request, rc_admin_reply *reply);
bool rc_admin_check_site(const rc_admin_request *request, rc_admin_reply *reply);

/* route.c: finds the route and its captures. False: reply is the rejection. */
bool rc_admin_find_route(rc_admin_request *request, rc_admin_reply *reply);

/* paths.c: the routes of the core. ctx: the core. */
extern const rc_admin_route rc_admin_routes[];
extern const size_t rc_admin_route_count;

/* state_json.c: a snapshot as JSON. */
typedef enum rc_admin_part {
    RC_ADMIN_PART_ALL = 0,
    RC_ADMIN_PART_TARGETS = 1,
    RC_ADMIN_PART_KEYS = 2,
    RC_ADMIN_PART_RETRY_BUDGET = 3,
    RC_ADMIN_PART_CONFIG = 4,
    RC_ADMIN_PART_MONEY_BUDGETS = 5
} rc_admin_part;
void rc_admin_push_state(rc_buf *buf, const rc_admin_snapshot *snapshot, rc_admin_part part);
/* Writes whether the gateway is ready, and the health of each configured target. */
void rc_admin_push_ready(rc_buf *buf, const rc_admin_snapshot *snapshot);
void rc_admin_push_target(rc_buf *buf, const rc_admin_snapshot *snapshot,
                          const rc_admin_target *target);
void rc_admin_push_key(rc_buf *buf, const rc_admin_snapshot *snapshot, const rc_admin_key *key);
void rc_admin_push_money_budget(rc_buf *buf, const rc_admin_snapshot *snapshot,
                                const rc_admin_money_budget *spend);

/* body.c: parses the optional body {"usd": 5, "reason": "..."} of a change. has_usd: an amount
 * is allowed and required. ret_body: views the arena. False: malformed, or the arena is out of
 * memory. */
typedef struct rc_admin_body {
    rc_str reason;
    uint64_t usd_micro;
} rc_admin_body;
bool rc_admin_body_read(const rc_admin_request *request, bool has_usd, rc_admin_body *ret_body);

/* metrics.c: a snapshot as metrics. snapshot: borrows. */
rc_metrics_collector rc_admin_metrics_collector(const rc_admin_snapshot *snapshot);

#endif
