/* Table of the output formats of a report: name, render function, and the options that each format
 * takes. */
#ifndef RC_CLI_FORMATS_H
#define RC_CLI_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/json.h>
#include <recourse/render.h>
#include <recourse/report.h>

/* Arguments of a render function. A format reads an option only if its rc_format
 * has the flag for it, such as takes_indent. */
typedef struct rc_format_input {
    const rc_report *report;
    rc_view view;
    rc_dialect dialect;
    unsigned indent;
    bool is_stream;
    rc_panel_style style;
} rc_format_input;

typedef struct rc_format {
    const char *name;
    rc_status (*render)(const rc_format_input *input, rc_buf *buf);
    rc_dialect dialect; /* API of a format that is an error body for clients; 0: another format. */
    rc_view view;       /* View that is used without --view. */
    bool takes_view;    /* The user may choose the view; false: fixed fields. */
    bool takes_dialect;
    bool takes_indent;
    bool takes_stream;
    bool is_exact; /* The command adds no newline to the output. */
    const char *help;
} rc_format;

/* Returns the formats in the order of the help; NULL if the index is too large. */
const rc_format *rc_format_at(size_t index);

/* Returns the format with this name; NULL: unknown name. name: borrows during the call. */
const rc_format *rc_format_find(const char *name);

/* Appends the report, with a newline at its end unless the format is exact. input: borrows during
 * the call; input->dialect is ignored. dialect: the value of --dialect; NULL selects "problem" (RFC
 * 9457). */
void rc_format_push(const rc_format *format, const rc_format_input *input, const char *dialect,
                    rc_buf *buf);

/* These functions return the allowed values of --format, --view and --dialect; NULL if the index is
 * too large. */
const char *rc_format_name_at(const void *ctx, size_t index);
const char *rc_view_name_at(const void *ctx, size_t index);
const char *rc_dialect_name_at(const void *ctx, size_t index);

#endif
