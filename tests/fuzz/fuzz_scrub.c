/* Any bytes through the scrubber: the output is clean, fits, and does not change when it is
 * scrubbed again. A secret of the table that is planted in the middle is removed, whatever the
 * text around it.
 *
 * The first four bytes select the ceiling (two bytes), the planted secret and its position. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "scrub/scrub.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)      \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

#define SIZE_MAX_INPUT 65536
#define MAX_BYTES_LEAST 64u
#define CONTROL_LEN 4u

typedef struct shape {
    const char *prefix;
    const char *alphabet;
    size_t min;
} shape;

#define ALPHABET_ALNUM "a7Bk2Xq9Zm"
#define ALPHABET_WORD "a7B-k2X_q9Z"
#define ALPHABET_HEX "0a1b2c3d4e5f"
#define ALPHABET_UPPER "A2B3C4D5E6F7"
#define ALPHABET_BASE64 "a7B+k2X/q9Z"
#define ALPHABET_DOTTED "a7B.k2X_q9Z"

static const shape SHAPES[] = {
#define RC_SECRET_SHAPE(prefix, CLASS, min, TEST, WHERE, text) {prefix, ALPHABET_##CLASS, min},
#define RC_SECRET_SPLIT_SHAPE(prefix, CLASS, min, text) {prefix, ALPHABET_##CLASS, min},
#include "spec/secrets.def"
};

enum {
    AUTH,
    COOKIE,
    TEXT,
    KEY,
    TOKEN,
    HINT,
    PARAM,
    GRANT
};

typedef struct secret_name {
    const char *name;
    int kind;
} secret_name;

static const secret_name NAMES[] = {
#define RC_SECRET_NAME(name, MATCH, KIND, text) {name, KIND},
#include "spec/secrets.def"
};

/* The notations of a member: the text before the name, between name and value, and after the
 * value. */
static const char *const STYLES[][3] = {
    {"\n", "=", "\n"},
    {"\n", ": ", "\n"},
    {"\"", "\": \"", "\""},
    {"'", "': '", "'"},
    {"\\\"", "\\\": \\\"", "\\\""},
    {"https://h/?", "=", "&"},
    {"\n--", "=", "\n"},
    {"%22", "%22%3A%22", "%22"},
    {"&quot;", "&quot;:&quot;", "&quot;"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Returns a copy that ends where the text ends, so that the sanitizer detects a read after the
 * end. */
static char *copy_of(rc_str text)
{
    char *copy = malloc(text.len ? text.len : 1);
    CHECK(copy);
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    return copy;
}

/* Scrubs into a buffer of exactly max_bytes. The caller frees *ret_memory. */
static rc_str scrub(rc_str text, size_t max_bytes, char **ret_memory)
{
    char *input = copy_of(text);
    *ret_memory = malloc(max_bytes);
    CHECK(*ret_memory);
    rc_buf buf;
    rc_buf_init_fixed(&buf, *ret_memory, max_bytes);
    CHECK(rc_scrub(rc_str_make(input, text.len), max_bytes, &buf) == RC_OK);
    free(input);
    return rc_buf_get(&buf);
}

/* Checks that nothing is written to a buffer with one byte less than the result needs. */
static void check_space(rc_str text, size_t max_bytes, size_t needed)
{
    if (needed == 0)
        return;
    char *memory = malloc(needed);
    CHECK(memory);
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, needed - 1);
    CHECK(rc_scrub(text, max_bytes, &buf) == RC_E_TOO_LARGE);
    CHECK(rc_buf_get(&buf).len == 0);
    free(memory);
}

static void check_clean(rc_str text, size_t max_bytes, rc_str secret)
{
    char *first;
    char *second;
    rc_str once = scrub(text, max_bytes, &first);
    CHECK(once.len <= max_bytes);
    CHECK(rc_utf8_is_valid(once));
    CHECK(once.len == 0 || !memchr(once.ptr, 0, once.len));
    CHECK(secret.len == 0 || rc_str_find(once, secret, 0) == RC_STR_NPOS);
    rc_str twice = scrub(once, max_bytes, &second);
    CHECK(rc_str_eq(once, twice));
    check_space(text, max_bytes, once.len);
    free(first);
    free(second);
}

static void check_paths(rc_str text)
{
    char *input = copy_of(text);
    size_t space = 2 * text.len + 8;
    char *memory = malloc(2 * space);
    CHECK(memory);
    rc_buf once;
    rc_buf twice;
    rc_buf_init_fixed(&once, memory, space);
    rc_buf_init_fixed(&twice, memory + space, space);
    CHECK(rc_scrub_paths(rc_str_make(input, text.len), &once) == RC_OK);
    CHECK(rc_scrub_paths(rc_buf_get(&once), &twice) == RC_OK);
    CHECK(rc_str_eq(rc_buf_get(&once), rc_buf_get(&twice)));
    CHECK(!rc_utf8_is_valid(text) || rc_utf8_is_valid(rc_buf_get(&once)));
    free(input);
    free(memory);
}

/* A text with a planted secret, and the secret. */
typedef struct planted {
    char *bytes;
    size_t len;
    rc_str secret; /* the part of the planted key that is needed to recognise it; views `bytes` */
} planted;

static void push(planted *p, const char *bytes, size_t len)
{
    if (len)
        memcpy(p->bytes + p->len, bytes, len);
    p->len += len;
}

static void push_text(planted *p, const char *text)
{
    push(p, text, strlen(text));
}

static void push_letters(planted *p, const char *alphabet, size_t count, uint64_t seed)
{
    size_t letters = strlen(alphabet);
    for (size_t i = 0; i < count; i++) {
        /* Every other letter is taken from the alphabet in order, so that digits and both cases
         * occur. */
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t pick = i % 2 ? i / 2 : (size_t)(seed >> 33);
        push(p, &alphabet[pick % letters], 1);
    }
}

/* Returns whether the byte always ends a word. A byte for which this is false may be part of a key
 * or of an escape. */
static bool is_safe_before(uint8_t c)
{
    return c >= 0x80 || (c && strchr(" \n\t\"'`(,:={}<>@#", c));
}

static void plant_shape(planted *p, const shape *s, rc_str left, rc_str right, uint64_t seed)
{
    push(p, left.ptr, left.len);
    if (left.len && !is_safe_before((uint8_t)left.ptr[left.len - 1]))
        push_text(p, " ");
    size_t from = p->len;
    push_text(p, s->prefix);
    push_letters(p, s->alphabet, s->min + 8, seed);
    p->secret = rc_str_make(p->bytes + from, strlen(s->prefix) + s->min);
    if (right.len && !is_safe_before((uint8_t)right.ptr[0]))
        push_text(p, " ");
    push(p, right.ptr, right.len);
}

static void plant_member(planted *p, const secret_name *n, const char *const style[3], rc_str left,
                         rc_str right, uint64_t seed)
{
    push(p, left.ptr, left.len);
    push_text(p, "\n");
    push_text(p, style[0]);
    push_text(p, n->name);
    push_text(p, style[1]);
    size_t from = p->len;
    push_letters(p, ALPHABET_ALNUM, 24, seed);
    p->secret = rc_str_make(p->bytes + from, p->len - from);
    push_text(p, style[2]);
    push_text(p, "\n");
    push(p, right.ptr, right.len);
}

static void check_planted(rc_str text, size_t max_bytes, size_t what, size_t where)
{
    uint64_t seed = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < text.len; i++)
        seed = (seed ^ (uint8_t)text.ptr[i]) * UINT64_C(1099511628211);
    size_t split = text.len * where / 255;
    rc_str left = rc_str_make(text.ptr, split);
    rc_str right = rc_str_make(text.ptr + split, text.len - split);
    planted p = {.bytes = malloc(text.len + 512)};
    CHECK(p.bytes);
    if (what < COUNT(SHAPES)) {
        plant_shape(&p, &SHAPES[what], left, right, seed);
    } else {
        const secret_name *n = &NAMES[(what - COUNT(SHAPES)) % COUNT(NAMES)];
        const char *const *style = STYLES[(seed >> 32) % COUNT(STYLES)];
        if (n->kind == HINT || n->kind == PARAM || n->kind == GRANT)
            style = STYLES[5]; /* these names are secret only in a URL */
        plant_member(&p, n, style, left, right, seed);
    }
    check_clean(rc_str_make(p.bytes, p.len), max_bytes, p.secret);
    free(p.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < CONTROL_LEN || size > SIZE_MAX_INPUT)
        return 0;
    rc_str text = rc_str_make((const char *)data + CONTROL_LEN, size - CONTROL_LEN);
    size_t max_bytes = MAX_BYTES_LEAST + (size_t)data[0] + 256u * (data[1] % 16u);
    size_t generous = 8 * size + 1024; /* large enough that nothing is cut */
    check_clean(text, max_bytes, (rc_str){NULL, 0});
    check_clean(text, generous, (rc_str){NULL, 0});
    check_planted(text, max_bytes, data[2], data[3]);
    check_planted(text, generous, data[2], data[3]);
    check_paths(text);
    rc_scrub_is_secret_name(text);
    return 0;
}
