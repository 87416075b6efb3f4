/* What `recourse doctor` asks over the network: every question at once, on one loop, with one time
 * limit for all. */
#ifndef RC_CLI_DOCTOR_PROBE_H
#define RC_CLI_DOCTOR_PROBE_H

#include "base/arena.h"
#include "cli/doctor/doctor.h"
#include "net/client/upstream.h"
#include "net/tls/facts.h"

/* Headers of an answer that are kept. */
#define RC_PROBE_HEADERS_MAX 64
#define RC_PROBE_BODY_MAX ((size_t)64 << 10)

struct rc_prober;

/* One request, and what came of it. */
typedef struct rc_http_probe {
    struct rc_prober *prober;
    struct rc_http_probe *next;
    rc_origin origin;
    rc_upstream_call call;
    rc_buf request; /* what is sent, a key in it: wiped at the end */
    rc_buf body;    /* of an answer that is not 200 */
    bool is_over;
    bool is_late; /* the time limit came first */
    rc_upstream_kind failure;
    rc_phase phase;
    char failure_text[128]; /* ends in NUL */
    int status;             /* 0: no answer */
    uint64_t started_ms;
    uint64_t head_ms;
    bool is_html; /* HTML, where JSON was asked for */
    bool has_date;
    int64_t ahead_ms; /* of our clock, the server's date */
    bool has_tls;
    rc_tls_facts tls;
    size_t header_count;
    rc_header headers[RC_PROBE_HEADERS_MAX];
} rc_http_probe;

/* A name that is looked for. */
typedef struct rc_name_probe {
    rc_lookup lookup; /* the first member: on_done finds us by it */
    struct rc_prober *prober;
    struct rc_name_probe *next;
    bool is_over;
    bool is_late;
    size_t address_count;
} rc_name_probe;

typedef struct rc_prober {
    rc_doctor *doctor;
    rc_arena arena;
    uv_loop_t loop;
    uv_timer_t timer;
    rc_upstream *upstream;
    rc_resolver resolver;
    rc_http_probe *probes;
    rc_name_probe *name_probes;
    size_t pending; /* questions without an answer */
    bool is_ending;
} rc_prober;

/* False: there is no memory. doctor: borrows until done. */
bool rc_prober_init(rc_prober *prober, rc_doctor *doctor);

/* Asks PREFIX + path of origin. push_more: appends header lines, may be NULL; false: nothing can be
 * asked. NULL: no memory. Views net. origin: copies. */
rc_http_probe *rc_http_probe_start(rc_prober *prober, const rc_origin *origin, const char *path,
                                   bool (*push_more)(rc_buf *wire, void *ctx), void *ctx);
rc_name_probe *rc_name_probe_start(rc_prober *prober, const char *host);

/* Waits for all answers, or for the time limit; then closes everything. */
void rc_prober_run(rc_prober *prober);

/* Wipes what was sent. */
void rc_prober_done(rc_prober *prober);

#endif
