/* Tests of rc_stream_watch: kinds of events and ends of streams, for every dialect, with streams
 * that are cut at every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/classify.h>

#include "base/str.h"
#include "support/stream_samples.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_BYTES RC_STREAM_EVENT_MAX_BYTES

typedef struct fixture {
    rc_buf scratch;
    char text[STREAM_SAMPLE_MAX];
    char marker[STREAM_SAMPLE_MAX];
} fixture;

static int set_up(void **state)
{
    static fixture f;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf_init(&f.scratch, &alloc, 2 * MAX_BYTES);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    rc_buf_done(&f->scratch);
    return 0;
}

static stream_run run_sample(fixture *f, const stream_sample *s, rc_str text, unsigned cut)
{
    return stream_run_do(s->form, s->dialect, text, cut, &f->scratch, MAX_BYTES);
}

/* Writes the kinds of all events in the letters of the samples. */
static void spell(const stream_run *run, char *out, size_t size)
{
    static const char letters[] = "pcfutekdo";
    size_t len = 0;
    for (size_t i = 0; i < run->count; i++) {
        if (i > 0)
            out[len++] = ' ';
        for (unsigned bit = 0; bit < sizeof letters - 1; bit++) {
            if (run->notes[i].kinds >> bit & 1)
                out[len++] = letters[bit];
        }
        assert_true(len + 16 < size);
    }
    out[len] = '\0';
}

static void test_kinds(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < STREAM_SAMPLE_COUNT; i++) {
        const stream_sample *s = &stream_samples[i];
        char kinds[256];
        stream_run run = run_sample(f, s, stream_sample_text(s->text, f->text), CUT_NOT);
        spell(&run, kinds, sizeof kinds);
        if (strcmp(kinds, s->kinds) != 0)
            print_message("%s\n", s->name);
        assert_string_equal(kinds, s->kinds);
        assert_true(run.is_tiled && run.is_error_inside);
        assert_int_equal(run.watch.finish, s->reason);
        stream_run_done(&run);
    }
}

static void test_cuts_make_no_difference(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < STREAM_SAMPLE_COUNT; i++) {
        const stream_sample *s = &stream_samples[i];
        rc_str text = stream_sample_text(s->text, f->text);
        stream_run whole = run_sample(f, s, text, CUT_NOT);
        for (unsigned cut = CUT_BYTES; cut < 60; cut++) {
            stream_run run = run_sample(f, s, text, cut);
            assert_true(run.is_tiled && run.is_error_inside);
            assert_true(stream_run_is_same(&whole, &run));
            stream_run_done(&run);
        }
        stream_run_done(&whole);
    }
}

/* Returns the offset after the last occurrence of the marker; SIZE_MAX if the text does not contain
 * it. */
static size_t position_of(fixture *f, rc_str text, const char *marker)
{
    size_t found = SIZE_MAX;
    if (!marker)
        return found;
    rc_str needle = stream_sample_text(marker, f->marker);
    for (size_t at = 0; (at = rc_str_find(text, needle, at)) != RC_STR_NPOS; at++)
        found = at + needle.len;
    assert_true(found != SIZE_MAX);
    return found;
}

/* Tests every prefix of a stream: it is complete if it includes the terminator, otherwise not. */
static void test_every_end(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < STREAM_SAMPLE_COUNT; i++) {
        const stream_sample *s = &stream_samples[i];
        rc_str text = stream_sample_text(s->text, f->text);
        size_t whole_at = position_of(f, text, s->whole);
        size_t finish_at = s->finish ? position_of(f, text, s->finish) : whole_at;
        for (size_t len = 0; len <= text.len; len++) {
            stream_run run = run_sample(f, s, rc_str_slice(text, 0, len), CUT_NOT);
            bool is_complete =
                rc_stream_watch_end(&run.watch, RC_STREAM_BODY_CUT) == RC_STREAM_END_COMPLETE;
            bool is_complete_orderly =
                rc_stream_watch_end(&run.watch, RC_STREAM_BODY_WHOLE) == RC_STREAM_END_COMPLETE;
            bool is_right = is_complete == (len >= whole_at) &&
                            is_complete_orderly == (len >= whole_at || len >= finish_at);
            if (!is_right)
                print_message("%s: %zu of %zu bytes\n", s->name, len, text.len);
            assert_true(is_right);
            stream_run_done(&run);
        }
        stream_run run = run_sample(f, s, text, CUT_NOT);
        if (rc_stream_watch_end(&run.watch, RC_STREAM_BODY_CUT) != s->end)
            print_message("%s\n", s->name);
        assert_int_equal(rc_stream_watch_end(&run.watch, RC_STREAM_BODY_CUT), s->end);
        stream_run_done(&run);
    }
}

/* A finish reason does not end the stream if a choice continues or a damaged event follows. */
static void test_finish_before_the_end(void **state)
{
    fixture *f = *state;
    static const struct {
        rc_stream_dialect dialect;
        const char *text;
        rc_stream_end end;
    } rows[] = {
        {RC_STREAM_OPENAI_CHAT, CHUNK("{'index':1,'delta':{'content':'b'}}") STOP("stop"),
         TRUNCATED},
        {RC_STREAM_OPENAI_CHAT, STOP("stop") DELTA("'content':'a'"), TRUNCATED},
        {RC_STREAM_OPENAI_CHAT, DELTA("'content':'a'") STOP("stop") "data: {'choi\n\n",
         DAMAGED_END},
        {RC_STREAM_GEMINI,
         GEM(PARTS("{'text': 'a'}") ",'finishReason': 'STOP'") GEM(PARTS("{'text': 'b'}")),
         TRUNCATED},
        {RC_STREAM_GEMINI,
         GEM(PARTS("{'text': 'a'}") ",'index': 2")
             GEM(PARTS("{'text': 'b'}") ",'finishReason': 'STOP','index': 1"),
         TRUNCATED},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rc_str text = stream_sample_text(rows[i].text, f->text);
        stream_run run =
            stream_run_do(FORM_SSE, rows[i].dialect, text, CUT_NOT, &f->scratch, MAX_BYTES);
        assert_int_equal(rc_stream_watch_end(&run.watch, RC_STREAM_BODY_WHOLE), rows[i].end);
        assert_int_equal(run.watch.finish, RC_STREAM_FINISH_GOOD);
        stream_run_done(&run);
    }
}

static const stream_sample *sample_of(const char *name)
{
    for (size_t i = 0; i < STREAM_SAMPLE_COUNT; i++) {
        if (strcmp(stream_samples[i].name, name) == 0)
            return &stream_samples[i];
    }
    fail_msg("no sample %s", name);
    return NULL;
}

static void test_usage(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *sample;
        struct {
            int64_t input;
            int64_t output;
            int64_t cached;
            int64_t written;
            int64_t reasoning;
        } reported;
    } rows[] = {
        {"chat_text", {20, 9, 16, -1, 4}},
        {"chat_usage_everywhere", {20, 9, -1, -1, -1}},
        {"chat_cut", {-1, -1, -1, -1, -1}},
        {"legacy_text", {20, 9, -1, -1, -1}},
        {"responses_text", {20, 9, 16, -1, 4}},
        {"anthropic_text",
         {135, 15, 100, 10, -1}}, /* cached tokens are not included in the input */
        {"anthropic_no_cache", {5, 15, -1, -1, -1}},
        {"anthropic_overloaded", {135, 1, 100, 10, -1}},
        {"gemini_text", {8, 12, -1, -1, 7}}, /* thoughts are not included in the output */
        {"ollama_chat", {20, 9, -1, -1, -1}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const stream_sample *s = sample_of(rows[i].sample);
        stream_run run = run_sample(f, s, stream_sample_text(s->text, f->text), 7);
        rc_usage_count reported = rc_usage_reported(&run.watch.usage);
        assert_int_equal(reported.input, rows[i].reported.input);
        assert_int_equal(reported.output, rows[i].reported.output);
        assert_int_equal(reported.cached, rows[i].reported.cached);
        assert_int_equal(reported.written, rows[i].reported.written);
        assert_int_equal(reported.reasoning, rows[i].reported.reasoning);
        stream_run_done(&run);
    }
}

static void test_counters(void **state)
{
    fixture *f = *state;
    const stream_sample *s = sample_of("chat_damaged_line");
    stream_run run = run_sample(f, s, stream_sample_text(s->text, f->text), 3);
    assert_int_equal(run.watch.events, 5);
    assert_int_equal(run.watch.content_events, 1);
    assert_int_equal(run.watch.content_bytes, 1);
    assert_int_equal(run.watch.damaged, 1);
    stream_run_done(&run);

    /* a truncated last event is not damaged */
    rc_str cut = stream_sample_text(DELTA("'content':'a'") "data: {'choices':[{", f->text);
    run = stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, cut, CUT_NOT, &f->scratch, MAX_BYTES);
    assert_int_equal(run.watch.damaged, 0);
    assert_int_equal(rc_stream_watch_end(&run.watch, RC_STREAM_BODY_WHOLE),
                     RC_STREAM_END_TRUNCATED);
    stream_run_done(&run);

    /* of several choices, the failed one decides */
    rc_str two = stream_sample_text(CHUNK("{'index':0,'finish_reason':'length'},"
                                          "{'index':1,'finish_reason':'stop'}") STOP("stop"),
                                    f->text);
    run = stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, two, CUT_NOT, &f->scratch, MAX_BYTES);
    assert_int_equal(run.notes[0].finish, RC_STREAM_FINISH_LENGTH);
    assert_int_equal(run.watch.finish, RC_STREAM_FINISH_LENGTH);
    stream_run_done(&run);

    /* a finish reason that makes the response unusable wins over a length limit, in one event or in
     * several */
    rc_str three = stream_sample_text(
        CHUNK("{'index':0,'finish_reason':'length'},{'index':1,'finish_reason':'content_filter'},"
              "{'index':2,'finish_reason':'length'}") STOP("length"),
        f->text);
    run = stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, three, CUT_NOT, &f->scratch, MAX_BYTES);
    assert_int_equal(run.notes[0].finish, RC_STREAM_FINISH_FILTER);
    assert_int_equal(run.watch.finish, RC_STREAM_FINISH_FILTER);
    stream_run_done(&run);
    rc_str apart = stream_sample_text(STOP("length") STOP("content_filter") STOP("stop"), f->text);
    run = stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, apart, CUT_NOT, &f->scratch, MAX_BYTES);
    assert_int_equal(run.watch.finish, RC_STREAM_FINISH_FILTER);
    stream_run_done(&run);

    s = sample_of("chat_text");
    run = run_sample(f, s, stream_sample_text(s->text, f->text), 3);
    assert_int_equal(run.watch.content_events, 2);
    assert_int_equal(run.watch.content_bytes, 3 + 9); /* content bytes are counted as written: an
                                                         escape has six bytes */
    stream_run_done(&run);

    s = sample_of("responses_text"); /* content that the final events repeat is counted once */
    run = run_sample(f, s, stream_sample_text(s->text, f->text), 3);
    assert_int_equal(run.watch.content_bytes, 5);
    stream_run_done(&run);
}

/* The classifier recognises every error that the watch reports. */
static void test_errors_are_classified(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *sample;
        rc_code code;
    } rows[] = {
        {"chat_error_first", RC_CODE_RATE_LIMITED},
        {"chat_error_after_role", RC_CODE_PROVIDER_5XX},
        {"responses_failed", RC_CODE_CONTEXT_OVERFLOW},
        {"responses_failed_late", RC_CODE_RATE_LIMITED},
        {"anthropic_overloaded", RC_CODE_OVERLOADED},
        {"anthropic_late_error", RC_CODE_PROVIDER_5XX},
        {"anthropic_error_first", RC_CODE_RATE_LIMITED},
        {"gemini_error", RC_CODE_OVERLOADED},
        {"gemini_error_in_list", RC_CODE_RATE_LIMITED},
        {"gemini_array_error", RC_CODE_PROVIDER_5XX},
        {"chat_error_bare", RC_CODE_AUTH_FAILED},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const stream_sample *s = sample_of(rows[i].sample);
        rc_str text = stream_sample_text(s->text, f->text);
        stream_reader reader;
        rc_stream_watch watch;
        rc_stream_event event;
        rc_stream_event_info info = {0};
        stream_reader_init(&reader, s->form, &f->scratch, MAX_BYTES);
        rc_stream_watch_init(&watch, s->dialect);
        stream_reader_push(&reader, text);
        while (!(info.kinds & RC_STREAM_ERROR) &&
               (stream_reader_pull(&reader, &event) || stream_reader_end(&reader, &event)))
            rc_stream_watch_step(&watch, &event, &info);
        assert_true(info.error.len > 0);
        rc_classify_space space;
        rc_failure failure = {.status = 200, .event = info.error, .phase = RC_PHASE_HEADERS};
        rc_verdict verdict = rc_judge(&failure, NULL, NULL, &space);
        if (verdict.code != rows[i].code)
            print_message("%s: %.*s\n", s->name, (int)verdict.rule.len, verdict.rule.ptr);
        assert_int_equal(verdict.code, rows[i].code);
    }
}

#define TIMES_4(text) text text text text
#define THREE_KIB TIMES_4(TIMES_4(TIMES_4("<div>Found in the web, in many places</div>, ")))

/* An oversized event has the kind CONTENT, the kinds of its name, and those of the type in its
 * first or last bytes. */
static void test_oversized(void **state)
{
    fixture *f = *state;
    static const struct {
        rc_stream_dialect dialect;
        stream_form form;
        const char *head;
        const char *tail;
        rc_stream_end end; /* the end of the stream if the body is complete */
        rc_stream_finish finish;
    } rows[] = {
        {RC_STREAM_GEMINI, FORM_SSE,
         "data: {'candidates':[{'content':{'parts':[{'inlineData':{'data':'",
         "'}}]},'finishReason': 'STOP','index':0}]}\n\n", RC_STREAM_END_COMPLETE,
         RC_STREAM_FINISH_GOOD},
        {RC_STREAM_GEMINI, FORM_SSE,
         "data: {'candidates':[{'content':{'parts':[{'inlineData':{'data':'",
         "'}}]},'finishReason':'STOP','groundingMetadata':{'searchEntryPoint':{'renderedContent':"
         "'" THREE_KIB "'}}}]}\n\n",
         RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_GOOD},
        {RC_STREAM_GEMINI, FORM_ARRAY, "[{'candidates':[{'content':{'parts':[{'text':'",
         "'}]},'finishReason':'SAFETY'}]}]", RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_FILTER},
        {RC_STREAM_GEMINI, FORM_SSE, "data: {'candidates':[{'content':{'parts':[{'text':'",
         "\\'finishReason\\':\\'STOP\\''}]}}]}\n\n", RC_STREAM_END_TRUNCATED,
         RC_STREAM_FINISH_NONE},
        {RC_STREAM_GEMINI, FORM_SSE, "data: {'candidates':[{'content':{'parts':[{'text':'",
         "','a\\'finishReason':'STOP'}]}}]}\n\n", RC_STREAM_END_TRUNCATED, RC_STREAM_FINISH_NONE},
        {RC_STREAM_OPENAI_RESPONSES, FORM_SSE,
         "event: response.completed\ndata: {'type':'response.completed','response':{'output':['",
         "']}}\n\n", RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_UNKNOWN},
        {RC_STREAM_OPENAI_RESPONSES, FORM_SSE,
         "data: {'type':'response.completed','response':{'output':['", "']}}\n\n",
         RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_UNKNOWN},
        {RC_STREAM_OPENAI_RESPONSES, FORM_SSE, "data: {'response':{'output':['",
         "']} , 'type' : 'response.completed' }\n\n", RC_STREAM_END_COMPLETE,
         RC_STREAM_FINISH_UNKNOWN},
        {RC_STREAM_OPENAI_RESPONSES, FORM_SSE, "data: {'type':'response.failed','response':{'o':['",
         "']}}\n\n", RC_STREAM_END_ERRORED, RC_STREAM_FINISH_UNKNOWN},
        /* types of inner objects, which are ignored */
        {RC_STREAM_OPENAI_RESPONSES, FORM_SSE,
         "data: {'response':{'type':'response.completed','o':['",
         "'],'type':'response.completed'}}\n\n", RC_STREAM_END_TRUNCATED, RC_STREAM_FINISH_NONE},
        {RC_STREAM_OPENAI_RESPONSES, FORM_SSE,
         "event: response.failed\ndata: {'type':'response.failed','response':{'output':['",
         "']}}\n\n", RC_STREAM_END_ERRORED, RC_STREAM_FINISH_UNKNOWN},
        {RC_STREAM_OPENAI_CHAT, FORM_SSE, "data: {'choices':[{'delta':{'content':'",
         "'},'finish_reason':null}]}\n\n", RC_STREAM_END_TRUNCATED, RC_STREAM_FINISH_NONE},
        {RC_STREAM_OPENAI_CHAT, FORM_SSE, "data: {'choices':[{'delta':{'content':'",
         "'}}]}\n\ndata: [DONE]\n\n", RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_NONE},
        {RC_STREAM_OPENAI_CHAT, FORM_SSE, ": ", "\n\n", RC_STREAM_END_EMPTY, RC_STREAM_FINISH_NONE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[STREAM_SAMPLE_MAX];
        size_t head = strlen(rows[i].head);
        size_t tail = strlen(rows[i].tail);
        memset(text, 'A', sizeof text);
        memcpy(text, rows[i].head, head);
        memcpy(text + sizeof text - tail, rows[i].tail, tail);
        for (size_t at = 0; at < sizeof text; at++)
            text[at] = text[at] == '\'' ? '"' : text[at];
        stream_run whole = {0};
        for (unsigned cut = CUT_NOT; cut < 20; cut++) {
            stream_run run = stream_run_do(rows[i].form, rows[i].dialect,
                                           rc_str_make(text, sizeof text), cut, &f->scratch, 1024);
            assert_true(run.is_tiled);
            assert_int_equal(rc_stream_watch_end(&run.watch, RC_STREAM_BODY_WHOLE), rows[i].end);
            assert_int_equal(run.watch.finish, rows[i].finish);
            assert_true(cut == CUT_NOT ? run.parts == 0 : run.parts > 0);
            if (cut == CUT_NOT) {
                whole = run;
                continue;
            }
            assert_true(stream_run_is_same(&whole, &run));
            stream_run_done(&run);
        }
        stream_run_done(&whole);
    }
}

/* Deep, wide, damaged and unusual data always have a result, which is never a success. */
static void test_hostile_data(void **state)
{
    fixture *f = *state;
    enum {
        SIZE = 900000
    };
    static const struct {
        const char *head;
        const char *filling;
        const char *tail;
        const char *kinds;
    } rows[] = {
        {"data: {'choices':", "[", "\n\n", "d"},
        {"data: ", "[", "\n\n", "d"},
        {"data: {'choices':[", "{'a':", "\n\n", "d"},
        {"data: {'a':", "[", "\n\n", "d"},
        {"data: {'choices':[", "{},", "{}]}\n\n", "p"},
        {"data: {'choices':[", "1,", "1]}\n\n", "p"},
        {"data: {", "'a':1,", "'choices':[]}\n\n", "p"},
        {"data: {'error':", " ", "null,'choices':[]}\n\n", "p"},
        {"data: {'usage':{'prompt_tokens':", "9", "}}\n\n", "o"},
        {"data: {'choices':[{'finish_reason':'", "x", "'}]}\n\n", "f"},
        {"data: {'choices':[{'delta':{'content':'", "\\", "'}}]}\n\n", "d"},
        {"data: {'choices':[{'delta':{'content':'", "\xFF", "'}}]}\n\n", "c"},
        {"data: ", "\x01", "\n\n", "d"},
        {"", "data: {\n", "\n", "d"},
        {"data: {'x':", "\\'", "}\n\n", "d"},
    };
    char *text = malloc(SIZE);
    assert_non_null(text);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char kinds[64];
        size_t len = strlen(rows[i].head);
        size_t step = strlen(rows[i].filling);
        size_t tail = strlen(rows[i].tail);
        memcpy(text, rows[i].head, len);
        for (; len + step + tail < SIZE - 64; len += step)
            memcpy(text + len, rows[i].filling, step);
        memcpy(text + len, rows[i].tail, tail);
        len += tail;
        for (size_t at = 0; at < len; at++)
            text[at] = text[at] == '\'' ? '"' : text[at];
        stream_run run = stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, rc_str_make(text, len),
                                       (unsigned)i % 2 * 5, &f->scratch, MAX_BYTES);
        spell(&run, kinds, sizeof kinds);
        if (strcmp(kinds, rows[i].kinds) != 0)
            print_message("%s\n", rows[i].head);
        assert_string_equal(kinds, rows[i].kinds);
        assert_true(rc_stream_watch_end(&run.watch, RC_STREAM_BODY_CUT) != RC_STREAM_END_COMPLETE);
        stream_run_done(&run);
    }
    free(text);
}

/* Data that is almost JSON. */
static void test_damage(void **state)
{
    fixture *f = *state;
    static const char *const texts[] = {
        "{'choices':[]} x",
        "{'choices':[]}{}",
        "{'choices':[],}",
        "{'choices':[{},]}",
        "{'choices':[{}}",
        "{'choices':{}]",
        "{'choices':[]",
        "{'choices' []}",
        "{choices:[]}",
        "{'choices':[{'delta':{'content':'a\x01'}}]}",
        "{'choices':[{'delta':{'content':'a\x01}}]}",
        "{'choices':[{'delta':{'content':'a}}]}",
        "{'choices':[{'index':nul}]}",
        "{'choices':[{'index':}]}",
        "{'choices':[{'index':x}]}",
        "{'choices':[{'delta':{'content':'a\\'}}]}",
        "[{'choices':[]}",
        "[]]",
        "'choices'",
        "7",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        char all[128];
        int len = snprintf(all, sizeof all, "data: %s\n\n", texts[i]);
        assert_in_range(len, 1, sizeof all - 1);
        rc_str text = stream_sample_text(all, f->text);
        stream_run run =
            stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, text, CUT_NOT, &f->scratch, MAX_BYTES);
        if (run.notes[0].kinds != RC_STREAM_DAMAGED)
            print_message("%s\n", texts[i]);
        assert_int_equal(run.notes[0].kinds, RC_STREAM_DAMAGED);
        stream_run_done(&run);
    }
}

/* Data that differs from the terminator by one byte is not the terminator. */
static void test_terminators_are_exact(void **state)
{
    fixture *f = *state;
    static const char *const texts[] = {
        "data: [DONE] x\n\n",      "data: [done]\n\n",
        "data: DONE\n\n",          "dat: [DONE]\n\n",
        "event: [DONE]\n\n",       ": [DONE]\n\n",
        "data: \"[DONE]\"\n\n",    "data: [DONE\ndata: ]\n\n",
        "event: message_stop\n\n", "data: {'type':'message_stop'}\n\n",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        char all[512];
        int len = snprintf(all, sizeof all, "%s%s", DELTA("'content':'a'"), texts[i]);
        assert_in_range(len, 1, sizeof all - 1);
        rc_str text = stream_sample_text(all, f->text);
        stream_run run =
            stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, text, CUT_NOT, &f->scratch, MAX_BYTES);
        assert_true(rc_stream_watch_end(&run.watch, RC_STREAM_BODY_WHOLE) !=
                    RC_STREAM_END_COMPLETE);
        stream_run_done(&run);
    }
}

static void test_names(void **state)
{
    (void)state;
    for (unsigned i = 0; i < RC_STREAM_DIALECT_COUNT; i++) {
        const char *name = rc_stream_dialect_name((rc_stream_dialect)i);
        assert_int_equal(rc_stream_dialect_parse(rc_str_c(name)), i);
    }
    assert_int_equal(rc_stream_dialect_parse(RC_STR("telnet")), RC_STREAM_DIALECT_COUNT);
    assert_string_equal(rc_stream_dialect_name(RC_STREAM_DIALECT_COUNT), "unknown");
    assert_string_equal(rc_stream_end_name(RC_STREAM_END_COMPLETE), "complete");
    assert_string_equal(rc_stream_end_name(RC_STREAM_END_TRUNCATED), "truncated");
    assert_string_equal(rc_stream_end_name(RC_STREAM_END_EMPTY), "empty");
    assert_string_equal(rc_stream_end_name(RC_STREAM_END_ERRORED), "errored");
    assert_string_equal(rc_stream_end_name(RC_STREAM_END_DAMAGED), "damaged_end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_cuts_make_no_difference),
        cmocka_unit_test(test_every_end),
        cmocka_unit_test(test_finish_before_the_end),
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_errors_are_classified),
        cmocka_unit_test(test_oversized),
        cmocka_unit_test(test_hostile_data),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_terminators_are_exact),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
