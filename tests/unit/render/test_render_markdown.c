/* Tests of the Markdown output: its content in each view, and that no text of a report becomes
 * markup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "render/markdown.h"
#include "support/random_report.h"
#include "support/render_cases.h"

static rc_buf rendered(const rc_report *report, rc_view view)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 8u << 20);
    assert_int_equal(rc_render_markdown(report, view, &buf), RC_OK);
    const char *complaint = check_clean(rc_buf_get(&buf));
    if (complaint)
        fail_msg("%s", complaint);
    return buf;
}

static bool has(const rc_buf *buf, const char *text)
{
    return rc_str_find(rc_buf_get(buf), rc_str_c(text), 0) != RC_STR_NPOS;
}

static const char INTERNAL[] =
    "## Rate limited (`RateLimited`)\n\nMESSAGE in /srv/ada/x.py\n\n"
    "- **Retry:** Yes, after 4s.\n"
    "- **Next:** Wait, then try again. ADVICE\n"
    "- **Kind:** `LLMCompletionError`, `ProviderTransient`, `transient`, `runtime`\n"
    "- **Where:** `openai`, `gpt-4o`, HTTP 429, limit `tokens`\n"
    "- **Upstream:** type `TYPE`, code `CODE`, param `PARAM`, request `REQUEST`\n"
    "- **Report:** `rep_1`, responded with HTTP 429, by rule `RULE`\n"
    "- `run_id`: `RUN`\n- `node_id`: `NODE`\n- `session_id`: `SESSION`\n- `attempt`: 3\n"
    "- `region`: `REGION`\n- `is_last`: true\n- `size`: 17\n"
    "\n### Attempts\n\n"
    "| # | provider | model | credential | result | took | waited | reason |\n"
    "|---|---|---|---|---|---|---|---|\n"
    "| 1 | openai | gpt-4o | KEY-1 | Overloaded 503 | 2s | 2s | REASON |\n"
    "\n### Detail\n\n```\nDETAIL\n```\n"
    "\n### Caused by\n\n1. `CAUSE-TYPE`, `ConnectionReset`: CAUSE-MESSAGE `CAUSE-DETAIL`\n"
    "\n### Source\n\n- `SOURCE @ a.c:1 (in f)`\n- `CAUSE-SOURCE @ b.c:2 (in g)`\n"
    "\n### Raw\n\n```\nRAW\n```\n";

static void test_internal(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    rc_buf buf = rendered(report, RC_VIEW_INTERNAL);
    rc_buf_push_byte(&buf, '\0');
    assert_string_equal(rc_buf_get(&buf).ptr, INTERNAL);
    rc_buf_done(&buf);
    rc_report_free(report);
}

static void test_other_views(void **state)
{
    (void)state;
    static const char *const PRIVATE[] = {"DETAIL", "RAW",   "SOURCE", "CAUSE",
                                          "RULE",   "KEY-1", "PARAM"};
    const rc_report *report = case_full();
    for (size_t v = 0; v < 2; v++) {
        rc_buf buf = rendered(report, CASE_VIEWS[v]);
        for (size_t i = 0; i < sizeof PRIVATE / sizeof *PRIVATE; i++)
            assert_false(has(&buf, PRIVATE[i]));
        assert_true(has(&buf, "- **Retry:** Yes, after 4s.\n"));
        assert_int_equal(has(&buf, "/srv/ada"), CASE_VIEWS[v] == RC_VIEW_USER);
        assert_int_equal(has(&buf, "REGION"), CASE_VIEWS[v] == RC_VIEW_MODEL);
        rc_buf_done(&buf);
    }
    rc_report_free(report);
}

static void test_empty_report(void **state)
{
    (void)state;
    rc_buf buf = rendered(NULL, RC_VIEW_INTERNAL);
    rc_buf_push_byte(&buf, '\0');
    assert_string_equal(rc_buf_get(&buf).ptr, "## Unknown error\n\nAn unknown error occurred.\n\n"
                                              "- **Retry:** Unknown.\n"
                                              "- **Report:** responded with HTTP 500\n");
    rc_buf_done(&buf);
}

typedef void (*pusher)(rc_buf *buf, rc_str text);

static void expect(pusher push, const char *text, const char *want)
{
    char memory[1024];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    push(&buf, rc_str_c(text));
    rc_str out = rc_buf_get(&buf);
    if (!rc_str_eq(out, rc_str_c(want)))
        fail_msg("\"%s\": got \"%.*s\", want \"%s\"", text, (int)out.len, out.ptr, want);
}

static void test_escapes(void **state)
{
    (void)state;
    pusher text = rc_markdown_push_text;
    expect(text, "plain words, and (brackets).", "plain words, and (brackets).");
    expect(text, "# heading", "\\# heading");
    expect(text, "a # b", "a # b");
    expect(text, "- a\n+ b\n1. c\n23) d\n= e", "\\- a\\\n\\+ b\\\n1\\. c\\\n23\\) d\\\n\\= e");
    expect(text, "1.5 s, 1 a.", "1\\.5 s, 1 a.");
    expect(text, "---\n***\n___", "\\---\\\n\\*\\*\\*\\\n\\_\\_\\_");
    expect(text, "> quote", "\\> quote");
    expect(text, "[a](b) ![c](d)", "\\[a\\](b) !\\[c\\](d)");
    expect(text, "<b>&amp;</b>", "\\<b\\>&amp;amp;\\</b\\>");
    expect(text, "`a` *b* _c_ ~~d~~ $e$ \\f",
           "\\`a\\` \\*b\\* \\_c\\_ \\~\\~d\\~\\~ \\$e\\$ \\\\f");
    expect(text, "| a | b |", "\\| a \\| b \\|");
    expect(text, "    code\n\tcode", "code\\\ncode");
    expect(text, "http://a.b www.c.d WWW.e x@y.z", "http\\://a.b www\\.c.d WWW\\.e x\\@y.z");
    expect(text, "a:b c:/d www", "a:b c:/d www");
    expect(text, "a\r\nb\n\n\nc\n", "a\\\nb\n\nc");
    expect(text, "  \n ", "");
    expect(text, "\x1b[1m \x07", "\\u{1B}\\[1m \\u{7}");

    pusher line = rc_markdown_push_inline;
    expect(line, "a\nb\n\n# c", "a b  \\# c");
    expect(line, "x | y", "x \\| y");
}

static void test_code(void **state)
{
    (void)state;
    pusher code = rc_markdown_push_code;
    expect(code, "", "`   `");
    expect(code, "plain *x* <b>", "`plain *x* <b>`");
    expect(code, "a`b", "``a`b``");
    expect(code, "`a``b`", "``` `a``b` ```");
    expect(code, " a ", "`  a  `");
    expect(code, "a\nb", "`a b`");

    pusher block = rc_markdown_push_block;
    expect(block, "a\nb", "```\na\nb\n```\n");
    expect(block, "```\nx\n", "````\n```\nx\n````\n");
    expect(block, "``````", "```````\n``````\n```````\n");
    expect(block, "a\r\nb\x1b", "```\na\nb\\u{1B}\n```\n");
}

/* Checks the output of a hostile report: outside of fences, only lines of the renderer itself can
 * begin a block. */
static void check_structure(rc_str text)
{
    static const char *const OWN[] = {"## ", "### ", "- **", "- `", "| ", "|---|", "(", ""};
    size_t fence = 0;
    for (size_t at = 0; at < text.len;) {
        size_t feed = rc_str_find_byte(text, '\n', at);
        rc_str line = rc_str_slice(text, at, feed);
        at = feed + 1;
        size_t ticks = 0;
        while (ticks < line.len && line.ptr[ticks] == '`')
            ticks++;
        if (ticks >= 3 && ticks == line.len && (fence == 0 || ticks >= fence)) {
            fence = fence ? 0 : ticks;
            continue;
        }
        if (fence || line.len == 0 || !memchr("#-+=>|<~*_ \t", line.ptr[0], 12))
            continue;
        bool is_own = false;
        for (size_t i = 0; OWN[i][0]; i++)
            is_own |= rc_str_starts_with(line, rc_str_c(OWN[i]));
        if (!is_own)
            fail_msg("a line that the report made: \"%.*s\"", (int)line.len, line.ptr);
    }
    assert_int_equal(fence, 0);
}

static void test_hostile(void **state)
{
    (void)state;
    const rc_report *reports[] = {case_nasty(), case_maximal('`'), case_maximal('#'),
                                  case_maximal('\n'), case_deep()};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        for (size_t v = 0; v < VIEW_COUNT; v++) {
            rc_buf buf = rendered(reports[i], CASE_VIEWS[v]);
            check_structure(rc_buf_get(&buf));
            rc_buf_done(&buf);
        }
        rc_report_free(reports[i]);
    }
    uint64_t seed = 3;
    rc_alloc alloc = rc_alloc_stdlib();
    for (int i = 0; i < 500; i++) {
        const rc_report *report = random_report(&seed, &alloc);
        rc_buf buf = rendered(report, RC_VIEW_INTERNAL);
        check_structure(rc_buf_get(&buf));
        rc_buf_done(&buf);
        rc_report_free(report);
    }
}

/* A long raw body is cut, and the output states this. */
static void test_raw_is_cut(void **state)
{
    (void)state;
    const rc_report *report = case_maximal('r');
    rc_buf buf = rendered(report, RC_VIEW_INTERNAL);
    assert_true(has(&buf, " more bytes)\n"));
    rc_buf_done(&buf);
    rc_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_internal),     cmocka_unit_test(test_other_views),
        cmocka_unit_test(test_empty_report), cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_code),         cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_raw_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
