/* rc_foreign: the kinds of responses that come neither from a Recourse gateway nor from a provider,
 * but from a web server, from another service, or from a server that does not speak HTTP. */
#ifndef RC_DIALECT_FOREIGN_H
#define RC_DIALECT_FOREIGN_H

#include <recourse/str.h>

/* The kinds of foreign responses: the name of each, and a clause about the server for messages. */
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

/* Returns the kind of an error response; RC_FOREIGN_NONE for a provider's error, and for an error
 * of a proxy in front of a gateway, such as an overload or a missing login. type: the content-type.
 * type, body: borrows during the call. */
rc_foreign rc_foreign_of_error(int status, rc_str type, rc_str body);

/* Returns the kind of a successful response that contains no model output. type: the content-type;
 * borrows during the call. */
rc_foreign rc_foreign_of_response(rc_str type);

/* Returns the clause of a kind as a static string; "" for RC_FOREIGN_NONE. */
const char *rc_foreign_text(rc_foreign kind);

#endif
