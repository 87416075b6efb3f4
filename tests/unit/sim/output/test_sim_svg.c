/* Tests of the SVG files: they are well-formed and self-contained, and the same numbers result in
 * the same bytes, for any names and numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/utf8.h"
#include "sim/output/chart_result.h"
#include "sim/output/svg.h"
#include "support/fail_alloc.h"
#include "support/sim_results.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define STEPS 60
#define DEPTH_MAX 8

static const rc_svg_labels labels = {
    .scenario = RC_STR_INIT("outage, seed 7"),
    .band = RC_STR_INIT("outage"),
    .reference = RC_STR_INIT("requests"),
};

/* Appends all four charts. */
static void push_all(rc_buf *buf, const rc_chart_set *set)
{
    rc_svg_chart(buf, &set->success, &labels);
    rc_svg_chart(buf, &set->load, &labels);
    rc_svg_rows(buf, &set->latency, &labels);
    rc_svg_rows(buf, &set->amplification, &labels);
}

static void make_all(rc_buf *buf, const rc_sim_result *result, size_t steps)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_chart_set set;
    rc_buf_init(buf, &alloc, (size_t)16 << 20);
    assert_int_equal(rc_chart_set_make(&set, result, steps, &alloc), RC_OK);
    push_all(buf, &set);
    assert_int_equal(rc_buf_push_byte(buf, '\0'), RC_OK);
    rc_chart_set_done(&set);
}

static rc_sim_result *new_result(void)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_result *result = sim_result(&alloc);
    assert_non_null(result);
    return result;
}

/* ---- a minimal XML reader ---- */

static size_t name_length(const char *at)
{
    return strspn(at, "abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
}

/* Both functions return the position after the text that they parsed; NULL: invalid XML. */
static const char *read_attributes(const char *at)
{
    while (*at == ' ') {
        const size_t len = name_length(++at);
        at += len;
        if (len == 0 || at[0] != '=' || at[1] != '"')
            return NULL;
        at += 2;
        at += strcspn(at, "\"<&");
        if (*at++ != '"')
            return NULL;
    }
    return at;
}

static const char *read_text(const char *at)
{
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    while (*at != '\0' && *at != '<') {
        if ((unsigned char)*at < 0x20 && *at != '\n')
            return NULL;
        if (*at != '&') {
            at++;
            continue;
        }
        size_t i = 0;
        while (i < COUNT(entities) && strncmp(at, entities[i], strlen(entities[i])) != 0)
            i++;
        if (i == COUNT(entities))
            return NULL;
        at += strlen(entities[i]);
    }
    return at;
}

struct reading {
    const char *open[DEPTH_MAX];
    size_t lengths[DEPTH_MAX];
    size_t depth;
    size_t count;
};

/* Parses an end tag. at: the position after "</". */
static const char *read_end(struct reading *r, const char *at)
{
    const size_t len = name_length(at);
    if (r->depth == 0 || r->lengths[r->depth - 1] != len ||
        memcmp(r->open[r->depth - 1], at, len) != 0 || at[len] != '>')
        return NULL;
    r->depth--;
    return at + len + 1;
}

/* Parses a start tag. at: the position after "<". */
static const char *read_begin(struct reading *r, const char *at)
{
    const size_t len = name_length(at);
    const char *end = read_attributes(at + len);
    r->count++;
    if (len == 0 || end == NULL || r->depth == DEPTH_MAX)
        return NULL;
    if (strncmp(end, "/>", 2) == 0)
        return end + 2;
    r->open[r->depth] = at;
    r->lengths[r->depth++] = len;
    return *end == '>' ? end + 1 : NULL;
}

/* Counts the elements and checks their nesting; returns 0 if the XML is invalid. */
static size_t count_elements(const char *text)
{
    struct reading r = {.depth = 0};
    const char *at = read_text(text);
    while (at != NULL && *at != '\0') {
        at = at[1] == '/' ? read_end(&r, at + 2) : read_begin(&r, at + 1);
        at = at != NULL ? read_text(at) : NULL;
    }
    return at != NULL && r.depth == 0 ? r.count : 0;
}

static void check_xml(const char *text)
{
    assert_true(count_elements(text) > 0);
}

static void the_reader_refuses_what_is_not_well_formed(void **state)
{
    (void)state;
    assert_int_equal(count_elements("<a b=\"c\">x &lt; y<d/></a>"), 2);
    static const char *const bad[] = {"<a>",          "<a></b>",     "<a>x & y</a>", "<a b=c/>",
                                      "<a b=\"<\"/>", "<a>\x01</a>", "<a/></a>"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(count_elements(bad[i]), 0);
}

/* ---- SVG files ---- */

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        count++;
    return count;
}

static void svg_files_are_well_formed_and_load_nothing(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    rc_buf buf;
    make_all(&buf, result, STEPS);
    assert_true(count_elements(buf.ptr) > 100);
    assert_int_equal(count_of(buf.ptr, "<svg "), 4);
    /* The namespace is the only URL in a file, and there are four files. */
    assert_int_equal(count_of(buf.ptr, "http"), 4);
    static const char *const banned[] = {"href",   "url(", "<script",    "@import",
                                         "<image", "<use", "@font-face", "NaN"};
    for (size_t i = 0; i < COUNT(banned); i++)
        assert_null(strstr(buf.ptr, banned[i]));
    assert_int_equal(count_of(buf.ptr, "prefers-color-scheme:dark"), 4);
    rc_buf_done(&buf);
    rc_sim_result_free(result);
}

static void the_same_numbers_give_the_same_bytes(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    rc_buf first, second;
    make_all(&first, result, STEPS);
    make_all(&second, result, STEPS);
    assert_string_equal(first.ptr, second.ptr);
    rc_buf_done(&second);
    result->policies[1].buckets[5].calls += 100;
    make_all(&second, result, STEPS);
    assert_string_not_equal(first.ptr, second.ptr);
    rc_buf_done(&first);
    rc_buf_done(&second);
    rc_sim_result_free(result);
}

static void names_from_outside_are_escaped(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    static const char hostile[] = "<b a='\"&\x01\xff\x7f\n</text>";
    memcpy(result->policies[1].name, hostile, sizeof(hostile));
    rc_buf buf;
    make_all(&buf, result, STEPS);
    check_xml(buf.ptr);
    assert_true(rc_utf8_is_valid(rc_str_c(buf.ptr)));
    assert_int_equal(
        count_of(buf.ptr, "&lt;b a=&#39;&quot;&amp;\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                          "&lt;/text&gt;</text>"),
        4);
    rc_buf_done(&buf);
    rc_sim_result_free(result);
}

static void a_long_name_is_truncated(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    memset(result->policies[1].name, 'w', RC_SIM_NAME_MAX - 1);
    rc_buf buf;
    make_all(&buf, result, STEPS);
    assert_null(strstr(buf.ptr, result->policies[1].name));
    assert_int_equal(count_of(buf.ptr, "wwwwwwwwwwww…</text>"), 4);
    rc_buf_done(&buf);
    rc_sim_result_free(result);
}

static void only_recourse_has_the_accent_colour(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    rc_buf buf;
    make_all(&buf, result, STEPS);
    assert_int_equal(count_of(buf.ptr, "class=\"name ours-text\">recourse<"), 4);
    assert_int_equal(count_of(buf.ptr, "class=\"name ours-text\""), 4);
    assert_int_equal(count_of(buf.ptr, "class=\"line ours\""), 2);
    assert_int_equal(count_of(buf.ptr, "class=\"line\""), 4);
    /* The outage is shaded in each panel, and the legend explains it. */
    assert_int_equal(count_of(buf.ptr, "class=\"band\""), 2 * (3 + 1));
    rc_buf_done(&buf);
    rc_sim_result_free(result);
}

/* A step without requests has no value, so the line is split in two. */
static void a_gap_breaks_the_line(void **state)
{
    (void)state;
    static const int64_t values[] = {100000, 50000, RC_CHART_GAP, RC_CHART_GAP, 50000, 100000};
    static const rc_chart_panel panel = {.name = RC_STR_INIT("a"), .values = values};
    const rc_chart chart = {.title = RC_STR("t"),
                            .unit = RC_UNIT_PERCENT,
                            .step_ms = 1000,
                            .step_count = COUNT(values),
                            .top = 100000,
                            .panels = &panel,
                            .panel_count = 1};
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, (size_t)1 << 20);
    rc_svg_chart(&buf, &chart, &labels);
    rc_buf_push_byte(&buf, '\0');
    check_xml(buf.ptr);
    const char *line = strstr(buf.ptr, "class=\"line\" d=\"");
    assert_non_null(line);
    size_t moves = 0;
    for (const char *at = line + 16; *at != '"'; at++)
        moves += *at == 'M';
    assert_int_equal(moves, 2);
    rc_buf_done(&buf);
}

/* An empty result, a single tenth of a second or one policy does not cause a division by zero. */
static void an_empty_result_is_drawn_too(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    for (uint32_t policies = 1; policies <= 16; policies++) {
        rc_sim_result *result = rc_sim_result_new(&alloc, policies, 1);
        assert_non_null(result);
        result->span_count = RC_SIM_SPANS_MAX; /* all spans are from 0 to 0 */
        rc_buf buf;
        make_all(&buf, result, 1);
        check_xml(buf.ptr);
        rc_buf_done(&buf);
        rc_sim_result_free(result);
    }
}

static void the_largest_numbers_stay_inside(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    for (uint32_t i = 0; i < SIM_TENTHS; i++)
        result->policies[1].buckets[i].calls = 100000000;
    result->policies[1].calls_per_request_milli = UINT32_MAX;
    result->policies[1].peak_calls_per_s = UINT32_MAX;
    rc_histogram_add(&result->policies[1].added, UINT64_C(1) << 31);
    rc_buf buf;
    make_all(&buf, result, STEPS);
    check_xml(buf.ptr);
    assert_null(strstr(buf.ptr, "=\"-")); /* no coordinate is negative */
    rc_buf_done(&buf);
    rc_sim_result_free(result);
}

static void steps_never_exceed_the_requested_number(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_result *result = new_result();
    for (size_t steps = 1; steps <= 700; steps += 13) {
        rc_chart_set set;
        assert_int_equal(rc_chart_set_make(&set, result, steps, &alloc), RC_OK);
        assert_in_range(set.load.step_count, 1, steps);
        /* The sum of the rates of all steps is the number of calls. */
        int64_t calls_milli = 0;
        for (size_t i = 0; i < set.load.step_count; i++) {
            const int64_t begun = (int64_t)(i * set.load.step_ms);
            const int64_t left = (int64_t)result->duration_ms - begun;
            const int64_t length =
                left < (int64_t)set.load.step_ms ? left : (int64_t)set.load.step_ms;
            calls_milli += set.load.panels[1].values[i] * length / 1000;
        }
        const int64_t all = (int64_t)result->policies[1].calls;
        assert_in_range(calls_milli, (all - 2) * 1000, all * 1000);
        rc_chart_set_done(&set);
    }
    rc_sim_result_free(result);
}

static void no_failing_allocation_crashes_or_leaks(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    fail_alloc memory = {0};
    size_t requests = 1;
    for (size_t i = 0; i <= requests; i++) {
        memory = (fail_alloc){.fail_at = i, .for_good = i % 2 != 0};
        const rc_alloc alloc = fail_alloc_of(&memory);
        rc_chart_set set;
        rc_buf buf;
        rc_buf_init(&buf, &alloc, (size_t)16 << 20);
        const rc_status status = rc_chart_set_make(&set, result, STEPS, &alloc);
        if (status == RC_OK)
            push_all(&buf, &set);
        const bool has_failed = status != RC_OK || rc_buf_status(&buf) != RC_OK;
        assert_int_equal(has_failed, i > 0);
        rc_buf_done(&buf);
        rc_chart_set_done(&set);
        assert_int_equal(memory.live, 0);
        assert_false(memory.is_broken);
        requests = i == 0 ? memory.calls : requests;
    }
    assert_true(requests > 5);
    rc_sim_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reader_refuses_what_is_not_well_formed),
        cmocka_unit_test(svg_files_are_well_formed_and_load_nothing),
        cmocka_unit_test(the_same_numbers_give_the_same_bytes),
        cmocka_unit_test(names_from_outside_are_escaped),
        cmocka_unit_test(a_long_name_is_truncated),
        cmocka_unit_test(only_recourse_has_the_accent_colour),
        cmocka_unit_test(a_gap_breaks_the_line),
        cmocka_unit_test(an_empty_result_is_drawn_too),
        cmocka_unit_test(the_largest_numbers_stay_inside),
        cmocka_unit_test(steps_never_exceed_the_requested_number),
        cmocka_unit_test(no_failing_allocation_crashes_or_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
