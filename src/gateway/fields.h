/* rc_gate_fields: which headers pass the gateway, in both directions. The table is
 * spec/fields.def. */
#ifndef RC_GATEWAY_FIELDS_H
#define RC_GATEWAY_FIELDS_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/render.h>
#include <recourse/str.h>

#include "http/http1.h"

typedef enum rc_gate_field {
    RC_FIELD_OTHER = 0,  /* not in the table: passes */
    RC_FIELD_LISTED = 1, /* named in Connection: dropped */
#define RC_FIELD(ID, name, REQUEST, RESPONSE) RC_FIELD_##ID,
#define RC_FIELD_PREFIX(ID, name, REQUEST, RESPONSE) RC_FIELD_ANY_##ID,
#include "../../spec/fields.def"
    RC_FIELD_COUNT
} rc_gate_field;

/* A byte each: what the headers of one head are. */
typedef struct rc_gate_fields {
    uint32_t count;
    uint8_t ids[RC_HTTP1_FIELDS_MAX]; /* rc_gate_field */
} rc_gate_fields;

/* The row of a name, which may be in any case. */
rc_gate_field rc_gate_field_of(rc_str name);

/* "x-api-key"; of a prefix the prefix; "" of the first two. Gives a static string. */
const char *rc_gate_field_name(rc_gate_field field);

/* Looks all headers of a head up. reader, head: borrow. */
void rc_gate_fields_read(rc_gate_fields *fields, const rc_http1 *reader, const char *head);

/* Does it go to a provider of this dialect? To the client, of an answer whose body goes on as it
 * came, or decoded? */
bool rc_gate_field_is_sent(rc_gate_field field, rc_dialect provider);
bool rc_gate_field_is_returned(rc_gate_field field, bool is_decoded);

/* May this be a header's value? No control character but the tab. */
bool rc_gate_is_value(rc_str text);

/* "name: value", CR LF. One that may not be a value is left out: no line can begin in another. */
void rc_gate_push_field(rc_buf *buf, rc_str name, rc_str value);

/* The lines of the headers [from, to) as they came. */
void rc_gate_push_lines(rc_buf *buf, const rc_http1 *reader, const char *head, uint32_t from,
                        uint32_t to);

/* "provider/model" as a header says it: they are the configuration's and the client's text, and
 * escaped, none can end a line. At most RC_GATE_TARGET_MAX bytes. */
#define RC_GATE_TARGET_MAX 513u
void rc_gate_push_target(rc_buf *buf, rc_str provider, rc_str model);

/* What a cost is made of. */
typedef enum rc_gate_cost_basis {
    RC_COST_NONE = 0,      /* not known yet, or there is nothing to pay for */
    RC_COST_MEASURED = 1,  /* by what the provider counted */
    RC_COST_ESTIMATED = 2, /* some of it was not counted */
    RC_COST_UNPRICED = 3   /* there is no price for some of it */
} rc_gate_cost_basis;

/* What we tell a client beside what the provider says. Empty or 0: left out. */
typedef struct rc_gate_told {
    uint64_t attempts;
    rc_gate_cost_basis basis;
    uint64_t cost_usd_micro; /* of all attempts; not told when it is UNPRICED */
    bool has_total_ms;
    bool has_target_ms;
    uint64_t total_ms;  /* since the request's head */
    uint64_t target_ms; /* of the last attempt */
    rc_str target;      /* as rc_gate_push_target has it */
    rc_str request_id;  /* one that we made */
    rc_str report_id;
} rc_gate_told;

/* The head of an answer that is passed on: the status line and the headers, each line with its CR
 * LF, without the empty line and without what frames the body; what rc_exchange_begin_raw takes.
 * is_decoded: the body came compressed, and goes on as it was before. reader, head: borrow. Gives
 * the buffer's status. */
rc_status rc_gate_push_answer(rc_buf *buf, const rc_http1 *reader, const char *head,
                              bool is_decoded, const rc_gate_told *told);

/* The lines of a provider's response that say which rate limits apply and what is left of them. A
 * value with a secret in it, or longer than any limit is, is left out. reader, head: borrow. */
void rc_gate_push_limits(rc_buf *buf, const rc_http1 *reader, const char *head);

/* Our own lines alone, for an answer of our own making. */
rc_status rc_gate_push_told(rc_buf *buf, const rc_gate_told *told);

#endif
