/* Any bytes through the phrase scanner. The result does not depend on letter case, on the width of
 * white space, on earlier inputs, or on sentences about other subjects. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "classify/phrases/private.h"
#include "classify/phrases/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)      \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

#define SIZE_MAX_INPUT 2048u
#define TEXT_MAX (4 * SIZE_MAX_INPUT)

_Static_assert(TEXT_MAX <= RC_PHRASE_TEXT_MAX, "no text of this test may be cut");

typedef struct text {
    char bytes[TEXT_MAX];
    size_t len;
} text;

static rc_phrase_scan scan; /* reused for all inputs, as in a program */

static void push(text *t, const char *bytes, size_t len)
{
    CHECK(len <= sizeof t->bytes - t->len);
    memcpy(t->bytes + t->len, bytes, len);
    t->len += len;
}

static void push_c(text *t, const char *more)
{
    push(t, more, strlen(more));
}

/* Scans a copy without bytes after its end, so that the sanitizer detects a read after the end. */
static rc_concept_set find(rc_str s, bool is_code)
{
    char *copy = malloc(s.len ? s.len : 1);
    CHECK(copy);
    if (s.len)
        memcpy(copy, s.ptr, s.len);
    rc_str exact = rc_str_make(copy, s.len);
    if (is_code)
        rc_phrase_scan_code(&scan, exact);
    else
        rc_phrase_scan_text(&scan, exact);
    for (unsigned i = 0; i < RC_MARKER_END; i++) {
        if (!rc_concept_set_has(&scan.found, i))
            continue;
        rc_phrase_span p = scan.spans[i];
        CHECK(rc_concept_name(i).len > 0);
        CHECK(p.from <= p.last_word && p.last_word < p.to && p.to <= s.len);
    }
    free(copy);
    return scan.found;
}

static rc_concept_set find_text(const text *t)
{
    return find(rc_str_make(t->bytes, t->len), false);
}

static bool is_same(rc_concept_set a, rc_concept_set b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void check_words(rc_str s)
{
    rc_words reader;
    rc_word words[RC_WORDS_STEP];
    rc_words_init(&reader, s, false);
    uint32_t before = 0;
    size_t count;
    while ((count = rc_words_read(&reader, words, RC_WORDS_STEP)) > 0) {
        for (size_t i = 0; i < count; i++) {
            CHECK(words[i].len > 0 && words[i].from + words[i].len <= s.len);
            if (words[i].flags & RC_WORD_WHOLE)
                continue;
            CHECK(words[i].from >= before);
            before = words[i].from;
        }
    }
}

/* Checks that the case of letters does not matter. Identifiers are split at capitals, so only texts
 * in a single case are compared. Letters outside ASCII count as having no case. */
static void check_case(rc_str s)
{
    text lower = {.len = 0};
    text upper = {.len = 0};
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c & 0x80)
            return;
        char small = rc_ascii_lower(c);
        char big = small >= 'a' && small <= 'z' ? (char)(small - ('a' - 'A')) : c;
        push(&lower, &small, 1);
        push(&upper, &big, 1);
    }
    CHECK(is_same(find_text(&lower), find_text(&upper)));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void check_white_space(rc_str s, rc_concept_set expected)
{
    text wide = {.len = 0};
    text narrow = {.len = 0};
    for (size_t i = 0; i < s.len; i++) {
        if (!is_blank(s.ptr[i])) {
            push(&wide, &s.ptr[i], 1);
            push(&narrow, &s.ptr[i], 1);
            continue;
        }
        push_c(&wide, " \t ");
        if (i == 0 || !is_blank(s.ptr[i - 1]))
            push_c(&narrow, "\t");
    }
    CHECK(is_same(find_text(&wide), expected));
    CHECK(is_same(find_text(&narrow), expected));
}

static rc_concept_set find_between(const char *before, rc_str s, const char *after)
{
    text t = {.len = 0};
    push_c(&t, before);
    push(&t, s.ptr, s.len);
    push_c(&t, after);
    return find_text(&t);
}

/* Checks that other sentences do not change the result, except for phrases that must be at the
 * beginning or the end of the text. Therefore texts with different added sentences are compared
 * with each other. */
static void check_sentences(rc_str s, rc_concept_set alone)
{
    rc_concept_set begun = find_between("Zebras graze. ", s, "");
    CHECK(is_same(begun, find_between("Quiet zebras graze! Zebras yawn.\n", s, "")));
    rc_concept_set ended = find_between("", s, "\nZebras graze.");
    CHECK(is_same(ended, find_between("", s, "\nQuiet zebras graze. Zebras yawn!")));
    for (unsigned i = 0; i < RC_PHRASE_ENDS; i++) {
        unsigned concept = rc_phrase_ends[i].concept;
        alone.bits[concept / 64] &= ~(UINT64_C(1) << (concept % 64));
    }
    for (size_t i = 0; i < sizeof alone.bits / sizeof *alone.bits; i++)
        CHECK((alone.bits[i] & ~ended.bits[i]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_ready;
    if (!is_ready)
        rc_phrase_scan_init(&scan);
    is_ready = true;
    if (size > SIZE_MAX_INPUT)
        return 0;
    rc_str s = rc_str_make((const char *)data, size);
    if (size == 0)
        s.ptr = "";
    rc_concept_set found = find(s, false);
    CHECK(is_same(found, find(s, false)));
    CHECK(is_same(find(s, true), find(s, true)));
    check_words(s);
    check_case(s);
    check_white_space(s, found);
    check_sentences(s, found);
    return 0;
}
