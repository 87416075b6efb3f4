/* Unwrapping: each function splits one kind of text and adds its errors as layers. All of them
 * accept arbitrary bytes; none fails. */
#ifndef RC_CLASSIFY_UNWRAP_UNWRAP_H
#define RC_CLASSIFY_UNWRAP_UNWRAP_H

#include "classify/evidence.h"

/* Adds the errors in a JSON text, which may be damaged, cut off or a Python repr. The text begins
 * with { [ or ". */
void rc_unwrap_json(rc_evidence *evidence, rc_str text, unsigned depth, rc_str where);

/* True if text begins with an object that looks like an error and not like an echoed request. */
bool rc_unwrap_is_error_json(rc_str text);

/* Adds the errors of server-sent events, NDJSON, or AWS event-stream frames in text form. Returns
 * false if text is none of these. */
bool rc_unwrap_stream(rc_evidence *evidence, rc_str text);

/* Adds an HTML page: its title and headings. Returns false if text is not a page. */
bool rc_unwrap_html(rc_evidence *evidence, rc_str text, unsigned depth);

/* Unwraps the message of layer `index`: JSON after a prefix, a Python repr, logfmt, YAML, an HTML
 * page, a status. May add layers, and shortens the message to the wrapper's own text. */
void rc_unwrap_text(rc_evidence *evidence, size_t index);

/* Gives the status that a text names ("Error code: 429", "HTTP 503", "429 Too Many Requests"); 0:
 * none. Digits inside longer words do not count. */
int rc_text_http_status(rc_str text);

/* As rc_text_http_status, but only where the number must be a status: HTTP 429, status: 429, 429
 * Too Many Requests. */
int rc_text_sure_http_status(rc_str text);

/* Gives the status if text is nothing but a number from 100 to 599; otherwise 0. */
int rc_http_status_parse(rc_str text);

#endif
