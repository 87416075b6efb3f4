/* rc_relevance: decides whether a text without a status, a provider or a transport failure comes
 * from a failed call of a model or tool. Without this decision, words such as "limit" and "must" in
 * a manual or in a compiler's message would be classified as a failure.
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
#include "classify/languages/languages.h"
#include "classify/phrases/phrases.h"

typedef enum rc_look {
    RC_LOOK_NONE = 0,
#define RC_LOOK(ID, KIND, name) RC_LOOK_##ID,
#include "spec/looks.def"
    RC_LOOK_END
} rc_look;

/* Returns the look of the text: its form, such as compiler output; RC_LOOK_NONE if no form is
 * recognised. */
rc_look rc_look_of(rc_str text);

/* Returns the name of a look for people as static text ("compiler output"); empty for
 * RC_LOOK_NONE. */
rc_str rc_look_name(rc_look look);

/* Returns the reason for the verdict about a text that has this look, as one line of static
 * text. */
rc_str rc_look_reason(rc_look look);

/* Returns true if people write texts with this look, false if programs print them. */
bool rc_look_is_document(rc_look look);

/* Returns whether the line is compiler output: "a.c:12:5: error: ...", " 12 | foo(429);". */
bool rc_line_is_diagnostic(rc_str line);

/* Returns whether the line is a statement, a comment or a declaration of source code. */
bool rc_line_is_source(rc_str line);

/* Returns whether the line is Markdown: a heading, a fence, a list item or a link. */
bool rc_line_is_markdown(rc_str line);

/* Returns whether the line describes an option of a command: "-t, --timeout=SECONDS  ...". */
bool rc_line_is_option(rc_str line);

/* The signs in a text that it comes from a failed call. */
typedef struct rc_call_signs {
    bool has_sdk;       /* the text has an exception or a stack frame of a library that makes
                           calls */
    bool has_transport; /* the text has a transport error: "TypeError: fetch failed", "read
                           ECONNRESET" */
    bool has_status;    /* the text has a status at a usual position: "HTTP 429" */
    bool has_name;      /* the text has the name of an exception about a call: "RateLimitError" */
    bool has_library_name; /* such a name is preceded by the name of a library:
                              "httpx.ReadTimeout" */
    bool has_lead;         /* a line begins like an error message and is about a call */
    bool has_error;        /* a line begins like an error message */
    bool has_field;     /* the text has a name that occurs only in requests to models: "max_tokens",
                           "messages[0]" */
    bool has_id;        /* the text has the id of a request */
    bool has_voice;     /* the text addresses a user: "please", "your", "try again" */
    bool is_east_asian; /* the text has a Chinese, Japanese or Korean character */
    bool ends_in_error; /* the last line has the name of an SDK, or of an exception about a call */
    bool ends_in_status; /* the last line has a status at a usual position; a program's output often
                            ends with the failure of its last call */
    unsigned spans;      /* Code spans of Markdown: `...`. */
    unsigned lines;      /* number of lines that are not empty */
    unsigned words;      /* number of different words about calls of models: api, token, prompt
                           ... */
    unsigned nouns;      /* number of different words about calls in general: request, server, key
                           ... */
    unsigned foreign_nouns; /* such words in another language than English; set by relevance.c */
} rc_call_signs;

rc_call_signs rc_call_signs_of(rc_str text);

/* Result of rc_relevance_of: whether a text comes from a failed call. */
typedef struct rc_relevance {
    bool is_foreign;
    bool is_guess; /* the text is not foreign, but only general words are evidence of a call */
    rc_look look;
} rc_relevance;

/* Decides whether the text of a failure comes from a failed call. If the failure has other members
 * than a text (a status, a header, a host ...), the result is neither foreign nor a guess.
 * has_typed_code: the text has an error code or type with a known meaning. says: the concepts of
 * the messages. coverage: the largest share of a message that one phrase covers, in per cent.
 * language: what a message in another language than English says. */
rc_relevance rc_relevance_of(const rc_evidence *evidence, bool has_typed_code,
                             const rc_concept_set *says, unsigned coverage,
                             const rc_language_reading *language);

#endif
