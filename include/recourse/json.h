/* Encoding of a report as JSON, and decoding of the JSON. */
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

/* A view selects the fields for one kind of reader; docs/internals/report.md lists the fields of
 * each view. */
typedef enum rc_view {
    RC_VIEW_USER = 1,    /* for users: message, action, ids */
    RC_VIEW_MODEL = 2,   /* for models: class, code, safe context; no stack, raw payload or path */
    RC_VIEW_INTERNAL = 4 /* for operators: all fields */

} rc_view;

/* These functions convert between a view and its name in the command line option --view.
 * rc_view_parse returns 0 for an unknown name. */
RC_API const char *rc_view_name(rc_view view);
RC_API rc_view rc_view_parse(rc_str name);

/* Appends the report as one compact JSON object without the absent fields. Returns the buffer's
 * status. After RC_E_NOMEM or RC_E_TOO_LARGE the JSON in the buffer is incomplete. report: borrows
 * during the call. */
RC_API rc_status rc_report_encode(const rc_report *report, rc_view view, rc_buf *buf);

typedef enum rc_decode_mode {
    RC_DECODE_STRICT = 1,  /* accepts only the JSON that the encoder writes in the internal view */
    RC_DECODE_TOLERANT = 2 /* drops unknown keys, maps unknown enum values to UNKNOWN, and
                              continues after malformed JSON */
} rc_decode_mode;

#define RC_DECODE_MAX_BYTES (16u << 20)
#define RC_DECODE_POINTER_MAX 192
#define RC_DECODE_DROPPED_MAX 8

/* The position and cause of a decoding error, and the values that tolerant decoding dropped. The
 * struct is in the caller's storage. */
typedef struct rc_decode_info {
    rc_status status;
    size_t offset;                       /* position of the error in bytes */
    size_t line;                         /* line of the error, counted from 1 */
    size_t column;                       /* column of the error, counted from 1 */
    char pointer[RC_DECODE_POINTER_MAX]; /* JSON pointer (RFC 6901) of the value or key; a pointer
                                            that is too long is cut after a whole reference token */
    char message[160];                   /* one phrase for people, such as: unknown key "colour" */
    size_t dropped_count; /* tolerant mode: number of values that were dropped or became UNKNOWN */
    char dropped[RC_DECODE_DROPPED_MAX][RC_DECODE_POINTER_MAX]; /* pointers of the first dropped
                                                                   values */
    bool is_damaged; /* tolerant mode: the text was malformed JSON, for the first time at `line` and
                        `column` */
} rc_decode_info;

/* Decodes one report. json: borrows during the call. alloc: copies the struct. On RC_OK the caller
 * owns *ret_report and frees it with rc_report_free. On any other status *ret_report is unchanged,
 * and `info` has the cause. info: borrows during the call; may be NULL. The statuses in strict and
 * tolerant mode:
 *
 *   RC_E_SYNTAX, RC_E_TRUNCATED        strict: not JSON, or text after the value; tolerant:
 *                                      no object in the text
 *   RC_E_TYPE                          strict: a value has the wrong type for its member; tolerant:
 *                                      the top level is not an object
 *   RC_E_RANGE                         strict: a value, number or text that is not allowed
 *   RC_E_UNKNOWN_KEY, RC_E_DUPLICATE   strict: a key that is unknown or occurs twice
 *   RC_E_TOO_DEEP, RC_E_TOO_LARGE      strict: a ceiling of the report is exceeded
 *   RC_E_NOMEM                         out of memory
 *
 * Decoding a deep chain of causes uses stack memory: about 100 KB for the 200 levels that tolerant
 * decoding reads. */
RC_API RC_WARN_UNUSED rc_status rc_report_decode(rc_str json, rc_decode_mode mode,
                                                 const rc_alloc *alloc,
                                                 const rc_report **ret_report,
                                                 rc_decode_info *info);

RC_END_DECLS

#endif
