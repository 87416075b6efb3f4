/* rc_foreign: what answers where a gateway was looked for, and is neither one of ours nor
 * speaks as a provider does: a web server, another service, bytes that are no HTTP. */
#ifndef RC_DIALECT_FOREIGN_H
#define RC_DIALECT_FOREIGN_H

#include <recourse/str.h>

/* Name, what it did. */
#define RC_FOREIGN_KINDS(X)                             \
    X(NONE, "")                                         \
    X(NO_HTTP, "it does not speak HTTP")                \
    X(REDIRECT, "it sends us to another address")       \
    X(PAGE, "it answers with a page for people")        \
    X(NO_RESPONSE, "its answer is not that of a model") \
    X(NO_ERROR, "its error is not that of a provider")

typedef enum rc_foreign {
#define RC_FOREIGN_ENUM(ID, text) RC_FOREIGN_##ID,
    RC_FOREIGN_KINDS(RC_FOREIGN_ENUM)
#undef RC_FOREIGN_ENUM
} rc_foreign;

/* Of an answer whose status promises none of a model. NONE also for what a proxy in front of a
 * gateway says of its own: that it is busy, that somebody is not let in. type: its content-type. */
rc_foreign rc_foreign_of_error(int status, rc_str type, rc_str body);

/* Of one that promises an answer, and in which nothing of an answer was found. */
rc_foreign rc_foreign_of_response(rc_str type);

const char *rc_foreign_text(rc_foreign kind);

#endif
