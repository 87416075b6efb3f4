/* Output formats of a report, one table: name, render function, and the options each format
 * takes. */
#ifndef RC_CLI_FORMATS_H
#define RC_CLI_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/json.h>
#include <recourse/render.h>
#include <recourse/report.h>

/* Arguments of a render function; a format uses only those that its rc_format says it takes. */
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
    rc_dialect
        dialect;     /* Dialect of a format that is a client's error body; 0 for other formats. */
    rc_view view;    /* View used when the user names none. */
    bool takes_view; /* False: the format has a fixed set of fields. */
    bool takes_dialect;
    bool takes_indent;
    bool takes_stream;
    bool is_exact; /* The bytes are exact: the command adds no newline. */
    const char *help;
} rc_format;

/* Returns the formats in the order of the help; NULL past the end. */
const rc_format *rc_format_at(size_t index);

/* Returns the format of that name; NULL when there is none. name: borrows. */
const rc_format *rc_format_find(const char *name);

/* Appends the report, with a newline at its end unless the format is exact. input: borrows; its
 * dialect is not read. dialect: the value of --dialect; NULL: problem. */
void rc_format_push(const rc_format *format, const rc_format_input *input, const char *dialect,
                    rc_buf *buf);

/* The allowed values of --format, --view and --dialect; NULL past the end. */
const char *rc_format_name_at(const void *ctx, size_t index);
const char *rc_view_name_at(const void *ctx, size_t index);
const char *rc_dialect_name_at(const void *ctx, size_t index);

#endif
