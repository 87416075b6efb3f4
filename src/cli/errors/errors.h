/* Output of `recourse errors`: one code, one class, or the whole table if neither is chosen. Each
 * function appends to buf; if that fails, the status of buf has the reason. */
#ifndef RC_CLI_ERRORS_ERRORS_H
#define RC_CLI_ERRORS_ERRORS_H

#include <recourse/buf.h>
#include <recourse/render.h>
#include <recourse/taxonomy.h>

typedef struct rc_errors_choice {
    const rc_code_info *code;
    const rc_class_info *error_class; /* NULL if a code is chosen. */
} rc_errors_choice;

/* Appends JSON: a code as one object, a class as an object with its codes, the whole table as an
 * array with one row per line. */
void rc_errors_json(rc_buf *buf, const rc_errors_choice *choice);

/* Appends tables and panels of the width style->width. Returns RC_OK, or the status of a table that
 * ran out of memory. */
rc_status rc_errors_human(rc_buf *buf, const rc_errors_choice *choice, const rc_panel_style *style,
                          const rc_alloc *alloc);

#endif
