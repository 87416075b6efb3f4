/* Any bytes through the JSON reader in both modes, and its results through the other functions:
 * skipping, finding, unescaping, writing, numbers, positions. Each check holds for all inputs. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <recourse/stdlib.h>

#include "base/utf8.h"
#include "json/find.h"
#include "json/reader.h"
#include "json/scan.h"
#include "json/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_held, const char *law, int line)
{
    if (is_held)
        return;
    fprintf(stderr, "line %d: not so: %s\n", line, law);
    abort();
}

#define CHECK(law) check((law), #law, __LINE__)

#define SIZE_MAX_INPUT 65536

/* The tokens of a text. */
typedef struct tokens {
    rc_json_token *items; /* the tokens before the last one, which is END or ERROR */
    size_t count;
    rc_json_type last;
    rc_json_fault fault;
} tokens;

static bool is_begin(rc_json_type type)
{
    return type == RC_JSON_OBJECT_BEGIN || type == RC_JSON_ARRAY_BEGIN;
}

static bool is_container_end(rc_json_type type)
{
    return type == RC_JSON_OBJECT_END || type == RC_JSON_ARRAY_END;
}

static rc_json_reader reader_of(rc_str text, bool is_tolerant)
{
    rc_json_limits limits = {
        .max_bytes = SIZE_MAX, .max_depth = RC_JSON_DEPTH_MAX, .is_tolerant = is_tolerant};
    rc_json_reader reader;
    rc_json_reader_init(&reader, text, &limits);
    return reader;
}

static tokens read_all(rc_str text, bool is_tolerant)
{
    rc_json_reader reader = reader_of(text, is_tolerant);
    size_t depth_max = text.len < RC_JSON_DEPTH_MAX ? text.len : RC_JSON_DEPTH_MAX;
    size_t memory = 2 * text.len + depth_max + 1;
    tokens all = {.items = malloc(memory * sizeof *all.items)};
    size_t at = 0;
    for (;;) {
        rc_json_token token = rc_json_reader_next(&reader);
        CHECK(token.end <= text.len && token.offset <= token.end);
        if (token.type == RC_JSON_END || token.type == RC_JSON_ERROR) {
            rc_json_token again = rc_json_reader_next(&reader);
            CHECK(again.type == token.type && again.offset == token.offset);
            all.last = token.type;
            all.fault = reader.fault;
            CHECK(all.last == RC_JSON_END || all.fault.status != RC_OK);
            CHECK(all.fault.status == RC_OK || all.fault.offset <= text.len);
            return all;
        }
        /* The maximum number of tokens: at most two for each byte (a missing key and the value
         * without a key), and one for each open container that the end of the text closes. */
        CHECK(all.count < memory);
        CHECK(token.offset >= at);
        at = token.end;
        all.items[all.count++] = token;
    }
}

/* Checks that the tokens are those of a well-formed document, whatever the text was. If a ceiling
 * is exceeded, the tokens end there. */
static void check_grammar(const tokens *all)
{
    bool is_object[RC_JSON_DEPTH_MAX + 1] = {false};
    size_t depth = 0;
    bool is_key_due = false;
    for (size_t i = 0; i < all->count; i++) {
        rc_json_type type = all->items[i].type;
        CHECK(depth > 0 || i == 0);
        if (is_container_end(type)) {
            CHECK(depth > 0 && is_object[depth] == (type == RC_JSON_OBJECT_END));
            CHECK(!is_object[depth] || is_key_due);
            depth--;
        } else {
            CHECK(is_key_due == (type == RC_JSON_KEY));
        }
        if (is_begin(type))
            is_object[++depth] = type == RC_JSON_OBJECT_BEGIN;
        is_key_due = type != RC_JSON_KEY && is_object[depth];
    }
    CHECK(all->last == RC_JSON_ERROR || depth == 0);
}

static bool is_same_token(const rc_json_token *a, const rc_json_token *b)
{
    return a->type == b->type && a->offset == b->offset && a->end == b->end &&
           a->has_escapes == b->has_escapes && rc_str_eq(a->raw, b->raw);
}

/* Returns the end of the value that begins with token i, found token by token. */
static size_t value_end(const tokens *all, size_t i)
{
    size_t depth = 0;
    if (all->items[i].type == RC_JSON_KEY)
        i++;
    for (;; i++) {
        depth += is_begin(all->items[i].type);
        depth -= is_container_end(all->items[i].type);
        if (depth == 0)
            return all->items[i].end;
    }
}

/* Checks that in a valid text skipping a value ends at the same offset as reading it, and that the
 * next token is the same. */
static void check_skip(rc_str text, const tokens *all, bool is_tolerant)
{
    rc_json_reader reader = reader_of(text, is_tolerant);
    for (size_t i = 0; i < all->count && i < 256; i++) {
        rc_json_token token = rc_json_reader_next(&reader);
        CHECK(is_same_token(&token, &all->items[i]));
        if (is_container_end(token.type))
            continue;
        rc_json_reader skipping = reader;
        size_t end = rc_json_reader_skip(&skipping);
        CHECK(end == value_end(all, i));
        size_t next = i;
        while (next < all->count && all->items[next].end <= end)
            next++;
        token = rc_json_reader_next(&skipping);
        CHECK(next == all->count ? token.type == RC_JSON_END
                                 : is_same_token(&token, &all->items[next]));
    }
}

/* Checks that skipping ends in damaged text, too, from any token on. */
static void check_skip_ends(rc_str text, const tokens *all, bool is_tolerant)
{
    rc_json_reader reader = reader_of(text, is_tolerant);
    for (size_t i = 0; i < all->count && i < 64; i++) {
        rc_json_reader_next(&reader);
        rc_json_reader skipping = reader;
        CHECK(rc_json_reader_skip(&skipping) <= text.len);
        rc_json_token token = rc_json_reader_next(&skipping);
        CHECK(!is_tolerant || token.type != RC_JSON_ERROR ||
              skipping.fault.status == RC_E_TOO_DEEP);
    }
}

/* Checks that the member search and the reader find the same members of a valid object. */
static void check_find(rc_str text, const tokens *all)
{
    rc_json_member member = {.key = RC_STR("model")};
    rc_status status = rc_json_find(text, &member, 1, false);
    if (all->last == RC_JSON_ERROR)
        return;
    if (all->items[0].type != RC_JSON_OBJECT_BEGIN) {
        CHECK(status == RC_E_TYPE);
        return;
    }
    CHECK(status == RC_OK);
    size_t tried = 0;
    for (size_t i = 1; i + 1 < all->count && tried < 16; tried++) {
        rc_alloc alloc = rc_alloc_stdlib();
        rc_buf key;
        rc_buf_init(&key, &alloc, SIZE_MAX);
        CHECK(rc_json_unescape(all->items[i].raw, &key) == RC_OK);
        rc_json_member members[2] = {{.key = RC_STR("\x01not there")}, {.key = rc_buf_get(&key)}};
        CHECK(rc_json_find(text, members, 2, false) == RC_OK);
        CHECK(!members[0].is_found && members[1].is_found);
        /* the last member of this name is found */
        CHECK(members[1].value.offset >= all->items[i + 1].offset);
        CHECK(rc_json_find(text, members + 1, 1, true) == RC_OK);
        CHECK(members[1].is_found);
        /* with stop_early the first member of this name may be found */
        CHECK(members[1].value.offset <= all->items[i + 1].offset);

        rc_buf spliced;
        rc_buf_init(&spliced, &alloc, SIZE_MAX);
        CHECK(rc_json_splice(text, members[1].value.offset, members[1].value_end,
                             RC_STR("[{\"a\":null}]"), &spliced) == RC_OK);
        tokens again = read_all(rc_buf_get(&spliced), false);
        CHECK(again.last == RC_JSON_END);
        free(again.items);
        rc_buf_done(&spliced);
        rc_buf_done(&key);

        size_t end = value_end(all, i);
        while (all->items[i].offset < end)
            i++;
    }
}

/* Checks that a text which is cut inside its container is reported as truncated, not as
 * malformed. */
static void check_prefix(rc_str text, const tokens *all, size_t pick)
{
    if (all->count == 0 || !is_begin(all->items[0].type))
        return;
    rc_str prefix = rc_str_make(text.ptr, pick % all->items[all->count - 1].end);
    for (int is_tolerant = 0; is_tolerant < 2; is_tolerant++) {
        tokens cut = read_all(prefix, is_tolerant);
        CHECK(cut.fault.status == RC_E_TRUNCATED);
        free(cut.items);
    }
}

/* Replaces ill-formed sequences by U+FFFD, as the reader does. */
static void repair(rc_str text, rc_buf *buf)
{
    for (size_t at = 0; at < text.len;) {
        size_t len;
        char bytes[4];
        size_t n = rc_utf8_encode(rc_utf8_decode(text, at, &len), bytes);
        rc_buf_push(buf, rc_str_make(bytes, n));
        at += len;
    }
}

static void check_unescape(rc_str raw, bool has_escapes)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf plain;
    rc_buf_init(&plain, &alloc, SIZE_MAX);
    CHECK(rc_json_unescape(raw, &plain) == RC_OK);
    CHECK(rc_utf8_is_valid(rc_buf_get(&plain)));
    CHECK(has_escapes || rc_str_eq(raw, rc_buf_get(&plain)));
    CHECK(rc_json_raw_eq(raw, has_escapes, rc_buf_get(&plain)));
    rc_buf_push_byte(&plain, 'x');
    CHECK(!rc_json_raw_eq(raw, has_escapes, rc_buf_get(&plain)));
    rc_buf_done(&plain);
}

/* Checks that a string that was written and read again equals the string with ill-formed sequences
 * replaced. */
static void check_quoted(rc_str text)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf quoted;
    rc_buf expected;
    rc_buf_init(&quoted, &alloc, SIZE_MAX);
    rc_buf_init(&expected, &alloc, SIZE_MAX);
    rc_json_push_quoted(&quoted, text);
    repair(text, &expected);
    tokens all = read_all(rc_buf_get(&quoted), false);
    CHECK(all.last == RC_JSON_END && all.count == 1 && all.items[0].type == RC_JSON_STRING);
    CHECK(rc_json_raw_eq(all.items[0].raw, true, rc_buf_get(&expected)));
    free(all.items);
    rc_buf_done(&quoted);
    rc_buf_done(&expected);
}

static void write_token(rc_json_writer *w, const rc_json_token *token, rc_buf *scratch)
{
    rc_buf_reset(scratch);
    rc_json_unescape(token->raw, scratch);
    switch (token->type) {
    case RC_JSON_OBJECT_BEGIN:
        rc_json_object_begin(w);
        break;
    case RC_JSON_OBJECT_END:
        rc_json_object_end(w);
        break;
    case RC_JSON_ARRAY_BEGIN:
        rc_json_array_begin(w);
        break;
    case RC_JSON_ARRAY_END:
        rc_json_array_end(w);
        break;
    case RC_JSON_KEY:
        rc_json_key(w, rc_buf_get(scratch));
        break;
    case RC_JSON_STRING:
        rc_json_string(w, rc_buf_get(scratch));
        break;
    case RC_JSON_NUMBER:
        rc_json_raw(w, token->raw);
        break;
    case RC_JSON_TRUE:
    case RC_JSON_FALSE:
        rc_json_bool(w, token->type == RC_JSON_TRUE);
        break;
    case RC_JSON_NULL:
        rc_json_null(w);
        break;
    case RC_JSON_END:
    case RC_JSON_ERROR:
        break;
    }
}

/* Checks that the tokens, written as JSON, are read as the same value. The written text is valid
 * even if the original text was damaged. */
static void check_rewrite(const tokens *all, uint32_t indent)
{
    if (all->last == RC_JSON_ERROR)
        return;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf written;
    rc_buf scratch;
    rc_json_writer w;
    rc_buf_init(&written, &alloc, SIZE_MAX);
    rc_buf_init(&scratch, &alloc, SIZE_MAX);
    rc_json_writer_init(&w, &written, indent);
    for (size_t i = 0; i < all->count; i++)
        write_token(&w, &all->items[i], &scratch);
    CHECK(rc_buf_status(&written) == RC_OK);

    tokens again = read_all(rc_buf_get(&written), false);
    CHECK(again.count == all->count);
    CHECK(again.last == RC_JSON_END || all->count == 0);
    for (size_t i = 0; i < all->count; i++) {
        const rc_json_token *token = &all->items[i];
        CHECK(again.items[i].type == token->type);
        rc_buf_reset(&scratch);
        rc_json_unescape(token->raw, &scratch);
        if (token->type == RC_JSON_KEY || token->type == RC_JSON_STRING ||
            token->type == RC_JSON_NUMBER)
            CHECK(rc_json_raw_eq(again.items[i].raw, again.items[i].has_escapes,
                                 rc_buf_get(&scratch)));
    }
    free(again.items);
    rc_buf_done(&written);
    rc_buf_done(&scratch);
}

/* Simple definitions of the scans, which read one byte at a time. */

static size_t plain_string_end(rc_str text, size_t at)
{
    for (; at < text.len && text.ptr[at] != '"'; at++)
        at += text.ptr[at] == '\\';
    return at < text.len ? at : text.len;
}

static size_t plain_container_end(rc_str text, size_t at)
{
    size_t depth = 1;
    bool in_string = false;
    for (; at < text.len; at++) {
        char c = text.ptr[at];
        if (c == '\\') /* a backslash outside strings, which valid text never has, escapes only a
                        * quote or a backslash */
            at += at + 1 < text.len && (text.ptr[at + 1] == '"' || text.ptr[at + 1] == '\\');
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '['))
            depth++;
        else if (!in_string && (c == '}' || c == ']') && --depth == 0)
            return at + 1;
    }
    return RC_JSON_SCAN_NONE;
}

static size_t plain_special(rc_str text, size_t at, bool *has_high)
{
    for (; at < text.len; at++) {
        unsigned char c = (unsigned char)text.ptr[at];
        if (c == '"' || c == '\\' || c < 0x20)
            break;
        *has_high |= c > 0x7F;
    }
    return at;
}

static size_t plain_unclean(rc_str text, size_t at)
{
    while (at < text.len && !rc_json_scan_is_unclean(text.ptr[at]))
        at++;
    return at;
}

static void check_scan(rc_str text, size_t at)
{
    bool expected_high = false;
    size_t special = plain_special(text, at, &expected_high);
    for (int level = 0; level < RC_JSON_SCAN_LEVEL_COUNT; level++) {
        const rc_json_scan *scan = rc_json_scan_get((rc_json_scan_level)level);
        if (!scan)
            continue;
        bool has_high = false;
        CHECK(scan->special(text, at, &has_high) == special && has_high == expected_high);
        CHECK(scan->unclean(text, at) == plain_unclean(text, at));
        CHECK(scan->string_end(text, at) == plain_string_end(text, at));
        CHECK(scan->container_end(text, at) == plain_container_end(text, at));
    }
    bool has_high = false;
    CHECK(rc_json_scan_special(text, at, &has_high) == special && has_high == expected_high);
}

/* Checks that a number differs by at most one step from the C library's result, which is the
 * nearest double. */
static void check_number(rc_str raw)
{
    int64_t integer;
    double ours;
    rc_status status = rc_json_to_i64(raw, &integer);
    CHECK(status == RC_OK || status == RC_E_TYPE || status == RC_E_RANGE);
    char text[512];
    if (raw.len >= sizeof text)
        return;
    memcpy(text, raw.ptr, raw.len);
    text[raw.len] = '\0';
    double theirs = strtod(text, NULL);
    if (rc_json_to_double(raw, &ours) != RC_OK) {
        CHECK(fabs(theirs) > 1.7976931348623155e308);
        return;
    }
    CHECK(ours >= nextafter(theirs, -INFINITY) && ours <= nextafter(theirs, INFINITY));
    CHECK(status != RC_OK || raw.len > 16 || ours == (double)integer);
}

static void check_tokens(const tokens *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const rc_json_token *token = &all->items[i];
        if (token->type == RC_JSON_KEY || token->type == RC_JSON_STRING)
            check_unescape(token->raw, token->has_escapes);
        if (token->type == RC_JSON_NUMBER)
            check_number(token->raw);
    }
}

/* Checks the ceilings in both modes. */
static void check_ceilings(rc_str text, size_t pick)
{
    for (int is_tolerant = 0; is_tolerant < 2; is_tolerant++) {
        rc_json_limits limits = {.max_bytes = pick % (text.len + 1),
                                 .max_depth = (uint32_t)(pick % 4),
                                 .is_tolerant = is_tolerant};
        rc_json_reader reader;
        rc_json_reader_init(&reader, text, &limits);
        rc_json_token token;
        do {
            token = rc_json_reader_next(&reader);
            CHECK(reader.depth <= limits.max_depth && token.end <= limits.max_bytes);
        } while (token.type != RC_JSON_END && token.type != RC_JSON_ERROR);
        if (limits.max_bytes < text.len && token.type == RC_JSON_END)
            CHECK(is_tolerant && reader.fault.status == RC_E_TOO_LARGE);
        if (limits.max_bytes < text.len && !is_tolerant)
            CHECK(reader.fault.status == RC_E_TOO_LARGE);
    }
}

static void check_position(rc_str text, size_t offset)
{
    rc_json_position position = rc_json_position_of(text, offset);
    rc_json_position end = rc_json_position_of(text, text.len + 1);
    CHECK(position.line >= 1 && position.column >= 1 && position.line <= end.line);
    CHECK(position.line < end.line || position.column <= end.column);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > SIZE_MAX_INPUT)
        return 0;
    rc_str text = rc_str_make((const char *)data, size);
    size_t pick = size;
    for (size_t i = 0; i < size; i++)
        pick = pick * 31 + data[i];

    tokens strict = read_all(text, false);
    tokens tolerant = read_all(text, true);
    CHECK(tolerant.last == RC_JSON_END || tolerant.fault.status == RC_E_TOO_DEEP);
    check_grammar(&tolerant);
    check_grammar(&strict);
    check_find(text, &strict);
    check_skip_ends(text, &strict, false);
    check_skip_ends(text, &tolerant, true);
    if (strict.last == RC_JSON_END) {
        CHECK(tolerant.fault.status == RC_OK && tolerant.count == strict.count);
        check_skip(text, &strict, false);
        check_skip(text, &tolerant, true);
        check_prefix(text, &strict, pick);
    } else {
        bool has_mark = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0;
        CHECK(tolerant.fault.status != RC_OK || has_mark);
    }
    check_tokens(&tolerant);
    check_rewrite(&tolerant, 0);
    check_rewrite(&tolerant, 2);
    check_unescape(text, true);
    check_quoted(text);
    check_scan(text, 0);
    check_scan(text, pick % (size + 1));
    check_ceilings(text, pick);
    check_position(text, pick % (size + 1));
    free(strict.items);
    free(tolerant.items);
    return 0;
}
