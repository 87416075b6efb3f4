/* Tests of the word reader: how a text is split into words, and which words have the same stem. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "classify/phrases/words.h"
#include "support/often.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define WORDS_MAX 64u

/* ---- stems ---- */

static uint64_t hash_c(const char *word)
{
    return rc_word_hash(rc_str_c(word));
}

static void test_forms_of_a_word_have_one_stem(void **unused)
{
    (void)unused;
    static const char *const FAMILIES[][6] = {
        {"throttle", "throttles", "throttled", "throttling"},
        {"limit", "limits", "limited", "limiting"},
        {"exceed", "exceeds", "exceeded", "exceeding"},
        {"overload", "overloads", "overloaded", "overloading"},
        {"exhaust", "exhausts", "exhausted", "exhausting"},
        {"bill", "bills", "billed", "billing"},
        {"unauthorized", "unauthorised", "unauthorize"},
        {"recognize", "recognise", "recognized", "recognised", "recognising"},
        {"retry", "retries", "retried", "retrying"},
        {"deny", "denies", "denied", "denying"},
        {"query", "queries", "queried", "querying"},
        {"process", "processes", "processed", "processing"},
        {"request", "requests", "requested", "requesting"},
        {"response", "responses"},
        {"cache", "caches", "cached", "caching"},
        {"match", "matches", "matched", "matching"},
        {"crash", "crashes", "crashed", "crashing"},
        {"box", "boxes", "boxed", "boxing"},
        {"stop", "stops", "stopped", "stopping"},
        {"plan", "plans", "planned", "planning"},
        {"load", "loads", "loaded", "loading"},
        {"miss", "misses", "missed", "missing"},
        {"need", "needs", "needed", "needing"},
        {"use", "uses", "used"},
        {"time", "times", "timed", "timing"},
        {"size", "sizes", "sized", "sizing"},
        {"database", "databases"},
        {"status", "statuses"},
        {"access", "accesses", "accessed", "accessing"},
        {"note", "notes", "noted", "noting"},
        {"set", "sets", "setting", "settings"},
        {"policy", "policies"},
        {"quota", "quotas"},
        {"fund", "funds", "funded", "funding"},
        {"add", "adds", "added", "adding"},
    };
    for (size_t i = 0; i < COUNT(FAMILIES); i++) {
        for (size_t j = 1; FAMILIES[i][j]; j++) {
            if (hash_c(FAMILIES[i][j]) != hash_c(FAMILIES[i][0]))
                fail_msg("%s is not %s", FAMILIES[i][j], FAMILIES[i][0]);
        }
    }
}

static void test_different_words_have_different_stems(void **unused)
{
    (void)unused;
    static const char *const PAIRS[][2] = {
        {"not", "note"},
        {"not", "notes"},
        {"non", "none"},
        {"not", "noted"},
        {"quota", "quote"},
        {"user", "use"},
        {"status", "state"},
        {"model", "mode"},
        {"process", "proces"},
        {"business", "busy"},
        {"cache", "catch"},
        {"policy", "police"},
        {"string", "str"},
        {"bill", "bil"},
        {"need", "ne"},
        {"exceed", "exce"},
        {"off", "of"},
        {"access", "acces"},
        {"limit", "limbo"},
        {"rate", "ratio"},
        {"capacity", "cap"},
        {"billing", "billion"},
        {"token", "take"},
        {"is", "i"},
        {"has", "ha"},
        {"this", "thi"},
        {"key", "keyed in"},
        {"server", "serve"},
        {"authentication", "authorization"},
        {"available", "unavailable"},
        {"concurrent", "current"},
    };
    for (size_t i = 0; i < COUNT(PAIRS); i++) {
        if (hash_c(PAIRS[i][0]) == hash_c(PAIRS[i][1]))
            fail_msg("%s is %s", PAIRS[i][0], PAIRS[i][1]);
    }
}

static void test_stems_are_parts_of_their_words(void **unused)
{
    (void)unused;
    char word[RC_WORD_MAX + 1];
    static const char LETTERS[] = "aeiysdgnltxhz";
    uint32_t seed = 1;
    for (int i = 0; i < OFTEN(200000); i++) {
        unsigned len = 1 + (unsigned)i % RC_WORD_MAX;
        for (unsigned j = 0; j < len; j++) {
            seed = seed * 1664525u + 1013904223u;
            word[j] = LETTERS[(seed >> 16) % (sizeof LETTERS - 1)];
        }
        rc_stem stem = rc_word_stem(word, len);
        assert_in_range(stem.len, 1, len);
        if (len > 3)
            assert_in_range(stem.len, 3, len);
        if (!rc_stem_may_cut(word[len - 1], len > 1 ? word[len - 2] : '\0') || len <= 3) {
            assert_int_equal(stem.len, len);
            assert_int_equal(stem.last, word[len - 1]);
        }
    }
}

static void test_long_words_are_unknown(void **unused)
{
    (void)unused;
    assert_true(hash_c("abcdefghijklmnopqrstuvw") != 0);
    assert_true(hash_c("abcdefghijklmnopqrstuvwx") == 0);
    assert_true(hash_c("") == 0);
}

/* ---- splitting of texts ---- */

/* Compares one word with its expectation. Prefixes of the expectation: "." the word begins a
 * sentence, "@" is in an address, "+" is the whole of a word that was split, "#" is any number;
 * "_4" stands for the digits of a name, "?" for any word. */
static void expect_word(const char *text, size_t index, const rc_word *word, rc_str expected)
{
    unsigned flags = 0;
    for (; expected.len > 1; expected = rc_str_slice(expected, 1, expected.len)) {
        if (expected.ptr[0] == '.')
            flags |= RC_WORD_NEW_SENTENCE;
        else if (expected.ptr[0] == '@')
            flags |= RC_WORD_IN_ADDRESS;
        else if (expected.ptr[0] == '+')
            flags |= RC_WORD_WHOLE;
        else
            break;
    }
    bool is_number = expected.ptr[0] == '#';
    bool is_any = rc_str_eq(expected, RC_STR("?")) || rc_str_eq(expected, RC_STR("#"));
    bool is_same = is_any || word->hash == rc_word_hash(expected);
    if (!is_same || word->flags != flags || (word->kind == RC_WORD_NUMBER) != is_number)
        fail_msg("%s: word %zu is not %.*s (flags %u)", text, index, (int)expected.len,
                 expected.ptr, word->flags);
}

static void expect_read(const char *text, const char *expected, bool is_code)
{
    rc_words reader;
    rc_word words[WORDS_MAX];
    size_t count = 0;
    size_t more;
    rc_words_init(&reader, rc_str_c(text), is_code);
    while ((more = rc_words_read(&reader, words + count, RC_WORDS_STEP)) > 0) {
        count += more;
        assert_in_range(count, 0, WORDS_MAX - RC_WORDS_STEP);
    }
    rc_word at_once[WORDS_MAX];
    rc_words_init(&reader, rc_str_c(text), is_code);
    assert_int_equal(rc_words_read(&reader, at_once, WORDS_MAX), count);
    assert_memory_equal(at_once, words, count * sizeof *words);

    rc_str rest = rc_str_c(expected);
    size_t index = 0;
    while (rest.len > 0) {
        size_t end = rc_str_find_byte(rest, ' ', 0);
        if (end == RC_STR_NPOS)
            end = rest.len;
        if (index == count)
            fail_msg("%s: %zu words, then %.*s", text, count, (int)end, rest.ptr);
        expect_word(text, index, &words[index], rc_str_slice(rest, 0, end));
        rest = rc_str_slice(rest, end + 1, rest.len);
        index++;
    }
    if (index != count)
        fail_msg("%s: %zu words and not %zu", text, count, index);
}

static void expect_text(const char *text, const char *expected)
{
    expect_read(text, expected, false);
}

static void test_plain_words(void **unused)
{
    (void)unused;
    expect_text("", "");
    expect_text("   ", "");
    expect_text("Rate limit exceeded", "rate limit exceed");
    expect_text("RATE LIMIT EXCEEDED", "rate limit exceed");
    expect_text("rate, (limit) \"exceeded\"", "rate limit exceed");
    expect_text("ok", "ok");
    expect_text("organizations authentication unauthorized",
                "organization authentication unauthorized");
    expect_text("Organizations AUTHENTICATION", "organization authentication");
    expect_text("abcdefghijklmnopqrstuvwxyz limit", "? limit");
    expect_text("abcdefgh abcdefghijklmnop abcdefghijklmnopqrstuvw",
                "abcdefgh abcdefghijklmnop abcdefghijklmnopqrstuvw");
}

static void test_identifiers_are_several_words(void **unused)
{
    (void)unused;
    expect_text("rate_limit_exceeded", "rate limit exceed");
    expect_text("rate-limit-exceeded", "rate limit exceed");
    expect_text("error.rate:limit", "error rate limit");
    expect_text("RateLimitExceeded", "rate limit exceed +ratelimitexceed");
    expect_text("ResponsibleAIPolicyViolation", "responsible ai policy violation");
    expect_text("perDay", "per day +perday");
    expect_text("OpenAI", "open ai +openai");
    expect_text("OpenAI's key", "open ai +openai key");
    expect_text("APIs IDs API", "apis ids api");
    expect_text("HTTPError", "http error +httperror");
    expect_text("base64 x509", "base _64 x _509");
    expect_text("LIMIT_exceeded", "limit exceed");
}

static void test_contractions(void **unused)
{
    (void)unused;
    expect_text("doesn't", "does not");
    expect_text("can't won't", "can not will not");
    expect_text("Cannot CANNOT cannot", "can not can not can not");
    expect_text("isn\xE2\x80\x99t DON'T", "is not do not");
    expect_text("don\\'t", "do not");
    expect_text("organization's limit", "organization limit");
    expect_text("organization\xE2\x80\x99s limit", "organization limit");
    expect_text("you're we've it'll", "you we it");
    expect_text("'limit' models' sake", "limit models sake");
}

static void test_numbers(void **unused)
{
    (void)unused;
    expect_text("10,000 40.025771073 1048576", "# # #");
    expect_text("limit 0 of 0.000000", "limit #0 of #0");
    expect_text("429 4.5", "#429 #4.5");
    expect_text("payload429snippet", "payload _429 snippet");
    expect_text("gpt-4 req_429 -5", "gpt _4 req _429 _5");
    expect_text("40s 9m38.016s", "# s # m ? s");
    expect_text("127.0.0.1", "?");
    expect_text("ends with 5.", "ends with #");
    expect_text("5, 6", "# #");
    expect_text("\xE5\x9C\xA8"
                "60\xE7\xA7\x92",
                "\xE5\x9C\xA8 # \xE7\xA7\x92");
    expect_text("\xEF\xBC\x95\xEF\xBC\x90", "#50"); /* the number 50 in full-width characters */
}

static void test_signs(void **unused)
{
    (void)unused;
    expect_text("10/min", "# per min");
    expect_text("150000 / min", "# per min");
    expect_text("5/10 and/or", "# # and or");
    expect_text("5 > 4 >= 3 < 2 <= 1", "# > # >= # < # <= #");
    expect_text("a -> b => c", "a b c");
    expect_text("5 \xE2\x89\xA4 6", "# <= #");
    expect_text("95% used", "# percent use");
}

static void test_sentences(void **unused)
{
    (void)unused;
    expect_text("One. Two! Three? Four; five\nSix", "one .two .three .four .five .six");
    expect_text("a line\n  that was folded, and\n- another", "a line that was folded and .another");
    expect_text("one: two, three", "one two three");
    expect_text("e.g. one i.e. two vs. three", "e g one i e two vs three");
    expect_text("He said \"no.\" Then left", "he said no .then left");
    expect_text("a.b version 1.5 here", "a b version # here");
    expect_text("line\\nnext", "line .next");
    expect_text("\xE4\xB8\x80\xE3\x80\x82\xE4\xBA\x8C", "\xE4\xB8\x80 .\xE4\xBA\x8C");
    expect_text("one\xEF\xBC\x9Btwo\xEF\xBC\x8Cthree", "one .two three");
}

static void test_addresses(void **unused)
{
    (void)unused;
    expect_text("see https://docs.claude.com/en/api-limits. Then",
                "see @https @docs @claude @com @en @api @limits .then");
    expect_text("at api.openai.com now", "at @api @openai @com now");
    expect_text("(platform.openai.com/account)", "@platform @openai @com @account");
    expect_text("www.host.zz/a b", "@www @host @zz @a b");
    expect_text("mail sales.team@x.com now", "mail @sales @team @x @com now");
    expect_text("file foo.py code a.b_c litellm.RateLimitError",
                "file foo py code a b c litellm rate limit error +ratelimiterror");
    expect_text("x.com:8080/v1 up", "@x @com @# @v @_1 up");
    expect_text("key=https://a.b/c", "key @https @a @b @c");
    expect_text("p.googleapis.com/input_tokens_per_minute.",
                "@p @googleapis @com input tokens per minute");
    expect_text("exceeded.Please wait", "exceed please wait");
}

static void test_other_scripts(void **unused)
{
    (void)unused;
    expect_text("\xE4\xBD\x99\xE9\xA2\x9D\xE4\xB8\x8D\xE8\xB6\xB3",
                "\xE4\xBD\x99 \xE9\xA2\x9D \xE4\xB8\x8D \xE8\xB6\xB3");
    expect_text("caf\xC3\xA9 limit", "caf\xC3\xA9 limit");
    expect_text("limit\xC2\xA0reached", "limit reach");
    expect_text("\xEF\xBC\xAC\xEF\xBD\x89\xEF\xBD\x8D\xEF\xBD\x89\xEF\xBD\x94 a", "limit a");
    expect_text("limit\xFFreached\xE4\xBD", "limit reach");
    expect_text("\xE2\x80\x9Climit\xE2\x80\x9D \xF0\x9F\x98\x80 ok", "limit ok");
}

static void test_codes_have_no_sentences_and_no_addresses(void **unused)
{
    (void)unused;
    expect_read("insufficient_quota", "insufficient quota", true);
    expect_read("Some text. More text", "some text more text", true);
    expect_read("api.openai.com", "api openai com", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms_of_a_word_have_one_stem),
        cmocka_unit_test(test_different_words_have_different_stems),
        cmocka_unit_test(test_stems_are_parts_of_their_words),
        cmocka_unit_test(test_long_words_are_unknown),
        cmocka_unit_test(test_plain_words),
        cmocka_unit_test(test_identifiers_are_several_words),
        cmocka_unit_test(test_contractions),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_other_scripts),
        cmocka_unit_test(test_codes_have_no_sentences_and_no_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
