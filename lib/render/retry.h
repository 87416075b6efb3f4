/* The sentence that tells a person whether another try is worth it, and when. */
#ifndef RC_RENDER_RETRY_H
#define RC_RENDER_RETRY_H

#include <recourse/render.h>

/* Appends it: "Yes, after 4s (at 14:03:22 UTC)." clock (borrows) gives the time of day; NULL or
 * without a time: only how long it takes. */
void rc_render_retry_advice(rc_buf *buf, const rc_report *report, const rc_panel_style *clock);

#endif
