/* rc_usage: what one try used, as the provider counted it; and what came of the answer, so that the
 * rest can be estimated.
 *
 *   a whole answer           ──► read() ──────┐
 *   one that is passed on    ──► usage_scan.h ┼──► rc_usage ──► said()              as counted
 *   a stream: rc_stream_watch.usage, by step()┘       └───────► rc_usage_charge()   what to pay for
 *
 * For one try of a gateway:
 *
 *   rc_usage usage;
 *   rc_usage_init(&usage);
 *   if (body_is_whole)
 *       rc_usage_read(&usage, body);
 *   rc_charge charge = rc_usage_charge(&usage, RC_ATTEMPT_END_DONE, request_body);
 *
 * and when the try was a stream, however it ended:
 *
 *   rc_charge charge = rc_usage_charge(&watch.usage, RC_ATTEMPT_END_CUT, request_body);
 *
 * (usage_charge.h). The names are in spec/usage.def, so that no dialect has to be known. Providers
 * count a stream from its beginning each time, so the last number counts; a 0 takes no other one
 * back. What is no whole number from 0 to RC_USAGE_MAX, or stands in quotes, or in an object that
 * is cut off or damaged, was not said. No allocation. */
#ifndef RC_DIALECT_USAGE_H
#define RC_DIALECT_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/status.h>
#include <recourse/str.h>

#include "json/find.h"

/* The largest number that is believed: ten times the largest window that any model has. */
#define RC_USAGE_MAX INT64_C(100000000)
/* A usage object above this is not read. */
#define RC_USAGE_OBJECT_MAX_BYTES ((size_t)64 << 10)

/* What a member of spec/usage.def counts. */
typedef enum rc_usage_number {
    RC_USAGE_INPUT,
    RC_USAGE_PLAIN_INPUT,
    RC_USAGE_TOOLS,
    RC_USAGE_OUTPUT,
    RC_USAGE_TOTAL,
    RC_USAGE_CACHED,
    RC_USAGE_CACHED_APART,
    RC_USAGE_WRITTEN_APART,
    RC_USAGE_WRITTEN_HOUR,
    RC_USAGE_REASONING,
    RC_USAGE_REASONING_APART,
    RC_USAGE_SECONDS, /* kept in milliseconds */
    RC_USAGE_DOLLARS, /* kept in millionths */
    RC_USAGE_NUMBER_COUNT
} rc_usage_number;

/* The caller's storage. The fields are private. */
typedef struct rc_usage {
    int64_t numbers[RC_USAGE_NUMBER_COUNT]; /* as they were said; -1: not said */
    int64_t images;                         /* in the answer; -1: not known */
    uint64_t weight;                        /* of the content that came: codec/usage_weight.h */
    bool is_final;                          /* the model had stopped when the output was counted */
    bool is_output_bad;                     /* what was said of the output is no count */
} rc_usage;

/* Tokens, and what else is paid for; -1: not said. */
typedef struct rc_usage_count {
    int64_t input;       /* all of it, cached or not */
    int64_t output;      /* all of it, reasoning included */
    int64_t cached;      /* of the input: read from the cache */
    int64_t written;     /* of the input: written to the cache */
    int64_t reasoning;   /* of the output */
    int64_t written_1h;  /* of what was written: kept for an hour */
    int64_t audio_ms;    /* sound that was listened to */
    int64_t images;      /* that were made */
    int64_t cost_micros; /* what the provider says that it cost, in millionths of a dollar */
} rc_usage_count;

/* Nothing was said. */
#define RC_USAGE_COUNT_NONE ((rc_usage_count){-1, -1, -1, -1, -1, -1, -1, -1, -1})

void rc_usage_init(rc_usage *usage);

/* A whole answer that is no stream. Without a count in it, what it says is weighed. True: there was
 * a count. body: borrows. */
bool rc_usage_read(rc_usage *usage, rc_str body);

/* The same for bytes that may be damaged: gives what rc_json_find says of their top level, and
 * looks for other members of it, so that whoever has to know of them need not read it twice. Of a
 * text that is damaged nothing is counted; RC_E_TYPE, something other than an object, is not. more:
 * at most RC_USAGE_MORE_MAX members as rc_json_find wants and gives them; borrows. */
#define RC_USAGE_MORE_MAX 2
rc_status rc_usage_read_checked(rc_usage *usage, rc_str body, rc_json_member *more, size_t count);

/* The last bytes of an event that was too large to be kept: counts stand at the end. True: there
 * was one. tail: borrows. */
bool rc_usage_read_tail(rc_usage *usage, rc_str tail);

/* A usage object, and a number by its name: for readers that have found them. False: nothing in it
 * was believed. text, name, number: borrow. */
bool rc_usage_read_object(rc_usage *usage, rc_str text);
bool rc_usage_read_number(rc_usage *usage, rc_str name, rc_str number);

/* Adds what a later part of the same answer says. part: borrows. */
void rc_usage_add(rc_usage *usage, const rc_usage *part);

/* Were tokens counted? */
bool rc_usage_has_tokens(const rc_usage *usage);

/* Was nothing said of the output, in a count of tokens? A sound is paid for by its length; and a
 * total that is the input alone says that there is none, but not beside something senseless. */
bool rc_usage_lacks_output(const rc_usage *usage);

/* Was the output said to be 0, or the total to be the input alone? Beside text this is what a
 * server says that does not count: the text is weighed then, and rc_usage_charge takes that. */
bool rc_usage_has_no_output(const rc_usage *usage);

/* Is that where a whole response has its text, at its top? */
bool rc_usage_is_text_member(rc_str name);

/* What a member at the top of a response is, by its name: RC_USAGE_LOCATION of spec/usage.def. */
typedef enum rc_usage_location {
    RC_USAGE_LOCATION_USAGE,
    RC_USAGE_LOCATION_INSIDE,
    RC_USAGE_LOCATION_NUMBERS,
    RC_USAGE_LOCATION_NONE
} rc_usage_location;

rc_usage_location rc_usage_location_of(rc_str name);

/* What was said so far, the parts put together: cached and written never exceed the input, nor
 * reasoning the output. usage: borrows. */
rc_usage_count rc_usage_reported(const rc_usage *usage);

#endif
