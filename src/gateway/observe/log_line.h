/* Lines of the gateway's log: one for each request that has ended, and one for each thing that
 * happens to the process.
 *
 *   json    {"time":...,"level":"info","event":"request",...}       for programs
 *   human   12:03:05  200  gpt-4o -> openai/gpt-4o  1.2s  2 tries   for people
 *
 * A line has at most RC_LOG_LINE_MAX bytes, its line feed included: values are cut, never the form;
 * what the whole process is like may be longer.
 * Control characters and what is no UTF-8 are escaped, so that nothing that came from outside can
 * begin a line of its own; secrets are taken out. Formatting alone: see sys/log_sink.h for where
 * lines go. */
#ifndef RC_GATEWAY_OBSERVE_LOG_LINE_H
#define RC_GATEWAY_OBSERVE_LOG_LINE_H

#include <recourse/buf.h>
#include <recourse/codes.h>

#include "config/config.h"
#include "sys/terminal.h"

#define RC_LOG_LINE_MAX 1024

typedef struct rc_log_style {
    bool is_json;
    bool has_colour; /* of a human line */
    bool has_utf8;
    int32_t utc_offset_s;
} rc_log_style;

/* What a configuration asks for, where lines go to a terminal (borrows) or to a file. False: no
 * lines at all. */
bool rc_log_style_choose(rc_config_log_format format, const rc_terminal *terminal, bool is_file,
                         rc_log_style *ret_style);

/* ---- a request ---- */

typedef enum rc_log_outcome {
    RC_LOG_SUCCEEDED = 0,
    RC_LOG_FAILED = 1,
    RC_LOG_INTERRUPTED = 2, /* it failed behind content */
    RC_LOG_CANCELLED = 3,   /* the client left */
    RC_LOG_REFUSED = 4      /* before any try */
} rc_log_outcome;

/* What is empty, or NONE, or -1 where that is said, is left out. */
typedef struct rc_log_request {
    int64_t unix_ms; /* of its end; 0: not known */
    rc_log_outcome outcome;
    rc_str request_id; /* ours */
    rc_str report_id;  /* of what the client was told */
    rc_str client;
    rc_str route;
    rc_str model;  /* as the client named it */
    rc_str target; /* that answered, or was asked last */
    rc_str provider_request_id;
    rc_str
        method; /* of a request that was refused, with its path: which client sends it, and where */
    rc_str path; /* without its query */
    int status;  /* that the client got; 0: it left before there was one */
    rc_code code;
    rc_str rule;    /* that decided on the code */
    rc_str message; /* what the client was told */
    uint32_t attempts;
    uint32_t switches;     /* to other targets and keys */
    uint64_t wait_ms;      /* between tries, together */
    int64_t latency_ms;    /* -1: not known */
    int64_t first_byte_ms; /* -1: there was none */
    int64_t tokens_in;     /* -1: not known */
    int64_t tokens_out;
    bool is_estimated;      /* the tokens are */
    int64_t cost_usd_micro; /* -1: not known */
    uint64_t bytes;         /* of the answer */
    rc_str trace_id;
    bool is_committed;     /* content was passed on */
    uint32_t client_retry; /* which of the client's own retries it was; 0: none */
} rc_log_request;

/* Appends the line. The buffer's status. */
rc_status rc_log_push_request(rc_buf *buf, const rc_log_style *style,
                              const rc_log_request *request);

/* ---- what happens to the process ---- */

#define RC_LOG_EVENTS(X)                         \
    X(STARTED, INFO, "started")                  \
    X(LISTENING, INFO, "listening")              \
    X(RELOADED, INFO, "reloaded")                \
    X(RELOAD_REFUSED, ERROR, "reload_refused")   \
    X(DRAINING, INFO, "draining")                \
    X(STOPPED, INFO, "stopped")                  \
    X(OPERATOR, INFO, "operator")                \
    X(STORE_DOWN, ERROR, "store_down")           \
    X(STORE_BACK, INFO, "store_back")            \
    X(STORE_DEFAULT, WARN, "store_default")      \
    X(AUDIT_TRIMMED, INFO, "audit_trimmed")      \
    X(SUPPRESSED, WARN, "suppressed_error")      \
    X(CREDENTIAL_DEAD, ERROR, "credential_dead") \
    X(BREAKER_OPENED, WARN, "breaker_opened")    \
    X(BREAKER_CLOSED, INFO, "breaker_closed")    \
    X(BUDGET_WARNING, WARN, "budget:warning")    \
    X(BUDGET_PAUSED, WARN, "budget:paused")      \
    X(QUOTA_WARNING, WARN, "quota:warning")      \
    X(BUDGET_UNPRICED, WARN, "budget_unpriced")  \
    X(LOOP_STALL, WARN, "loop_stall")            \
    X(LOG_DROPPED, WARN, "log_dropped")          \
    X(LOG_CLOSED, ERROR, "log_not_opened")       \
    X(RESTART_NEEDED, WARN, "restart_needed")    \
    X(STATE, INFO, "state")                      \
    X(SIGNAL, WARN, "signal")

typedef enum rc_log_event {
#define RC_LOG_EVENT_ENUM(ID, LEVEL, name) RC_LOG_EVENT_##ID,
    RC_LOG_EVENTS(RC_LOG_EVENT_ENUM)
#undef RC_LOG_EVENT_ENUM
    RC_LOG_EVENT_COUNT
} rc_log_event;

#define RC_LOG_FIELDS_MAX 8

/* A text, or without one a number. key: static, at most 24 bytes. An empty text is left out. */
typedef struct rc_log_field {
    const char *key;
    rc_str text; /* its ptr is NULL: a number */
    int64_t number;
} rc_log_field;

/* Appends the line. Fields beyond RC_LOG_FIELDS_MAX are left out. A field of the key "message"
 * stands without its key in a human line. The buffer's status. */
rc_status rc_log_push_event(rc_buf *buf, const rc_log_style *style, int64_t unix_ms,
                            rc_log_event event, const rc_log_field *fields, size_t count);

/* Appends an event with a member that is JSON of our own: the only line that may be longer, and in
 * no style but JSON. key, json: borrow. The buffer's status. */
rc_status rc_log_push_json(rc_buf *buf, int64_t unix_ms, rc_log_event event, const char *key,
                           rc_str json);

/* For rc_log_sink: the line that tells how many are missing. Gives its length. ctx: an
 * rc_log_formatter. */
typedef struct rc_log_formatter {
    rc_log_style style;
    const rc_sys_calls *calls; /* the clock */
} rc_log_formatter;
size_t rc_log_format_dropped(void *ctx, uint64_t count, char *buffer, size_t size);

/* ---- parts ---- */

const char *rc_log_outcome_name(rc_log_outcome outcome);
const char *rc_log_event_name(rc_log_event event);
/* "info", "warn", "error". */
const char *rc_log_event_level(rc_log_event event);
const char *rc_log_request_level(const rc_log_request *request);

/* Appends text without its secrets, at most some hundred bytes of it. */
void rc_log_push_clean(rc_buf *buf, rc_str text);
#define RC_LOG_CLEAN_MAX ((size_t)512)

/* log_human.c. */
rc_status rc_log_human_request(rc_buf *buf, const rc_log_style *style,
                               const rc_log_request *request);
rc_status rc_log_human_event(rc_buf *buf, const rc_log_style *style, int64_t unix_ms,
                             rc_log_event event, const rc_log_field *fields, size_t count);

#endif
