/* Tests of rc_event_template: events that match a template, and events that must not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/str.h"
#include "support/stream_samples.h"
#include "support/template_pair.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define CHAT_EVENT(id, created, delta, rest)                                                 \
    "{'id':'" id "','object':'chat.completion.chunk','created':" created ",'model':'gpt-4o'" \
    ",'choices':[{'index':0,'delta':{" delta "},'finish_reason':null}]" rest "}"
#define RESPONSE_EVENT(number, text)                                 \
    "{'type':'response.output_text.delta','sequence_number':" number \
    ",'item_id':'m','output_index':0,'content_index':0,'delta':'" text "'}"
#define CLAUDE_EVENT(index, text)                                                                \
    "{'type':'content_block_delta','index':" index ",'delta':{'type':'text_delta','text':'" text \
    "'}}"
#define MESSAGE "{'candidates': [{'content': {'parts': [{'text': '"

typedef struct pair_row {
    rc_stream_dialect dialect;
    const char *first;
    const char *second;
    bool is_fit;
} pair_row;

static const pair_row rows[] = {
    /* content and ignored values may differ between events */
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""),
     CHAT_EVENT("a", "17", "'content':' and a longer text, of more than one block'", ""), true},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""),
     CHAT_EVENT("a", "17", "'content':'\\'q\\' \xC3\xA4\\u00e4'", ""), true},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""),
     CHAT_EVENT("another", "1800000000", "'content':'two'", ""), true},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ",'obfuscation':'xyz'"),
     CHAT_EVENT("a", "18", "'content':'two'", ",'obfuscation':''"), true},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'','reasoning_content':'x'", ""),
     CHAT_EVENT("a", "17", "'content':'','reasoning_content':'yz'", ""), true},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ",'usage':null"),
     CHAT_EVENT("a", "17", "'content':'two'", ",'usage':null"), true},
    {RC_STREAM_OPENAI_RESPONSES, RESPONSE_EVENT("5", "one"), RESPONSE_EVENT("16", "two"), true},
    {RC_STREAM_ANTHROPIC, CLAUDE_EVENT("0", "one"), CLAUDE_EVENT("0", "two"), true},
    {RC_STREAM_GEMINI, MESSAGE "one'}]}}]}", MESSAGE "two'}]}}]}", true},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""),
     CHAT_EVENT("a", "171", "'content':'one'", ""), true},
    /* values that the walk reads must be equal in both events */
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""),
     CHAT_EVENT("a", "17", "'content':''", ""), false},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""),
     CHAT_EVENT("a", "17", "'content':null", ""), false},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""),
     CHAT_EVENT("a", "17", "'content':'one'", ",'error':{'message':'no'}"), false},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ",'usage':null"),
     CHAT_EVENT("a", "17", "'content':'one'", ",'usage':{'prompt_tokens':3}"), false},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'','reasoning_content':'x'", ""),
     CHAT_EVENT("a", "17", "'content':'y','reasoning_content':'x'", ""), false},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""),
     "{'id':'a','error':{'message':'no'}}", false},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""),
     CHAT_EVENT("a", "17", "'content':'one'", "") " x", false},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""), "{'id':'a", false},
    {RC_STREAM_ANTHROPIC, CLAUDE_EVENT("0", "one"), CLAUDE_EVENT("1", "one"), false},
    {RC_STREAM_OPENAI_CHAT, "{'choices':[{'delta':{'content':'a'},'finish_reason':'stop'}]}",
     "{'choices':[{'delta':{'content':'b'},'finish_reason':'stop'}]}", false},
    /* numbers in unusual notations */
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""),
     CHAT_EVENT("a", "017", "'content':'one'", ""), false},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""),
     CHAT_EVENT("a", "1.5", "'content':'one'", ""), false},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""),
     CHAT_EVENT("a", "''", "'content':'one'", ""), false},
    {RC_STREAM_OPENAI_CHAT, CHAT_EVENT("a", "17", "'content':'one'", ""),
     CHAT_EVENT("a\x01", "17", "'content':'one'", ""), false},
    /* the type must be equal in both events, even if its key has escapes */
    {RC_STREAM_ANTHROPIC, "{'delta':{'text':'a'},'type':'content_block_delta'}",
     "{'delta':{'text':'a'},'type':'message_stop'}", false},
    {RC_STREAM_ANTHROPIC, "{'delta':{'text':'a'},'t\\u0079pe':'content_block_delta'}",
     "{'delta':{'text':'a'},'t\\u0079pe':'message_stop'}", false},
};

static rc_str text_of(const char *text, char *scratch)
{
    return stream_sample_text(text, scratch);
}

static template_event event_of(const char *name, rc_str data)
{
    return (template_event){.name = rc_str_c(name), .data = data};
}

static void forms_are_recognised(void **state)
{
    (void)state;
    static char first[STREAM_SAMPLE_MAX], second[STREAM_SAMPLE_MAX];
    for (size_t i = 0; i < COUNT(rows); i++) {
        template_pair pair =
            template_pair_do(rows[i].dialect, event_of("", text_of(rows[i].first, first)),
                             event_of("", text_of(rows[i].second, second)));
        if (!pair.is_right || pair.is_fit != rows[i].is_fit)
            print_message("row %zu: %s\n", i, rows[i].second);
        assert_true(pair.is_right);
        assert_int_equal(pair.is_fit, rows[i].is_fit);
    }
}

/* The event name is the type if the data has none. */
static void event_names_matter(void **state)
{
    (void)state;
    template_event first = event_of("content_block_delta", RC_STR("{\"delta\":{\"text\":\"a\"}}"));
    template_event second = first;
    assert_true(template_pair_do(RC_STREAM_ANTHROPIC, first, second).is_fit);
    second.name = RC_STR("message_stop");
    assert_false(template_pair_do(RC_STREAM_ANTHROPIC, first, second).is_fit);
    assert_true(template_pair_do(RC_STREAM_ANTHROPIC, first, second).is_right);
    first.name = second.name = RC_STR("a_name_that_is_longer_than_any_mould_has_room_for");
    assert_true(template_pair_do(RC_STREAM_OPENAI_CHAT, first, second).is_right);
    assert_false(template_pair_do(RC_STREAM_OPENAI_CHAT, first, second).is_fit);
}

/* Replaces every byte of the event by each of these bytes, removes it, or inserts a byte before
 * it. */
static void change_all(rc_stream_dialect dialect, rc_str first)
{
    static const char bytes[] = "\"\\{}[],:0 1e.-tn\x01\x1f\x7f\xff";
    for (size_t at = 0; at <= first.len; at++) {
        for (size_t i = 0; i < 3 * sizeof bytes; i++) {
            size_t how = i % 3;
            size_t skip = how != 1 && at < first.len;
            size_t len = first.len - skip + (how < 2);
            char *text = malloc(len + 1);
            assert_non_null(text);
            memcpy(text, first.ptr, at);
            text[at] = bytes[i / 3];
            memcpy(text + at + (how < 2), first.ptr + at + skip, first.len - at - skip);
            template_pair pair = template_pair_do(dialect, event_of("", first),
                                                  event_of("", rc_str_make(text, len)));
            if (!pair.is_right)
                print_message("%.*s\n", (int)len, text);
            free(text);
            assert_true(pair.is_right);
        }
    }
}

static void every_change_is_detected(void **state)
{
    (void)state;
    static char scratch[STREAM_SAMPLE_MAX];
    for (size_t i = 0; i < COUNT(rows); i++)
        change_all(rows[i].dialect, text_of(rows[i].first, scratch));
}

/* Runs the streams of all dialects with one shared template. */
static void streams_give_the_same_results(void **state)
{
    (void)state;
    static rc_event_template template;
    static char scratch[STREAM_SAMPLE_MAX];
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 2 * RC_STREAM_EVENT_MAX_BYTES);
    for (size_t i = 0; i < 2 * STREAM_SAMPLE_COUNT; i++) {
        const stream_sample *s = &stream_samples[i % STREAM_SAMPLE_COUNT];
        rc_str text = text_of(s->text, scratch);
        stream_run without =
            stream_run_do(s->form, s->dialect, text, CUT_NOT, &buf, RC_STREAM_EVENT_MAX_BYTES);
        for (unsigned cut = CUT_NOT; cut < 6; cut++) {
            stream_run with = stream_run_with(s->form, s->dialect, text, cut, &buf,
                                              RC_STREAM_EVENT_MAX_BYTES, &template);
            assert_true(with.is_tiled && with.is_error_inside);
            assert_true(stream_run_is_same(&with, &without));
            stream_run_done(&with);
        }
        stream_run_done(&without);
    }
    rc_buf_done(&buf);
}

/* An event that is unsuitable or damaged does not change the template. */
static void ceilings_hold(void **state)
{
    (void)state;
    static char good[STREAM_SAMPLE_MAX], large[STREAM_SAMPLE_MAX], many[STREAM_SAMPLE_MAX];
    static rc_event_template template;
    rc_stream_walk_result found = rc_stream_walk_result_none();
    rc_str text = text_of(rows[0].first, good);
    int len = snprintf(large, sizeof large,
                       "{\"a\":\"%0600d\",\"choices\":[{\"delta\":{"
                       "\"content\":\"x\"}}]}",
                       0);
    template_event big = event_of("", rc_str_make(large, (size_t)len));
    assert_true(rc_stream_walk(RC_STREAM_OPENAI_CHAT, RC_STR(""), text, &template, &found));
    found = rc_stream_walk_result_none();
    assert_true(rc_stream_walk(RC_STREAM_OPENAI_CHAT, RC_STR(""), big.data, &template, &found));
    assert_true(found.info.kinds & RC_STREAM_CONTENT);
    assert_false(rc_stream_walk(RC_STREAM_OPENAI_CHAT, RC_STR(""), rc_str_slice(text, 0, 100),
                                &template, &found));
    assert_true(
        rc_event_template_matches(&template, RC_STREAM_OPENAI_CHAT, RC_STR(""), text, &found));
    assert_false(template_pair_do(RC_STREAM_OPENAI_CHAT, big, big).is_fit);

    size_t at = 1;
    many[0] = '{';
    for (int i = 0; i < 3 * RC_EVENT_TEMPLATE_SLOTS_MAX; i++)
        at += (size_t)snprintf(many + at, sizeof many - at, "\"%d\":%d,", i, i + 1);
    (void)snprintf(many + at, sizeof many - at, "\"choices\":[{\"delta\":{\"content\":\"x\"}}]}");
    template_event wide = event_of("", rc_str_c(many));
    template_pair pair = template_pair_do(RC_STREAM_OPENAI_CHAT, wide, wide);
    assert_true(pair.is_right && pair.is_fit);
}

static void content_is_not_stored(void **state)
{
    (void)state;
    static char scratch[STREAM_SAMPLE_MAX];
    static rc_event_template template;
    rc_stream_walk_result found = rc_stream_walk_result_none();
    rc_str text = text_of(CHAT_EVENT("a", "17", "'content':'sesame'", ""), scratch);
    assert_true(rc_stream_walk(RC_STREAM_OPENAI_CHAT, RC_STR(""), text, &template, &found));
    rc_str all = rc_str_make((const char *)&template, sizeof template);
    assert_true(template.len > 0);
    assert_true(rc_str_find(all, RC_STR("chat.completion"), 0) != RC_STR_NPOS);
    assert_true(rc_str_find(all, RC_STR("sesame"), 0) == RC_STR_NPOS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_recognised),
        cmocka_unit_test(event_names_matter),
        cmocka_unit_test(every_change_is_detected),
        cmocka_unit_test(streams_give_the_same_results),
        cmocka_unit_test(ceilings_hold),
        cmocka_unit_test(content_is_not_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
