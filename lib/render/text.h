/* Writes texts that several renderers have in common. */
#ifndef RC_RENDER_TEXT_H
#define RC_RENDER_TEXT_H

#include <recourse/buf.h>
#include <recourse/json.h>
#include <recourse/report.h>

#include "render/symbol.h"
#include "render/tone.h"

/* rc_render_tone and rc_render_symbol return the tone and the symbol for a report: one for fatal
 * errors, one for retryable errors and one for cancellations. report: borrows during the call. */
rc_tone rc_render_tone(const rc_report *report);
rc_symbol rc_render_symbol(const rc_report *report);

/* Appends the text in the form of a URI path: every byte except "/" and the characters `pchar` of
 * RFC 3986 is written as %XX. At most `max_bytes` bytes are written; a longer text is cut between
 * two characters. */
void rc_render_percent(rc_buf *buf, rc_str text, size_t max_bytes);

/* Returns the text without trailing white space. */
rc_str rc_text_trim_end(rc_str text);

/* Appends a name as words: "RateLimited" becomes "Rate limited". */
void rc_render_words(rc_buf *buf, rc_str name);

/* Returns true if this program chose the report's wait, false if the provider named it. report:
 * borrows during the call. */
bool rc_wait_is_own(const rc_report *report);
/* Returns whether a client may get another response if it repeats the request after the wait.
 * Returns false for a cooldown that this program chose for an exhausted quota or a rejected key. */
bool rc_wait_helps(const rc_report *report);

/* Returns the beginning of a sentence about the report's wait: "The provider states a wait of";
 * "Recourse retries after" if this program chose the wait; "It renews in" if the error is a limit
 * of this program. The result is static; it begins and ends with a blank. report: borrows during
 * the call. */
rc_str rc_wait_phrase(const rc_report *report);

/* Appends " Wait 4s before the next attempt." or, for an error that is not retryable, a sentence
 * such as " The provider states a wait of 4d 20h." Appends nothing if the report has no wait. */
void rc_render_wait_hint(rc_buf *buf, const rc_report *report);

/* Appends the advice to the user: the detail of the report's action as the view shows it (if the
 * action has no detail, its title), and the sentence of rc_render_wait_hint. */
void rc_render_hint(rc_buf *buf, const rc_report *report, rc_view view);

/* Returns the number of attempts of the call: the number of attempts that the report lists. If the
 * report lists no attempts, returns the attempt number in its context; 0 if the context has no such
 * number. */
int64_t rc_render_attempt_count(const rc_report *report);

/* Returns whether a client's SDK should retry automatically. Returns false if the wait is longer
 * than the clients' SDKs accept, because they would ignore it and retry too early. */
bool rc_render_should_retry(const rc_report *report);

/* Returns the number of the attempt that failed: the attempt number in the report's context.
 * Without such an entry, returns the number of attempts that the report lists. */
int64_t rc_render_attempt_number(const rc_report *report);

#endif
