/* Small pieces of text that several renderers write. */
#ifndef RC_RENDER_TEXT_H
#define RC_RENDER_TEXT_H

#include <recourse/buf.h>
#include <recourse/json.h>
#include <recourse/report.h>

/* Appends text in at most max_bytes bytes of the characters that a URI's path may have (RFC 3986,
 * pchar and "/"); every other byte as %XX. What does not fit is left out, at a whole character. */
void rc_render_percent(rc_buf *buf, rc_str text, size_t max_bytes);

/* The text without white space at its end. */
rc_str rc_text_trim_end(rc_str text);

/* "RateLimited" as words: "Rate limited". */
void rc_render_words(rc_buf *buf, rc_str name);

/* Did we choose the wait? Else the provider told it. report: borrows. */
bool rc_wait_is_own(const rc_report *report);
/* Would a client that comes back then get another answer? Not after the rest that we give a used-up
 * quota or a refused key whose end nobody named. */
bool rc_wait_helps(const rc_report *report);

/* " The provider names a wait of ", of one that we chose " Recourse asks again after ", of a limit
 * that is ours " It renews in ". Gives a static string. report: borrows. */
rc_str rc_wait_phrase(const rc_report *report);

/* Appends " Wait 4s before the next try." or " The provider names a wait of 4d 20h."; nothing when
 * there is no wait. */
void rc_render_wait_hint(rc_buf *buf, const rc_report *report);

/* What to do, in words: the action's detail as the view has it, else the action's title; then the
 * wait. */
void rc_render_hint(rc_buf *buf, const rc_report *report, rc_view view);

/* How many tries there were: the attempts that are listed, else the attempt that the context names,
 * else 0. */
int64_t rc_render_attempt_count(const rc_report *report);

/* Should a client's own retries go to work? Nobody may come earlier than told. */
bool rc_render_should_retry(const rc_report *report);

/* Which try it was: the other way round. */
int64_t rc_render_attempt_number(const rc_report *report);

#endif
