/* Tests of rc_sse: lines, fields, offsets of events; every split into pieces; hostile input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "support/fail_alloc.h"
#include "support/often.h"
#include "support/sse_oracle.h"
#include "support/stream_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_BYTES RC_STREAM_EVENT_MAX_BYTES

/* Writes each event as a letter and its data: D an event with data, d an event without data, C
 * comment, B blank, x the event was cut off. */
static void describe(const rc_stream_event *e, rc_buf *out)
{
    static const char letters[] = {[RC_STREAM_EVENT_DATA] = 'D',
                                   [RC_STREAM_EVENT_COMMENT] = 'C',
                                   [RC_STREAM_EVENT_BLANK] = 'B',
                                   [RC_STREAM_EVENT_PART] = 'P'};
    bool is_bare = e->type == RC_STREAM_EVENT_DATA && !e->has_data;
    rc_buf_push_byte(out, is_bare ? 'd' : letters[e->type]);
    if (e->is_oversized)
        rc_buf_push_byte(out, '!');
    if (e->name.len > 0) {
        rc_buf_push_byte(out, '<');
        rc_buf_push(out, e->name);
        rc_buf_push_byte(out, '>');
    }
    if (e->has_data) {
        rc_buf_push_byte(out, '(');
        rc_buf_push(out, e->data);
        rc_buf_push_byte(out, ')');
    }
    if (e->id.len > 0) {
        rc_buf_push_byte(out, '#');
        rc_buf_push(out, e->id);
    }
    if (e->retry_ms >= 0) {
        rc_buf_push_byte(out, '~');
        rc_buf_push_i64(out, e->retry_ms);
    }
    if (e->is_cut)
        rc_buf_push_byte(out, 'x');
    rc_buf_push_byte(out, '@');
    rc_buf_push_u64(out, e->end);
    rc_buf_push_byte(out, ' ');
}

static void read_all(rc_str text, size_t piece_len, rc_buf *scratch, size_t max_bytes, rc_buf *out)
{
    rc_sse sse;
    rc_stream_event event;
    rc_sse_init(&sse, scratch, max_bytes);
    for (size_t at = 0; at < text.len; at += piece_len) {
        rc_sse_push(&sse, rc_str_slice(text, at, at + piece_len));
        while (rc_sse_pull(&sse, &event))
            describe(&event, out);
    }
    if (rc_sse_end(&sse, &event))
        describe(&event, out);
}

static const struct {
    const char *text;
    const char *events;
} streams[] = {
    {"", ""},
    {"data: 1\n\n", "D(1)@9 "},
    {"data:1\n\n", "D(1)@8 "},
    {"data:  1 \n\n", "D( 1 )@11 "},
    {"data\n\n", "D()@6 "},
    {"data:\n\n", "D()@7 "},
    {"data: a\ndata: b\n\n", "D(a\nb)@17 "},
    {"data: a\ndata\ndata:\n\n", "D(a\n\n)@20 "},
    {"event: x\ndata: 1\n\n", "D<x>(1)@18 "},
    {"data: 1\nevent: x\n\n", "D<x>(1)@18 "},
    {"event: x\nevent: y\ndata: 1\n\n", "D<y>(1)@27 "},
    {"event: x\n\ndata: 1\n\n", "d<x>@10 D(1)@19 "}, /* the name does not apply to the following
                                                        event */
    {"id: 7\nretry: 250\ndata: 1\n\n", "D(1)#7~250@26 "},
    {"retry: 2x\ndata: 1\n\n", "D(1)@19 "},
    {"retry:\ndata: 1\n\n", "D(1)@16 "},
    {"retry: 99999999999999999999\ndata: 1\n\n", "D(1)@37 "},
    {"Data: 1\ndat: 2\ndataa: 3\n\n", "d@25 "},
    {"data: a:b: c\n\n", "D(a:b: c)@14 "},
    /* a comment before an event is returned at once; a comment inside an event is ignored */
    {": ping\n\n", "C@7 B@8 "},
    {":\n:\n\ndata: 1\n\n", "C@2 C@4 B@5 D(1)@14 "},
    {"data: 1\n: ping\ndata: 2\n\n", "D(1\n2)@24 "},
    {"\n\n\n", "B@1 B@2 B@3 "},
    /* line ends */
    {"data: 1\r\n\r\n", "D(1)@11 "},
    {"data: 1\r\r", "D(1)@9 "},
    {"data: 1\r\rdata: 2\r\r", "D(1)@9 D(2)@18 "},
    {"data: 1\n\r\n", "D(1)@10 "},
    {"data: 1\n\rdata: 2\n\n", "D(1)@9 D(2)@18 "},
    {"data: 1\r\n\ndata: 2\r\n\r\n", "D(1)@10 D(2)@21 "},
    {"data: 1\r\n\rdata: 2\n\n", "D(1)@10 D(2)@19 "},
    /* a CR ends a blank line at once, and the LF after it belongs to the next event */
    {"data: 1\r\r\ndata: 2\r\r", "D(1)@9 D(2)@19 "},
    {"data: 1\r\r\n", "D(1)@9 Bx@10 "},
    {"data: 1\rdata: 2\n\r\n", "D(1\n2)@18 "},
    {": x\r\n\r\n", "C@5 B@7 "},
    {": x\rdata: 1\r\r", "C@4 D(1)@13 "},
    /* a byte order mark: complete, partial, in the middle */
    {"\xEF\xBB\xBF"
     "data: 1\n\n",
     "D(1)@12 "},
    {"\xEF\xBB\xBF\n", "B@4 "},
    {"\xEF\xBB\xBF: x\n", "C@7 "},
    {"\xEF\xBB"
     "data: 1\n\n",
     "d@11 "},
    {"\n\xEF\xBB\xBF"
     "data: 1\n\n",
     "B@1 d@13 "},
    {"\xEF\xBB\xBF\xEF\xBB\xBF"
     "data: 1\n\n",
     "d@15 "},
    {"\xEF", "Bx@1 "},
    /* invalid UTF-8 stays unchanged; a character split over pieces is joined */
    {"data: \xE2\x82\xAC\xFF\n\n", "D(\xE2\x82\xAC\xFF)@12 "},
    /* the stream ends inside an event */
    {"data: 1", "D(1)x@7 "},
    {"data: 1\n", "D(1)x@8 "},
    {"data: 1\r", "D(1)x@8 "},
    {"data: 1\n\r", "D(1)@9 "},
    {"data: 1\r\n\r", "D(1)@10 "},
    {"data: 1\n\nda", "D(1)@9 dx@11 "},
    {": x", "Cx@3 "},
    {": x\r", "C@4 "},
    {"data: 1\n\nevent: y", "D(1)@9 d<y>x@17 "},
    /* events after the first one take the fast path for events inside one piece */
    {"data: 0\n\ndata: 1\n\n", "D(0)@9 D(1)@18 "},
    {"data: 0\n\ndata:\n\n", "D(0)@9 D()@16 "},
    {"data: 0\n\ndata:  1\n\n\n", "D(0)@9 D( 1)@19 B@20 "},
    {"data: 0\n\nevent: x\ndata: 1\n\n", "D(0)@9 D<x>(1)@27 "},
    {"data: 0\n\nevent:\ndata:1\n\n", "D(0)@9 D(1)@24 "},
    {"data: 0\n\nevent: x\nevent: y\ndata: 1\n\n", "D(0)@9 D<y>(1)@36 "},
    {"data: 0\n\nevent: x\ndata: 1\nid: 7\n\n", "D(0)@9 D<x>(1)#7@33 "},
    {"data: 0\n\ndata: 1\ndata: 2\n\n", "D(0)@9 D(1\n2)@26 "},
    {"data: 0\n\nevent: x\n\n", "D(0)@9 d<x>@19 "},
    {"data: 0\n\nevents: x\ndata: 1\n\n", "D(0)@9 D(1)@28 "},
    {"data: 0\n\ndata: 1\r\n\r\n", "D(0)@9 D(1)@20 "},
    {"data: 0\n\ndata: 1\rdata: 2\n\n", "D(0)@9 D(1\n2)@26 "},
    {"data: 0\n\nevent: x\rdata: 1\n\n", "D(0)@9 D<x>(1)@27 "},
    {"data: 0\r\rdata: 1\n\n", "D(0)@9 D(1)@18 "},
    {"data: 0\r\r\ndata: 1\n\n", "D(0)@9 D(1)@19 "},
    {"data: 0\n\ndata: 1\n\rdata: 2\n\n", "D(0)@9 D(1)@18 D(2)@27 "},
};

static void test_events(void **state)
{
    (void)state;
    char scratch_bytes[256];
    char out_bytes[1024];
    for (size_t i = 0; i < COUNT(streams); i++) {
        rc_str text = rc_str_c(streams[i].text);
        for (size_t piece_len = 1; piece_len <= text.len + 1; piece_len++) {
            rc_buf scratch;
            rc_buf out;
            rc_buf_init_fixed(&scratch, scratch_bytes, sizeof scratch_bytes);
            rc_buf_init_fixed(&out, out_bytes, sizeof out_bytes);
            read_all(text, piece_len, &scratch, MAX_BYTES, &out);
            rc_buf_push_byte(&out, '\0');
            assert_string_equal(rc_buf_get(&out).ptr, streams[i].events);
        }
    }
}

static void test_nul_and_id(void **state)
{
    (void)state;
    char scratch_bytes[256];
    char out_bytes[256];
    rc_buf scratch;
    rc_buf out;
    rc_buf_init_fixed(&scratch, scratch_bytes, sizeof scratch_bytes);
    rc_buf_init_fixed(&out, out_bytes, sizeof out_bytes);
    read_all(RC_STR("id: a\0b\ndata: 1\0002\n\n"), 1, &scratch, MAX_BYTES, &out);
    rc_str wanted = RC_STR("D(1\0002)@19 "); /* an id that contains a NUL is ignored */
    assert_int_equal(rc_buf_get(&out).len, wanted.len);
    assert_memory_equal(rc_buf_get(&out).ptr, wanted.ptr, wanted.len);
}

/* An event inside one piece is not copied. */
static void test_views(void **state)
{
    (void)state;
    rc_buf scratch;
    rc_sse sse;
    rc_stream_event event;
    rc_str piece = RC_STR("event: x\ndata: 12\n\ndata: 3\n\ndata: 4");
    rc_buf_init_fixed(&scratch, NULL, 0); /* the scratch buffer has no space */
    rc_sse_init(&sse, &scratch, MAX_BYTES);
    rc_sse_push(&sse, piece);
    assert_true(rc_sse_pull(&sse, &event));
    assert_ptr_equal(event.raw.ptr, piece.ptr);
    assert_ptr_equal(event.data.ptr, piece.ptr + 15);
    assert_true(rc_sse_pull(&sse, &event));
    assert_ptr_equal(event.data.ptr, piece.ptr + 25);
    /* an event that does not fit into the buffer is returned in parts */
    assert_true(rc_sse_pull(&sse, &event));
    assert_int_equal(event.type, RC_STREAM_EVENT_PART);
    assert_ptr_equal(event.raw.ptr, piece.ptr + 28);
    assert_false(rc_sse_pull(&sse, &event));
    rc_sse_push(&sse, RC_STR("5\n\ndata: 6\n\n"));
    assert_true(rc_sse_pull(&sse, &event));
    assert_true(event.is_oversized);
    assert_false(event.has_data);
    assert_int_equal(event.begin, 28);
    assert_int_equal(event.end, 38);
    assert_true(rc_sse_pull(&sse, &event));
    assert_false(event.is_oversized);
    assert_true(rc_str_eq(event.data, RC_STR("6")));
}

static void test_oversized(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *events;
    } rows[] = {
        {"event: big\ndata: 0123456789abcdef\n\ndata: 1\n\n", "d!<big>@35 D(1)@44 "},
        {"data: 0123456789abcdef\nevent: big\n\ndata: 1\n\n", "d!@35 D(1)@44 "},
        {"data: 0123456789\n\n", "D(0123456789)@18 "}, /* events at the ceiling or just below it */
        {"data: 0123456789ab\n\n", "D(0123456789ab)@20 "},
        {"data: 0123456789abc\n\n", "d!@21 "},
        {": 0123456789abcdefghi\n\n", "C!@22 B@23 "},
    };
    char scratch_bytes[64];
    for (size_t i = 0; i < COUNT(rows); i++) {
        rc_str text = rc_str_c(rows[i].text);
        for (size_t piece_len = 1; piece_len <= text.len; piece_len++) {
            char out_bytes[2048];
            char kept[2048];
            size_t len = 0;
            rc_buf scratch;
            rc_buf out;
            rc_buf_init_fixed(&scratch, scratch_bytes, sizeof scratch_bytes);
            rc_buf_init_fixed(&out, out_bytes, sizeof out_bytes);
            read_all(text, piece_len, &scratch, 20, &out);
            /* PART events are left out, because they depend on the split */
            rc_str all = rc_buf_get(&out);
            for (size_t at = 0; at < all.len;) {
                size_t end = rc_str_find_byte(all, ' ', at) + 1;
                if (all.ptr[at] != 'P') {
                    memcpy(kept + len, all.ptr + at, end - at);
                    len += end - at;
                }
                at = end;
            }
            kept[len] = '\0';
            assert_string_equal(kept, rows[i].events);
        }
    }
}

static void expect_like_oracle(rc_str text)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    rc_sse sse;
    rc_stream_event event;
    oracle o;
    size_t at = 0;
    rc_buf_init(&scratch, &alloc, 2 * MAX_BYTES);
    rc_sse_init(&sse, &scratch, MAX_BYTES);
    oracle_read(&o, text);
    rc_sse_push(&sse, text);
    bool is_end = false;
    for (;;) {
        if (!is_end && !rc_sse_pull(&sse, &event))
            is_end = true;
        if (is_end && !rc_sse_end(&sse, &event))
            break;
        if (!event.has_data || event.is_cut)
            continue;
        assert_true(at < o.count);
        assert_true(rc_str_eq(event.name, rc_str_make(o.events[at].name, o.events[at].name_len)));
        assert_true(rc_str_eq(event.data, rc_str_make(o.events[at].data, o.events[at].data_len)));
        at++;
    }
    assert_int_equal(at, o.count);
    oracle_done(&o);
    rc_buf_done(&scratch);
}

/* Random streams of bytes with a meaning in the format, compared with a simple reader, and split in
 * several ways. */
static void test_random(void **state)
{
    (void)state;
    static const char *const words[] = {
        "data: ", "data:",    "event: ",      "id: 1", ":", "x",  "\n",
        "\r",     "\r\n",     "\n\n",         "\r\r",  " ", "{}", "retry: 5",
        "data",   "\r\n\r\n", "\xEF\xBB\xBF", "\xE2",  "a", "\0"};
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    rc_buf_init(&scratch, &alloc, 4096);
    uint64_t random = 7;
    for (unsigned round = 0; round < OFTEN(20000); round++) {
        char text[512];
        size_t len = 0;
        random = random * UINT64_C(6364136223846793005) + 1;
        for (unsigned i = 0; i < (random >> 40) % 40; i++) {
            random = random * UINT64_C(6364136223846793005) + 1;
            const char *word = words[(random >> 33) % COUNT(words)];
            size_t word_len = word[0] ? strlen(word) : 1;
            memcpy(text + len, word, word_len);
            len += word_len;
        }
        rc_str stream = rc_str_make(text, len);
        expect_like_oracle(stream);
        size_t max_bytes = round % 3 == 0 ? round % 50 : 4096;
        stream_run whole =
            stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, stream, CUT_NOT, &scratch, max_bytes);
        stream_run bytes =
            stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, stream, CUT_BYTES, &scratch, max_bytes);
        stream_run cuts =
            stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, stream, 2 + round, &scratch, max_bytes);
        assert_true(whole.is_tiled && bytes.is_tiled && cuts.is_tiled);
        assert_true(stream_run_is_same(&whole, &bytes));
        assert_true(stream_run_is_same(&whole, &cuts));
        stream_run_done(&whole);
        stream_run_done(&bytes);
        stream_run_done(&cuts);
    }
    rc_buf_done(&scratch);
}

/* A line that never ends needs linear time and no more memory than the ceiling. */
static void test_endless_line(void **state)
{
    (void)state;
    fail_alloc counts = {0};
    rc_alloc alloc = {.ctx = &counts, .get = fail_alloc_get, .put = fail_alloc_put};
    rc_buf scratch;
    rc_sse sse;
    rc_stream_event event;
    char piece[1000];
    uint64_t given = 0;
    memset(piece, 'x', sizeof piece);
    rc_buf_init(&scratch, &alloc, 2 * MAX_BYTES);
    rc_sse_init(&sse, &scratch, MAX_BYTES);
    rc_sse_push(&sse, RC_STR("event: huge\ndata: "));
    assert_false(rc_sse_pull(&sse, &event));
    for (size_t i = 0; i < 20000; i++) {
        rc_sse_push(&sse, rc_str_make(piece, sizeof piece));
        while (rc_sse_pull(&sse, &event)) {
            assert_int_equal(event.type, RC_STREAM_EVENT_PART);
            assert_true(rc_str_eq(event.name, RC_STR("huge")));
            given += event.raw.len;
        }
    }
    assert_int_equal(given, 20000000 + 18);
    assert_true(counts.peak_bytes <= 2 * MAX_BYTES);
    assert_true(rc_sse_end(&sse, &event));
    assert_true(event.is_cut && event.is_oversized);
    assert_int_equal(event.end, given);
    assert_false(rc_sse_end(&sse, &event));
    rc_buf_done(&scratch);
    assert_int_equal(counts.live, 0);
}

/* A failed allocation affects only the data of one event. */
static void test_no_memory(void **state)
{
    (void)state;
    rc_str text = RC_STR("event: a\ndata: 1\ndata: 2\n\ndata: 3\ndata: 4\n\nevent: b\ndata: 5\n\n");
    fail_alloc counts = {0};
    rc_alloc alloc = {.ctx = &counts, .get = fail_alloc_get, .put = fail_alloc_put};
    rc_buf scratch;
    rc_buf_init(&scratch, &alloc, 4096);
    stream_run good = stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, text, CUT_NOT, &scratch, 2048);
    rc_buf_done(&scratch);
    assert_int_equal(good.count, 3);
    for (size_t fail_at = 1; fail_at < 6; fail_at++) {
        for (unsigned cut = 0; cut < 50; cut++) {
            size_t different = 0;
            counts.calls = 0;
            counts.fail_at = fail_at;
            rc_buf_init(&scratch, &alloc, 4096);
            stream_run run =
                stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, text, cut, &scratch, 2048);
            assert_true(run.is_tiled);
            assert_int_equal(run.count, good.count);
            for (size_t i = 0; i < run.count; i++)
                different += run.notes[i].fields != good.notes[i].fields;
            assert_int_equal(different, counts.calls >= fail_at);
            stream_run_done(&run);
            rc_buf_done(&scratch);
        }
    }
    stream_run_done(&good);
    assert_int_equal(counts.live, 0);
}

/* The scratch buffer moves when it grows; the views are then renewed. */
static void test_scratch_that_moves(void **state)
{
    (void)state;
    char text[1200] = "event: x\nid: y\ndata: ";
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    rc_sse sse;
    rc_stream_event event;
    size_t head = strlen(text);
    memset(text + head, 'a', sizeof text - head);
    memcpy(text + 500, "\ndata: b", 8);
    memcpy(text + sizeof text - 2, "\n\n", 2);
    rc_buf_init(&scratch, &alloc, 2 * sizeof text);
    rc_sse_init(&sse, &scratch, MAX_BYTES);
    for (size_t i = 0; i < sizeof text; i++) {
        char *piece = malloc(1);
        assert_non_null(piece);
        *piece = text[i];
        rc_sse_push(&sse, rc_str_make(piece, 1));
        bool has_event = rc_sse_pull(&sse, &event);
        assert_int_equal(has_event, i == sizeof text - 1);
        free(piece);
    }
    assert_true(rc_str_eq(event.name, RC_STR("x")));
    assert_true(rc_str_eq(event.id, RC_STR("y")));
    assert_true(rc_str_eq(event.raw, rc_str_make(text, sizeof text)));
    assert_int_equal(event.data.len, 500 - head + 1 + sizeof text - 2 - 507);
    assert_memory_equal(event.data.ptr + 500 - head, "\nbaaa", 5);
    rc_buf_done(&scratch);
}

static void test_million_events(void **state)
{
    (void)state;
    static char piece[8 * 1000];
    rc_buf scratch;
    rc_sse sse;
    rc_stream_event event;
    size_t count = 0;
    for (size_t i = 0; i < sizeof piece; i += 8)
        memcpy(piece + i, i % 16 ? "data:1\n\n" : "data:1\r\r", 8);
    rc_buf_init_fixed(&scratch, NULL, 0);
    rc_sse_init(&sse, &scratch, MAX_BYTES);
    for (size_t i = 0; i < 1000; i++) {
        rc_sse_push(&sse, rc_str_make(piece, sizeof piece));
        while (rc_sse_pull(&sse, &event))
            count += event.has_data && event.raw.len == 8;
    }
    assert_int_equal(count, 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),         cmocka_unit_test(test_nul_and_id),
        cmocka_unit_test(test_views),          cmocka_unit_test(test_oversized),
        cmocka_unit_test(test_random),         cmocka_unit_test(test_endless_line),
        cmocka_unit_test(test_no_memory),      cmocka_unit_test(test_scratch_that_moves),
        cmocka_unit_test(test_million_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
