/* A report as JSON, and back. */
#ifndef RECOURSE_JSON_H
#define RECOURSE_JSON_H

#include <stddef.h>

#include <recourse/alloc.h>
#include <recourse/buf.h>
#include <recourse/export.h>
#include <recourse/report.h>
#include <recourse/status.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* Who reads it. Which fields each view has is one table: see docs/internals/report.md. */
typedef enum rc_view {
    RC_VIEW_USER = 1,    /* message, action, ids */
    RC_VIEW_MODEL = 2,   /* class, code, safe context: never a stack, a raw payload or a path */
    RC_VIEW_INTERNAL = 4 /* everything */
} rc_view;

/* The name as --view has it, and back (0 when there is no such view). */
RC_API const char *rc_view_name(rc_view view);
RC_API rc_view rc_view_parse(rc_str name);

/* Appends the report as one compact JSON object. Absent fields are left out. The buffer's status:
 * RC_E_NOMEM or RC_E_TOO_LARGE, and then what the buffer holds is not JSON. */
RC_API rc_status rc_report_encode(const rc_report *report, rc_view view, rc_buf *buf);

typedef enum rc_decode_mode {
    RC_DECODE_STRICT = 1, /* the exact inverse of the encoder's internal view */
    RC_DECODE_TOLERANT =
        2 /* drops unknown keys, turns unknown enum values into unknown, reads on through damage */
} rc_decode_mode;

#define RC_DECODE_MAX_BYTES (16u << 20)
#define RC_DECODE_POINTER_MAX 192
#define RC_DECODE_DROPPED_MAX 8

/* Where and why decoding failed, or what a tolerant decoder dropped on the way. The caller's
 * storage. */
typedef struct rc_decode_info {
    rc_status status;
    size_t offset; /* in bytes */
    size_t line;   /* both from 1 */
    size_t column;
    char pointer[RC_DECODE_POINTER_MAX]; /* JSON pointer (RFC 6901) of the value or key; cut at a
                                            whole step */
    char message[160];                   /* one phrase for people: "unknown key \"colour\"" */
    size_t dropped_count; /* tolerant: everything that was dropped or became unknown */
    char dropped[RC_DECODE_DROPPED_MAX][RC_DECODE_POINTER_MAX]; /* the first of them */
    bool is_damaged; /* tolerant: the text was not well-formed JSON; line and column say where first
                      */
} rc_decode_info;

/* Reads one report. RC_OK: *ret_report is the caller's to free. Otherwise *ret_report is not
 * touched and info (borrows; may be NULL) says why:
 *
 *   RC_E_SYNTAX, RC_E_TRUNCATED        strict: not JSON, or text behind it; tolerant: no object
 *   RC_E_TYPE                          a value of another type; tolerant: the whole is no object
 *   RC_E_RANGE                         strict: a value, number or text that is not allowed
 *   RC_E_UNKNOWN_KEY, RC_E_DUPLICATE   strict
 *   RC_E_TOO_DEEP, RC_E_TOO_LARGE      strict: more than a report holds
 *   RC_E_NOMEM                         out of memory
 *
 * A deep chain of causes takes stack: about 100 KB for the 200 that tolerant reads. */
RC_API RC_WARN_UNUSED rc_status rc_report_decode(rc_str json, rc_decode_mode mode,
                                                 const rc_alloc *alloc,
                                                 const rc_report **ret_report,
                                                 rc_decode_info *info);

RC_END_DECLS

#endif
