/* Network probes of `recourse doctor`: HTTP requests and name lookups that run in parallel on one
 * loop, with one time limit for all. */
#ifndef RC_CLI_DOCTOR_PROBE_H
#define RC_CLI_DOCTOR_PROBE_H

#include "base/arena.h"
#include "cli/doctor/doctor.h"
#include "net/client/upstream.h"
#include "net/tls/facts.h"

/* Upper limits of the stored headers and body of a response. */
#define RC_PROBE_HEADERS_MAX 64
#define RC_PROBE_BODY_MAX ((size_t)64 << 10)

struct rc_prober;

/* One HTTP request and its result. */
typedef struct rc_http_probe {
    struct rc_prober *prober;
    struct rc_http_probe *next;
    rc_origin origin;
    rc_upstream_call call;
    rc_buf request; /* Bytes to send; contains a key and is wiped at the end. */
    rc_buf body;    /* Body of the response, cut at RC_PROBE_BODY_MAX. */
    bool is_over;
    bool is_late; /* The probe was ended by the time limit. */
    rc_upstream_kind failure;
    rc_phase phase;
    char failure_text[128]; /* Ends in NUL. */
    int status;             /* HTTP status; 0: no response. */
    uint64_t started_ms;
    uint64_t head_ms;
    bool is_html; /* The response is HTML instead of JSON. */
    bool has_date;
    int64_t ahead_ms; /* Time in the server's Date header minus our clock. */
    bool has_tls;
    rc_tls_facts tls;
    size_t header_count;
    rc_header headers[RC_PROBE_HEADERS_MAX];
} rc_http_probe;

/* One name lookup. */
typedef struct rc_name_probe {
    /* Must be the first member, because on_found casts its address to rc_name_probe. */
    rc_lookup lookup;
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
    size_t pending; /* Number of probes without a result. */
    bool is_ending;
} rc_prober;

/* Initializes the prober; returns false if memory ran out. doctor: borrows until rc_prober_done. */
bool rc_prober_init(rc_prober *prober, rc_doctor *doctor);

/* Starts a GET request for path below the base path of the origin. push_more: appends further
 * header lines and returns false if that failed; may be NULL. Returns NULL if memory ran out, else
 * a probe that lives as long as the prober. origin: copies the struct. */
rc_http_probe *rc_http_probe_start(rc_prober *prober, const rc_origin *origin, const char *path,
                                   bool (*push_more)(rc_buf *wire, void *ctx), void *ctx);
rc_name_probe *rc_name_probe_start(rc_prober *prober, const char *host);

/* Runs until all probes have a result or the time limit passes, then closes everything. */
void rc_prober_run(rc_prober *prober);

/* Wipes the requests and frees all memory. */
void rc_prober_done(rc_prober *prober);

#endif
