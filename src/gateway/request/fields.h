/* rc_field_list: which headers pass the gateway, in both directions. The table is
 * spec/fields.def. */
#ifndef RC_GATEWAY_REQUEST_FIELDS_H
#define RC_GATEWAY_REQUEST_FIELDS_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/render.h>
#include <recourse/str.h>

#include "http/http1.h"

typedef enum rc_field_id {
    RC_FIELD_OTHER = 0,  /* not in the table: passes */
    RC_FIELD_LISTED = 1, /* named in Connection: dropped */
#define RC_FIELD(ID, name, REQUEST, RESPONSE) RC_FIELD_##ID,
#define RC_FIELD_PREFIX(ID, name, REQUEST, RESPONSE) RC_FIELD_ANY_##ID,
#include "spec/fields.def"
    RC_FIELD_COUNT
} rc_field_id;

/* A byte each: what the headers of one head are. */
typedef struct rc_field_list {
    uint32_t count;
    uint8_t ids[RC_HTTP1_FIELDS_MAX]; /* rc_field_id */
} rc_field_list;

/* The row of a name, which may be in any case. */
rc_field_id rc_field_find(rc_str name);

/* "x-api-key"; of a prefix the prefix; "" of the first two. Gives a static string. */
const char *rc_field_name(rc_field_id field);

/* Looks all headers of a head up. reader, head: borrow. */
void rc_field_list_read(rc_field_list *fields, const rc_http1 *reader, const char *head);

/* Does it go to a provider of this dialect? To the client, of an answer whose body goes on as it
 * came, or decoded? */
bool rc_field_is_sent(rc_field_id field, rc_dialect provider);
bool rc_field_is_returned(rc_field_id field, bool is_decoded);

/* May this be a header's value? No control character but the tab. */
bool rc_field_is_value(rc_str text);

/* "name: value", CR LF. One that may not be a value is left out: no line can begin in another. */
void rc_field_push(rc_buf *buf, rc_str name, rc_str value);

/* The lines of the headers [from, to) as they came. */
void rc_field_push_lines(rc_buf *buf, const rc_http1 *reader, const char *head, uint32_t from,
                         uint32_t to);

/* "provider/model" as a header says it: they are the configuration's and the client's text, and
 * escaped, none can end a line. At most RC_TARGET_TEXT_MAX bytes. */
#define RC_TARGET_TEXT_MAX 513u
void rc_target_text_push(rc_buf *buf, rc_str provider, rc_str model);

/* What a cost is made of. */
typedef enum rc_cost_basis {
    RC_COST_NONE = 0,      /* not known yet, or there is nothing to pay for */
    RC_COST_MEASURED = 1,  /* by what the provider counted */
    RC_COST_ESTIMATED = 2, /* some of it was not counted */
    RC_COST_UNPRICED = 3   /* there is no price for some of it */
} rc_cost_basis;

/* What we tell a client beside what the provider says. Empty or 0: left out. */
typedef struct rc_reply_facts {
    uint64_t attempts;
    rc_cost_basis basis;
    uint64_t cost_usd_micro; /* of all attempts; not told when it is UNPRICED */
    bool has_total_ms;
    bool has_target_ms;
    uint64_t total_ms;  /* since the request's head */
    uint64_t target_ms; /* of the last attempt */
    rc_str target;      /* as rc_target_text_push has it */
    rc_str request_id;  /* one that we made */
    rc_str report_id;
} rc_reply_facts;

/* The head of an answer that is passed on: the status line and the headers, each line with its CR
 * LF, without the empty line and without what frames the body; what rc_responder_begin_raw takes.
 * is_decoded: the body came compressed, and goes on as it was before. reader, head: borrow. Gives
 * the buffer's status. */
rc_status rc_client_response_head_push(rc_buf *buf, const rc_http1 *reader, const char *head,
                                       bool is_decoded, const rc_reply_facts *facts);

/* The lines of a provider's response that say which rate limits apply and what is left of them. A
 * value with a secret in it, or longer than any limit is, is left out. reader, head: borrow. */
void rc_client_response_limits_push(rc_buf *buf, const rc_http1 *reader, const char *head);

/* Our own lines alone, for an answer of our own making. */
rc_status rc_reply_facts_push(rc_buf *buf, const rc_reply_facts *facts);

#endif
