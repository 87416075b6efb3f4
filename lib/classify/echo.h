/* rc_echo: what an answer repeats of the request. Servers put the whole of what was asked into
 * their errors, and people's words do not belong into reports, records and logs.
 *
 *   answer   {"detail": [{"msg": "Field required", "input": "my dear diary"}]}
 *                                                            of the request
 *
 * Words are the values of strings in JSON, not the names before them; of another text all of it.
 * They are compared as they are meant, whatever is escaped on either side. Pieces of 23 bytes and
 * more are always found, some from 16 on; shorter ones are left. One pass over the request. */
#ifndef RC_CLASSIFY_ECHO_H
#define RC_CLASSIFY_ECHO_H

#include <recourse/str.h>

/* What is looked at of a text; the rest is left out. */
#define RC_ECHO_TEXT_MAX 4096u

/* The text without what is the request's: "[request]" stands in its place. except: a value that may
 * be repeated (the model's name). All: borrows. memory: RC_ECHO_TEXT_MAX bytes, which the result
 * may view; else it views text. */
rc_str rc_echo_clean(rc_str text, rc_str request, rc_str except, char *memory);

#endif
