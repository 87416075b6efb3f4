/* Tests of rc_charge: each end of an attempt, with and without counts. Tests of the estimates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/str.h"
#include "dialect/usage_charge.h"
#include "dialect/usage_weight.h"
#include "support/json_text.h"
#include "support/stream_samples.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- weights --- */

static void test_weight_of_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t weight;
    } rows[] = {
        {"", 0},
        {"a", 1},
        {"Hello, world", 12},
        {"eight by, then more: all plain", 30},
        {"caf\xc3\xa9", 5},
        {"\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82", 12}, /* six letters of two bytes */
        {"\xe4\xbd\xa0\xe5\xa5\xbd", 8},                          /* two characters, two tokens */
        {"\xf0\x9f\x98\x80", 8},
        {"a\\nb", 3},
        {"\\u0041\\u00e9\\u4f60", 1 + 2 + 4},
        {"\\ud83d\\ude00", 8}, /* an escaped emoji, with the weight of the emoji */
        {"\\u12", 1 + 2},      /* an invalid escape: two bytes of escape and two digits */
        {"\\uzzzz", 1 + 4},
        {"\\", 1},
        {"\\\\", 1},
        {"\xff\x80\xbf", 8}, /* invalid UTF-8, weighed by its first byte */
        {"seven..\xe4\xbd\xa0 and eight more", 7 + 4 + 15},
        {"12345678\\n12345678", 17},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(rc_weight_text(rc_str_c(rows[i].text)), rows[i].weight);
    assert_int_equal(rc_weight_tokens(0), 0);
    assert_int_equal(rc_weight_tokens(1), 1);
    assert_int_equal(rc_weight_tokens(4), 1);
    assert_int_equal(rc_weight_tokens(5), 2);
    assert_true(rc_weight_tokens(UINT64_MAX) == UINT64_MAX / 4 + 1);
}

static void test_weight_of_json(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned what;
        uint64_t weight;
    } rows[] = {
        {"", 0, 0},
        {"'abcd'", 0, 4},
        {"['ab','cd']", 0, 4},
        {"{'text':'abcd','n':12,'b':true}", 0, 4},
        {"{'text':'abcd','n':12,'b':true}", RC_WEIGH_KEYS, 4 + 4 + 1 + 1},
        {"{'id':'call_12345','type':'function','function':{'name':'ab','arguments':'{\\'x\\':1}'}}",
         0, 2 + 7},
        {"{'role':'user','content':'abcd'}", 0, 4},
        {"{'role':'user','content':'abcd'}", RC_WEIGH_ROLES, RC_WEIGHT_ROLE + 4},
        {"{'type':'image','source':{'media_type':'image/png','data':'iVBORw0KGgo'}}", 0, 0},
        {"{'type':'image','source':{'media_type':'image/png','data':'iVBORw0KGgo'}}",
         RC_WEIGH_MEDIA, RC_WEIGHT_MEDIA},
        {"{'image_url':{'url':'https://x'}}", RC_WEIGH_MEDIA, RC_WEIGHT_MEDIA},
        {"{'image_url' : 'https://x'}", RC_WEIGH_MEDIA, RC_WEIGHT_MEDIA},
        /* malformed JSON: its strings are weighed up to the fault */
        {"{'text':'abcd", 0, 4},
        {"'", 0, 0},
        {"]]]'ab'}}", 0, 2},
        {"{'text'", 0, 4},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(rc_weight_json(json_text(rows[i].text), rows[i].what), rows[i].weight);
}

/* --- requests --- */

static void test_estimate(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        rc_usage_estimate estimate;
    } rows[] = {
        {"{'model':'gpt-4o','messages':[{'role':'user','content':'twelve bytes'}]}",
         {4 + 3, 0, 1, 0, 0}},
        {"{'model':'gpt-4o','messages':[{'role':'user','content':[{'type':'text','text':"
         "'twelve bytes'},{'type':'image_url','image_url':{'url':'data:...'}}]}],"
         "'max_completion_tokens':100,'n':3}",
         {4 + 3 + 1000, 100, 3, 0, 0}},
        {"{'model':'claude','max_tokens':50,'system':'abcd','messages':[{'role':'user',"
         "'content':'abcd'}],'tools':[{'name':'abcd','input_schema':{'type':'object'}}]}",
         /* name + abcd + input_schema + type: in a schema, keys are weighed, too */
         {4 + 1 + 1 + (4 + 4 + 12 + 4) / 4, 50, 1, 0, 0}},
        {"{'contents':[{'role':'user','parts':[{'text':'abcdefgh'}]}],'generationConfig':"
         "{'maxOutputTokens':64,'candidateCount':2},'systemInstruction':{'parts':[{'text':"
         "'abcd'}]}}",
         {4 + 2 + 1, 64, 2, 0, 0}},
        {"{'input':'abcdefgh','instructions':'abcd','max_output_tokens':9}", {3, 9, 1, 0, 0}},
        {"{'input':['abcd','efgh']}", {2, 0, 1, 0, 0}},
        {"{'prompt':'a cat','n':2,'size':'1024x1024'}", {2, 0, 2, 2, 0}},
        /* a request of an unknown form: all its strings are weighed */
        {"{'query':'abcdefgh'}", {2, 0, 1, 0, 0}},
        {"[{'text':'abcdefgh'}]", {2, 0, 1, 0, 0}},
        {"  {'messages':[{'role':'user','content':'abcd'", {5, 0, 1, 0, 0}}, /* truncated */
        /* invalid numbers */
        {"{'input':'','max_output_tokens':-1,'n':0}", {0, 0, 1, 0, 0}},
        {"{'input':'','max_output_tokens':'100','n':1.5}", {0, 0, 1, 0, 0}},
        {"{'input':'','max_output_tokens':100000001,'n':99999999999999999999}", {0, 0, 1, 0, 0}},
        {"{'input':'','generationConfig':{'generationConfig':{'maxOutputTokens':5}}}",
         {0, 0, 1, 0, 0}},
        {"", {0, 0, 1, 1, 0}},
        {"--boundary\r\ncontent-disposition: form-data\r\n", {0, 0, 1, 1, 2}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rc_usage_estimate estimate = rc_usage_estimate_read(json_text(rows[i].body));
        if (memcmp(&estimate, &rows[i].estimate, sizeof estimate) != 0)
            print_message("%s\n", rows[i].body);
        assert_int_equal(estimate.input, rows[i].estimate.input);
        assert_int_equal(estimate.max_output, rows[i].estimate.max_output);
        assert_int_equal(estimate.choices, rows[i].estimate.choices);
        assert_int_equal(estimate.images, rows[i].estimate.images);
        assert_int_equal(estimate.audio_ms, rows[i].estimate.audio_ms);
    }
}

static void test_maximum_charge(void **state)
{
    (void)state;
    rc_charge charge = rc_usage_charge_max(json_text("{'input':'abcdefgh'}"), 4096);
    assert_int_equal(charge.input, 2);
    assert_int_equal(charge.output, 4096);
    assert_true(charge.is_estimated && !charge.is_measured);
    charge = rc_usage_charge_max(json_text("{'messages':[],'max_tokens':10,'n':3}"), 4096);
    assert_int_equal(charge.output, 30);
    charge = rc_usage_charge_max(json_text("{'messages':[],'n':100000000}"), UINT64_MAX);
    assert_int_equal(charge.output, RC_USAGE_MAX);
    charge = rc_usage_charge_max(json_text("{'prompt':'a','n':4}"), 0);
    assert_int_equal(charge.images, 4);
}

/* --- charges --- */

typedef enum basis {
    FREE,
    MEASURED,
    ESTIMATED
} basis;

#define REQUEST "{'messages':[{'role':'user','content':'abcdefghijkl'}]}" /* 7 tokens */

static void assert_charge(const rc_charge *charge, uint64_t input, uint64_t output, basis flag)
{
    assert_int_equal(charge->input, input);
    assert_int_equal(charge->output, output);
    assert_int_equal(charge->is_measured, flag == MEASURED);
    assert_int_equal(charge->is_estimated, flag == ESTIMATED);
}

/* `count` is the reported usage; `content` is the weight of the received text. */
static void test_every_end_of_an_attempt(void **state)
{
    (void)state;
    static const struct {
        rc_attempt_end end;
        const char *count;
        uint64_t content;
        bool is_final;
        uint64_t input;
        uint64_t output;
        basis flag;
    } rows[] = {
        /* no count */
        {RC_ATTEMPT_END_NOT_SENT, NULL, 0, false, 0, 0, FREE},
        {RC_ATTEMPT_END_FREE, NULL, 40, false, 0, 0, FREE},
        {RC_ATTEMPT_END_REFUSED, NULL, 0, false, 0, 0, FREE},
        {RC_ATTEMPT_END_REFUSED, NULL, 40, false, 0, 0, FREE},
        {RC_ATTEMPT_END_SILENT, NULL, 0, false, 7, 0, ESTIMATED},
        {RC_ATTEMPT_END_CUT, NULL, 0, false, 7, 0, ESTIMATED},
        {RC_ATTEMPT_END_CUT, NULL, 41, false, 7, 11, ESTIMATED},
        {RC_ATTEMPT_END_CANCELLED, NULL, 40, false, 7, 10, ESTIMATED},
        {RC_ATTEMPT_END_DONE, NULL, 40, false, 7, 10, ESTIMATED},
        /* a count at the beginning of a stream: Anthropic's message_start */
        {RC_ATTEMPT_END_NOT_SENT, "{'input_tokens':25,'output_tokens':1}", 0, false, 0, 0, FREE},
        {RC_ATTEMPT_END_FREE, "{'input_tokens':25,'output_tokens':1}", 0, false, 0, 0, FREE},
        {RC_ATTEMPT_END_REFUSED, "{'input_tokens':25,'output_tokens':1}", 0, false, 25, 1,
         MEASURED},
        {RC_ATTEMPT_END_CUT, "{'input_tokens':25,'output_tokens':1}", 0, false, 25, 1, ESTIMATED},
        {RC_ATTEMPT_END_CUT, "{'input_tokens':25,'output_tokens':1}", 40, false, 25, 10, ESTIMATED},
        {RC_ATTEMPT_END_CANCELLED, "{'input_tokens':25,'output_tokens':90}", 40, false, 25, 90,
         ESTIMATED},
        /* a complete count */
        {RC_ATTEMPT_END_DONE, "{'input_tokens':25,'output_tokens':90}", 40, true, 25, 90, MEASURED},
        {RC_ATTEMPT_END_DONE, "{'input_tokens':25,'output_tokens':9}", 400, false, 25, 9, MEASURED},
        {RC_ATTEMPT_END_CUT, "{'input_tokens':25,'output_tokens':9}", 400, true, 25, 9, MEASURED},
        /* a count of only the input or only the output */
        {RC_ATTEMPT_END_DONE, "{'output_tokens':9}", 400, true, 7, 9, ESTIMATED},
        {RC_ATTEMPT_END_DONE, "{'input_tokens':0,'output_tokens':9}", 400, true, 7, 9, ESTIMATED},
        {RC_ATTEMPT_END_DONE, "{'input_tokens':8}", 0, true, 8, 0, MEASURED}, /* an embedding */
        {RC_ATTEMPT_END_DONE, "{'input_tokens':8}", 40, true, 8, 10, ESTIMATED},
        {RC_ATTEMPT_END_DONE, "{'input_tokens':8,'output_tokens':0}", 0, true, 8, 0, MEASURED},
        {RC_ATTEMPT_END_DONE, "{'input_tokens':8,'output_tokens':0}", 40, true, 8, 10, ESTIMATED},
        {RC_ATTEMPT_END_CUT, "{'input_tokens':8,'output_tokens':0}", 40, true, 8, 10, ESTIMATED},
        {RC_ATTEMPT_END_COUNT, "{'input_tokens':8}", 40, true, 0, 0, FREE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rc_usage usage;
        rc_usage_init(&usage);
        if (rows[i].count)
            rc_usage_read_object(&usage, json_text(rows[i].count));
        usage.weight = rows[i].content;
        usage.is_final = rows[i].is_final;
        rc_charge charge = rc_usage_charge(&usage, rows[i].end, json_text(REQUEST));
        assert_charge(&charge, rows[i].input, rows[i].output, rows[i].flag);
    }
}

static void test_parts_of_a_charge(void **state)
{
    (void)state;
    rc_usage usage;
    rc_usage_init(&usage);
    rc_usage_read(&usage, json_text("{'usage':{'input_tokens':25,'cache_creation_input_tokens':10,"
                                    "'cache_read_input_tokens':100,'cache_creation':"
                                    "{'ephemeral_1h_input_tokens':6},'output_tokens':15,"
                                    "'output_tokens_details':{'reasoning_tokens':4},'cost':0.5}}"));
    rc_charge charge = rc_usage_charge(&usage, RC_ATTEMPT_END_DONE, json_text(REQUEST));
    assert_charge(&charge, 135, 15, MEASURED);
    assert_int_equal(charge.cached, 100);
    assert_int_equal(charge.written, 10);
    assert_int_equal(charge.written_1h, 6);
    assert_int_equal(charge.reasoning, 4);
    assert_true(charge.has_cost);
    assert_int_equal(charge.cost_micros, 500000);
    assert_int_equal(charge.images, 0);

    /* images and audio: the reported number; without one, the requested number */
    rc_usage_init(&usage);
    rc_usage_read(&usage, json_text("{'data':[{'url':'a'},{'url':'b'}]}"));
    charge = rc_usage_charge(&usage, RC_ATTEMPT_END_DONE, json_text("{'prompt':'a cat','n':3}"));
    assert_int_equal(charge.images, 2);
    rc_usage_init(&usage);
    charge = rc_usage_charge(&usage, RC_ATTEMPT_END_SILENT, json_text("{'prompt':'a cat','n':3}"));
    assert_int_equal(charge.images, 3);
    assert_false(charge.has_cost);
    charge = rc_usage_charge(&usage, RC_ATTEMPT_END_REFUSED, json_text("{'prompt':'a cat','n':3}"));
    assert_int_equal(charge.images, 0);
    rc_usage_read(&usage, json_text("{'usage':{'type':'duration','seconds':12}}"));
    charge = rc_usage_charge(&usage, RC_ATTEMPT_END_DONE, RC_STR("--x\r\n"));
    assert_charge(&charge, 0, 0, MEASURED);
    assert_int_equal(charge.audio_ms, 12000);
}

/* A complete response with a partial count: the missing part is estimated. */
static void test_partial_counts(void **state)
{
    (void)state;
    static const struct {
        const char *usage;
        uint64_t input;
        uint64_t output;
        basis flag;
    } rows[] = {
        {"{'prompt_tokens':5,'completion_tokens':9}", 5, 9, MEASURED},
        {"{'prompt_tokens':5}", 5, 10, ESTIMATED},
        {"{'prompt_tokens':5,'completion_tokens':null}", 5, 10, ESTIMATED},
        {"{'prompt_tokens':5,'completion_tokens':-7,'total_tokens':-2}", 5, 10, ESTIMATED},
        {"{'prompt_tokens':5,'completion_tokens':-7,'total_tokens':5}", 5, 10, ESTIMATED},
        {"{'prompt_tokens':5,'completion_tokens':2147483648}", 5, 10, ESTIMATED},
        {"{'prompt_tokens':5,'completion_tokens':200000000}", 5, 10, ESTIMATED},
        {"{'prompt_tokens':5,'completion_tokens':{}}", 5, 10, ESTIMATED},
        {"{'prompt_tokens':5,'completion_tokens':''}", 5, 10, ESTIMATED},
        {"{'prompt_tokens':5,'completion_tokens':1.5}", 5, 10, ESTIMATED},
        {"{'prompt_tokens':null,'completion_tokens':9}", 7, 9, ESTIMATED},
        {"{'prompt_tokens':-1,'completion_tokens':-1}", 7, 10, ESTIMATED},
        /* the total replaces a missing part */
        {"{'prompt_tokens':5,'completion_tokens':null,'total_tokens':12}", 5, 7, MEASURED},
        {"{'prompt_tokens':5,'total_tokens':12}", 5, 7, MEASURED},
        /* an output of 0 for a response with text is replaced by the estimate */
        {"{'prompt_tokens':5,'total_tokens':5}", 5, 10, ESTIMATED},
        {"{'prompt_tokens':5,'completion_tokens':0}", 5, 10, ESTIMATED},
        {"{'prompt_tokens':5,'completion_tokens':0,'total_tokens':5}", 5, 10, ESTIMATED},
        {"{'prompt_tokens':5,'completion_tokens':0,'total_tokens':12}", 5, 7, MEASURED},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512];
        rc_usage usage;
        rc_usage_init(&usage);
        snprintf(text, sizeof text,
                 "{'choices':[{'message':{'content':"
                 "'abcdefghijklmnopqrstuvwxyzabcdefghijklmn'}}],'usage':%s}",
                 rows[i].usage);
        rc_usage_read(&usage, json_text(text));
        const rc_charge charge = rc_usage_charge(&usage, RC_ATTEMPT_END_DONE, json_text(REQUEST));
        assert_charge(&charge, rows[i].input, rows[i].output, rows[i].flag);
    }
}

/* An output of 0 is used only if the response has no text. */
static void test_no_output(void **state)
{
    (void)state;
#define ZERO "'usage':{'input_tokens':8,'output_tokens':0}}"
#define GEMINI_ZERO "'usageMetadata':{'promptTokenCount':8,'candidatesTokenCount':0}}"
    static const struct {
        const char *text;
        uint64_t output;
    } rows[] = {
        {"{'id':'x','choices':[{'message':{'role':'assistant','content':''},'finish_reason':'"
         "length',"
         "'content_filter_results':{'hate':{'severity':'safe'}},'logprobs':null}]," ZERO,
         0},
        {"{'content':[],'stop_reason':'refusal'," ZERO, 0},
        {"{'object':'response','instructions':'Be brief.','output':[]," ZERO, 0},
        {"{'candidates':[{'finishReason':'SAFETY','safetyRatings':[{'category':'HARM',"
         "'probability':'HIGH'}]}]," GEMINI_ZERO,
         0},
        {"{'results':[{'document':{'text':'eight by'}}]," ZERO, 0},
        {"{'choices':[{'message':{'content':'eight by'}}]," ZERO, 2},
        {"{'choices':[{'text':'eight by'}]," ZERO, 2},
        {"{'choices':[{'message':{'content':null,'tool_calls':[{'id':'c','type':'function',"
         "'function':{'name':'look','arguments':'{}aa'}}]}}]," ZERO,
         2},
        {"{'content':[{'type':'text','text':'eight by'}]," ZERO, 2},
        {"{'object':'response','instructions':'Be brief.','output':[{'content':[{'text':'eight "
         "by'}]}]," ZERO,
         2},
        {"{'candidates':[{'content':{'parts':[{'text':'eight by'}]}}]," GEMINI_ZERO, 2},
        {"{'text':'eight by'," ZERO, 2},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rc_usage usage;
        rc_usage_init(&usage);
        print_message("%s\n", rows[i].text);
        rc_usage_read(&usage, json_text(rows[i].text));
        const rc_charge charge = rc_usage_charge(&usage, RC_ATTEMPT_END_DONE, json_text(REQUEST));
        assert_charge(&charge, 8, rows[i].output, rows[i].output > 0 ? ESTIMATED : MEASURED);
    }
#undef ZERO
#undef GEMINI_ZERO
}

/* Embeddings have no output tokens, in any encoding. */
static void test_embeddings(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "{'data':[{'embedding':[0.1,-2]}],'usage':{'prompt_tokens':8}}",
        "{'data':[{'object':'embedding','embedding':'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'}],"
        "'usage':{'prompt_tokens':8,'total_tokens':8}}",
        "{'data':[{'object':'embedding','embedding':'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'}],"
        "'usage':{'prompt_tokens':8,'completion_tokens':null}}",
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rc_usage usage;
        rc_usage_init(&usage);
        rc_usage_read(&usage, json_text(rows[i]));
        const rc_charge charge = rc_usage_charge(&usage, RC_ATTEMPT_END_DONE, json_text(REQUEST));
        assert_charge(&charge, 8, 0, MEASURED);
    }
}

/* Charges of streams. */
static void test_streams(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        rc_stream_dialect dialect;
        rc_attempt_end end;
        uint64_t input;
        uint64_t output;
        basis flag;
    } rows[] = {
        {ROLE DELTA("'content':'twelve bytes'") STOP("stop") CHAT_USAGE DONE, RC_STREAM_OPENAI_CHAT,
         RC_ATTEMPT_END_DONE, 20, 9, MEASURED},
        /* the request did not request usage */
        {ROLE DELTA("'content':'twelve bytes'") STOP("stop") DONE, RC_STREAM_OPENAI_CHAT,
         RC_ATTEMPT_END_DONE, 7, 3, ESTIMATED},
        /* the stream has a count, but no end */
        {ROLE DELTA("'content':'a'") STOP("stop") CHAT_USAGE, RC_STREAM_OPENAI_CHAT,
         RC_ATTEMPT_END_CUT, 20, 9, MEASURED},
        {ROLE DELTA("'content':'\\u4f60\\u597d'") DELTA("'content':'abcd'"), RC_STREAM_OPENAI_CHAT,
         RC_ATTEMPT_END_CUT, 7, 3, ESTIMATED},
        /* the arguments of a tool call are weighed, the JSON around them is not */
        {DELTA("'tool_calls':[{'index':0,'id':'call_1234567890','type':'function','function':"
               "{'name':'look','arguments':''}}]")
             DELTA("'tool_calls':[{'index':0,'function':{'arguments':'abcdefgh'}}]"),
         RC_STREAM_OPENAI_CHAT, RC_ATTEMPT_END_CANCELLED, 7, 3, ESTIMATED},
        {DELTA("'audio':{'id':'a','data':'AAAAAAAAAAAAAAAAAAAAAAAA'}"), RC_STREAM_OPENAI_CHAT,
         RC_ATTEMPT_END_CUT, 7, 0, ESTIMATED},
        {CLAUDE_START CLAUDE_TEXT("twelve bytes"), RC_STREAM_ANTHROPIC, RC_ATTEMPT_END_CUT, 135, 3,
         ESTIMATED},
        {CLAUDE_START CLAUDE_TEXT("twelve bytes") CLAUDE_END("end_turn"), RC_STREAM_ANTHROPIC,
         RC_ATTEMPT_END_DONE, 135, 15, MEASURED},
        {CLAUDE_START CLAUDE_DELTA("'type':'signature_delta','signature':'QUJDREVGR0hJSktM'"),
         RC_STREAM_ANTHROPIC, RC_ATTEMPT_END_CUT, 135, 1, ESTIMATED},
        /* content that is repeated at the end is weighed once */
        {RESPONSE_HEAD RESPONSE_TEXT("twelve bytes")
             RESPONSE("response.output_text.done", ",'text':'twelve bytes'"),
         RC_STREAM_OPENAI_RESPONSES, RC_ATTEMPT_END_CUT, 7, 3, ESTIMATED},
        {GEM(PARTS("{'text': 'a'}")), RC_STREAM_GEMINI, RC_ATTEMPT_END_CUT, 8, 12, ESTIMATED},
        {GEM(PARTS("{'text': 'a'}") ",'finishReason': 'STOP'"), RC_STREAM_GEMINI,
         RC_ATTEMPT_END_CUT, 8, 12, MEASURED},
    };
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    char text[STREAM_SAMPLE_MAX];
    rc_buf_init(&scratch, &alloc, 2 * RC_STREAM_EVENT_MAX_BYTES);
    for (size_t i = 0; i < COUNT(rows); i++) {
        stream_run run =
            stream_run_do(FORM_SSE, rows[i].dialect, stream_sample_text(rows[i].text, text),
                          CUT_NOT, &scratch, RC_STREAM_EVENT_MAX_BYTES);
        rc_charge charge = rc_usage_charge(&run.watch.usage, rows[i].end, json_text(REQUEST));
        assert_charge(&charge, rows[i].input, rows[i].output, rows[i].flag);
        stream_run_done(&run);
    }
    rc_buf_done(&scratch);
}

/* The count of an oversized event is in its last bytes. */
static void test_large_event(void **state)
{
    (void)state;
    static char text[8192];
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    rc_buf_init(&scratch, &alloc, sizeof text);
    size_t len = 0;
    rc_str head =
        json_text("event: response.completed\ndata: {'type':'response.completed','response':"
                  "{'status':'completed','output':[{'text':'");
    memcpy(text, head.ptr, head.len);
    len += head.len;
    memset(text + len, 'x', 5000);
    len += 5000;
    rc_str tail = json_text("'}],'usage':{'input_tokens':36,'output_tokens':87}}}\n\n");
    memcpy(text + len, tail.ptr, tail.len);
    len += tail.len;
    for (unsigned cut = CUT_NOT; cut < 9; cut++) {
        stream_run run = stream_run_do(FORM_SSE, RC_STREAM_OPENAI_RESPONSES, rc_str_make(text, len),
                                       cut, &scratch, 4096);
        rc_charge charge =
            rc_usage_charge(&run.watch.usage, RC_ATTEMPT_END_DONE, json_text(REQUEST));
        assert_charge(&charge, 36, 87, MEASURED);
        stream_run_done(&run);
    }
    rc_buf_done(&scratch);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(rc_attempt_end_name(RC_ATTEMPT_END_NOT_SENT), "not_sent");
    assert_string_equal(rc_attempt_end_name(RC_ATTEMPT_END_DONE), "done");
    assert_string_equal(rc_attempt_end_name(RC_ATTEMPT_END_COUNT), "unknown");
    for (unsigned i = 0; i < RC_ATTEMPT_END_COUNT; i++)
        assert_non_null(rc_attempt_end_name((rc_attempt_end)i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weight_of_text),
        cmocka_unit_test(test_weight_of_json),
        cmocka_unit_test(test_estimate),
        cmocka_unit_test(test_maximum_charge),
        cmocka_unit_test(test_every_end_of_an_attempt),
        cmocka_unit_test(test_parts_of_a_charge),
        cmocka_unit_test(test_partial_counts),
        cmocka_unit_test(test_no_output),
        cmocka_unit_test(test_embeddings),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_large_event),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
