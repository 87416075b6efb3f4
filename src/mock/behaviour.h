/* rc_mock_plan: what the mock provider does with a request, parsed from the model's name.
 *
 *   [mock/]BEHAVIOUR[+BEHAVIOUR...][@K[/N]]
 *   mock/503@1, mock/trickle-20+cut-after-3, 429-retry-after-2
 *
 * spec/mock.def lists the behaviours. @K applies the plan to the first K requests; later requests
 * get the behaviour "ok". @K/N applies the plan to the first K of every N requests. Times may have
 * a unit: 2s, 200ms. The functions use no clock, allocate no memory and do no I/O. */
#ifndef RC_MOCK_BEHAVIOUR_H
#define RC_MOCK_BEHAVIOUR_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

typedef enum rc_mock_slot {
    RC_MOCK_SLOT_NOTHING = 0,
    RC_MOCK_SLOT_ERROR,
    RC_MOCK_SLOT_PLACE,
    RC_MOCK_SLOT_TEXT,
    RC_MOCK_SLOT_SLOW,
    RC_MOCK_SLOT_TRICKLE,
    RC_MOCK_SLOT_STALL,
    RC_MOCK_SLOT_STALL_AT,
    RC_MOCK_SLOT_KEEPALIVE,
    RC_MOCK_SLOT_DAMAGE,
    RC_MOCK_SLOT_WIRE,
    RC_MOCK_SLOT_LEFT
} rc_mock_slot;

/* Errors: the rows of RC_MOCK_ERROR in spec/mock.def. */
typedef enum rc_mock_error {
    RC_MOCK_ERROR_NONE = 0,
    RC_MOCK_ERROR_RATE,
    RC_MOCK_ERROR_TOKEN_RATE,
    RC_MOCK_ERROR_QUOTA,
    RC_MOCK_ERROR_SERVER,
    RC_MOCK_ERROR_GATEWAY,
    RC_MOCK_ERROR_UNAVAILABLE,
    RC_MOCK_ERROR_TIMEOUT,
    RC_MOCK_ERROR_OVERLOADED,
    RC_MOCK_ERROR_AUTH,
    RC_MOCK_ERROR_FORBIDDEN,
    RC_MOCK_ERROR_MODEL,
    RC_MOCK_ERROR_PATH,
    RC_MOCK_ERROR_METHOD,
    RC_MOCK_ERROR_REQUEST,
    RC_MOCK_ERROR_OVERFLOW,
    RC_MOCK_ERROR_FILTER,
    RC_MOCK_ERROR_TOO_LARGE,
    RC_MOCK_ERROR_HTML,
    RC_MOCK_ERROR_REDIRECT,
    RC_MOCK_ERROR_COUNT
} rc_mock_error;

/* How an error response states the time after which the client may retry. */
typedef enum rc_mock_hint {
    RC_MOCK_HINT_NONE = 0,
    RC_MOCK_HINT_SECONDS,
    RC_MOCK_HINT_MILLIS,
    RC_MOCK_HINT_DATE,
    RC_MOCK_HINT_OPENAI,
    RC_MOCK_HINT_ANTHROPIC
} rc_mock_hint;

/* The position of the error in the response. */
typedef enum rc_mock_place {
    RC_MOCK_PLACE_STATUS = 0, /* The error is the whole response, with its own status. */
    RC_MOCK_PLACE_BODY,
    RC_MOCK_PLACE_FIRST,
    RC_MOCK_PLACE_AFTER,
    RC_MOCK_PLACE_STARTED
} rc_mock_place;

typedef enum rc_mock_text {
    RC_MOCK_TEXT_USUAL = 0,
    RC_MOCK_TEXT_TOKENS,
    RC_MOCK_TEXT_HUGE,
    RC_MOCK_TEXT_ECHO,
    RC_MOCK_TEXT_TOOL,
    RC_MOCK_TEXT_REASONING
} rc_mock_text;

typedef enum rc_mock_wire {
    RC_MOCK_WIRE_SOUND = 0,
    RC_MOCK_WIRE_CUT_AFTER,
    RC_MOCK_WIRE_CUT_BYTES,
    RC_MOCK_WIRE_FIN_AFTER,
    RC_MOCK_WIRE_NO_TERMINATOR,
    RC_MOCK_WIRE_TRUNCATED,
    RC_MOCK_WIRE_EMPTY,
    RC_MOCK_WIRE_EMPTY_STREAM,
    RC_MOCK_WIRE_BAD_CHUNK,
    RC_MOCK_WIRE_WRONG_LENGTH,
    RC_MOCK_WIRE_OTHER_SHAPE,
    RC_MOCK_WIRE_HANG,
    RC_MOCK_WIRE_REFUSE
} rc_mock_wire;

#define RC_MOCK_FOREVER UINT32_MAX

/* A parsed plan. An all-zero plan is a successful response. */
typedef struct rc_mock_plan {
    rc_mock_error error;
    rc_mock_hint hint;
    uint32_t hint_ms;
    rc_mock_place place;
    uint32_t place_count;
    rc_mock_text text;
    uint32_t text_count;
    uint32_t slow_ms;
    uint32_t trickle_ms;
    bool has_stall;
    uint32_t stall_ms; /* Duration of the stall; RC_MOCK_FOREVER: no end. */
    uint32_t stall_at;
    uint32_t keepalives;
    uint32_t damaged; /* Number of the content event to damage; 0: none. */
    rc_mock_wire wire;
    uint32_t wire_count;
    bool has_remaining; /* The headers state how many requests are left. */
    uint32_t remaining;
    uint32_t first; /* The K of @K: number of requests to which the plan applies; 0: all. */
    uint32_t round; /* The N of @K/N; 0: no repetition. */
} rc_mock_plan;

typedef enum rc_mock_fault {
    RC_MOCK_FAULT_NONE = 0,
    RC_MOCK_FAULT_UNKNOWN,  /* No behaviour has this name. */
    RC_MOCK_FAULT_NUMBER,   /* The number is too large, or the behaviour takes none. */
    RC_MOCK_FAULT_CONFLICT, /* Two behaviours set the same slot. */
    RC_MOCK_FAULT_FIRST     /* The K after @ is missing or 0, or the N after / is not above K. */
} rc_mock_fault;

/* The reason for which a plan could not be parsed. */
typedef struct rc_mock_reading {
    rc_mock_fault fault;
    rc_str word;         /* The faulty part; views the parsed text. */
    const char *nearest; /* A known behaviour with a similar name, static; NULL: none. */
} rc_mock_reading;

/* Parses a plan. If the text is invalid, returns false, writes the reason to *ret_reading and does
 * not change *ret_plan. *ret_reading views (points into) text. */
bool rc_mock_plan_parse(rc_str text, rc_mock_plan *ret_plan, rc_mock_reading *ret_reading);

/* Returns the static text of a fault, such as "unknown behaviour". */
const char *rc_mock_fault_text(rc_mock_fault fault);

/* An rc_name_at for rc_nearest: returns the static name of the behaviour at `index`, or NULL if
 * `index` is too large. `ctx` is not used. */
const char *rc_mock_behaviour_name_at(const void *ctx, size_t index);

/* rc_mock_behaviour_has_number returns whether the behaviour at `index` takes a number,
 * rc_mock_behaviour_help_at its static help text. */
bool rc_mock_behaviour_has_number(size_t index);
const char *rc_mock_behaviour_help_at(size_t index);

#endif
