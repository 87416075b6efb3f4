/* Nearest name: suggests a valid name for a misspelt one. Called by option parsing, the
 * configuration, the rules of the classifier, the mock and the queries of the audit. */
#include "base/nearest.h"

#include "base/str.h"

/* Number of bytes that rc_str_distance compares; all valid names are shorter. */
#define NAME_MAX_BYTES 63
/* Minimum length of a text that is compared as a prefix; a shorter prefix would match too many
 * names. */
#define PREFIX_MIN 3

static rc_str lower(rc_str text, char out[NAME_MAX_BYTES])
{
    rc_str head = rc_str_slice(text, 0, NAME_MAX_BYTES);
    for (size_t i = 0; i < head.len; i++)
        out[i] = rc_ascii_lower(head.ptr[i]);
    return rc_str_make(out, head.len);
}

/* Returns the largest edit distance that counts as a misspelling: a third of the word's length, at
 * most 3.
 */
static size_t slip_max(size_t len)
{
    size_t third = (len + 2) / 3;
    return third < 3 ? third : 3;
}

void rc_nearest_init(rc_nearest_search *search, rc_str text)
{
    search->len = lower(text, search->wanted).len;
    search->distance = slip_max(search->len) + 1;
    search->has_begun = false;
}

bool rc_nearest_offer(rc_nearest_search *search, rc_str name)
{
    const rc_str wanted = rc_str_make(search->wanted, search->len);
    const bool has_near = search->distance <= slip_max(wanted.len);
    char name_lower[NAME_MAX_BYTES];
    const rc_str candidate = lower(name, name_lower);
    const size_t distance = rc_str_distance(wanted, candidate, search->distance);
    if (distance < search->distance) {
        search->distance = distance;
        return true;
    }
    if (has_near || search->has_begun || wanted.len < PREFIX_MIN ||
        !rc_str_starts_with(candidate, wanted))
        return false;
    search->has_begun = true;
    return true;
}

const char *rc_nearest(rc_str text, rc_name_at name_at, const void *ctx)
{
    rc_nearest_search search;
    const char *best = NULL;
    rc_nearest_init(&search, text);
    for (size_t i = 0; name_at(ctx, i) != NULL; i++)
        if (rc_nearest_offer(&search, rc_str_c(name_at(ctx, i))))
            best = name_at(ctx, i);
    return best;
}

rc_status rc_nearest_push(rc_buf *buf, const char *dashes, const char *nearest)
{
    if (nearest == NULL || nearest[0] == '\0')
        return rc_buf_status(buf);
    rc_buf_push(buf, RC_STR("; did you mean "));
    rc_buf_push(buf, rc_str_c(dashes));
    rc_buf_push(buf, rc_str_c(nearest));
    return rc_buf_push_byte(buf, '?');
}
