/* The panel's parts: render_human.c has what everybody sees, render_human_more.c the sections below
 * it. */
#ifndef RC_RENDER_HUMAN_H
#define RC_RENDER_HUMAN_H

#include <recourse/render.h>

#include "render/panel.h"

/* Room for one composed line: four names with their paths masked, and words between them. */
#define RC_HUMAN_LINE_MAX (8 * RC_REPORT_NAME_MAX + 1024)

typedef struct rc_human {
    rc_panel panel;
    const rc_report *report;
    rc_view view;
    const rc_panel_style *style;
    bool has_tag; /* the code stands in the title line */
    bool has_ids; /* the list of ids has begun */
    rc_buf line;  /* what is being composed, in memory */
    char memory[RC_HUMAN_LINE_MAX];
} rc_human;

/* Begins a new line. Gives the buffer; its text is valid until the next one is begun. */
rc_buf *rc_human_line(rc_human *h);

/* Appends a text as the view has it, with a separator in front of all but the first. An empty text:
 * nothing. */
void rc_human_part(rc_human *h, rc_str before, rc_str text);

/* Makes one line of a text: a name with a line break in it must not look like a line of ours. */
void rc_human_join_lines(char *text, size_t len);

/* Is this key of the context one that the panel shows among the ids? */
bool rc_human_is_id(rc_str key);

/* The sections. One that the view does not have, or that would be empty, is left out. */
void rc_human_put_attempts(rc_human *h);
void rc_human_put_context(rc_human *h);
void rc_human_put_detail(rc_human *h);
void rc_human_put_causes(rc_human *h);
void rc_human_put_sources(rc_human *h);
void rc_human_put_raw(rc_human *h);

#endif
