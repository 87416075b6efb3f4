/* Tests of rc_usage: every form of token counts that providers send, and values that must be
 * ignored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/str.h"
#include "dialect/usage.h"
#include "dialect/usage_weight.h"
#include "support/json_text.h"
#include "json/find.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static rc_usage_count reported_by(const char *text)
{
    rc_usage usage;
    rc_usage_init(&usage);
    rc_usage_read(&usage, json_text(text));
    return rc_usage_reported(&usage);
}

static void assert_reported(const char *text, const rc_usage_count *wanted)
{
    rc_usage_count reported = reported_by(text);
    if (memcmp(&reported, wanted, sizeof reported) != 0)
        print_message("%s\n", text);
    assert_int_equal(reported.input, wanted->input);
    assert_int_equal(reported.output, wanted->output);
    assert_int_equal(reported.cached, wanted->cached);
    assert_int_equal(reported.written, wanted->written);
    assert_int_equal(reported.reasoning, wanted->reasoning);
    assert_int_equal(reported.written_1h, wanted->written_1h);
    assert_int_equal(reported.audio_ms, wanted->audio_ms);
    assert_int_equal(reported.images, wanted->images);
    assert_int_equal(reported.cost_micros, wanted->cost_micros);
}

/* The expected counts are in the order of rc_usage_count: input, output, cached, written,
 * reasoning, written_1h, audio_ms, images, cost. */
static void test_every_form(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        rc_usage_count reported;
    } rows[] = {
        /* OpenAI chat */
        {"{'id':'c','choices':[{'index':0,'message':{'role':'assistant','content':'Hi'}}],"
         "'usage':{'prompt_tokens':20,'completion_tokens':9,'total_tokens':29,"
         "'prompt_tokens_details':{'cached_tokens':16,'audio_tokens':0},"
         "'completion_tokens_details':{'reasoning_tokens':4,'audio_tokens':0,"
         "'accepted_prediction_tokens':0,'rejected_prediction_tokens':0}},'service_tier':'x'}",
         {20, 9, 16, -1, 4, -1, -1, -1, -1}},
        /* embeddings */
        {"{'object':'list','data':[{'object':'embedding','index':0,'embedding':[0.1,-2]}],"
         "'model':'e','usage':{'prompt_tokens':8,'total_tokens':8}}",
         {8, -1, -1, -1, -1, -1, -1, -1, -1}},
        /* responses API: a body, and the last event of a stream */
        {"{'id':'r','object':'response','output':[],'usage':{'input_tokens':36,"
         "'input_tokens_details':{'cached_tokens':12},'output_tokens':87,"
         "'output_tokens_details':{'reasoning_tokens':64},'total_tokens':123}}",
         {36, 87, 12, -1, 64, -1, -1, -1, -1}},
        {"{'type':'response.completed','response':{'id':'r','usage':{'input_tokens':36,"
         "'output_tokens':87,'total_tokens':123}}}",
         {36, 87, -1, -1, -1, -1, -1, -1, -1}},
        /* Anthropic: input_tokens does not include cached tokens */
        {"{'type':'message','content':[],'usage':{'input_tokens':25,"
         "'cache_creation_input_tokens':10,'cache_read_input_tokens':100,'cache_creation':"
         "{'ephemeral_5m_input_tokens':4,'ephemeral_1h_input_tokens':6},'output_tokens':15,"
         "'service_tier':'standard','server_tool_use':{'web_search_requests':2}}}",
         {135, 15, 100, 10, -1, 6, -1, -1, -1}},
        {"{'type':'message_start','message':{'usage':{'input_tokens':25,'output_tokens':1}}}",
         {25, 1, -1, -1, -1, -1, -1, -1, -1}},
        /* Gemini: thoughts and tool tokens are counted separately */
        {"{'candidates':[],'usageMetadata':{'promptTokenCount':8,'candidatesTokenCount':5,"
         "'thoughtsTokenCount':7,'toolUsePromptTokenCount':3,'cachedContentTokenCount':6,"
         "'totalTokenCount':23,'promptTokensDetails':[{'modality':'TEXT','tokenCount':8}]}}",
         {11, 12, 6, -1, 7, -1, -1, -1, -1}},
        /* a blocked prompt */
        {"{'promptFeedback':{'blockReason':'SAFETY'},'usageMetadata':{'promptTokenCount':8,"
         "'totalTokenCount':8}}",
         {8, -1, -1, -1, -1, -1, -1, -1, -1}},
        /* Groq, DeepSeek, OpenRouter */
        {"{'choices':[],'x_groq':{'id':'q','usage':{'prompt_tokens':3,'completion_tokens':4}}}",
         {3, 4, -1, -1, -1, -1, -1, -1, -1}},
        {"{'usage':{'prompt_tokens':30,'completion_tokens':4,'prompt_cache_hit_tokens':10,"
         "'prompt_cache_miss_tokens':20,'total_tokens':34}}",
         {30, 4, 10, -1, -1, -1, -1, -1, -1}},
        {"{'usage':{'prompt_tokens':30,'completion_tokens':4,'cost':0.0001234,"
         "'cost_details':{'upstream_inference_cost':null}}}",
         {30, 4, -1, -1, -1, -1, -1, -1, 123}},
        {"{'usage':{'prompt_tokens':30,'completion_tokens':4,'cost':9.55e-05}}",
         {30, 4, -1, -1, -1, -1, -1, -1, 96}},
        /* a relay with both names: its total includes cached tokens */
        {"{'usage':{'prompt_tokens':130,'cache_read_input_tokens':100,"
         "'cache_creation_input_tokens':10,'completion_tokens':4,'total_tokens':134}}",
         {130, 4, 100, 10, -1, -1, -1, -1, -1}},
        /* xAI: reasoning is not in the output; Gemini's OpenAI-compatible API does not report it */
        {"{'usage':{'prompt_tokens':10,'completion_tokens':4,'total_tokens':114,"
         "'completion_tokens_details':{'reasoning_tokens':100}}}",
         {10, 104, -1, -1, 100, -1, -1, -1, -1}},
        {"{'usage':{'prompt_tokens':10,'completion_tokens':4,'total_tokens':114}}",
         {10, 104, -1, -1, 100, -1, -1, -1, -1}},
        /* a total that no rule explains */
        {"{'usage':{'prompt_tokens':10,'completion_tokens':14,'total_tokens':99,"
         "'completion_tokens_details':{'reasoning_tokens':8}}}",
         {10, 14, -1, -1, 8, -1, -1, -1, -1}},
        /* Bedrock, Cohere, Ollama */
        {"{'usage':{'inputTokens':5,'cacheReadInputTokens':3,'cacheWriteInputTokens':2,"
         "'outputTokens':7,'totalTokens':17}}",
         {10, 7, 3, 2, -1, -1, -1, -1, -1}},
        {"{'usage':{'billed_units':{'input_tokens':5.0,'output_tokens':41.00},'tokens':"
         "{'input_tokens':71,'output_tokens':41}}}",
         {5, 41, -1, -1, -1, -1, -1, -1, -1}},
        {"{'model':'llama3','response':'Hi','done':true,'prompt_eval_count':26,'eval_count':9}",
         {26, 9, -1, -1, -1, -1, -1, -1, -1}},
        /* images: billed by token, or by image */
        {"{'created':1,'data':[{'b64_json':'aGk='}],'usage':{'input_tokens':50,"
         "'input_tokens_details':{'text_tokens':10,'image_tokens':40},'output_tokens':1056}}",
         {50, 1056, -1, -1, -1, -1, -1, 1, -1}},
        {"{'created':1,'data':[{'url':'https://x/1','revised_prompt':'{a}'},{'url':'b'}]}",
         {-1, -1, -1, -1, -1, -1, -1, 2, -1}},
        /* audio: billed by token, or by second */
        {"{'text':'Hi','usage':{'type':'tokens','input_tokens':14,'input_token_details':"
         "{'text_tokens':0,'audio_tokens':14},'output_tokens':45,'total_tokens':59}}",
         {14, 45, -1, -1, -1, -1, -1, -1, -1}},
        {"{'text':'Hi','usage':{'type':'duration','seconds':3.25}}",
         {-1, -1, -1, -1, -1, -1, 3250, -1, -1}},
        /* 12.0 is a valid count */
        {"{'usage':{'prompt_tokens':12.0,'completion_tokens':3.}}",
         {12, -1, -1, -1, -1, -1, -1, -1, -1}},
        {"{'usage':{'prompt_tokens':12,'completion_tokens':09}}",
         {12, -1, -1, -1, -1, -1, -1, -1, -1}},
        {"{'usage':{'prompt_tokens':12.0,'completion_tokens':3.5}}",
         {12, -1, -1, -1, -1, -1, -1, -1, -1}},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_reported(rows[i].body, &rows[i].reported);
}

#define NOTHING                            \
    {                                      \
        -1, -1, -1, -1, -1, -1, -1, -1, -1 \
    }

/* Counts that are malformed, out of range or in the wrong member are ignored. */
static void test_ignored_values(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "",
        "null",
        "[]",
        "{}",
        "'usage'",
        "{'usage':null}",
        "{'usage':[]}",
        "{'usage':{}}",
        "{'usage':7}",
        "{'usage':'{}'}",
        "{'usage':{'prompt_tokens':null,'completion_tokens':true}}",
        "{'usage':{'prompt_tokens':'20','completion_tokens':'9'}}",
        "{'usage':{'prompt_tokens':-20,'completion_tokens':-9}}",
        "{'usage':{'prompt_tokens':1.5,'completion_tokens':1e3}}",
        "{'usage':{'prompt_tokens':100000001,'completion_tokens':9223372036854775807}}",
        "{'usage':{'prompt_tokens':9223372036854775808,'completion_tokens':1e999}}",
        "{'usage':{'prompt_tokens':99999999999999999999999999999999}}",
        "{'usage':{'prompt_tokens':[20],'completion_tokens':{'n':9}}}",
        "{'usage':{'deep':{'prompt_tokens':20}}}",
        "{'usage':{'prompt_tokens':20,'completion_tokens':9",
        "{'usage':{'prompt_tokens':2",
        "{'usage':{'prompt_tokens':20 'completion_tokens':9}}",
        "{'usage':{'prompt_tokens':20,'completion_tokens':nil}}",
        "{'usage':{'prompt_tokens':20,,}}",
        "{'usage':{'prompt_tokens':20]}",
        "{'choices':[{'usage':{'prompt_tokens':20}}]}", /* this member is read only in streams */
        "{'a':{'usage':{'prompt_tokens':20}}}",
        "{'message':{'message':{'usage':{'prompt_tokens':20}}}}",
        "{'usage':{'seconds':-1}}",
        "{'usage':{'seconds':1e30}}",
        "{'usage':{'cost':-0.1}}",
        /* the response of a token-counting endpoint is not usage */
        "{'input_tokens':2095}",
        "{'totalTokens':31,'promptTokensDetails':[{'modality':'TEXT','tokenCount':31}]}",
        "{'prompt_eval_count':'26','eval_count':null}",
        "{'data':[{'embedding':[1]},{'url':'x'}]}",
        "{'data':[{'url':'x'}",
        "{'data':{'url':'x'}}",
    };
    static const rc_usage_count nothing = NOTHING;
    for (size_t i = 0; i < COUNT(bodies); i++)
        assert_reported(bodies[i], &nothing);
}

/* Reads every prefix of a body: the result is either the whole count or none. */
static void test_every_prefix(void **state)
{
    (void)state;
    static const char body[] = "{'id':'m','usage':{'input_tokens':25,'cache_read_input_tokens':"
                               "100,'output_tokens':1500},'content':[{'text':'a'}]}";
    char text[sizeof body];
    size_t whole = (size_t)(strstr(body, "},'content'") - body) + 1;
    for (size_t len = 0; len < sizeof body; len++) {
        memcpy(text, body, len);
        text[len] = '\0';
        rc_usage_count reported = reported_by(text);
        assert_int_equal(reported.input, len >= whole ? 125 : -1);
        assert_int_equal(reported.output, len >= whole ? 1500 : -1);
    }
}

/* Reads the parts of a stream. Each count includes the earlier ones, so the last one is used. */
static void test_parts(void **state)
{
    (void)state;
    rc_usage usage;
    rc_usage_init(&usage);
    assert_false(rc_usage_has_tokens(&usage));
    assert_true(rc_usage_read_object(&usage, json_text("{'input_tokens':25,'output_tokens':1}")));
    assert_true(rc_usage_read_object(&usage, json_text("{'output_tokens':15}")));
    assert_int_equal(rc_usage_reported(&usage).input, 25);
    assert_int_equal(rc_usage_reported(&usage).output, 15);
    /* some relays end a stream with counts of 0 */
    assert_true(rc_usage_read_object(&usage, json_text("{'input_tokens':0,'output_tokens':0}")));
    assert_int_equal(rc_usage_reported(&usage).input, 25);
    assert_int_equal(rc_usage_reported(&usage).output, 15);
    assert_true(rc_usage_read_object(&usage, json_text("{'output_tokens':14}")));
    assert_int_equal(rc_usage_reported(&usage).output, 14);
    assert_false(rc_usage_read_object(&usage, json_text("{'output_tokens':99")));
    assert_int_equal(rc_usage_reported(&usage).output, 14);

    rc_usage part;
    rc_usage_init(&part);
    part.weight = 8;
    part.images = 2;
    rc_usage_add(&usage, &part);
    rc_usage_add(&usage, &part);
    assert_int_equal(usage.weight, 16);
    assert_int_equal(rc_usage_reported(&usage).images, 2);
    assert_int_equal(rc_usage_reported(&usage).output, 14);

    /* reads a number by its name, as in streams with counts at the top level */
    assert_true(rc_usage_read_number(&usage, RC_STR("eval_count"), RC_STR("77")));
    assert_false(rc_usage_read_number(&usage, RC_STR("eval_counts"), RC_STR("78")));
    assert_false(rc_usage_read_number(&usage, RC_STR("cache_creation"), RC_STR("78")));
    assert_false(rc_usage_read_number(&usage, RC_STR("eval_count"), RC_STR("x")));
    assert_int_equal(rc_usage_reported(&usage).output, 77);
}

/* Cached, written and reasoning tokens never exceed their total. */
static void test_parts_never_exceed_their_total(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        rc_usage_count reported;
    } rows[] = {
        {"{'usage':{'prompt_tokens':10,'cached_tokens':16,'completion_tokens':2,"
         "'reasoning_tokens':3}}",
         {10, 2, 10, -1, 2, -1, -1, -1, -1}},
        {"{'usage':{'prompt_tokens':10,'cached_tokens':8,'cache_creation_input_tokens':5,"
         "'cache_creation':{'ephemeral_1h_input_tokens':9}}}",
         {10, -1, 8, 2, -1, 2, -1, -1, -1}},
        {"{'usage':{'cached_tokens':8,'reasoning_tokens':3}}", {-1, -1, 0, -1, 0, -1, -1, -1, -1}},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_reported(rows[i].body, &rows[i].reported);
}

/* The size of a usage object and its nesting depth are limited. */
static void test_ceilings(void **state)
{
    (void)state;
    static char text[RC_USAGE_OBJECT_MAX_BYTES + 64];
    for (int is_over = 0; is_over < 2; is_over++) {
        rc_usage usage;
        rc_usage_init(&usage);
        size_t len = RC_USAGE_OBJECT_MAX_BYTES + (size_t)is_over;
        memset(text, ' ', len);
        memcpy(text, "{\"prompt_tokens\":5", 18);
        text[len - 1] = '}';
        assert_int_equal(rc_usage_read_object(&usage, rc_str_make(text, len)), !is_over);
    }
    rc_usage usage;
    rc_usage_init(&usage);
    assert_true(rc_usage_read_object(
        &usage,
        json_text("{'cache_creation':{'cache_creation':{'cache_creation':{'prompt_tokens':1}}}}")));
    assert_false(rc_usage_read_object(
        &usage, json_text("{'cache_creation':{'cache_creation':{'cache_creation':{'cache_creation':"
                          "{'prompt_tokens':2}}}}}")));
    /* skipped values may be nested to any depth */
    char deep[900];
    int at = snprintf(deep, sizeof deep, "{\"prompt_tokens\":3,\"x\":");
    memset(deep + at, '[', 400);
    memset(deep + at + 400, ']', 400);
    deep[at + 800] = '}';
    assert_true(rc_usage_read_object(&usage, rc_str_make(deep, (size_t)at + 801)));
    assert_int_equal(rc_usage_reported(&usage).input, 3);
}

static void test_tail(void **state)
{
    (void)state;
    static const struct {
        const char *tail;
        int64_t input;
        int64_t output;
    } rows[] = {
        {"AAAA'}],'usage':{'input_tokens':5,'output_tokens':1056}}", 5, 1056},
        {"AAAA'}],'usage' : {'prompt_tokens':5,'total_tokens':5}}", 5, -1},
        {"AAAA'}]}}],'usageMetadata': {'promptTokenCount': 8,'candidatesTokenCount': 1290}}", 8,
         1290},
        /* two objects: the last one is used */
        {"},'usage':{'prompt_tokens':1,'completion_tokens':2}}data: {'usage':{'prompt_tokens':3}}",
         3, 2},
        /* a name inside a text is not a key, and a truncated name is not, either */
        {"\\'usage\\':{'prompt_tokens':1}", -1, -1},
        {"usage':{'prompt_tokens':1}", -1, -1},
        {"'usage':{'prompt_tokens':1}", -1, -1}, /* the byte before the quote is not known, so the
                                                    quote may be escaped */
        {"x'usage':{'prompt_tokens':1", -1, -1},
        {"x'usage':", -1, -1},
        {"x'usage'", -1, -1},
        {"x'usage':[{'prompt_tokens':1}]", -1, -1},
        {"x'usages':{'prompt_tokens':1}", -1, -1},
        {"", -1, -1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rc_usage usage;
        rc_usage_init(&usage);
        bool is_read = rc_usage_read_tail(&usage, json_text(rows[i].tail));
        assert_int_equal(is_read, rows[i].input >= 0);
        assert_int_equal(usage.is_final, is_read);
        assert_int_equal(rc_usage_reported(&usage).input, rows[i].input);
        assert_int_equal(rc_usage_reported(&usage).output, rows[i].output);
    }
}

/* The text is weighed if the body has no count, otherwise not. */
static void test_weight_of_a_body(void **state)
{
    (void)state;
    rc_usage usage;
    rc_usage_init(&usage);
    assert_false(
        rc_usage_read(&usage, json_text("{'id':'chatcmpl-123','object':'chat.completion',"
                                        "'choices':[{'message':{'role':'assistant','content':"
                                        "'twelve bytes'},'finish_reason':'stop'}]}")));
    assert_int_equal(usage.weight, 12);
    assert_false(usage.is_final);
    assert_true(rc_usage_read(
        &usage, json_text("{'x':'more','usage':{'prompt_tokens':1,'completion_tokens':1}}")));
    assert_int_equal(usage.weight, 12);
    assert_true(usage.is_final);
    /* If only the count of the output is missing, the response's text is weighed, too. */
    rc_usage_init(&usage);
    assert_true(rc_usage_read(&usage, json_text("{'x':'more','usage':{'prompt_tokens':1}}")));
    assert_int_equal(usage.weight, 4);
    assert_true(usage.is_final);
}

/* Every row of the table is found by its name. */
static void test_every_member(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *what;
    } rows[] = {
#define RC_USAGE_MEMBER(name, WHAT) {name, #WHAT},
#include "spec/usage.def"
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[128];
        rc_usage usage;
        rc_usage_init(&usage);
        print_message("%s\n", rows[i].name);
        snprintf(text, sizeof text, "{'%s':%s}", rows[i].name,
                 strcmp(rows[i].what, "DETAILS") == 0 ? "{'prompt_tokens':7}" : "7");
        rc_usage_read_object(&usage, json_text(text));
        size_t found = 0;
        for (size_t k = 0; k < RC_USAGE_NUMBER_COUNT; k++)
            found += usage.numbers[k] >= 7;
        assert_int_equal(found, 1);
    }
}

/* Tests the fast path for digits, and numbers that it must not accept. */
static void test_digits(void **state)
{
    (void)state;
    static const struct {
        const char *number;
        int64_t value;
    } rows[] = {
        {"0", 0},          {"7", 7},          {"100000000", RC_USAGE_MAX},
        {"100000001", -1}, {"999999999", -1}, {"9999999999", -1},
        {"007", -1},       {"12.0", 12},      {"12.5", -1},
        {"-3", -1},        {"1e2", -1},       {"'12'", -1},
        {"12 ", 12},       {"null", -1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[128];
        rc_usage usage;
        print_message("%s\n", rows[i].number);
        for (int location = 0; location < 2; location++) {
            rc_usage_init(&usage);
            snprintf(text, sizeof text,
                     location == 0 ? "{'prompt_tokens':%s}" : "{'prompt_tokens':%s,'x':1}",
                     rows[i].number);
            rc_usage_read_object(&usage, json_text(text));
            assert_int_equal(usage.numbers[RC_USAGE_INPUT], rows[i].value);
        }
    }
}

/* The scan for usage also checks the JSON of the top level. Nothing is read from a malformed or
 * truncated text. */
static void test_checked(void **state)
{
    (void)state;
    const rc_str body = json_text("{'usage':{'prompt_tokens':3,'completion_tokens':4},'x':[1]}");
    rc_usage plain;
    rc_usage checked;
    rc_usage_init(&plain);
    rc_usage_init(&checked);
    assert_true(rc_usage_read(&plain, body));
    assert_int_equal(rc_usage_read_checked(&checked, body, NULL, 0), RC_OK);
    assert_memory_equal(&checked, &plain, sizeof plain);
    rc_usage_init(&plain);
    rc_usage_init(&checked);
    for (size_t len = 0; len < body.len; len++)
        assert_int_equal(rc_usage_read_checked(&checked, rc_str_slice(body, 0, len), NULL, 0),
                         RC_E_TRUNCATED);
    assert_int_equal(
        rc_usage_read_checked(&checked, json_text("{'usage':{'prompt_tokens':3}}}"), NULL, 0),
        RC_E_SYNTAX);
    assert_memory_equal(&checked, &plain, sizeof plain);
    const rc_str list = json_text("[{'text':'one two three'}]");
    assert_false(rc_usage_read(&plain, list));
    assert_int_equal(rc_usage_read_checked(&checked, list, NULL, 0), RC_E_TYPE);
    assert_true(plain.weight > 0);
    assert_memory_equal(&checked, &plain, sizeof plain);
}

/* The further members are found in the same scan and do not change the counts. */
static void test_more_members(void **state)
{
    (void)state;
    const rc_str body =
        json_text("{'choices':[1, 2],'usage':{'prompt_tokens':3,'completion_tokens':4},'b':null}");
    rc_json_member more[RC_USAGE_MORE_MAX] = {{.key = RC_STR("choices")}, {.key = RC_STR("c")}};
    rc_usage plain;
    rc_usage checked;
    rc_usage_init(&plain);
    rc_usage_init(&checked);
    assert_true(rc_usage_read(&plain, body));
    assert_int_equal(rc_usage_read_checked(&checked, body, more, COUNT(more)), RC_OK);
    assert_memory_equal(&checked, &plain, sizeof plain);
    assert_true(more[0].is_found);
    assert_int_equal(more[0].value.type, RC_JSON_ARRAY_BEGIN);
    assert_true(
        rc_str_eq(rc_str_slice(body, more[0].value.offset, more[0].value_end), RC_STR("[1, 2]")));
    assert_false(more[1].is_found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_form),
        cmocka_unit_test(test_ignored_values),
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_parts_never_exceed_their_total),
        cmocka_unit_test(test_ceilings),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_weight_of_a_body),
        cmocka_unit_test(test_checked),
        cmocka_unit_test(test_more_members),
        cmocka_unit_test(test_every_member),
        cmocka_unit_test(test_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
