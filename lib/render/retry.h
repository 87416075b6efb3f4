/* Writes a sentence for users about whether another attempt may succeed, and when. */
#ifndef RC_RENDER_RETRY_H
#define RC_RENDER_RETRY_H

#include <recourse/render.h>

/* Appends a sentence such as "Yes, after 4s (at 14:03:22 UTC)." The current time is read from
 * `clock`; if `clock` is NULL or has no time, the sentence has only the duration. clock: borrows
 * during the call. */
void rc_render_retry_advice(rc_buf *buf, const rc_report *report, const rc_panel_style *clock);

#endif
