/* Report ids: unique, and sortable by the time they were made. */
#ifndef RECOURSE_ID_H
#define RECOURSE_ID_H

#include <stdint.h>

#include <recourse/export.h>
#include <recourse/status.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* "rep_" and 26 characters of Crockford base 32 (48 bits of Unix milliseconds, 80 bits of entropy),
 * and a NUL. */
#define RC_ID_LEN 30
typedef struct rc_id {
    char text[RC_ID_LEN + 1];
} rc_id;

/* Keeps the ids of one maker in order even within a millisecond or when the clock steps back: then
 * the time of the last id stays and its entropy counts up, with a carry into the time when the
 * entropy is used up. The caller's storage; zero it to start. Not thread-safe: one a thread. The
 * fields are private. */
typedef struct rc_id_maker {
    int64_t last_unix_ms;
    uint64_t last_low;
    uint16_t last_high; /* the upper 16 of the 80 bits */
    bool has_last;      /* without it a clock that stands at 1970 would leave the entropy unused */
} rc_id_maker;

/* The next id. Time and chance are the caller's: entropy should be 10 bytes that nobody can guess.
 * A time before 1970 or after the year 10889 is clamped. Never fails; only the last id of the year
 * 10889 is ever given twice. maker, entropy: borrows. */
RC_API rc_id rc_id_make(rc_id_maker *maker, int64_t now_unix_ms, const uint8_t entropy[10]);

/* The time in an id. RC_E_SYNTAX when text is not one, to the letter. text: borrows. */
RC_API rc_status rc_id_time(rc_str text, int64_t *ret_unix_ms);

RC_END_DECLS

#endif
