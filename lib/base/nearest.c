/* Nearest name: suggests a valid name for a misspelt one. Called by option parsing, the
 * configuration and the admin queries. */
#include "base/nearest.h"

#include "base/str.h"

/* The limit of rc_str_distance. All names are shorter. */
#define NAME_MAX_BYTES 63
/* A shorter prefix would match too many names. */
#define PREFIX_MIN 3

static rc_str lower(rc_str text, char out[NAME_MAX_BYTES])
{
    rc_str head = rc_str_slice(text, 0, NAME_MAX_BYTES);
    for (size_t i = 0; i < head.len; i++)
        out[i] = rc_ascii_lower(head.ptr[i]);
    return rc_str_make(out, head.len);
}

/* Returns the largest edit distance that counts as a misspelling: a third of the word, at most 3.
 */
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
