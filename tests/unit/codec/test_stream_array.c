/* Tests of rc_stream_array and rc_stream_lines: elements, offsets of events, every split into
 * pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "support/often.h"
#include "support/stream_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Writes each event: its data in (), B blank, C close, x cut off, ! oversized, and the offset of
 * its end. */
static void describe(const rc_stream_event *e, rc_buf *out)
{
    if (e->type == RC_STREAM_EVENT_BLANK)
        rc_buf_push_byte(out, 'B');
    else if (e->type == RC_STREAM_EVENT_CLOSE)
        rc_buf_push_byte(out, 'C');
    if (e->has_data) {
        rc_buf_push_byte(out, '(');
        rc_buf_push(out, e->data);
        rc_buf_push_byte(out, ')');
    }
    if (e->is_oversized)
        rc_buf_push_byte(out, '!');
    if (e->is_cut)
        rc_buf_push_byte(out, 'x');
    rc_buf_push_byte(out, '@');
    rc_buf_push_u64(out, e->end);
    rc_buf_push_byte(out, ' ');
}

typedef struct row {
    const char *text;
    const char *events;
} row;

static void expect_rows(stream_form form, const row *rows, size_t count, size_t max_bytes)
{
    char scratch_bytes[256];
    char out_bytes[1024];
    for (size_t i = 0; i < count; i++) {
        rc_str text = rc_str_c(rows[i].text);
        for (size_t piece_len = 1; piece_len <= text.len; piece_len++) {
            stream_reader reader;
            rc_stream_event event;
            rc_buf scratch;
            rc_buf out;
            rc_buf_init_fixed(&scratch, scratch_bytes, sizeof scratch_bytes);
            rc_buf_init_fixed(&out, out_bytes, sizeof out_bytes);
            stream_reader_init(&reader, form, &scratch, max_bytes);
            for (size_t at = 0; at < text.len; at += piece_len) {
                stream_reader_push(&reader, rc_str_slice(text, at, at + piece_len));
                while (stream_reader_pull(&reader, &event)) {
                    if (event.type != RC_STREAM_EVENT_PART)
                        describe(&event, &out);
                }
            }
            while (stream_reader_end(&reader, &event))
                describe(&event, &out);
            rc_buf_push_byte(&out, '\0');
            assert_string_equal(rc_buf_get(&out).ptr, rows[i].events);
        }
    }
}

static void test_array(void **state)
{
    (void)state;
    static const row rows[] = {
        {"[]", "C@2 "},
        {" [ ] \n", "C@4 Bx@6 "},
        {"[{}]", "({})@3 C@4 "},
        {"[{\"a\":1}\n,\r\n{\"b\":[2]}\n]\n", "({\"a\":1})@8 ({\"b\":[2]})@21 C@23 Bx@24 "},
        {"[{\"a\":\"}]\\\"[\"},{}]", "({\"a\":\"}]\\\"[\"})@14 ({})@17 C@18 "},
        {"[{\"a\":\"\\\\\"}]", "({\"a\":\"\\\\\"})@11 C@12 "},
        {"[[1],[2]]", "([1])@4 ([2])@8 C@9 "},
        {"[1,{}]", "(1)@2 ({})@5 C@6 "},
        {"[\"a,]\\\"\",{}]", "(\"a,]\\\"\")@8 ({})@11 C@12 "},
        {"[1{}]", "(1)@2 ({})@4 C@5 "},
        {"{\"error\":{}}\n", "({\"error\":{}})@12 Bx@13 "},
        {"{}{}", "({})@2 ({})@4 "},
        {"\xEF\xBB\xBF[{}]", "B@3 ({})@6 C@7 "},
        {"oops", "(oops)x@4 "},
        {"[{\"a\":", "({\"a\":)x@6 "},
        {"[{\"a\":\"", "({\"a\":\")x@7 "},
        {"[{}, ", "({})@3 Bx@5 "},
        {"[", "Bx@1 "},
        {"[{}]{}", "({})@3 C@4 Bx@6 "}, /* bytes after the array are an event BLANK */
    };
    expect_rows(FORM_ARRAY, rows, COUNT(rows), 1024);
}

static void test_array_oversized(void **state)
{
    (void)state;
    static const row rows[] = {
        {"[{\"a\":\"0123456789\"},{}]", "!@19 ({})@22 C@23 "},
        {"[{}]                  ", "({})@3 C@4 B!x@22 "},
        /* white space of any length is not an element */
        {"[                  ]", "B@16 C@20 "},
        {"[{},                                  {}]", "({})@3 B@19 B@35 ({})@40 C@41 "},
    };
    expect_rows(FORM_ARRAY, rows, COUNT(rows), 16);
}

static void test_lines(void **state)
{
    (void)state;
    static const row rows[] = {
        {"{}\n{\"a\":1}\r\n", "({})@3 ({\"a\":1})@12 "},
        {"\n \r\n{}\n", "B@1 B@4 ({})@7 "},
        {"{\"a\":\n{}\n",
         "({\"a\":)@6 ({})@9 "}, /* a malformed line does not affect the next one */
        {"{}", "({})x@2 "},
        {"{}\n{\"a", "({})@3 ({\"a)x@6 "},
        {"0123456789abcdef\n{}\n", "!@17 ({})@20 "},
    };
    expect_rows(FORM_LINES, rows, COUNT(rows), 16);
}

static void test_random(void **state)
{
    (void)state;
    static const char bytes[] = "[[]]{{}},,\"\"\\ \n\r1ax:\xEF\xBB\xBF";
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    rc_buf_init(&scratch, &alloc, 4096);
    uint64_t random = 3;
    for (unsigned round = 0; round < OFTEN(20000); round++) {
        char text[128];
        random = random * UINT64_C(6364136223846793005) + 1;
        size_t len = (random >> 40) % sizeof text;
        for (size_t i = 0; i < len; i++) {
            random = random * UINT64_C(6364136223846793005) + 1;
            text[i] = bytes[(random >> 33) % (sizeof bytes - 1)];
        }
        stream_form form = round % 2 ? FORM_ARRAY : FORM_LINES;
        size_t max_bytes = round % 3 == 0 ? 20 : 4096;
        rc_str stream = rc_str_make(text, len);
        stream_run whole =
            stream_run_do(form, RC_STREAM_GEMINI, stream, CUT_NOT, &scratch, max_bytes);
        assert_true(whole.is_tiled && whole.is_error_inside);
        for (unsigned cut = CUT_BYTES; cut < 4; cut++) {
            stream_run run =
                stream_run_do(form, RC_STREAM_GEMINI, stream,
                              cut == CUT_BYTES ? cut : round * 4 + cut, &scratch, max_bytes);
            assert_true(run.is_tiled);
            assert_true(stream_run_is_same(&whole, &run));
            stream_run_done(&run);
        }
        stream_run_done(&whole);
    }
    rc_buf_done(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_array),
        cmocka_unit_test(test_array_oversized),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
