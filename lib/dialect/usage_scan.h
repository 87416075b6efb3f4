/* rc_usage_scan: finds the usage in a response while its bytes are passed on, without storing them.
 *
 *   piece ──► push() ──► rc_usage      the counts that were found
 *   end of the response ──► end()      the estimate, if there was no count
 *
 *   START ── '{' or '[' ──► JSON     an object, an array of objects, concatenated objects
 *     └───── other bytes ─► LINES    server-sent events: the data of each event is such an object
 *
 * The scan uses the locations of spec/usage.def, so the dialect need not be known. The scan follows
 * quotes and brackets at any depth and validates nothing. Only the usage object is copied, to
 * scratch, up to RC_USAGE_OBJECT_MAX_BYTES. Bytes that are neither JSON nor events are ignored. */
#ifndef RC_DIALECT_USAGE_SCAN_H
#define RC_DIALECT_USAGE_SCAN_H

#include <recourse/buf.h>

#include "dialect/usage.h"

/* The longest key that the scan stores; no key of spec/usage.def is longer. */
#define RC_USAGE_SCAN_KEY_MAX 24u

/* The caller provides the storage. The fields are private. */
typedef struct rc_usage_scan {
    rc_buf *scratch;  /* the copied value */
    uint64_t weight;  /* weight of all text so far: dialect/usage_weight.h */
    uint64_t objects; /* one bit for each of the outer 64 containers; set: the container is an
                         object */
    uint32_t depth;
    uint32_t base;       /* 1 if the objects are elements of an array, else 0 */
    uint32_t copy_depth; /* depth at which the copied value ends */
    uint8_t form;
    uint8_t line;     /* LINES: the part of the line that the scan is in */
    uint8_t line_len; /* LINES: bytes of "data:" that have matched */
    uint8_t string;   /* kind of the current string, if any */
    uint8_t copying;  /* kind of the copied value, if any */
    uint8_t escape_len;
    char escape[6];
    uint8_t key_len; /* RC_USAGE_SCAN_KEY_MAX + 1: too long */
    char key[RC_USAGE_SCAN_KEY_MAX];
    bool is_key_next;
    bool is_text_member; /* the current top-level member has the text of the response */
    bool is_weighed;     /* the current string is text and has a weight */
    bool is_content;     /* the current string was written by the model */
    bool has_content;    /* there was a non-empty string written by the model */
    bool is_inside;      /* inside an object that may contain a usage object */
    bool is_in_data;     /* inside the list "data" */
    bool has_image;      /* the current element of "data" is an image */
    bool is_embedding;   /* the response contains vectors */
    bool is_read;        /* a count was found */
    bool is_after_cr;
} rc_usage_scan;

/* Starts a scan. scratch: borrows until the last push; the scan empties it. */
void rc_usage_scan_init(rc_usage_scan *scan, rc_buf *scratch);

/* Scans the next piece and adds its counts to usage. piece: borrows during the call. */
void rc_usage_scan_push(rc_usage_scan *scan, rc_usage *usage, rc_str piece);

/* Ends the scan, whether the response is complete or was cut. Adds the weight of the text if the
 * output was not counted. A second call adds nothing. */
void rc_usage_scan_end(rc_usage_scan *scan, rc_usage *usage);

#endif
