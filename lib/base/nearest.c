#include "base/nearest.h"

#include "base/str.h"

/* No name is longer; rc_str_distance looks no further either. */
#define NAME_MAX_BYTES 63
/* Shorter beginnings fit too many names. */
#define PREFIX_MIN 3

static rc_str lower(rc_str text, char out[NAME_MAX_BYTES])
{
    rc_str head = rc_str_slice(text, 0, NAME_MAX_BYTES);
    for (size_t i = 0; i < head.len; i++)
        out[i] = rc_ascii_lower(head.ptr[i]);
    return rc_str_make(out, head.len);
}

/* A slip in a longer word may be a larger one, but never most of the word. */
static size_t slip_max(size_t len)
{
    size_t third = (len + 2) / 3;
    return third < 3 ? third : 3;
}

const char *rc_nearest(rc_str text, rc_name_at name_at, const void *ctx)
{
    char text_lower[NAME_MAX_BYTES];
    char name_lower[NAME_MAX_BYTES];
    const char *best = NULL;
    const char *begun = NULL;
    rc_str wanted = lower(text, text_lower);
    size_t best_distance = slip_max(wanted.len) + 1;

    for (size_t i = 0;; i++) {
        const char *name = name_at(ctx, i);
        if (name == NULL)
            return best != NULL ? best : begun;
        rc_str candidate = lower(rc_str_c(name), name_lower);
        size_t distance = rc_str_distance(wanted, candidate, best_distance);
        if (distance < best_distance) {
            best = name;
            best_distance = distance;
        }
        if (begun == NULL && wanted.len >= PREFIX_MIN && rc_str_starts_with(candidate, wanted))
            begun = name;
    }
}
