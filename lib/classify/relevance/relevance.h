/* rc_relevance: decides whether a text without a status, a provider or a transport failure comes
 * from a call of a model or tool at all. Otherwise words such as "limit" and "must" in a manual or
 * in a compiler's message would decide.
 *
 *   text ──► lines ──► looks (compiler output, a patch, source code ...)  looks.c
 *                  └─► signs of a call (a status line, an SDK's exception ...) signs.c
 *   looks, signs, concepts ──► foreign or not                                  relevance.c */
#ifndef RC_CLASSIFY_RELEVANCE_H
#define RC_CLASSIFY_RELEVANCE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

#include "classify/evidence.h"
#include "classify/phrases/phrases.h"

typedef enum rc_look {
    RC_LOOK_NONE = 0,
#define RC_LOOK(ID, KIND, name) RC_LOOK_##ID,
#include "spec/looks.def"
    RC_LOOK_END
} rc_look;

/* Returns what the text looks like; RC_LOOK_NONE if it has no such form. */
rc_look rc_look_of(rc_str text);

/* Returns the look's name for people as static text ("compiler output"); empty for NONE. */
rc_str rc_look_name(rc_look look);

/* Returns the reason of a verdict about such a text, as one line of static text. */
rc_str rc_look_reason(rc_look look);

/* True if readers write such a text; false if a program prints it. */
bool rc_look_is_document(rc_look look);

/* True for a line of a compiler's output: "a.c:12:5: error: ...", " 12 | foo(429);". */
bool rc_line_is_diagnostic(rc_str line);

/* True for a statement, a comment or a declaration. */
bool rc_line_is_source(rc_str line);

/* True for a line of Markdown: a heading, a fence, a list item, a link. */
bool rc_line_is_markdown(rc_str line);

/* The signs of a failed call in a text, each a number of lines or words. */
typedef struct rc_call_signs {
    bool has_sdk;       /* An exception or a stack frame of a library that makes calls. */
    bool has_transport; /* A transport's own error: "TypeError: fetch failed", "read ECONNRESET". */
    bool has_status;    /* A status in its usual position: "HTTP 429". */
    bool has_name;      /* The name of an exception about a call: "RateLimitError". */
    bool has_library_name; /* The same with the name of a library: "httpx.ReadTimeout". */
    bool has_lead;         /* A line that begins as an error message does and speaks of a call. */
    bool has_error;        /* A line that begins as an error message does. */
    bool has_field;     /* A name that only requests to models have: "max_tokens", "messages[0]". */
    bool has_id;        /* The id of a request. */
    bool has_voice;     /* The voice of a service: "please", "your", "try again". */
    bool is_east_asian; /* A Chinese, Japanese or Korean character. */
    bool ends_in_error; /* The last line has the name of an exception about a call or of an SDK. */
    unsigned lines;     /* Lines that are not empty. */
    unsigned words;     /* Different words about calls of models: api, token, prompt ... */
    unsigned nouns;     /* Different words about calls in general: request, server, key ... */
} rc_call_signs;

rc_call_signs rc_call_signs_of(rc_str text);

/* Whether a text comes from a call. */
typedef struct rc_relevance {
    bool is_foreign;
    bool is_guess; /* Not foreign, but only by general words. */
    rc_look look;
} rc_relevance;

/* Judges a failure. A failure that has more than a text (a status, a header, a host ...) is neither
 * foreign nor a guess. has_typed_code: a code or type of an error has a meaning. says: the concepts
 * of the messages. coverage: the share of a message that one phrase covers, in percent. */
rc_relevance rc_relevance_of(const rc_evidence *evidence, bool has_typed_code,
                             const rc_concept_set *says, unsigned coverage);

#endif
