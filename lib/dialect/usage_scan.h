/* rc_usage_scan: reads what a response used while its bytes pass, without keeping them.
 *
 *   piece ──► push() ──► rc_usage      counts as they are found
 *   end, however it came ──► end()     the estimate of what nobody counted
 *
 *   START ── '{' or '[' ──► JSON     an object, an array of objects, objects one behind the other
 *     └───── all else ────► LINES    server-sent events: the data of each event is such an object
 *
 * The places are those of spec/usage.def, so the dialect need not be known. The scan follows quotes
 * and brackets at any depth and validates nothing; only the usage object itself is copied, into
 * room, up to RC_USAGE_OBJECT_MAX_BYTES. Bytes that are neither JSON nor events count nothing. */
#ifndef RC_DIALECT_USAGE_SCAN_H
#define RC_DIALECT_USAGE_SCAN_H

#include <recourse/buf.h>

#include "dialect/usage.h"

/* The longest name that the scan compares; a longer one is none of the table's. */
#define RC_USAGE_SCAN_KEY_MAX 24u

/* The caller's storage. The fields are private. */
typedef struct rc_usage_scan {
    rc_buf *scratch;  /* of the value that is copied */
    uint64_t weight;  /* of all text so far: codec/usage_weight.h */
    uint64_t objects; /* a bit for each of the outer 64 containers: it is an object */
    uint32_t depth;
    uint32_t base;       /* 1: the objects are elements of an array */
    uint32_t copy_depth; /* where the value that is copied ends */
    uint8_t form;
    uint8_t line;     /* of LINES: where in the line the scan stands */
    uint8_t line_len; /* of "data:": what has come of it */
    uint8_t string;   /* in which kind of string, if any */
    uint8_t copying;  /* what is copied, if anything */
    uint8_t escape_len;
    char escape[6];
    uint8_t key_len; /* RC_USAGE_SCAN_KEY_MAX + 1: too long */
    char key[RC_USAGE_SCAN_KEY_MAX];
    bool is_key_next;
    bool is_text_member; /* the member at the top has the text of the response */
    bool is_weighed;     /* the string is text */
    bool is_content;     /* the model has written it */
    bool has_content;    /* there was such a string, not empty */
    bool is_inside;      /* a place that may hold a usage object */
    bool is_in_data;
    bool has_image;    /* the element of "data" */
    bool is_embedding; /* what it says are vectors */
    bool is_read;      /* there was a count */
    bool is_after_cr;
} rc_usage_scan;

/* room: borrows until the last push; the scan empties it. */
void rc_usage_scan_init(rc_usage_scan *scan, rc_buf *scratch);

/* piece: borrows. */
void rc_usage_scan_push(rc_usage_scan *scan, rc_usage *usage, rc_str piece);

/* The response is over or broke off. What was not counted is weighed. A second call adds nothing.
 */
void rc_usage_scan_end(rc_usage_scan *scan, rc_usage *usage);

#endif
