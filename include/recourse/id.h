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

/* Ids of one maker that share a millisecond, at most. A store keeps 32,768 operations of one
 * millisecond apart, and several makers (one for each thread) may share it. */
#define RC_ID_PER_MS 256

/* Keeps the ids of one maker unique and in order, whatever the clock does. While the clock stands
 * still, or is behind the last id because somebody set it back, the time of the last id stays and
 * its entropy counts up; after RC_ID_PER_MS ids the next one takes the following millisecond and
 * fresh entropy. A maker whose clock was set back by years thus goes on for as long as it lives:
 * its ids have times from the old clock on and advance by 1 ms for every RC_ID_PER_MS ids, until
 * the clock has passed them. The caller's storage; zero it to start. Not thread-safe: one a thread.
 * The fields are private. */
typedef struct rc_id_maker {
    int64_t last_unix_ms;
    uint64_t last_low;
    uint16_t last_high; /* the upper 16 of the 80 bits */
    bool has_last;      /* without it a clock that stands at 1970 would leave the entropy unused */
    uint16_t in_ms;     /* ids that share last_unix_ms */
} rc_id_maker;

/* The next id. Time and chance are the caller's: entropy should be 10 bytes that nobody can guess.
 * A time before 1970 or after the year 10889 is clamped. Never fails; only the last id of the year
 * 10889 is ever given twice. maker, entropy: borrows. */
RC_API rc_id rc_id_make(rc_id_maker *maker, int64_t now_unix_ms, const uint8_t entropy[10]);

/* The time in an id. RC_E_SYNTAX when text is not one, to the letter. text: borrows. */
RC_API rc_status rc_id_time(rc_str text, int64_t *ret_unix_ms);

RC_END_DECLS

#endif
