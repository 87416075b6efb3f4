/* rc_field_list: decides which headers the gateway passes on to the provider and to the client. The
 * header table is spec/fields.def. */
#ifndef RC_GATEWAY_REQUEST_FIELDS_H
#define RC_GATEWAY_REQUEST_FIELDS_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/render.h>
#include <recourse/str.h>

#include "http/http1.h"

typedef enum rc_field_id {
    RC_FIELD_OTHER = 0,  /* A header that is not in the table. Such a header is passed on. */
    RC_FIELD_LISTED = 1, /* A header that Connection names. Such a header is dropped. */
#define RC_FIELD(ID, name, REQUEST, RESPONSE) RC_FIELD_##ID,
#define RC_FIELD_PREFIX(ID, name, REQUEST, RESPONSE) RC_FIELD_ANY_##ID,
#include "spec/fields.def"
    RC_FIELD_COUNT
} rc_field_id;

/* The table row of each header of a head, in the order of the head. */
typedef struct rc_field_list {
    uint32_t count;
    uint8_t ids[RC_HTTP1_FIELDS_MAX]; /* Row of each header, as rc_field_id. */
} rc_field_list;

/* Returns the table row of a header name. The case of letters is ignored. */
rc_field_id rc_field_find(rc_str name);

/* Returns the name of a row, such as "x-api-key". For a prefix row this is the prefix; for
 * RC_FIELD_OTHER and RC_FIELD_LISTED it is "". The text is static. */
const char *rc_field_name(rc_field_id field);

/* Looks up all headers of a head. reader, head: borrows during the call. */
void rc_field_list_read(rc_field_list *fields, const rc_http1 *reader, const char *head);

/* rc_field_is_sent: whether a request's header is sent to a provider of this dialect.
 * rc_field_is_returned: whether a response's header is sent to the client. is_decoded: the gateway
 * has decompressed the response's body. */
bool rc_field_is_sent(rc_field_id field, rc_dialect provider);
bool rc_field_is_returned(rc_field_id field, bool is_decoded);

/* Whether the text is allowed as a header value (no control character except tab). */
bool rc_field_is_value(rc_str text);

/* Appends "name: value" CR LF. Appends nothing if the value is not allowed, so that a value cannot
 * inject another header line. */
void rc_field_push(rc_buf *buf, rc_str name, rc_str value);

/* Appends the header lines with the indexes `from` to `to` - 1 unchanged. */
void rc_field_push_lines(rc_buf *buf, const rc_http1 *reader, const char *head, uint32_t from,
                         uint32_t to);

/* Appends "provider/model" for a header, percent-encoded, because the names come from the
 * configuration and the client. At most RC_TARGET_TEXT_MAX bytes. */
#define RC_TARGET_TEXT_MAX 513u
void rc_target_text_push(rc_buf *buf, rc_str provider, rc_str model);

/* How a cost was determined. */
typedef enum rc_cost_basis {
    RC_COST_NONE = 0,      /* The cost is not known yet, or the request is free. */
    RC_COST_MEASURED = 1,  /* The cost is based on the provider's token counts. */
    RC_COST_ESTIMATED = 2, /* Some tokens were estimated. */
    RC_COST_UNPRICED = 3   /* Some of the usage has no price. */
} rc_cost_basis;

/* Values of the gateway's own response headers. A header whose value is empty or 0 is left out. */
typedef struct rc_reply_facts {
    uint64_t attempts;
    rc_cost_basis basis;
    uint64_t cost_usd_micro; /* Cost of all attempts. Left out if basis is RC_COST_UNPRICED. */
    bool has_total_ms;
    bool has_target_ms;
    uint64_t total_ms;  /* Time since the request's head arrived. */
    uint64_t target_ms; /* Duration of the last attempt. */
    rc_str target;      /* The target's name, as written by rc_target_text_push. */
    rc_str request_id;  /* The id that the gateway gave the request. */
    rc_str report_id;
    rc_str content_type; /* Replaces the provider's content type. Empty: the provider's is kept. */
    rc_str translated;   /* How the request was translated. It contains only letters, digits and
                         * "_.-,;=> ". */
    rc_str masked;       /* Failures after which fallback_on used another target. */
    uint64_t waited_ms;  /* Sum of the waits, in the queue and between attempts. */
} rc_reply_facts;

/* Maximum number of bytes of `masked`; a longer text is left out. */
#define RC_MASKED_TEXT_MAX 1024u

/* Appends the head of a provider's response for the client: the status line and headers, each with
 * CR LF. The framing headers and the empty line at the end are missing, because
 * rc_responder_begin_raw adds them. is_decoded: the gateway has decompressed the body. reader,
 * head: borrows during the call. Returns the buffer's status. */
rc_status rc_client_response_head_push(rc_buf *buf, const rc_http1 *reader, const char *head,
                                       bool is_decoded, const rc_reply_facts *facts);

/* Appends the rate-limit headers of a provider's response. Values that contain a secret, or are too
 * long for a limit, are left out. reader, head: borrows during the call. */
void rc_client_response_limits_push(rc_buf *buf, const rc_http1 *reader, const char *head);

/* Appends only the gateway's own headers, for a response that the gateway creates itself. */
rc_status rc_reply_facts_push(rc_buf *buf, const rc_reply_facts *facts);

#endif
