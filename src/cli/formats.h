/* The formats of a report, in one table: name, reader, what each can be told. */
#ifndef RC_CLI_FORMATS_H
#define RC_CLI_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/json.h>
#include <recourse/render.h>
#include <recourse/report.h>

/* Everything that a renderer may be told. */
typedef struct rc_format_input {
    const rc_report *report;
    rc_view view;
    rc_dialect dialect;
    unsigned indent;
    bool is_stream;
    rc_panel_style style;
    int64_t now_unix_ms;
} rc_format_input;

typedef struct rc_format {
    const char *name;
    rc_status (*render)(const rc_format_input *input, rc_buf *buf);
    rc_dialect dialect; /* of a body in a client's dialect; 0: the format is none */
    rc_view view;       /* when no view is asked for */
    bool takes_view;    /* else the format has its own choice of fields */
    bool takes_dialect;
    bool takes_indent;
    bool takes_stream;
    bool is_exact; /* bytes that somebody counts: no newline is added */
    const char *help;
} rc_format;

/* The formats in the order of the help; NULL past the end. */
const rc_format *rc_format_at(size_t index);

/* The format of that name; NULL when there is none. name: borrows. */
const rc_format *rc_format_find(const char *name);

/* The values of --format, --view and --dialect, as an option wants them; NULL past the end. */
const char *rc_format_name_at(const void *ctx, size_t index);
const char *rc_view_name_at(const void *ctx, size_t index);
const char *rc_dialect_name_at(const void *ctx, size_t index);

#endif
