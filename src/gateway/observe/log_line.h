/* Formats the lines of the gateway's log: one for each request that has ended, one for each event
 * of the process.
 *
 *   json    {"time":...,"level":"info","event":"request",...}       for programs
 *   human   12:03:05  200  gpt-4o -> openai/gpt-4o  1.2s  2 tries   for people
 *
 * A line has at most RC_LOG_LINE_MAX bytes including its line feed. Long values are truncated in
 * such a way that the line stays valid. Only the `state` event may be longer. Control characters
 * and invalid UTF-8 are escaped, so that no value from outside can inject a line. Secrets are
 * removed. sys/log_sink.h writes the lines. */
#ifndef RC_GATEWAY_OBSERVE_LOG_LINE_H
#define RC_GATEWAY_OBSERVE_LOG_LINE_H

#include <recourse/buf.h>
#include <recourse/codes.h>

#include "config/config.h"
#include "sys/terminal.h"

#define RC_LOG_LINE_MAX 1024

typedef struct rc_log_style {
    bool is_json;
    bool has_colour; /* Lines for people have colours. */
    bool has_utf8;
    int32_t utc_offset_s;
} rc_log_style;

/* Chooses the style for the configured format. terminal: borrows during the call. is_file: the
 * lines go to a file. Returns false if logging is off. */
bool rc_log_style_choose(rc_config_log_format format, const rc_terminal *terminal, bool is_file,
                         rc_log_style *ret_style);

/* ---- requests ---- */

typedef enum rc_log_outcome {
    RC_LOG_SUCCEEDED = 0,
    RC_LOG_FAILED = 1,
    RC_LOG_INTERRUPTED = 2, /* Failed after content was sent. */
    RC_LOG_CANCELLED = 3,   /* The client disconnected. */
    RC_LOG_REFUSED = 4      /* Refused before any attempt. */
} rc_log_outcome;

/* Facts of one request. The line has no member for an empty string, RC_CODE_NONE, or -1 where a
 * comment names -1. */
typedef struct rc_log_request {
    int64_t unix_ms; /* Time of the request's end. 0 if unknown. */
    rc_log_outcome outcome;
    rc_str request_id; /* The id that the gateway gave the request. */
    rc_str report_id;  /* Id of the report that the client got. */
    rc_str client;
    rc_str route;
    rc_str model;  /* The model as the client named it. */
    rc_str target; /* The target that responded, or the last one called. */
    rc_str provider_request_id;
    rc_str method; /* The method. Set, like `path`, only for refused requests. */
    rc_str path;   /* The path without its query. */
    int status;    /* Status sent to the client. 0 if the client disconnected before. */
    rc_code code;
    rc_str rule;    /* The classification rule that chose the code. */
    rc_str message; /* The message that the client got. */
    uint32_t attempts;
    uint32_t switches;     /* Number of switches to other targets and keys. */
    uint64_t wait_ms;      /* Total of the waits between attempts. */
    int64_t latency_ms;    /* -1 if unknown. */
    int64_t first_byte_ms; /* Time until the first byte was sent to the client. -1 if no byte was
                            * sent. */
    int64_t tokens_in;     /* -1 if unknown. */
    int64_t tokens_out;
    bool is_estimated;      /* The tokens are estimated. */
    int64_t cost_usd_micro; /* In millionths of a dollar. -1 if unknown. */
    uint64_t bytes;         /* Bytes of the response body. */
    rc_str translated; /* How the request of the last attempt was translated. Empty: it was not. */
    rc_str trace_id;
    bool is_committed;     /* Content was sent to the client. */
    uint32_t client_retry; /* Number of the retry, as the client's SDK sent it in a header. 0 if the
                            * request is not a retry. */
} rc_log_request;

/* Appends the line of a request. Returns the buffer's status. */
rc_status rc_log_push_request(rc_buf *buf, const rc_log_style *style,
                              const rc_log_request *request);

/* ---- events of the process ---- */

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

/* A field of an event: a text or a number. A field with an empty text is left out. key: a static
 * string of at most 24 bytes. */
typedef struct rc_log_field {
    const char *key;
    rc_str text; /* The text. If its `ptr` is NULL, the field is a number. */
    int64_t number;
} rc_log_field;

/* Appends the log line of one event that belongs to no request, such as a reload. Fields beyond
 * RC_LOG_FIELDS_MAX are left out. In a line for people the field "message" is written without its
 * key. Returns the buffer's status. */
rc_status rc_log_push_event(rc_buf *buf, const rc_log_style *style, int64_t unix_ms,
                            rc_log_event event, const rc_log_field *fields, size_t count);

/* Appends an event with one member of valid JSON, in the JSON style. The line may be longer than
 * RC_LOG_LINE_MAX. key, json: borrows during the call. Returns the buffer's status. */
rc_status rc_log_push_json(rc_buf *buf, int64_t unix_ms, rc_log_event event, const char *key,
                           rc_str json);

/* A callback for rc_log_sink: formats the line that states how many lines were dropped, and returns
 * the length of this line. ctx: an rc_log_formatter. */
typedef struct rc_log_formatter {
    rc_log_style style;
    const rc_sys_calls *calls; /* Used for the clock. */
} rc_log_formatter;
size_t rc_log_format_dropped(void *ctx, uint64_t count, char *buffer, size_t size);

/* ---- helpers ---- */

const char *rc_log_outcome_name(rc_log_outcome outcome);
const char *rc_log_event_name(rc_log_event event);
/* Returns "info", "warn" or "error". */
const char *rc_log_event_level(rc_log_event event);
const char *rc_log_request_level(const rc_log_request *request);

/* Appends at most RC_LOG_CLEAN_MAX bytes of the text, without secrets. */
void rc_log_push_clean(rc_buf *buf, rc_str text);
#define RC_LOG_CLEAN_MAX ((size_t)512)

/* ---- log_human.c: lines for people, if the style is not JSON ---- */

rc_status rc_log_human_request(rc_buf *buf, const rc_log_style *style,
                               const rc_log_request *request);
rc_status rc_log_human_event(rc_buf *buf, const rc_log_style *style, int64_t unix_ms,
                             rc_log_event event, const rc_log_field *fields, size_t count);

#endif
