/* rc_usage: the usage of one attempt: the provider's counts, and the weight of the received content
 * from which missing counts are estimated.
 *
 *   a whole response         ──► read() ──────┐
 *   one that is passed on    ──► usage_scan.h ┼──► rc_usage ──► reported()          the counts
 *   a stream: rc_stream_watch.usage, by step()┘       └───────► rc_usage_charge()   the charge
 *
 * For one attempt of a gateway:
 *
 *   rc_usage usage;
 *   rc_usage_init(&usage);
 *   if (body_is_whole)
 *       rc_usage_read(&usage, body);
 *   rc_charge charge = rc_usage_charge(&usage, RC_ATTEMPT_END_DONE, request_body);
 *
 * and if the response was a stream, even if it was cut off:
 *
 *   rc_charge charge = rc_usage_charge(&watch.usage, RC_ATTEMPT_END_CUT, request_body);
 *
 * usage_charge.h declares rc_usage_charge. spec/usage.def has the member names of all dialects, so
 * the caller need not know the dialect. Each count in a stream includes the earlier counts, so the
 * last number is used, except that 0 never replaces another number. Values are ignored if they are
 * not whole numbers from 0 to RC_USAGE_MAX, if they are in quotes, or if their object is truncated
 * or malformed. The functions allocate nothing. */
#ifndef RC_DIALECT_USAGE_H
#define RC_DIALECT_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/status.h>
#include <recourse/str.h>

typedef struct rc_json_member rc_json_member; /* defined in json/find.h */

/* Largest plausible number of tokens: ten times the largest context window of any model. */
#define RC_USAGE_MAX INT64_C(100000000)
/* Maximum number of bytes of a usage object; a larger object is ignored. */
#define RC_USAGE_OBJECT_MAX_BYTES ((size_t)64 << 10)

/* The meanings of the members in spec/usage.def. */
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
    RC_USAGE_SECONDS, /* length of audio, stored in milliseconds */
    RC_USAGE_DOLLARS, /* cost, stored in millionths of a dollar */
    RC_USAGE_NUMBER_COUNT
} rc_usage_number;

/* The usage of one attempt. The caller provides the storage. The fields are private. */
typedef struct rc_usage {
    int64_t numbers[RC_USAGE_NUMBER_COUNT]; /* numbers as the provider reported them; -1: absent */
    int64_t images;                         /* number of images in the response; -1: not known */
    uint64_t weight;    /* weight of the received content (dialect/usage_weight.h) */
    bool is_final;      /* the output was counted after the model had stopped */
    bool is_output_bad; /* the reported output is not a valid count */
} rc_usage;

/* The counts of an attempt; tokens, unless the comment names another unit; -1: absent. */
typedef struct rc_usage_count {
    int64_t input;       /* all input tokens, cached or not */
    int64_t output;      /* all output tokens, including reasoning */
    int64_t cached;      /* part of the input that was read from the provider's cache */
    int64_t written;     /* part of the input that was written to the provider's cache */
    int64_t reasoning;   /* part of the output that is reasoning */
    int64_t written_1h;  /* part of `written` that is cached for an hour */
    int64_t audio_ms;    /* length of the audio input in milliseconds */
    int64_t images;      /* number of generated images */
    int64_t cost_micros; /* the cost that the provider reported, in millionths of a dollar */
} rc_usage_count;

/* A value with all counts absent. */
#define RC_USAGE_COUNT_NONE ((rc_usage_count){-1, -1, -1, -1, -1, -1, -1, -1, -1})

/* Initialises an empty usage without counts and without weight. */
void rc_usage_init(rc_usage *usage);

/* Reads a whole response that is not a stream. If the response has no count, the weight of its text
 * is recorded, from which tokens can be estimated (usage_weight.h). Returns whether the response
 * had a count of tokens. body: borrows during the call. */
bool rc_usage_read(rc_usage *usage, rc_str body);

/* Reads a response that may be malformed. Returns the status of rc_json_find for the top level of
 * the body. Nothing is read from a malformed body; a body that is not an object (RC_E_TYPE) is
 * read. The members in `more` are found in the same scan, as by rc_json_find. more: borrows at most
 * RC_USAGE_MORE_MAX members during the call. */
#define RC_USAGE_MORE_MAX 2
rc_status rc_usage_read_checked(rc_usage *usage, rc_str body, rc_json_member *more, size_t count);

/* Reads the usage object in the last bytes of an oversized event. Returns whether the tail contains
 * a usage object. tail: borrows during the call. */
bool rc_usage_read_tail(rc_usage *usage, rc_str tail);

/* For callers that have found a part of the usage themselves: rc_usage_read_object reads a usage
 * object, rc_usage_read_number reads the number of a member with the given name. Both functions
 * return false if no number was valid. text, name, number: borrows during the call. */
bool rc_usage_read_object(rc_usage *usage, rc_str text);
bool rc_usage_read_number(rc_usage *usage, rc_str name, rc_str number);

/* Adds the usage of a later part of the same response. part: borrows during the call. */
void rc_usage_add(rc_usage *usage, const rc_usage *part);

/* Returns whether the usage contains any count of tokens. */
bool rc_usage_has_tokens(const rc_usage *usage);

/* Returns whether the provider counted tokens, but not those of the output. Returns false for
 * audio, which is billed by its length, and for a total that equals the input, which means that the
 * output was empty; but not if the reported output was invalid. */
bool rc_usage_lacks_output(const rc_usage *usage);

/* Returns whether the reported output is 0 or the total equals the input. If the response has text
 * in spite of this, the server does not count tokens, so rc_usage_charge uses an estimate from the
 * weight of the text. */
bool rc_usage_has_no_output(const rc_usage *usage);

/* Returns whether this top-level member contains the text of a whole response. */
bool rc_usage_is_text_member(rc_str name);

/* The role of a top-level member of a response, from the rows RC_USAGE_LOCATION of spec/usage.def:
 * a usage object, an object that may contain one, or a number. */
typedef enum rc_usage_location {
    RC_USAGE_LOCATION_USAGE,
    RC_USAGE_LOCATION_INSIDE,
    RC_USAGE_LOCATION_NUMBERS,
    RC_USAGE_LOCATION_NONE
} rc_usage_location;

/* Returns the role of a member by its name; NONE if spec/usage.def does not list the name. */
rc_usage_location rc_usage_location_of(rc_str name);

/* Returns the counts so far, derived from the reported numbers. The members cached and written
 * never exceed the input, and reasoning never exceeds the output. usage: borrows during the
 * call. */
rc_usage_count rc_usage_reported(const rc_usage *usage);

#endif
