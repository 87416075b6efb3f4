/* rc_id: report ids, unique and sortable by creation time. */
#ifndef RECOURSE_ID_H
#define RECOURSE_ID_H

#include <stdint.h>

#include <recourse/export.h>
#include <recourse/status.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* An id is "rep_" and 26 characters of Crockford base 32 (48 bits of Unix milliseconds, 80 bits of
 * entropy), NUL-terminated. */
#define RC_ID_LEN 30
typedef struct rc_id {
    char text[RC_ID_LEN + 1];
} rc_id;

/* The maximum number of ids of one maker in the same millisecond. The store can distinguish 32,768
 * operations per millisecond; this number is shared by several makers, one per thread. */
#define RC_ID_PER_MS 256

/* The state of one id maker. The maker keeps its ids unique and increasing even if the clock stops
 * or is set back.
 *
 * If the clock's time is not later than the time of the last id, the next id has the time of the
 * last id, and the entropy of the last id plus one. After RC_ID_PER_MS ids the time advances by one
 * millisecond with fresh entropy. A maker whose clock was set back by years therefore keeps
 * working: its ids continue from the old time, 1 ms for every RC_ID_PER_MS ids, until the clock has
 * caught up.
 *
 * The struct is in the caller's storage; its fields are private. A zeroed struct is a new maker. A
 * maker is not thread-safe, so each thread needs a maker of its own. */
typedef struct rc_id_maker {
    int64_t last_unix_ms;
    uint64_t last_low;
    uint16_t last_high; /* the upper 16 of the 80 bits of entropy */
    bool has_last;      /* the maker has made an id; needed because last_unix_ms 0 is a valid time
                           (1970) */
    uint16_t in_ms;     /* number of ids made with last_unix_ms */
} rc_id_maker;

/* Returns the next id. The caller provides the time and 10 bytes of entropy, which should be
 * unpredictable. A time before 1970 or after the year 10889 is clamped. The function never fails;
 * only the last id of the year 10889 can occur twice. maker, entropy: borrows during the call. */
RC_API rc_id rc_id_make(rc_id_maker *maker, int64_t now_unix_ms, const uint8_t entropy[10]);

/* Reads the creation time of an id. Returns RC_E_SYNTAX if `text` is not an id. text: borrows
 * during the call. */
RC_API rc_status rc_id_time(rc_str text, int64_t *ret_unix_ms);

RC_END_DECLS

#endif
