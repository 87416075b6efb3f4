/* Echo: text of the request that a response repeats. Servers copy whole requests into their errors;
 * the prompts in them must not reach reports, records and logs.
 *
 *   response  {"detail": [{"msg": "Field required", "input": "my dear diary"}]}
 *                                                            text of the request
 *
 * In a JSON request only string values count, not member names; in any other request the whole text
 * counts. Both sides are compared after their JSON escapes are decoded. A repeated piece of 23
 * bytes or more is always found, one of 16 to 22 bytes sometimes, a shorter one never. The request
 * is read once. */
#ifndef RC_CLASSIFY_ECHO_H
#define RC_CLASSIFY_ECHO_H

#include <recourse/str.h>

/* Longest text that is searched, in bytes; the remainder is dropped. */
#define RC_ECHO_TEXT_MAX 4096u

/* Gives the text with every repeated piece of the request replaced by "[request]". except: a value
 * that may be repeated (the model's name). text, request, except: borrow. memory: RC_ECHO_TEXT_MAX
 * bytes, which the result views if anything was replaced; otherwise the result views text. */
rc_str rc_echo_clean(rc_str text, rc_str request, rc_str except, char *memory);

#endif
