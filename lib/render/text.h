/* Text fragments that several renderers write. */
#ifndef RC_RENDER_TEXT_H
#define RC_RENDER_TEXT_H

#include <recourse/buf.h>
#include <recourse/json.h>
#include <recourse/report.h>

#include "render/symbol.h"
#include "render/tone.h"

/* Returns the tone of a report and its symbol: fatal, retryable, or a cancellation, which is not an
 * error. report: borrows. */
rc_tone rc_render_tone(const rc_report *report);
rc_symbol rc_render_symbol(const rc_report *report);

/* Appends text in at most max_bytes bytes of the characters allowed in a URI path (RFC 3986, pchar
 * and "/"); every other byte becomes %XX. Text that does not fit is cut at a character. */
void rc_render_percent(rc_buf *buf, rc_str text, size_t max_bytes);

/* Returns the text without trailing white space. */
rc_str rc_text_trim_end(rc_str text);

/* Appends a name as words: "RateLimited" becomes "Rate limited". */
void rc_render_words(rc_buf *buf, rc_str name);

/* Whether this program chose the wait; otherwise the provider named it. report: borrows. */
bool rc_wait_is_own(const rc_report *report);
/* Whether a client that returns after the wait may get another response. False for a cooldown that
 * this program chose for an exhausted quota or a rejected key. */
bool rc_wait_helps(const rc_report *report);

/* Returns the beginning of a sentence as a static string: " The provider states a wait of ";
 * " Recourse retries after " for a wait of ours; " It renews in " for a limit of ours. report:
 * borrows. */
rc_str rc_wait_phrase(const rc_report *report);

/* Appends " Wait 4s before the next attempt." or " The provider states a wait of 4d 20h."; nothing
 * if there is no wait. */
void rc_render_wait_hint(rc_buf *buf, const rc_report *report);

/* Appends what to do: the action's detail as the view shows it, else the action's title; then the
 * wait. */
void rc_render_hint(rc_buf *buf, const rc_report *report, rc_view view);

/* Returns the number of attempts: the number of listed attempts, else the attempt that the context
 * names, else 0. */
int64_t rc_render_attempt_count(const rc_report *report);

/* Whether a client's automatic retries should run. False if the wait is longer than SDKs accept,
 * since they would return too early. */
bool rc_render_should_retry(const rc_report *report);

/* Returns the number of this attempt: the attempt that the context names, else the number of listed
 * attempts. */
int64_t rc_render_attempt_number(const rc_report *report);

#endif
