/* The 25 defects that other gateways have had in translations between dialects, each as a test that
 * fails if this gateway has it, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "dialect/translate/write.h"
#include "support/translate_run.h"

#define CHAT 0
#define MESSAGES 1
#define GEMINI 2
#define RESPONSES 3
#define BYTES_MAX ((size_t)1 << 16)
#define ALL_FLAGS 0xffffffffu

typedef struct result {
    rc_status status;
    rc_fit fit;
    rc_feature refused;
    char text[16384];
} result;

static void keep(result *ret, rc_str text)
{
    assert_true(text.len < sizeof ret->text);
    if (text.len > 0)
        memcpy(ret->text, text.ptr, text.len);
}

/* Translates a request for a target that accepts what the flags say. */
static result request(int from, const char *body, int to, uint32_t flags)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_conversation c;
    rc_translation_plan plan;
    rc_buf bufs[2];
    result ret = {.fit = RC_FIT_REFUSED};
    rc_translate_target target = {.dialect = translate_dialects[to].dialect,
                                  .is_openai = true,
                                  .model = RC_STR("m"),
                                  .name = RC_STR("p/m"),
                                  .facts = {.is_known = true, .flags = flags}};
    rc_conversation_init(&c, &alloc);
    rc_buf_init(&bufs[0], &alloc, BYTES_MAX);
    rc_buf_init(&bufs[1], &alloc, BYTES_MAX);
    ret.status = rc_conversation_read(&c, translate_dialects[from].dialect, rc_str_c(body), false);
    assert_int_equal(ret.status, RC_OK);
    assert_int_equal(rc_translation_plan_make(&plan, &c, &target, &bufs[0]), RC_OK);
    ret.fit = plan.fit;
    ret.refused = plan.refused;
    if (plan.fit != RC_FIT_REFUSED)
        ret.status = rc_translation_write(&plan, &bufs[0], &bufs[1]);
    keep(&ret, rc_buf_get(&bufs[1]));
    rc_buf_done(&bufs[0]);
    rc_buf_done(&bufs[1]);
    rc_conversation_done(&c);
    return ret;
}

/* Translates the events of a stream, one a line. */
static result stream(int from, const char *lines, int to)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_output_facts facts = translate_facts(true);
    bool is_over = false;
    rc_buf out;
    result ret = {.status = RC_OK};
    rc_buf_init(&out, &alloc, BYTES_MAX);
    ret.status = translate_lines(&alloc, &translate_dialects[from], &translate_dialects[to], &facts,
                                 rc_str_c(lines), &out, &is_over);
    keep(&ret, rc_buf_get(&out));
    rc_buf_done(&out);
    return ret;
}

static void has(const result *r, const char *text)
{
    if (strstr(r->text, text) == NULL)
        fail_msg("no %s in %s", text, r->text);
}

static void lacks(const result *r, const char *text)
{
    if (strstr(r->text, text) != NULL)
        fail_msg("%s in %s", text, r->text);
}

/* The texts occur in this order. */
static void in_order(const result *r, const char *const *texts)
{
    const char *at = r->text;
    for (; *texts != NULL; texts++) {
        at = strstr(at, *texts);
        if (at == NULL)
            fail_msg("%s is not at its place in %s", *texts, r->text);
        at += strlen(*texts);
    }
}

/* ---- samples ---- */

#define CALLS                                                                                 \
    "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"a.b\",\"type\":"      \
    "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}},{\"id\":\"c2\",\"type\":" \
    "\"function\",\"function\":{\"name\":\"g\",\"arguments\":\"{\\\"k\\\":1}\"}}]}"
#define RESULTS                                                         \
    "{\"role\":\"tool\",\"tool_call_id\":\"a.b\",\"content\":\"one\"}," \
    "{\"role\":\"tool\",\"tool_call_id\":\"c2\",\"content\":\"two\"}"
#define TOOLS                                                                           \
    "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{"   \
    "\"$schema\":\"s\",\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"," \
    "\"minLength\":2},\"b\":{\"const\":7}},\"patternProperties\":{}}}}]"
#define CHAT_HISTORY \
    "{\"messages\":[{\"role\":\"user\",\"content\":\"q\"}," CALLS "," RESULTS "]," TOOLS "}"
#define MESSAGES_HISTORY                                                                         \
    "{\"max_tokens\":900,\"metadata\":{\"user_id\":\"u-1\"},\"messages\":[{\"role\":\"user\","   \
    "\"content\":[{\"type\":\"text\",\"text\":\"q\",\"cache_control\":{\"type\":\"ephemeral\"}"  \
    "}]},{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\","       \
    "\"signature\":\"EqQB\"},{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{}}]" \
    "},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"note\"},{\"type\":"         \
    "\"tool_result\",\"tool_use_id\":\"t1\",\"content\":[{\"type\":\"image\",\"source\":{"       \
    "\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"QUJD\"}}]}]}]}"

#define CHUNK(delta) "{\"choices\":[{\"index\":0,\"delta\":" delta ",\"finish_reason\":null}]}\n"
#define FINISH(reason) \
    "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}]}\n"
#define PART(index, rest, arguments) \
    CHUNK("{\"tool_calls\":[{\"index\":" index "," rest "\"function\":{" arguments "}}]}")
#define OPEN(index, id, text)                               \
    PART(index, "\"id\":\"" id "\",\"type\":\"function\",", \
         "\"name\":\"f\",\"arguments\":\"" text "\"")
#define MORE(index, text) PART(index, "", "\"arguments\":\"" text "\"")
#define DONE "[DONE]\n"
#define GEMINI_CALL(extra)                                                                        \
    "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\"}" extra "}]}}]}" \
    "\n"
#define GEMINI_STOP(reason) "{\"candidates\":[{\"finishReason\":\"" reason "\"}]}\n"
#define MESSAGE_START                                                          \
    "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":15," \
    "\"cache_read_input_tokens\":10,\"cache_creation_input_tokens\":5,\"output_tokens\":1}}}\n"

/* ---- requests ---- */

static void defect_01_foreign_signatures_after_a_switch(void **state)
{
    (void)state;
    const int targets[] = {CHAT, GEMINI, RESPONSES};
    for (size_t i = 0; i < 3; i++) {
        result got = request(MESSAGES, MESSAGES_HISTORY, targets[i], ALL_FLAGS);
        lacks(&got, "EqQB");
        lacks(&got, "hm");
    }
}

static void defect_02_thought_signature_lost(void **state)
{
    (void)state;
    const char *lines = GEMINI_CALL(",\"thoughtSignature\":\"c2ln\"") GEMINI_STOP("STOP");
    result chat = stream(GEMINI, lines, CHAT);
    result messages = stream(GEMINI, lines, MESSAGES);
    result responses = stream(GEMINI, lines, RESPONSES);
    has(&chat, "\"extra_content\":{\"google\":{\"thought_signature\":\"rc1.");
    has(&messages, "\"signature\":\"rc1.");
    has(&responses, "\"encrypted_content\":\"rc1.");
}

static void defect_03_signature_in_ids(void **state)
{
    (void)state;
    result got =
        stream(GEMINI, GEMINI_CALL(",\"thoughtSignature\":\"c2ln\"") GEMINI_STOP("STOP"), MESSAGES);
    has(&got, "\"id\":\"call_r1_0\"");
    lacks(&got, "c2ln");
}

static void defect_04_ids_of_other_letters_or_length(void **state)
{
    (void)state;
    result got = request(CHAT, CHAT_HISTORY, MESSAGES, ALL_FLAGS);
    char id[40];
    const char *at = strstr(got.text, "\"id\":\"call_");
    assert_non_null(at);
    snprintf(id, sizeof id, "%.29s", at + 6);
    assert_int_equal(strspn(id + 5, "0123456789abcdef"), 24);
    char want[80];
    snprintf(want, sizeof want, "\"tool_use_id\":\"%s\"", id);
    has(&got, want);
    lacks(&got, "a.b");
}

static void defect_05_results_not_behind_calls(void **state)
{
    (void)state;
    result got = request(MESSAGES, MESSAGES_HISTORY, CHAT, ALL_FLAGS);
    in_order(&got, (const char *const[]){"\"role\":\"assistant\"", "\"role\":\"tool\"",
                                         "\"role\":\"user\"", "note", NULL});
}

static void defect_06_id_or_name_of_a_result_lost(void **state)
{
    (void)state;
    result got = request(CHAT, CHAT_HISTORY, GEMINI, ALL_FLAGS);
    has(&got, "\"name\":\"f\",\"response\":{\"output\":\"one\"}");
    has(&got, "{\"functionResponse\":{\"id\":\"c2\",\"name\":\"g\",\"response\":{\"output\":"
              "\"two\"}}}");
}

static void defect_11_an_empty_text_for_an_empty_object(void **state)
{
    (void)state;
    result got = request(CHAT, CHAT_HISTORY, MESSAGES, ALL_FLAGS);
    has(&got, "\"name\":\"f\",\"input\":{}");
    result streamed = stream(CHAT, OPEN("0", "a", "") FINISH("tool_calls") DONE, RESPONSES);
    has(&streamed, "\"arguments\":\"{}\"");
}

static void defect_17_schema_keywords_at_gemini(void **state)
{
    (void)state;
    result got = request(CHAT, CHAT_HISTORY, GEMINI, ALL_FLAGS);
    has(&got, "\"parametersJsonSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
              "\"string\",\"description\":\"{minLength: 2}\"},\"b\":{\"enum\":[7]}},"
              "\"description\":\"{patternProperties: {}}\"}");
    lacks(&got, "$schema");
}

#define ASK "\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]"
#define JSON_SCHEMA                                                                          \
    "{" ASK ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":"      \
    "\"n\",\"strict\":true,\"schema\":{\"type\":\"object\",\"properties\":{\"k\":{\"type\":" \
    "\"string\"}},\"required\":[\"k\"],\"additionalProperties\":false}}}}"

static void defect_18_response_format_ignored(void **state)
{
    (void)state;
    for (int to = MESSAGES; to <= RESPONSES; to++) {
        result got = request(CHAT, JSON_SCHEMA, to, ALL_FLAGS);
        has(&got, "{\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"string\"}}");
        assert_int_equal(got.fit, to == MESSAGES ? got.fit : RC_FIT_EXACT);
    }
    result refused = request(CHAT, "{" ASK ",\"response_format\":{\"type\":\"json_object\"}}",
                             MESSAGES, ALL_FLAGS);
    assert_int_equal(refused.fit, RC_FIT_REFUSED);
    assert_int_equal(refused.refused, RC_FEATURE_JSON_OBJECT);
}

static void defect_19_system_turns_moved_or_lost(void **state)
{
    (void)state;
    const char *body =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"one\"},{\"role\":\"system\",\"content\":"
        "\"rule\"},{\"role\":\"user\",\"content\":\"two\"}]}";
    const char *const order[] = {"one", "rule", "two", NULL};
    for (int to = MESSAGES; to <= RESPONSES; to++) {
        result got = request(CHAT, body, to, 0);
        in_order(&got, order);
        lacks(&got, "assistant");
        lacks(&got, "\"model\",\"parts\"");
    }
}

static void defect_20_empty_texts(void **state)
{
    (void)state;
    for (int to = MESSAGES; to <= GEMINI; to++) {
        result got = request(CHAT, CHAT_HISTORY, to, ALL_FLAGS);
        lacks(&got, "\"text\":\"\"");
    }
}

static void defect_21_name_and_size_of_max_tokens(void **state)
{
    (void)state;
    result chat = request(MESSAGES, "{\"max_tokens\":7," ASK "}", CHAT, ALL_FLAGS);
    result responses = request(MESSAGES, "{\"max_tokens\":7," ASK "}", RESPONSES, ALL_FLAGS);
    result messages = request(CHAT, "{" ASK "}", MESSAGES, ALL_FLAGS);
    has(&chat, "\"max_completion_tokens\":7");
    has(&responses, "\"max_output_tokens\":16");
    has(&messages, "\"max_tokens\":8192");
}

static void defect_22_budget_against_max_tokens_effort_with_tools(void **state)
{
    (void)state;
    const uint32_t flags = ALL_FLAGS & ~(uint32_t)RC_MODEL_ADAPTIVE;
    result got = request(CHAT, "{\"reasoning_effort\":\"high\",\"max_tokens\":3000," ASK "}",
                         MESSAGES, flags);
    has(&got, "\"max_tokens\":3000");
    has(&got, "\"budget_tokens\":1500");
    result forced = request(
        CHAT, "{\"reasoning_effort\":\"high\",\"tool_choice\":\"required\"," TOOLS "," ASK "}",
        MESSAGES, flags);
    lacks(&forced, "budget_tokens");
    has(&forced, "\"tool_choice\":{\"type\":\"any\"}");
}

static void defect_23_cache_control_and_user_ids_passed_on(void **state)
{
    (void)state;
    const int targets[] = {CHAT, GEMINI, RESPONSES};
    for (size_t i = 0; i < 3; i++) {
        result got = request(MESSAGES, MESSAGES_HISTORY, targets[i], ALL_FLAGS);
        lacks(&got, "cache_control");
        lacks(&got, "u-1");
    }
}

static void defect_24_images_in_results_lost(void **state)
{
    (void)state;
    const int targets[] = {CHAT, GEMINI, RESPONSES};
    for (size_t i = 0; i < 3; i++) {
        result got = request(MESSAGES, MESSAGES_HISTORY, targets[i], ALL_FLAGS);
        has(&got, "QUJD");
    }
}

/* ---- responses ---- */

static void defect_07_interleaved_calls(void **state)
{
    (void)state;
    const char *lines = OPEN("0", "a", "{\\\"x\\\":") OPEN("1", "b", "{\\\"y\\\":") MORE("0", "1}")
        MORE("1", "2}") FINISH("tool_calls") DONE;
    result got = stream(CHAT, lines, MESSAGES);
    in_order(&got, (const char *const[]){"\"id\":\"a\"", "{\\\"x\\\":", "1}", "content_block_stop",
                                         "\"id\":\"b\"", "{\\\"y\\\":", "2}", NULL});
    result gemini = stream(CHAT, lines, GEMINI);
    has(&gemini, "\"args\":{\"x\":1}");
    has(&gemini, "\"args\":{\"y\":2}");
}

static void defect_08_index_0_for_all_calls(void **state)
{
    (void)state;
    result got = stream(GEMINI, GEMINI_CALL("") GEMINI_CALL("") GEMINI_STOP("STOP"), CHAT);
    has(&got, "\"tool_calls\":[{\"index\":0,\"id\":\"call_r1_0\"");
    has(&got, "\"tool_calls\":[{\"index\":1,\"id\":\"call_r1_1\"");
}

static void defect_09_arguments_of_the_opening_chunk_lost(void **state)
{
    (void)state;
    result got = stream(
        CHAT, OPEN("0", "a", "{\\\"x\\\":") MORE("0", "1}") FINISH("tool_calls") DONE, GEMINI);
    has(&got, "\"args\":{\"x\":1}");
}

static void defect_10_thinking_in_a_text_block(void **state)
{
    (void)state;
    const char *lines =
        CHUNK("{\"reasoning_content\":\"hm\"}") CHUNK("{\"content\":\"yes\"}") FINISH("stop") DONE;
    result got = stream(CHAT, lines, MESSAGES);
    has(&got, "{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}");
    lacks(&got, "\"text\":\"hm\"");
    result gemini = stream(CHAT, lines, GEMINI);
    has(&gemini, "{\"thought\":true,\"text\":\"hm\"}");
}

static void defect_12_stop_for_a_call(void **state)
{
    (void)state;
    result messages = stream(CHAT, OPEN("0", "a", "{}") FINISH("stop") DONE, MESSAGES);
    result chat = stream(GEMINI, GEMINI_CALL("") GEMINI_STOP("STOP"), CHAT);
    has(&messages, "\"stop_reason\":\"tool_use\"");
    has(&chat, "\"finish_reason\":\"tool_calls\"");
}

static void defect_13_failure_told_as_the_end(void **state)
{
    (void)state;
    for (int to = CHAT; to <= RESPONSES; to++) {
        if (to == GEMINI)
            continue;
        result got = stream(GEMINI, GEMINI_STOP("MALFORMED_FUNCTION_CALL"), to);
        assert_int_equal(got.status, RC_E_SYNTAX);
        assert_string_equal(got.text, "");
    }
}

static void defect_14_success_before_an_error(void **state)
{
    (void)state;
    const int targets[] = {CHAT, GEMINI, RESPONSES};
    for (size_t i = 0; i < 3; i++) {
        result got = stream(MESSAGES, MESSAGE_START "{\"type\":\"ping\"}\n", targets[i]);
        assert_int_equal(got.status, RC_OK);
        assert_string_equal(got.text, "");
    }
}

static void defect_15_cache_counted_twice(void **state)
{
    (void)state;
    const char *lines = MESSAGE_START
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{"
        "\"output_tokens\":4}}\n{\"type\":\"message_stop\"}\n";
    result chat = stream(MESSAGES, lines, CHAT);
    has(&chat, "\"prompt_tokens\":30,");
    has(&chat, "\"cached_tokens\":10}");
    result messages = stream(
        CHAT,
        CHUNK("{\"content\":\"a\"}") FINISH(
            "stop") "{\"choices\":[],\"usage\":{\"prompt_tokens\":30,\"completion_tokens\":4,"
                    "\"prompt_tokens_details\":{\"cached_tokens\":10}}}\n" DONE,
        MESSAGES);
    has(&messages, "\"input_tokens\":20,");
    has(&messages, "\"cache_read_input_tokens\":10,");
}

static void defect_16_input_tokens_0(void **state)
{
    (void)state;
    result got = stream(CHAT, CHUNK("{\"content\":\"a\"}") FINISH("stop") DONE, MESSAGES);
    has(&got, "\"usage\":{\"input_tokens\":5,");
    lacks(&got, "\"input_tokens\":0");
}

static void defect_25_events_of_responses_missing(void **state)
{
    (void)state;
    result got = stream(CHAT,
                        CHUNK("{\"reasoning_content\":\"hm\"}") CHUNK("{\"content\":\"yes\"}")
                            OPEN("0", "a", "{}") FINISH("tool_calls") DONE,
                        RESPONSES);
    in_order(&got, (const char *const[]){"response.created",
                                         "response.in_progress",
                                         "response.output_item.added",
                                         "response.reasoning_summary_part.added",
                                         "response.reasoning_summary_text.delta",
                                         "response.reasoning_summary_text.done",
                                         "response.reasoning_summary_part.done",
                                         "response.output_item.done",
                                         "response.output_item.added",
                                         "response.content_part.added",
                                         "response.output_text.delta",
                                         "response.output_text.done",
                                         "response.content_part.done",
                                         "response.output_item.done",
                                         "response.output_item.added",
                                         "response.function_call_arguments.delta",
                                         "response.function_call_arguments.done",
                                         "response.output_item.done",
                                         "response.completed",
                                         NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defect_01_foreign_signatures_after_a_switch),
        cmocka_unit_test(defect_02_thought_signature_lost),
        cmocka_unit_test(defect_03_signature_in_ids),
        cmocka_unit_test(defect_04_ids_of_other_letters_or_length),
        cmocka_unit_test(defect_05_results_not_behind_calls),
        cmocka_unit_test(defect_06_id_or_name_of_a_result_lost),
        cmocka_unit_test(defect_07_interleaved_calls),
        cmocka_unit_test(defect_08_index_0_for_all_calls),
        cmocka_unit_test(defect_09_arguments_of_the_opening_chunk_lost),
        cmocka_unit_test(defect_10_thinking_in_a_text_block),
        cmocka_unit_test(defect_11_an_empty_text_for_an_empty_object),
        cmocka_unit_test(defect_12_stop_for_a_call),
        cmocka_unit_test(defect_13_failure_told_as_the_end),
        cmocka_unit_test(defect_14_success_before_an_error),
        cmocka_unit_test(defect_15_cache_counted_twice),
        cmocka_unit_test(defect_16_input_tokens_0),
        cmocka_unit_test(defect_17_schema_keywords_at_gemini),
        cmocka_unit_test(defect_18_response_format_ignored),
        cmocka_unit_test(defect_19_system_turns_moved_or_lost),
        cmocka_unit_test(defect_20_empty_texts),
        cmocka_unit_test(defect_21_name_and_size_of_max_tokens),
        cmocka_unit_test(defect_22_budget_against_max_tokens_effort_with_tools),
        cmocka_unit_test(defect_23_cache_control_and_user_ids_passed_on),
        cmocka_unit_test(defect_24_images_in_results_lost),
        cmocka_unit_test(defect_25_events_of_responses_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
