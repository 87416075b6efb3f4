/* rc_admin_core: the admin interface without its sockets: access checks, routing and responses.
 *
 *   head ──► rc_admin_accept ── true ──► body ──► rc_admin_handle ──► rc_admin_reply
 *                  └─────────── false: a rejection ─────────────────────┘
 *
 * The checks run in this order; the first check that fails is reported:
 *   1. if no token is set, the client is on this machine: loopback, or the Unix socket
 *   2. Host is a name of this server; the check prevents DNS rebinding
 *   3. the token is right; it is compared in constant time; health endpoints need no token
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
typedef struct rc_admin_stream rc_admin_stream; /* Declared in server.h. */

typedef enum rc_admin_access {
    RC_ADMIN_OPEN = 0,  /* Available to everyone who can reach the server. */
    RC_ADMIN_READ = 1,  /* The client needs the token, if one is set, and must not be a page of
                         * another site. */
    RC_ADMIN_CHANGE = 2 /* The same as RC_ADMIN_READ; in addition, no HTML form must be able to send
                         * the request. */
} rc_admin_access;

/* A path and its handler.
 *
 *   {}     one segment     {...}  one segment or more, at most once in a path
 * The segments that {} and {...} match are captured, with escapes decoded. GET routes also serve
 * HEAD. If two routes match, the route that was added first is used.
 *
 * `handle` fills the reply. A route that has `open` instead of `handle` responds later or as a
 * stream; see server.h. */
typedef struct rc_admin_route {
    const char *method;
    const char *path;
    rc_admin_access access;
    void (*handle)(void *ctx, const rc_admin_request *request, rc_admin_reply *reply);
    void (*open)(void *ctx, const rc_admin_request *request, rc_admin_stream *stream);
} rc_admin_route;

/* A table of routes. All strings of the routes are static. ctx: passed to the handlers of the
 * routes. */
typedef struct rc_admin_table {
    const rc_admin_route *routes;
    size_t count;
    void *ctx;
} rc_admin_table;

struct rc_admin_request {
    rc_admin_core *core;
    const rc_http1 *reader;
    const char *head;
    rc_str peer; /* Address of the client. Empty if it uses a Unix socket. */
    rc_arena *arena;
    rc_str path;  /* The request's path as written, without the query. */
    rc_str query; /* The query string without the question mark. See rc_admin_request_parameter. */
    rc_str body;
    const rc_admin_route *route;
    void *route_ctx;
    rc_str captures[RC_ADMIN_CAPTURES_MAX]; /* The captured segments, which are UTF-8 without
                                             * control characters. */
    size_t capture_count;
};

/* A response before it is sent. Lives in the caller's storage from rc_admin_reply_init to
 * rc_admin_reply_done. */
struct rc_admin_reply {
    int status;
    const char *type; /* The content type, a static string. */
    rc_buf body;
    rc_header fields[RC_ADMIN_FIELDS_MAX]; /* Headers in addition to those that rc_admin_fields
                                            * returns. */
    size_t field_count;
    bool is_page; /* The body is a page of the dashboard, which may load the scripts and styles of
                     this server. */
};

/* Lives in the caller's storage. The members are private. */
struct rc_admin_core {
    rc_alloc alloc;
    const rc_sys_calls *calls;
    rc_admin_source source;
    rc_metrics *metrics; /* NULL if the page of metrics has no counted metrics. */
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
    const rc_sys_calls *calls; /* Clock and entropy. Borrowed until rc_admin_core_done. */
    rc_admin_source source;
    rc_metrics *metrics; /* Borrowed until rc_admin_core_done. NULL if the page of metrics has no
                          * counted metrics. */
    rc_secret token;     /* Copied. Empty if the admin interface needs no token. */
    rc_str host;         /* Copied. The configured host without its port, such as [::1]. */
} rc_admin_settings;

/* Initialises the core with the routes of paths.c. settings: copies the struct. Returns false if
 * the token or the host is too long. */
bool rc_admin_core_init(rc_admin_core *core, const rc_admin_settings *settings);
/* Wipes the token. */
void rc_admin_core_done(rc_admin_core *core);

/* Replaces the token. token: copies the bytes; an empty token removes the current token. Returns
 * false, and changes nothing, if the token is too long. */
bool rc_admin_core_set_token(rc_admin_core *core, rc_secret token);
/* Returns whether `token` is the current token. */
bool rc_admin_core_has_token(const rc_admin_core *core, rc_secret token);

/* Adds a table. table: copies the struct; borrows its routes until rc_admin_core_done. Returns
 * false if there are RC_ADMIN_TABLES_MAX tables already. */
bool rc_admin_core_add(rc_admin_core *core, const rc_admin_table *table);

/* Checks the head of a request. request: the caller sets `core`, `reader`, `head`, `peer` and
 * `arena`; all other members are zero. Returns false if the request is rejected; `reply` is then
 * the rejection. */
bool rc_admin_accept(rc_admin_request *request, rc_admin_reply *reply);

/* Responds to an accepted request whose body is complete. */
void rc_admin_handle(const rc_admin_request *request, rc_admin_reply *reply);

void rc_admin_reply_init(rc_admin_reply *reply, const rc_alloc *alloc);
void rc_admin_reply_done(rc_admin_reply *reply);

/* ---- for handlers ---- */

/* Replies with a rejection or failure: a report in application/problem+json. status: 0 selects the
 * HTTP status of `code`. message: a whole sentence. next: advice for the client, also a whole
 * sentence. rc_admin_reply_problem copies the texts. */
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

/* Adds a header to the reply. name: a static string. value: borrows until the reply is sent. */
void rc_admin_reply_field(rc_admin_reply *reply, const char *name, rc_str value);

/* Reads a parameter of the query and decodes its escapes. ret_value views (points into) the arena.
 * Returns false if the parameter is absent or malformed. */
bool rc_admin_request_parameter(const rc_admin_request *request, rc_str name, rc_str *ret_value);

/* Reads a header by its lower-case name. ret_value views (points into) the head; it is empty if the
 * header is absent. Returns false if the header occurs more than once. */
bool rc_admin_request_header(const rc_admin_request *request, rc_str name, rc_str *ret_value);

/* Returns the headers that every response has. The headers for pages differ from the headers for
 * other responses. The array is static. */
const rc_header *rc_admin_fields(bool is_page, size_t *ret_count);

/* ---- parts of the core ---- */

/* guard.c: rc_admin_check_caller runs checks 1 and 2 of the list above, rc_admin_check_token check
 * 3 and rc_admin_check_site check 5. If a check fails, the function returns false and sets `reply`
 * to the rejection. */
bool rc_admin_check_caller(const rc_admin_request *request, rc_admin_reply *reply);
bool rc_admin_check_token(const rc_admin_request *request, rc_admin_reply *reply);
bool rc_admin_check_site(const rc_admin_request *request, rc_admin_reply *reply);

/* route.c: finds the route and its captures. If no route has this path and method, or an escape in
 * the path is invalid, the function returns false and sets `reply` to the rejection. */
bool rc_admin_find_route(rc_admin_request *request, rc_admin_reply *reply);

/* paths.c: the routes of the core. The ctx of these routes is the core. */
extern const rc_admin_route rc_admin_routes[];
extern const size_t rc_admin_route_count;

/* state_json.c: the functions rc_admin_push_... append a snapshot, or a part of it, as JSON. */
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

/* body.c: parses the optional body {"usd": 5, "reason": "..."} of a request that changes something.
 * has_usd: true if the amount "usd" is required; without has_usd it is not allowed. ret_body views
 * (points into) the arena. Returns false if the body is malformed or the arena has no memory. */
typedef struct rc_admin_body {
    rc_str reason;
    uint64_t usd_micro;
} rc_admin_body;
bool rc_admin_body_read(const rc_admin_request *request, bool has_usd, rc_admin_body *ret_body);

/* metrics.c: returns a collector that reads metrics from a snapshot. snapshot: borrows while the
 * collector is used. */
rc_metrics_collector rc_admin_metrics_collector(const rc_admin_snapshot *snapshot);

#endif
