/* Output of `recourse errors`: one code, one class, or (with neither) the whole table. Each
 * function appends to buf; a failure is in the buffer's status. */
#ifndef RC_CLI_ERRORS_ERRORS_H
#define RC_CLI_ERRORS_ERRORS_H

#include <recourse/buf.h>
#include <recourse/render.h>
#include <recourse/taxonomy.h>

typedef struct rc_errors_choice {
    const rc_code_info *code;
    const rc_class_info *error_class; /* NULL when there is a code. */
} rc_errors_choice;

/* Appends JSON: a code as one object, a class as an object with its codes, the whole table as an
 * array with one row per line. */
void rc_errors_json(rc_buf *buf, const rc_errors_choice *choice);

/* Appends tables and panels of the style's width. Returns RC_OK, or the status of the memory of a
 * table. */
rc_status rc_errors_human(rc_buf *buf, const rc_errors_choice *choice, const rc_panel_style *style,
                          const rc_alloc *alloc);

#endif
