/* Echo: text of the request that a response repeats. Servers copy whole requests into their error
 * messages. The prompts in such copies of a request must not reach reports, records and logs.
 *
 *   response  {"detail": [{"msg": "Field required", "input": "my dear diary"}]}
 *                                                            text of the request
 *
 * Of a JSON request, only the string values are searched for in the response, not the member names;
 * of any other request, the whole text. Request and response are compared after their JSON escapes
 * are decoded. A repeated piece of 23 bytes or more is always found, a piece of 16 to 22 bytes
 * sometimes, a shorter piece never. */
#ifndef RC_CLASSIFY_ECHO_H
#define RC_CLASSIFY_ECHO_H

#include <recourse/str.h>

/* Longest text that is searched, in bytes; the remainder is dropped. */
#define RC_ECHO_TEXT_MAX 4096u

/* Returns the text with every repeated piece of the request replaced by "[request]". A JSON string
 * of the request that equals `except` (the model's name) is not replaced. text, request, except:
 * borrows during the call. If anything was replaced, the result views (points into) `memory`, which
 * has RC_ECHO_TEXT_MAX bytes; otherwise the result views `text`. */
rc_str rc_echo_clean(rc_str text, rc_str request, rc_str except, char *memory);

#endif
