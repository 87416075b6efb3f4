/* Texts before they are taken apart: without stack frames, without what the user sent, with plain
 * quotes. Each gives the text itself when there is nothing to do, else a copy in the space. */
#ifndef RC_CLASSIFY_UNWRAP_PLAIN_TEXT_H
#define RC_CLASSIFY_UNWRAP_PLAIN_TEXT_H

#include "classify/evidence.h"

/* Without the lines of a stack trace ("    at f (file:1:2)", "  File "x.py", line 1"). */
rc_str rc_plain_drop_frames(rc_evidence *evidence, rc_str text);

/* With " for typographic quotes, where they stand in for those of JSON. */
rc_str rc_plain_unify_quotes(rc_evidence *evidence, rc_str text);

/* With the escapes of a Python bytes literal undone: b'{"error": "\\xe8..."}'. */
rc_str rc_plain_unescape_bytes(rc_evidence *evidence, rc_str text);

/* Without the messages that the provider echoes: {'role': 'user', 'content': ...}. */
rc_str rc_plain_drop_echo(rc_evidence *evidence, rc_str text);

#endif
