/* Cleans texts before they are unwrapped: removes stack frames and repeated parts of the request,
 * and replaces typographic quotes. Each function returns `text` itself if there is nothing to
 * change, otherwise a copy in the evidence's space. */
#ifndef RC_CLASSIFY_UNWRAP_PLAIN_TEXT_H
#define RC_CLASSIFY_UNWRAP_PLAIN_TEXT_H

#include "classify/evidence.h"

/* Removes the lines of a stack trace ("    at f (file:1:2)", "  File "x.py", line 1"). */
rc_str rc_plain_drop_frames(rc_evidence *evidence, rc_str text);

/* Replaces typographic quotes by plain quotes where JSON syntax requires plain quotes. */
rc_str rc_plain_unify_quotes(rc_evidence *evidence, rc_str text);

/* Decodes the escapes of a Python bytes literal: b'{"error": "\\xe8..."}'. */
rc_str rc_plain_unescape_bytes(rc_evidence *evidence, rc_str text);

/* Removes chat messages of the request that the provider repeats: {'role': 'user', 'content':
 * ...}. */
rc_str rc_plain_drop_echo(rc_evidence *evidence, rc_str text);

#endif
