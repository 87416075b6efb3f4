/* Unwrapping: each function splits one kind of text and adds the errors in the text as layers
 * (errors nested in each other). Every function accepts arbitrary bytes and cannot fail. */
#ifndef RC_CLASSIFY_UNWRAP_UNWRAP_H
#define RC_CLASSIFY_UNWRAP_UNWRAP_H

#include "classify/evidence.h"

/* Adds the errors in a JSON text, which may be damaged, cut off or a Python repr. The text must
 * begin with { [ or ". */
void rc_unwrap_json(rc_evidence *evidence, rc_str text, unsigned depth, rc_str where);

/* Returns true if the text begins with an object that looks like an error and not like a repeated
 * part of the request. */
bool rc_unwrap_is_error_json(rc_str text);

/* Adds the errors of server-sent events, NDJSON, or AWS event-stream frames in text form. Returns
 * false if the text has none of these formats. */
bool rc_unwrap_stream(rc_evidence *evidence, rc_str text);

/* Adds the title and headings of an HTML page. Returns false if the text is not an HTML page. */
bool rc_unwrap_html(rc_evidence *evidence, rc_str text, unsigned depth);

/* Unwraps the message of layer `index`. The message may contain JSON after a prefix, a Python repr,
 * logfmt, YAML, an HTML page or a status. The function may add layers; it removes the text of these
 * layers from the message. */
void rc_unwrap_text(rc_evidence *evidence, size_t index);

/* Returns the status that a text names ("Error code: 429", "HTTP 503", "429 Too Many Requests"); 0
 * if the text names no status. Digits inside longer words are ignored. */
int rc_text_http_status(rc_str text);

/* Like rc_text_http_status, but finds only numbers that are certainly a status: HTTP 429, status:
 * 429, 429 Too Many Requests. */
int rc_text_sure_http_status(rc_str text);

/* Returns the number if the text consists of one number from 100 to 599; otherwise 0. */
int rc_http_status_parse(rc_str text);

/* Returns whether a fact of the group rpc is set: the error has a code of JSON-RPC. */
bool rc_rpc_is_error(const rc_evidence *evidence);

/* Sets a fact of the group rpc if the value is an error code of JSON-RPC, such as -32601. */
void rc_rpc_read_code(rc_evidence *evidence, rc_str value);

/* Does the same for "MCP error -32001: Request timed out" and similar texts. */
void rc_rpc_read_text(rc_evidence *evidence, rc_str text);

/* Reads the result of a tool that says isError. text: the JSON that contains the result. */
void rc_rpc_read_tool(rc_evidence *evidence, rc_str text);

#endif
