/* The parts of unwrapping: each takes one form of text apart and leaves layers behind. All of them
 * take any bytes; none of them fails. */
#ifndef RC_CLASSIFY_UNWRAP_UNWRAP_H
#define RC_CLASSIFY_UNWRAP_UNWRAP_H

#include "classify/evidence.h"

/* JSON, damaged or cut or not; Python's spelling of it too. The text begins with { [ or ". Gives
 * the end of what was read. */
void rc_unwrap_json(rc_evidence *evidence, rc_str text, unsigned depth, rc_str where);

/* Does text begin with an object that looks like an error (and not like something the user
 * sent)? */
bool rc_unwrap_is_error_json(rc_str text);

/* Server-sent events, NDJSON, or the text form of AWS event-stream frames. False: it is none. */
bool rc_unwrap_stream(rc_evidence *evidence, rc_str text);

/* A page: its title, heading and server. False: it is none. */
bool rc_unwrap_html(rc_evidence *evidence, rc_str text, unsigned depth);

/* What the message of a layer still wraps: JSON behind a prefix, a Python repr, logfmt, YAML, a
 * status in words. May add layers and shorten the message to the wrapper's own words. */
void rc_unwrap_text(rc_evidence *evidence, size_t index);

/* The status that a text names ("Error code: 429", "HTTP 503", "429 Too Many Requests"), or 0.
 * Digits inside longer words are none. */
int rc_text_http_status(rc_str text);

/* The same where nothing but a status stands: HTTP 429, status: 429, 429 Too Many Requests. */
int rc_text_sure_http_status(rc_str text);

/* A number from 100 to 599 that is all of text; else 0. */
int rc_http_status_parse(rc_str text);

#endif
