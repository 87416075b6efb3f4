#include "codec/stream_mould.h"

#include "base/json_walk.h"
#include "base/lanes.h"
#include "codec/usage_weight.h"

/* A number that all who read JSON read alike: digits, no zero in front, and its member ends behind
 * them. Gives one past its last digit; `at`: it is another one. */
static size_t digits_end(rc_str text, size_t at)
{
    size_t end = at;
    if (at >= text.len || text.ptr[at] < '1' || text.ptr[at] > '9')
        return at;
    while (end < text.len && rc_ascii_is_digit(text.ptr[end]))
        end++;
    return end < text.len && (text.ptr[end] == ',' || text.ptr[end] == '}') ? end : at;
}

/* ---- casting ---- */

/* The bytes up to `to` go into the text. False: there is no room, and there will be no mould. */
static bool take_bytes(rc_stream_cast *cast, size_t to)
{
    const size_t more = to - cast->taken;
    if (more > RC_STREAM_MOULD_TEXT - cast->len) {
        cast->mould = NULL;
        return false;
    }
    memcpy(cast->text + cast->len, cast->data.ptr + cast->taken, more);
    cast->len += more;
    cast->taken = to;
    return true;
}

static bool has_place(const rc_stream_cast *cast)
{
    return cast->mould != NULL && cast->count < RC_STREAM_MOULD_PLACES;
}

void rc_stream_cast_content(rc_stream_cast *cast, rc_str raw, const uint64_t *weight)
{
    if (!has_place(cast) || !take_bytes(cast, (size_t)(raw.ptr - cast->data.ptr)))
        return;
    cast->places[cast->count++] = (rc_stream_place){.from = (uint16_t)(cast->len - 1),
                                                    .to = (uint16_t)(cast->len + 1),
                                                    .is_content = true,
                                                    .is_weighed = weight != NULL};
    cast->taken += raw.len;
    cast->content_bytes += raw.len;
    cast->weight += weight ? *weight : 0;
}

/* The type of an event decides how it is walked, and is found by its name however that is written.
 */
static bool may_be_type(rc_str key)
{
    return rc_str_eq(key, RC_STR("type")) || rc_str_find_byte(key, '\\', 0) != RC_STR_NPOS;
}

void rc_stream_cast_loose(rc_stream_cast *cast, rc_str key, char first, rc_str raw)
{
    const size_t quote = first == '"' ? 1 : 0;
    const size_t from = (size_t)(raw.ptr - cast->data.ptr) - quote;
    const size_t to = from + raw.len + 2 * quote;
    if (may_be_type(key) || (!quote && digits_end(cast->data, from) != to) || !has_place(cast) ||
        !take_bytes(cast, to))
        return;
    cast->places[cast->count++] =
        (rc_stream_place){.from = (uint16_t)(cast->len - (to - from)), .to = (uint16_t)cast->len};
}

void rc_stream_cast_end(rc_stream_cast *cast, rc_stream_dialect dialect, rc_str name,
                        const rc_stream_found *found)
{
    /* A finish reason views its event. */
    const bool is_fit = found->seen.kinds & RC_STREAM_CONTENT &&
                        !(found->seen.kinds & (RC_STREAM_FINISH | RC_STREAM_ERROR)) &&
                        cast->count > 0 && name.len <= RC_STREAM_MOULD_NAME;
    rc_stream_mould *mould = cast->mould;
    if (!is_fit || mould == NULL || !take_bytes(cast, cast->data.len))
        return;
    mould->dialect = dialect;
    mould->count = (uint8_t)cast->count;
    mould->name_len = (uint8_t)name.len;
    if (name.len > 0)
        memcpy(mould->name, name.ptr, name.len);
    mould->found = *found;
    mould->found.seen.content_bytes -= cast->content_bytes;
    mould->found.usage.weight -= cast->weight;
    memcpy(mould->places, cast->places, cast->count * sizeof cast->places[0]);
    memcpy(mould->text, cast->text, cast->len);
    mould->len = (uint16_t)cast->len;
}

/* ---- comparing ---- */

/* How many bytes of the two are the same, from the first on. */
static inline size_t same_len(const char *a, const char *b, size_t len)
{
    size_t at = 0;
    for (; len - at >= RC_LANES; at += RC_LANES) {
        rc_lanes other = (rc_lanes)(rc_lanes_load(a + at) != rc_lanes_load(b + at));
        if (rc_lanes_bits(other) != 0)
            return at + (size_t)__builtin_ctz(rc_lanes_bits(other));
    }
    while (at < len && a[at] == b[at])
        at++;
    return at;
}

/* Where a comparison stands. */
typedef struct fit {
    const rc_stream_mould *mould;
    rc_json_walk json; /* of the event */
    size_t at;         /* in the mould's text */
    size_t next;       /* place that is not behind it */
} fit;

/* Passes over the event's value at the place, as the walk does. The bytes in front are the same. */
static bool pass_place(fit *f, const rc_stream_place *place, rc_str *ret_raw)
{
    const size_t from = f->json.at;
    f->at = place->to;
    if (f->mould->text[place->from] == '"')
        return from < f->json.text.len && f->json.text.ptr[from] == '"' &&
               rc_json_walk_string(&f->json, ret_raw);
    f->json.at = digits_end(f->json.text, from);
    return f->json.at > from;
}

static bool pass_content(fit *f, rc_stream_found *found)
{
    const rc_stream_place *place = &f->mould->places[f->next++];
    rc_str raw = {NULL, 0};
    if (!pass_place(f, place, &raw) || raw.len == 0)
        return false;
    found->seen.content_bytes += raw.len;
    found->usage.weight += place->is_weighed ? rc_weight_text(raw) : 0;
    return true;
}

/* The bytes differ where the comparison stands, in front of `to`: is that inside a loose value? */
static bool pass_other(fit *f, size_t to)
{
    const rc_stream_mould *mould = f->mould;
    rc_str unused;
    while (f->next < mould->count && mould->places[f->next].to < f->at)
        f->next++;
    if (f->next == mould->count)
        return false;
    const rc_stream_place *place = &mould->places[f->next++];
    if (place->from > f->at || place->from >= to)
        return false;
    f->json.at -= f->at - place->from;
    return pass_place(f, place, &unused);
}

/* The bytes up to `to` of the mould's text, which no content is among. */
static bool pass_same(fit *f, size_t to)
{
    while (f->at < to) {
        const rc_str text = f->json.text;
        const size_t left = text.len - f->json.at;
        const size_t len = left < to - f->at ? left : to - f->at;
        const size_t same = same_len(f->mould->text + f->at, text.ptr + f->json.at, len);
        f->at += same;
        f->json.at += same;
        if (f->at < to && !pass_other(f, to))
            return false;
    }
    return true;
}

bool rc_stream_mould_fits(const rc_stream_mould *mould, rc_stream_dialect dialect, rc_str name,
                          rc_str data, rc_stream_found *found)
{
    if (data.len == 0 || mould->len == 0 || mould->dialect != dialect ||
        !rc_str_eq(name, rc_str_make(mould->name, mould->name_len)))
        return false;
    rc_stream_found is = mould->found;
    fit f = {.mould = mould, .json = rc_json_walk_begin(data)};
    for (size_t i = 0; i < mould->count; i++) {
        if (!mould->places[i].is_content)
            continue;
        if (!pass_same(&f, mould->places[i].from))
            return false;
        f.next = i;
        if (!pass_content(&f, &is))
            return false;
    }
    if (!pass_same(&f, mould->len) || f.json.at != data.len)
        return false;
    *found = is;
    return true;
}
