/* rc_usage_scan: finds the token counts in a response while the bytes of the response are passed
 * on, without storing these bytes.
 *
 *   piece ──► push() ──► rc_usage      the counts that were found
 *   end of the response ──► end()      the estimate, if there was no count
 *
 *   START ── '{' or '[' ──► JSON     an object, an array of objects, concatenated objects
 *     └───── other bytes ─► LINES    server-sent events: the data of each event is such an object
 *
 * The scan uses the member names in spec/usage.def, so the caller need not know the dialect. The
 * scan follows quotes and brackets at any depth and does not validate the JSON. Only the usage
 * object is copied, to scratch, up to RC_USAGE_OBJECT_MAX_BYTES. Bytes that are neither JSON nor
 * events are ignored. */
#ifndef RC_DIALECT_USAGE_SCAN_H
#define RC_DIALECT_USAGE_SCAN_H

#include <recourse/buf.h>

#include "dialect/usage.h"

/* Length of the longest key that the scan stores; the keys in spec/usage.def are not longer. */
#define RC_USAGE_SCAN_KEY_MAX 24u

/* The state of a scan. The caller provides the storage. The fields are private. */
typedef struct rc_usage_scan {
    rc_buf *scratch;  /* receives a copy of the value that is being copied */
    uint64_t weight;  /* weight of all text so far: dialect/usage_weight.h */
    uint64_t objects; /* one bit for each of the 64 outermost containers: 1 for an object, 0 for an
                         array */
    uint32_t depth;
    uint32_t base;       /* 1 if the objects are elements of an array, otherwise 0 */
    uint32_t copy_depth; /* nesting depth at which the copied value ends */
    uint8_t form;
    uint8_t line;     /* form LINES: the part of the line at which the scan is */
    uint8_t line_len; /* form LINES: number of bytes of "data:" that have matched */
    uint8_t string;   /* kind of the string that is being read; 0: none */
    uint8_t copying;  /* kind of the value that is being copied; 0: none */
    uint8_t escape_len;
    char escape[6];
    uint8_t key_len; /* length of the current key; RC_USAGE_SCAN_KEY_MAX + 1: the key is too long */
    char key[RC_USAGE_SCAN_KEY_MAX];
    bool is_key_next;
    bool is_text_member; /* the current top-level member contains the text of the response */
    bool is_weighed;     /* the current string counts for the estimate of tokens (usage_weight.h) */
    bool is_content;     /* the model wrote the current string */
    bool has_content;    /* the response has a non-empty string that the model wrote */
    bool is_inside;      /* the scan is inside an object that may contain a usage object */
    bool is_in_data;     /* the scan is inside the list "data" */
    bool has_image;      /* the current element of "data" is an image */
    bool is_embedding;   /* the response contains vectors */
    bool is_read;        /* a count was found */
    bool is_after_cr;
} rc_usage_scan;

/* Initialises a scan. scratch: borrows until the last push; the scan empties the buffer. */
void rc_usage_scan_init(rc_usage_scan *scan, rc_buf *scratch);

/* Scans the next piece and adds its counts to usage. piece: borrows during the call. */
void rc_usage_scan_push(rc_usage_scan *scan, rc_usage *usage, rc_str piece);

/* Ends the scan after a complete response or one that was cut off. Adds the weight of the text if
 * the output was not counted. A second call adds nothing. */
void rc_usage_scan_end(rc_usage_scan *scan, rc_usage *usage);

#endif
