/* Tests of `recourse audit` with a fake system and a real store: the output of each verb, hostile
 * text, and that no failure is reported as success. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "store/operation_key.h"
#include "support/audit_stories.h"
#include "support/run_cli.h"
#include "support/store_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
/* Time of the fake clock: 2026-11-16 02:02:03 local time, one hour ahead of UTC. */
#define NOW INT64_C(1794790923456)

typedef struct audit_fixture {
    store_fixture store;
    char keys[16][RC_OPERATION_KEY_TEXT_LEN + 1]; /* keys of the operations, in the order of the
                                                     stories */
    size_t count;
} audit_fixture;

static const char *const story_names[] = {"notice",    "plain", "recovered", "exhausted", "refused",
                                          "cancelled", "open",  "hedged",    "hostile"};
enum {
    NOTICE,
    PLAIN,
    RECOVERED,
    EXHAUSTED,
    REFUSED,
    CANCELLED,
    OPEN,
    HEDGED,
    HOSTILE
};

static bool note_key(void *ctx, const rc_record *operation)
{
    audit_fixture *w = ctx;
    rc_buf text;
    rc_buf_init_fixed(&text, w->keys[w->count++], RC_OPERATION_KEY_TEXT_LEN);
    rc_operation_key_push(&text, operation->key);
    return true;
}

static int set_up(void **state)
{
    audit_fixture *w = calloc(1, sizeof(*w));
    const rc_store_query query = {.is_oldest_first = true};
    rc_store_query notices = query;
    notices.filter.has_outcome = true;
    notices.filter.outcome = RC_OUTCOME_NOTICE;
    fixture_init(&w->store);
    assert_true(fixture_open(&w->store, RC_STORE_WRITE));
    for (size_t i = 0; i < COUNT(story_names); i++)
        assert_true(story_write(w->store.store, &w->store.alloc, story_names[i],
                                NOW - 600000 + (int64_t)i * 60000, &w->store.fault));
    assert_true(rc_store_list(w->store.store, &notices, note_key, w, &w->store.fault));
    assert_true(rc_store_list(w->store.store, &query, note_key, w, &w->store.fault));
    assert_int_equal(w->count, COUNT(story_names));
    fixture_close(&w->store);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    audit_fixture *w = *state;
    fixture_done(&w->store);
    free(w);
    return 0;
}

typedef struct setting {
    bool is_ascii;
    const char *columns;
    size_t fail_memory_at;
    bool is_for_good;
    int fail_call_at;
} setting;

/* Runs `recourse audit ARG... --store FILE`; args ends with NULL. */
static int audit(const audit_fixture *w, const setting *how, const char *const *args)
{
    const char *line[ARGS_MAX + 1] = {"audit"};
    size_t count = 1;
    for (size_t i = 0; args[i] != NULL; i++)
        line[count++] = args[i];
    line[count++] = "--store";
    line[count++] = w->store.path;
    assert_true(count <= ARGS_MAX);
    fake_reset("");
    fake_env("LANG", how->is_ascii ? "C" : "C.UTF-8");
    fake_env("TERM", "xterm");
    if (how->columns != NULL)
        fake_env("COLUMNS", how->columns);
    memory = (fail_alloc){.fail_at = how->fail_memory_at, .for_good = how->is_for_good};
    fake.fail_at = how->fail_call_at;
    fake.is_for_good = true;
    fake.error = EIO;
    return run(line);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void expect(const audit_fixture *w, const setting *how, const char *const *args,
                   const char *expected)
{
    const int result = audit(w, how, args);
    if (result != 0 || strstr(fake.out.text, expected) == NULL)
        fail_msg("exit status %d, and this is not in it:\n%s\n---\n%s%s", result, expected,
                 fake.out.text, fake.err.text);
}

static const setting usual = {.columns = "80"};
static const setting wide = {.columns = "120"};

/* ---- human output ---- */

static void test_list(void **state)
{
    const audit_fixture *w = *state;
    char expected[1024];
    snprintf(expected, sizeof(expected),
             "time      id              model          outcome        try    took  cost\n"
             "Mon 16 Nov 2026\n"
             "01:55:03  %s  openai/gpt-4o  ✗ RateLimited    3  15.9 s     -\n"
             "\n"
             "1 operation, 7 minutes ago; times in UTC+1. A wider terminal shows more columns.\n",
             w->keys[EXHAUSTED]);
    expect(w, &usual, ARGS("list", "--code", "ratelimited"), expected);
    snprintf(expected, sizeof(expected),
             "01:54:03  %s  web                 gpt-4o → claude/claude-sonnet-4-5   ✓ recovered",
             w->keys[RECOVERED]);
    expect(w, &wide, ARGS("list"), expected);
    expect(w, &usual, ARGS("list", "--limit", "2"), "Next page: --after ");
    snprintf(expected, sizeof(expected), "1 notice, 10 minutes ago");
    expect(w, &usual, ARGS("list", "--outcome", "notice"), expected);
    expect(w, &usual, ARGS("list", "--outcome", "notice"),
           "! notice: openai/gpt-4o: taken out of service by the\n    operator\n");
}

static void test_show(void **state)
{
    const audit_fixture *w = *state;
    expect(w, &usual, ARGS("show", w->keys[RECOVERED]),
           "│ claude/claude-sonnet-4-5 responded after 3 attempts (failures: RateLimited   │\n"
           "│ and Overloaded).                                                             │\n"
           "│                                                                              │\n"
           "│ When     Mon 16 Nov 2026 01:54:03 UTC+1, 8 minutes ago                       │\n"
           "│ Took     8.42 s, first byte after 7.07 s                                     │\n"
           "│ Cost     $0.0123 for 1200 tokens in, 310 out                                 │\n"
           "│ Request  client web · model gpt-4o · route gpt-4o* · streamed                │\n");
    expect(w, &usual, ARGS("show", w->keys[RECOVERED]),
           "    0 ms  • web requests gpt-4o\n"
           "    2 ms  ✗ attempt 1  openai/gpt-4o (openai-1)         ████              1.92 s\n"
           "              RateLimited · HTTP 429 · openai is limiting the rate of requests ·\n");
    expect(w, &usual, ARGS("show", w->keys[RECOVERED]),
           "  2.43 s  ↻ waits as the policy says                        ░░░░░░░░░     4.00 s\n"
           "  6.43 s  ↷ skips openai/gpt-4o-mini: the target's circuit breaker is open\n"
           "  6.43 s  → switches to claude/claude-sonnet-4-5 (claude-1): this target's\n"
           "            attempts are used up; the next target is healthy\n"
           "  6.43 s  ✓ attempt 3  claude/claude-sonnet-4-5                     ████  1.99 s\n"
           "            (claude-1)\n");
    expect(w, &(setting){.is_ascii = true, .columns = "80"}, ARGS("show", w->keys[RECOVERED]),
           "  2.43 s  ~ waits as the policy says                        .........     4.00 s\n"
           "  6.43 s  ^ skips openai/gpt-4o-mini: the target's circuit breaker is open\n");
    expect(w, &(setting){.columns = "50"}, ARGS("show", w->keys[RECOVERED]),
           "  2.43 s  ↻ waits as the policy says, 4.00 s\n");
}

/* The wait in the panel is counted from the time of the failure, not from the current time. */
static void test_show_has_the_advice(void **state)
{
    const audit_fixture *w = *state;
    expect(w, &usual, ARGS("show", w->keys[EXHAUSTED]),
           "│ Retry    The attempts are used up; try again after 20s (at 01:55:40)");
    expect(w, &usual, ARGS("show", w->keys[EXHAUSTED]), "│ Next     Wait, then try again ");
    expect(w, &usual, ARGS("show", w->keys[EXHAUSTED]),
           "  15.9 s  ■ stops: the attempts are used up and there is no other target\n"
           "  15.9 s  ✗ the client receives RateLimited, HTTP 429\n");
    expect(w, &usual, ARGS("show", w->keys[EXHAUSTED], "--view", "internal"), "as it came");
    expect(w, &usual, ARGS("show", w->keys[REFUSED]),
           "nightly received Overloaded; no target was called.");
    expect(w, &usual, ARGS("show", w->keys[OPEN]),
           "The request has not ended, or the gateway stopped before its end.");
    expect(w, &usual, ARGS("show", w->keys[CANCELLED]), "■ the client left\n");
    assert_null(strstr(fake.out.text, "Next"));
    expect(w, &usual, ARGS("show", w->keys[HEDGED]), "→ hedges with claude/claude-sonnet-4-5");
    expect(w, &usual, ARGS("show", w->keys[NOTICE]),
           "  ! openai/gpt-4o: taken out of service by the operator\n");
    expect(w, &usual, ARGS("show", w->keys[EXHAUSTED], "--agent"),
           "| 313 ms | wait | waits as long as the server asked |  | 5.00 s |\n");
}

static void test_stats(void **state)
{
    const audit_fixture *w = *state;
    expect(w, &usual, ARGS("stats"),
           "Operations of all time\n"
           "operations  8: 37.5% succeeded, 37.5% failed, 12.5% cancelled, 12.5% open\n"
           "recovery    33.3%: 1 of the 3 with a failed attempt succeeded\n"
           "calls       12; wasted 9 (75.0%): their responses reached no client\n");
    expect(w, &usual, ARGS("stats"),
           "code              attempts  recovered  ended with it\n"
           "RateLimited              4      25.0%              1\n");
    expect(w, &usual, ARGS("stats"),
           "! Mon 16 Nov 2026 01:52:03 UTC+1: openai/gpt-4o: taken out of service by the\n");
    expect(w, &wide, ARGS("stats", "--by", "hour", "--since", "1h"),
           "16 Nov 01:00           7   28.6%      50.0%       7");
    expect(w, &wide, ARGS("stats", "--by", "client,route", "--limit", "1"),
           "and 5 more; --limit shows them\n");
    expect(w, &usual, ARGS("stats", "--since", "1m"), "No operation matches.\n");
    expect(w, &usual, ARGS("stats", "--agent"), "| openai/gpt-4o | 8 | 75.0% | 7 | 507 ms |");
}

static void test_tail(void **state)
{
    const audit_fixture *w = *state;
    char expected[128];
    expect(w, &usual, ARGS("tail", "--limit", "2"), w->keys[HEDGED]);
    assert_null(strstr(fake.out.text, w->keys[OPEN]));
    assert_true(strstr(fake.out.text, w->keys[HEDGED]) < strstr(fake.out.text, w->keys[HOSTILE]));
    snprintf(expected, sizeof(expected), "\"key\":\"%s\"", w->keys[HOSTILE]);
    expect(w, &usual, ARGS("tail", "--format", "jsonl"), expected);
}

/* ---- output for programs ---- */

static struct json_object *parse(const char *text)
{
    enum json_tokener_error error = json_tokener_success;
    struct json_object *object = json_tokener_parse_verbose(text, &error);
    if (object == NULL)
        fail_msg("%s: %s", json_tokener_error_desc(error), text);
    return object;
}

static struct json_object *at(struct json_object *object, const char *key)
{
    struct json_object *member = NULL;
    if (!json_object_object_get_ex(object, key, &member))
        fail_msg("no %s in %s", key, json_object_to_json_string(object));
    return member;
}

static void test_json(void **state)
{
    const audit_fixture *w = *state;
    assert_int_equal(audit(w, &usual, ARGS("list", "--format", "json", "--limit", "3")), 0);
    struct json_object *list = parse(fake.out.text);
    assert_int_equal(json_object_array_length(at(list, "operations")), 3);
    char next[32];
    snprintf(next, sizeof(next), "%s", json_object_get_string(at(list, "next")));
    json_object_put(list);
    assert_int_equal(audit(w, &usual, ARGS("list", "--format", "json", "--after", next)), 0);
    list = parse(fake.out.text);
    assert_int_equal(json_object_array_length(at(list, "operations")), 5);
    json_object_put(list);

    assert_int_equal(audit(w, &usual, ARGS("show", w->keys[EXHAUSTED], "--format", "json")), 0);
    struct json_object *whole = parse(fake.out.text);
    assert_string_equal(json_object_get_string(at(at(whole, "operation"), "code")), "RateLimited");
    assert_string_equal(
        json_object_get_string(at(at(at(whole, "operation"), "report"), "error_code")),
        "RateLimited");
    struct json_object *records = at(whole, "records");
    assert_int_equal(json_object_array_length(records), 6);
    struct json_object *wait = json_object_array_get_idx(records, 1);
    assert_string_equal(json_object_get_string(at(wait, "reason_text")),
                        rc_reason_text(RC_WHY_HINT));
    assert_int_equal(json_object_get_int(at(wait, "wait_ms")), 5000);
    json_object_put(whole);

    assert_int_equal(audit(w, &usual, ARGS("stats", "--format", "json")), 0);
    struct json_object *stats = parse(fake.out.text);
    assert_int_equal(json_object_get_int(at(at(stats, "operations"), "recovered")), 1);
    assert_int_equal(json_object_get_int(at(at(stats, "attempts"), "wasted")), 9);
    assert_int_equal(json_object_get_int(at(stats, "notices")), 1);
    json_object_put(stats);

    assert_int_equal(audit(w, &usual, ARGS("check", "--format", "json")), 0);
    struct json_object *check = parse(fake.out.text);
    assert_true(json_object_get_boolean(at(check, "sound")));
    json_object_put(check);
}

static size_t lines_of(const char *text)
{
    size_t count = 0;
    for (; (text = strchr(text, '\n')) != NULL; text++)
        count++;
    return count;
}

static void test_export(void **state)
{
    const audit_fixture *w = *state;
    assert_int_equal(audit(w, &usual, ARGS("export")), 0);
    assert_int_equal(lines_of(fake.out.text), 8);
    for (char *line = fake.out.text; *line != '\0';) {
        char *end = strchr(line, '\n');
        *end = '\0';
        json_object_put(parse(line));
        line = end + 1;
    }
    assert_int_equal(audit(w, &usual, ARGS("export", "--of", "attempts")), 0);
    assert_int_equal(lines_of(fake.out.text), 12);
    assert_int_equal(audit(w, &usual, ARGS("export", "--of", "attempts", "--code", "RateLimited")),
                     0);
    assert_int_equal(lines_of(fake.out.text), 4);
    assert_int_equal(audit(w, &usual, ARGS("export", "--of", "attempts", "--limit", "3")), 0);
    assert_int_equal(lines_of(fake.out.text), 3);
    assert_int_equal(audit(w, &usual, ARGS("export", "--format", "csv")), 0);
    assert_int_equal(lines_of(fake.out.text), 9);
    assert_non_null(strstr(fake.out.text, "\"'=cmd|' /C calc'!A0\",\"'@SUM(A1)\""));
    assert_int_equal(audit(w, &usual, ARGS("export", "--format", "csv", "--of", "attempts")), 0);
    assert_int_equal(lines_of(fake.out.text), 13);
}

/* ---- hostile text ---- */

/* Asserts that the text has only line feeds and visible characters. */
static void check_inert(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        const bool is_control = (*c < 0x20 && *c != '\n') || *c == 0x7F;
        const bool is_c1 = *c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0;
        const bool is_bidi = *c == 0xE2 && c[1] == 0x80 && c[2] >= 0xAA && c[2] <= 0xAE;
        if (is_control || is_c1 || is_bidi)
            fail_msg("byte %02x in: %s", *c, text);
    }
}

static void test_hostile_text_is_inert(void **state)
{
    const audit_fixture *w = *state;
    const char *key = w->keys[HOSTILE];
    const char *const *const lines[] = {
        ARGS("list"),
        ARGS("list", "--format", "json"),
        ARGS("list", "--agent"),
        ARGS("show", key),
        ARGS("show", key, "--view", "internal"),
        ARGS("show", key, "--format", "json"),
        ARGS("show", key, "--agent"),
        ARGS("tail"),
        ARGS("tail", "--format", "jsonl"),
        ARGS("stats", "--by", "target,client,model,route"),
        ARGS("stats", "--by", "model", "--format", "json"),
        ARGS("stats", "--by", "model", "--agent"),
        ARGS("export"),
        ARGS("export", "--format", "csv"),
        ARGS("export", "--of", "attempts"),
        ARGS("export", "--of", "attempts", "--format", "csv"),
    };
    static const setting hows[] = {{.columns = "80"}, {.is_ascii = true, .columns = "40"}};
    for (size_t h = 0; h < COUNT(hows); h++)
        for (size_t i = 0; i < COUNT(lines); i++) {
            assert_int_equal(audit(w, &hows[h], lines[i]), 0);
            assert_true(fake.out.len > 0);
            check_inert(fake.out.text);
            check_inert(fake.err.text);
        }
}

/* A name with line breaks cannot look like a line of the output. */
static void test_no_line_is_forged(void **state)
{
    const audit_fixture *w = *state;
    assert_int_equal(audit(w, &usual, ARGS("show", w->keys[HOSTILE])), 0);
    assert_null(strstr(fake.out.text, "\nx "));
    assert_non_null(strstr(fake.out.text, "requests gpt\\u{1B}[31m-\\u{202E}o4 x y\\u{7}\n"));
}

static void test_colour(void **state)
{
    const audit_fixture *w = *state;
    assert_int_equal(audit(w, &usual, ARGS("list")), 0);
    assert_null(strchr(fake.out.text, '\033'));
    expect(w, &usual, ARGS("list", "--color", "always"), "\033[31m✗ RateLimited\033[0m");
    expect(w, &usual, ARGS("show", w->keys[RECOVERED], "--color", "always"), "\033[31m████\033[0m");
}

/* ---- usage errors ---- */

static const struct {
    int result;
    const char *args[6];
    const char *said;
} usage_errors[] = {
    {64, {"lst"}, "not \"lst\"; did you mean list?"},
    {64, {"list", "x"}, "list takes no operand"},
    {64, {"show"}, "show needs the id of an operation or report"},
    {64, {"list", "--by", "target"}, "--by cannot be used with list; it can be used with stats"},
    {64,
     {"tail", "--since", "2h"},
     "--since cannot be used with tail; it can be used with list, stats, export"},
    {64, {"list", "-f"}, "--follow cannot be used with list; it can be used with tail"},
    {64, {"list", "-x"}, "unknown option -x"},
    {64, {"list", "-ff"}, "unknown option -ff"},
    {64, {"list", "--format", "csv"}, "list has no format csv; it has human, json, markdown"},
    {64, {"list", "--since", "soon"}, "--since needs a time: 2h (ago)"},
    {64, {"list", "--since", "1h", "--until", "2h"}, "--until must be later than --since"},
    {64, {"list", "--code", "RateLimted"}, "did you mean RateLimited?"},
    {64, {"list", "--class", "Provider"}, "did you mean ProviderTransient?"},
    {64, {"list", "--outcome", "faild"}, "did you mean failed?"},
    {64, {"list", "--after", "x"}, "--after needs a key from the list"},
    {64, {"list", "--limit", "0"}, "--limit must be a whole number from 1"},
    {64, {"stats", "--by", "target,clint"}, "did you mean client?"},
    {64, {"stats", "--by", ""}, "there are no statistics by \"\""},
    {64, {"export", "--of", "records"}, "The values are operations, attempts."},
    {64, {"show", "rep_01"}, "many ids begin with \"rep_01\"; give more of the id"},
    {66, {"show", "rep_02"}, "no operation or report has the id \"rep_02\""},
    {66, {"show", "nonsense\x1b[31m"}, "nonsense\\u{1B}[31m"},
    {0, {"list", "--client", "wbe"}, "the audit has no client \"wbe\"; did you mean \"web\"?"},
    {0, {"stats", "--target", "openai/gpt-4"}, "did you mean \"openai/gpt-4o\"?"},
    {0, {"export", "--model", "gpt-4"}, "did you mean \"gpt-4o\"?"},
    {0, {"list", "--route", "nothing-like-it"}, "the audit has no route \"nothing-like-it\"\n"},
};

static void test_usage_errors(void **state)
{
    const audit_fixture *w = *state;
    for (size_t i = 0; i < COUNT(usage_errors); i++) {
        const int result = audit(w, &usual, usage_errors[i].args);
        if (result != usage_errors[i].result || strstr(fake.err.text, usage_errors[i].said) == NULL)
            fail_msg("%zu: %d, and not \"%s\" in: %s", i, result, usage_errors[i].said,
                     fake.err.text);
        check_inert(fake.err.text);
        if (result != 0)
            assert_int_equal(fake.out.len, 0);
    }
}

/* ---- failures ---- */

static const char *const *const every_verb[] = {
    ARGS("list"),
    ARGS("list", "--client", "nobody"),
    ARGS("list", "--outcome", "notice"),
    ARGS("list", "--format", "json"),
    ARGS("stats", "--by", "target,code,client"),
    ARGS("stats", "--format", "json"),
    ARGS("tail"),
    ARGS("export"),
    ARGS("export", "--of", "attempts"),
    ARGS("check"),
};

/* Makes each allocation fail, either only this one or all later ones, too. The output must be
 * complete, or the command must report that memory ran out. */
static void check_memory(const audit_fixture *w, const char *const *args)
{
    static fake_output whole;
    assert_int_equal(audit(w, &usual, args), 0);
    whole = fake.out;
    const size_t calls = memory.calls;
    assert_true(calls > 0);
    for (int mode = 0; mode < 2; mode++)
        for (size_t n = 1; n <= calls; n++) {
            const setting how = {.columns = "80", .fail_memory_at = n, .is_for_good = mode == 1};
            const int result = audit(w, &how, args);
            if (result == 0 && strcmp(fake.out.text, whole.text) == 0)
                continue;
            if (result == 0)
                fail_msg("%s: allocation %zu fails, and this passes for all:\n%s", args[0], n,
                         fake.out.text);
            /* If every allocation fails, no memory is available for the message. */
            const bool is_reported = mode == 1 || strstr(fake.err.text, "memory") != NULL;
            if (result != RC_EXIT_INTERNAL || !is_reported)
                fail_msg("%s: allocation %zu fails, exit status %d: %s", args[0], n, result,
                         fake.err.text);
        }
}

static void test_memory_fails(void **state)
{
    const audit_fixture *w = *state;
    for (size_t i = 0; i < COUNT(every_verb); i++)
        check_memory(w, every_verb[i]);
    check_memory(w, ARGS("show", w->keys[EXHAUSTED]));
    check_memory(w, ARGS("show", w->keys[EXHAUSTED], "--format", "json"));
    check_memory(w, ARGS("show", w->keys[EXHAUSTED], "--agent"));
}

static void test_output_fails(void **state)
{
    const audit_fixture *w = *state;
    for (size_t i = 0; i < COUNT(every_verb); i++) {
        bool has_failed = false;
        for (int n = 1; n < 40; n++) {
            const setting how = {.columns = "80", .fail_call_at = n};
            const int result = audit(w, &how, every_verb[i]);
            has_failed = has_failed || result == RC_EXIT_IO;
            assert_true(result == 0 || result == RC_EXIT_IO);
        }
        assert_true(has_failed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_show),
        cmocka_unit_test(test_show_has_the_advice),
        cmocka_unit_test(test_stats),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_export),
        cmocka_unit_test(test_hostile_text_is_inert),
        cmocka_unit_test(test_no_line_is_forged),
        cmocka_unit_test(test_colour),
        cmocka_unit_test(test_usage_errors),
        cmocka_unit_test(test_memory_fails),
        cmocka_unit_test(test_output_fails),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
