/* JSON member search: finds a few members of the top-level object. Called by the gateway's request
 * parsing and the dialect code. */
#include "json/find.h"

#include <string.h>

#include "base/vec16.h"
#include "json/lex.h"
#include "json/walk.h"

/* The walk along the top level does not use rc_json_reader, because it skips nearly all bytes:
 * walking over a body of a thousand bytes is faster than reading ten tokens. */
typedef rc_json_walk walk;

static inline char peek(walk *w)
{
    return rc_json_walk_peek(w);
}

/* Consumes the byte `wanted`, usually without white space before it. */
static inline bool pass_byte(walk *w, char wanted)
{
    const bool is_next = w->at < w->text.len && w->text.ptr[w->at] == wanted;
    if (!is_next && peek(w) != wanted)
        return false;
    w->at++;
    return true;
}

/* Returns the fault at the current position: RC_E_TRUNCATED if the text ends there, RC_E_SYNTAX if
 * another byte was expected. */
static inline rc_status fault(const walk *w)
{
    return w->at < w->text.len ? RC_E_SYNTAX : RC_E_TRUNCATED;
}

/* Returns the offset of the quote that closes the string whose content begins at `from`. The
 * content is not validated. *ret_is_odd is set if the content has escapes, control or non-ASCII
 * characters. */
static size_t long_string_end(rc_str text, size_t from, const rc_json_scan *scan, bool *ret_is_odd)
{
    bool is_odd = false;
    size_t end = scan->special(text, from, &is_odd);
    if (end < text.len && text.ptr[end] != '"') {
        is_odd = true;
        end = scan->string_end(text, end);
    }
    *ret_is_odd = is_odd;
    return end;
}

/* Skips the string that begins at the current position. */
static inline rc_status pass_string(walk *w, rc_str *ret_raw, bool *ret_is_odd)
{
    const size_t from = w->at + 1;
    bool is_odd = false;
    size_t len = rc_json_scan_plain(w->text, from);
    if (len == RC_JSON_SCAN_NONE)
        len = long_string_end(w->text, from, w->scan, &is_odd) - from;
    if (len == w->text.len - from)
        return RC_E_TRUNCATED;
    *ret_raw = rc_str_make(w->text.ptr + from, len);
    *ret_is_odd = is_odd; /* an odd key (one with escapes or non-ASCII characters) must be unescaped
                             before it is compared */
    w->at = from + len + 1;
    return RC_OK;
}

static inline rc_status pass_container(walk *w, rc_json_token *ret_token)
{
    size_t end = w->scan->container_end(w->text, w->at + 1);
    if (end == RC_JSON_SCAN_NONE)
        return RC_E_TRUNCATED;
    ret_token->type = w->text.ptr[w->at] == '{' ? RC_JSON_OBJECT_BEGIN : RC_JSON_ARRAY_BEGIN;
    ret_token->raw = rc_str_make(w->text.ptr + w->at, 1);
    ret_token->has_escapes = false;
    ret_token->offset = w->at;
    ret_token->end = w->at + 1;
    w->at = end;
    return RC_OK;
}

/* Skips the value if it is a number of less than sixteen digits that is followed by a comma.
 * Returns false for all other values, and near the end of the text. */
static inline bool pass_digits(walk *w)
{
    const char *from = w->text.ptr + w->at;
    if (w->text.len - w->at < RC_VEC16_BYTES)
        return false;
    const uint32_t others = rc_vec16_bits(~rc_vec16_in_range(rc_vec16_load(from), '0', '9'));
    if (others == 0 || from[__builtin_ctz(others)] != ',')
        return false;
    w->at += (size_t)__builtin_ctz(others);
    return true;
}

/* Reads a wanted string. Most strings are plain and need no further validation. */
static inline void lex_string(const walk *w, rc_json_token *ret_token, rc_json_fault *ret_fault)
{
    const size_t len = rc_json_scan_plain(w->text, w->at + 1);
    if (len == RC_JSON_SCAN_NONE) {
        rc_json_lex_string(w->text, w->at, false, ret_token, ret_fault);
        return;
    }
    *ret_token = (rc_json_token){
        .type = RC_JSON_STRING,
        .raw = rc_str_make(w->text.ptr + w->at + 1, len),
        .offset = w->at,
        .end = w->at + len + 2,
    };
}

/* Skips the value at the current position. The first token of a wanted value is validated as by the
 * strict reader. */
static inline rc_status pass_value(walk *w, bool is_wanted, rc_json_token *ret_token)
{
    char c = peek(w);
    if (c == '{' || c == '[')
        return pass_container(w, ret_token);
    if (c == '"' && !is_wanted)
        return pass_string(w, &ret_token->raw, &ret_token->has_escapes);
    if (c >= '1' && c <= '9' && !is_wanted && pass_digits(w))
        return RC_OK;
    if (w->at == w->text.len)
        return RC_E_TRUNCATED;
    rc_json_fault found = {.status = RC_OK};
    if (c == '"')
        lex_string(w, ret_token, &found);
    else
        rc_json_lex_scalar(w->text, w->at, ret_token, &found);
    w->at = ret_token->end;
    return found.status;
}

/* The names to find and the results. */
typedef struct wanted {
    rc_json_names names;
    rc_json_value *values;
    uint32_t found;     /* one bit per name that was found */
    uint32_t ambiguous; /* one bit per name that occurs twice or in another letter case */
    bool is_once;       /* the caller needs `ambiguous` */
} wanted;

#define NO_NAME SIZE_MAX

static size_t compare_all(const rc_json_names *names, rc_str odd_key)
{
    for (size_t i = 0; i < names->count; i++)
        if (rc_json_raw_eq(odd_key, true, names->keys[i]))
            return i;
    return NO_NAME;
}

/* Returns one bit for each of the sixteen names from `from` on that has this hash. */
static inline uint32_t names_with_hash(const rc_json_names *names, size_t from, uint8_t hash)
{
    const rc_vec16 hashes = rc_vec16_load((const char *)names->hashes + from);
    return rc_vec16_bits((rc_vec16)(hashes == (rc_vec16){0} + hash));
}

/* Returns the index of the key among the names, or NO_NAME if the key is none of the names. Sixteen
 * hashes are compared at a time. */
static inline size_t name_of(const rc_json_names *names, rc_str key, bool is_odd)
{
    if (is_odd)
        return compare_all(names, key);
    const uint8_t hash = rc_json_key_hash(key);
    if (!rc_json_names_has_hash(names, hash))
        return NO_NAME;
    for (size_t from = 0; from < names->count; from += RC_VEC16_BYTES) {
        uint32_t bits = names_with_hash(names, from, hash);
        for (; bits != 0; bits &= bits - 1) {
            const size_t i = from + (size_t)__builtin_ctz(bits);
            if (key.len == names->keys[i].len && rc_bytes_eq(key.ptr, names->keys[i].ptr, key.len))
                return i;
        }
    }
    return NO_NAME;
}

#define LIKE_MAX_BYTES 96

/* Folds the letter case of text in place: ASCII letters become lower case, and the long s and the
 * kelvin sign become s and k. */
static rc_str fold(char *text, size_t len)
{
    size_t to = 0;
    for (size_t at = 0; at < len; to++) {
        const rc_str rest = rc_str_make(text + at, len - at);
        char c = rc_ascii_lower(text[at]);
        size_t taken = 1;
        if (rc_str_starts_with(rest, RC_STR("\xC5\xBF"))) {
            c = 's';
            taken = 2;
        } else if (rc_str_starts_with(rest, RC_STR("\xE2\x84\xAA"))) {
            c = 'k';
            taken = 3;
        }
        text[to] = c;
        at += taken;
    }
    return rc_str_make(text, to);
}

size_t rc_json_names_find_nocase(const rc_json_names *names, rc_str raw)
{
    char scratch[LIKE_MAX_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    if (rc_json_unescape(raw, &text) != RC_OK)
        return SIZE_MAX;
    const rc_str folded = fold(scratch, rc_buf_get(&text).len);
    for (size_t i = 0; i < names->count; i++)
        if (rc_str_eq_nocase(folded, names->keys[i]))
            return i;
    return SIZE_MAX;
}

/* Returns whether a name may differ from this key in letter case only. Names are ASCII and begin
 * with a small letter, so such a name has the same length and first letter as the key in lower
 * case, and therefore the same hash. An odd key may have escapes or letters that fold to ASCII, so
 * it is compared with every name. */
static inline bool may_differ_by_case(const rc_json_names *names, rc_str key, bool is_odd)
{
    if (is_odd || key.len == 0)
        return is_odd;
    const char first = rc_ascii_lower(key.ptr[0]);
    return rc_json_names_has_hash(names, rc_json_key_hash(rc_str_make(&first, key.len)));
}

static inline void note_ambiguous(wanted *want, size_t name, rc_str key, bool is_odd)
{
    if (name == NO_NAME && !may_differ_by_case(&want->names, key, is_odd))
        return;
    const size_t like = name != NO_NAME ? name : rc_json_names_find_nocase(&want->names, key);
    if (like != NO_NAME && (name == NO_NAME || (want->found >> name & 1) != 0))
        want->ambiguous |= UINT32_C(1) << like;
}

/* Skips one member and records its value if the name is wanted. */
static inline rc_status pass_member(walk *w, wanted *want)
{
    rc_json_token token;
    rc_str key;
    bool is_odd;
    if (peek(w) != '"')
        return fault(w);
    rc_status status = pass_string(w, &key, &is_odd);
    if (status != RC_OK)
        return status;
    const size_t name = name_of(&want->names, key, is_odd);
    if (want->is_once)
        note_ambiguous(want, name, key, is_odd);
    if (!pass_byte(w, ':'))
        return fault(w);
    status = pass_value(w, name != NO_NAME, &token);
    if (status != RC_OK || name == NO_NAME)
        return status;
    want->values[name] = (rc_json_value){.first = token, .end = w->at};
    want->found |= UINT32_C(1) << name;
    return RC_OK;
}

static inline rc_status pass_end(walk *w)
{
    w->at++;
    peek(w);
    return w->at == w->text.len ? RC_OK : RC_E_SYNTAX;
}

static rc_status find(rc_str text, wanted *want, bool stop_early)
{
    const uint32_t all = (uint32_t)((UINT64_C(1) << want->names.count) - 1);
    walk w = rc_json_walk_begin(text);
    if (peek(&w) != '{')
        return w.at < text.len ? RC_E_TYPE : RC_E_TRUNCATED;
    w.at++;
    if (peek(&w) == '}')
        return pass_end(&w);
    for (;;) {
        rc_status status = pass_member(&w, want);
        if (status != RC_OK || (stop_early && want->found == all))
            return status;
        if (pass_byte(&w, ','))
            continue;
        return peek(&w) == '}' ? pass_end(&w) : fault(&w);
    }
}

rc_status rc_json_find_names(rc_str text, const rc_json_names *names, bool stop_early,
                             rc_json_value *ret_values, uint32_t *ret_found)
{
    wanted want = {.names = *names, .values = ret_values};
    const rc_status status = find(text, &want, stop_early);
    *ret_found = want.found;
    return status;
}

rc_status rc_json_find_names_once(rc_str text, const rc_json_names *names,
                                  rc_json_value *ret_values, uint32_t *ret_found,
                                  uint32_t *ret_ambiguous)
{
    wanted want = {.names = *names, .values = ret_values, .is_once = true};
    const rc_status status = find(text, &want, false);
    *ret_found = want.found;
    *ret_ambiguous = want.ambiguous;
    return status;
}

static rc_status find_some(rc_str text, rc_json_member *members, size_t count, bool stop_early)
{
    rc_str keys[RC_JSON_NAMES_MAX];
    uint8_t hashes[RC_JSON_KEY_HASHES_LEN(RC_JSON_NAMES_MAX)] = {0};
    rc_json_value values[RC_JSON_NAMES_MAX];
    wanted want = {.names = {keys, hashes, count, 0}, .values = values};
    for (size_t i = 0; i < count; i++) {
        keys[i] = members[i].key;
        hashes[i] = rc_json_key_hash(keys[i]);
        want.names.set |= rc_json_hash_bit(hashes[i]);
    }
    const rc_status status = find(text, &want, stop_early);
    for (size_t i = 0; i < count; i++) {
        members[i].is_found = want.found >> i & 1;
        if (!members[i].is_found)
            continue;
        /* cppcheck-suppress uninitvar ; find() set the values of the names that it found */
        members[i].value = values[i].first;
        members[i].value_end = values[i].end;
    }
    return status;
}

/* Scans the text once for each RC_JSON_NAMES_MAX members and returns the first fault of all scans.
 */
rc_status rc_json_find(rc_str text, rc_json_member *members, size_t count, bool stop_early)
{
    size_t from = 0;
    rc_status status = RC_OK;
    do {
        const size_t left = count - from;
        const size_t some = left < RC_JSON_NAMES_MAX ? left : RC_JSON_NAMES_MAX;
        rc_json_member *rest = from > 0 ? members + from : members; /* rest of the members; NULL if
                                                                       count is 0 */
        const rc_status of_some = find_some(text, rest, some, stop_early);
        status = status == RC_OK ? of_some : status;
        from += some;
    } while (from < count);
    return status;
}

rc_status rc_json_splice(rc_str text, size_t from, size_t to, rc_str replacement, rc_buf *buf)
{
    if (from > to || to > text.len)
        return RC_E_ARGUMENT;
    size_t len;
    if (__builtin_add_overflow(text.len - (to - from), replacement.len, &len))
        len = SIZE_MAX;
    /* The space is reserved first, so that nothing is appended if the result does not fit. */
    if (rc_buf_reserve(buf, len) != RC_OK)
        return rc_buf_status(buf);
    rc_buf_push(buf, rc_str_make(text.ptr, from));
    rc_buf_push(buf, replacement);
    return rc_buf_push(buf, rc_str_make(text.ptr ? text.ptr + to : NULL, text.len - to));
}
