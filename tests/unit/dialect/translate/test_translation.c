/* Tests of translated requests: what a request in one dialect becomes in another, what is told to
 * be adapted, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "dialect/translate/write.h"
#include "support/fail_alloc.h"
#include "support/json_query.h"

#define ALL_FLAGS 0xffffffffu

typedef struct translated {
    char body[8192];
    char names[512];
    rc_fit fit;
    rc_feature refused;
    rc_status status;
} translated;

static rc_translate_target target_of(rc_dialect dialect, uint32_t flags)
{
    return (rc_translate_target){
        .dialect = dialect, .model = RC_STR("m"), .facts = {.is_known = true, .flags = flags}};
}

static void copy_text(char *to, size_t size, rc_str text)
{
    assert_true(text.len < size);
    if (text.len > 0)
        memcpy(to, text.ptr, text.len);
    to[text.len] = '\0';
}

static rc_status run(const rc_alloc *alloc, rc_dialect from, const char *body,
                     const rc_translate_target *target, translated *ret)
{
    rc_conversation c;
    rc_translation_plan plan;
    rc_buf scratch;
    rc_buf out;
    rc_buf names;
    *ret = (translated){.fit = RC_FIT_REFUSED};
    rc_conversation_init(&c, alloc);
    rc_buf_init(&scratch, alloc, 1 << 20);
    rc_buf_init(&out, alloc, 1 << 20);
    rc_buf_init(&names, alloc, RC_PLAN_NAMES_MAX);
    rc_status status = rc_conversation_read(&c, from, rc_str_c(body), false);
    assert_true(rc_conversation_validate(&c));
    if (status == RC_OK)
        status = rc_translation_plan_make(&plan, &c, target, &scratch);
    if (status == RC_OK) {
        ret->fit = plan.fit;
        ret->refused = plan.refused;
        rc_translation_plan_push_names(&plan, &names);
        if (plan.fit != RC_FIT_REFUSED)
            status = rc_translation_write(&plan, &scratch, &out);
        if (status == RC_OK)
            status = rc_buf_status(&names);
    }
    if (status == RC_OK) {
        copy_text(ret->body, sizeof ret->body, rc_buf_get(&out));
        copy_text(ret->names, sizeof ret->names, rc_buf_get(&names));
    }
    rc_conversation_done(&c);
    rc_buf_done(&scratch);
    rc_buf_done(&out);
    rc_buf_done(&names);
    ret->status = status;
    return status;
}

static translated translate(rc_dialect from, const char *body, rc_dialect to, uint32_t flags)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_translate_target target = target_of(to, flags);
    translated ret;
    run(&alloc, from, body, &target, &ret);
    if (ret.status == RC_OK && ret.fit != RC_FIT_REFUSED) { /* whatever is written is valid JSON */
        json_object *root = query_parse(rc_str_c(ret.body));
        json_object_put(root);
    }
    return ret;
}

#define CHAT RC_DIALECT_OPENAI_CHAT
#define MESSAGES RC_DIALECT_ANTHROPIC
#define GEMINI RC_DIALECT_GEMINI
#define RESPONSES RC_DIALECT_OPENAI_RESPONSES
#define NO_LEVELS (ALL_FLAGS & ~(uint32_t)RC_MODEL_ADAPTIVE)

/* ---- requests word for word ---- */

typedef struct row {
    const char *about;
    rc_dialect from;
    const char *body;
    rc_dialect to;
    uint32_t flags;
    const char *want;
    const char *names;
} row;

static const row rows[] = {
    {"a plain question", MESSAGES,
     "{\"model\":\"c\",\"max_tokens\":50,\"system\":\"Be brief.\",\"messages\":[{\"role\":\"user\","
     "\"content\":\"Hi \\\"you\\\"\\n\"}]}",
     CHAT, ALL_FLAGS,
     "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":"
     "\"user\",\"content\":\"Hi \\\"you\\\"\\n\"}],\"max_tokens\":50}",
     ""},
    {"the same back", CHAT,
     "{\"model\":\"g\",\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":"
     "\"user\",\"content\":\"Hi\"}],\"max_completion_tokens\":50,\"temperature\":0.5}",
     MESSAGES, ALL_FLAGS,
     "{\"model\":\"m\",\"max_tokens\":50,\"system\":[{\"type\":\"text\",\"text\":\"Be brief.\"}],"
     "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]}],"
     "\"temperature\":0.5}",
     ""},
    {"a call and its result", MESSAGES,
     "{\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"w?\"},{\"role\":"
     "\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Look.\"},{\"type\":\"tool_use\","
     "\"id\":\"toolu_1\",\"name\":\"get\",\"input\":{\"a\":\"x\\\"y\"}}]},{\"role\":\"user\","
     "\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"is_error\":true,"
     "\"content\":\"none\"},{\"type\":\"text\",\"text\":\"Go on\"}]}],\"tools\":[{\"name\":\"get\","
     "\"description\":\"D\",\"input_schema\":{\"type\":\"object\"}}],\"tool_choice\":{\"type\":"
     "\"any\",\"disable_parallel_tool_use\":true}}",
     CHAT, ALL_FLAGS,
     "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"w?\"},{\"role\":"
     "\"assistant\","
     "\"content\":\"Look.\",\"tool_calls\":[{\"id\":\"toolu_1\",\"type\":\"function\",\"function\":"
     "{\"name\":\"get\",\"arguments\":\"{\\\"a\\\":\\\"x\\\\\\\"y\\\"}\"}}]},{\"role\":\"tool\","
     "\"tool_call_id\":\"toolu_1\",\"content\":\"Error: "
     "none\"},{\"role\":\"user\",\"content\":\"Go "
     "on\"}],\"max_tokens\":9,\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"get\","
     "\"description\":\"D\",\"parameters\":{\"type\":\"object\"}}}],\"tool_choice\":\"required\","
     "\"parallel_tool_calls\":false}",
     "tool_result.error"},
    {"calls without tools, results in front", CHAT,
     "{\"messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":"
     "null,"
     "\"tool_calls\":[{\"id\":\"a.b\",\"type\":\"function\",\"function\":{\"name\":\"f\","
     "\"arguments\":\"{\\\"k\\\": 1}\"}},{\"id\":\"c2\",\"type\":\"function\",\"function\":{"
     "\"name\":\"f\",\"arguments\":\"\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"a.b\","
     "\"content\":"
     "\"r1\"},{\"role\":\"tool\",\"tool_call_id\":\"c2\",\"content\":\"r2\"},{\"role\":\"user\","
     "\"content\":\"next\"}]}",
     MESSAGES, ALL_FLAGS,
     "{\"model\":\"m\",\"max_tokens\":8192,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
     "\"text\",\"text\":\"q\"}]},{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\","
     "\"id\":"
     "\"call_1b1b\",\"name\":\"f\",\"input\":{\"k\": "
     "1}},{\"type\":\"tool_use\",\"id\":\"c2\",\"name\":"
     "\"f\",\"input\":{}}]},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
     "\"tool_use_id\":\"call_1b1b\",\"content\":[{\"type\":\"text\",\"text\":\"r1\"}]},{\"type\":"
     "\"tool_result\",\"tool_use_id\":\"c2\",\"content\":[{\"type\":\"text\",\"text\":\"r2\"}]},{"
     "\"type\":\"text\",\"text\":\"next\"}]}],\"tools\":[{\"name\":\"f\",\"input_schema\":{"
     "\"type\":"
     "\"object\",\"properties\":{}}}]}",
     "tools.implied"},
    {"images and a document", MESSAGES,
     "{\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image\","
     "\"source\":"
     "{\"type\":\"base64\",\"media_type\":\"image/jpeg\",\"data\":\"QUJD\"}},{\"type\":\"image\","
     "\"source\":{\"type\":\"url\",\"url\":\"https://e.test/a.png\"}},{\"type\":\"document\","
     "\"title\":\"t.pdf\",\"source\":{\"type\":\"base64\",\"media_type\":\"application/pdf\","
     "\"data\":\"UERG\"}},{\"type\":\"text\",\"text\":\"?\",\"cache_control\":{\"type\":"
     "\"ephemeral\"}}]}]}",
     CHAT, ALL_FLAGS,
     "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\","
     "\"image_url\":{\"url\":\"data:image/"
     "jpeg;base64,QUJD\"}},{\"type\":\"image_url\",\"image_url\":"
     "{\"url\":\"https://e.test/a.png\"}},{\"type\":\"file\",\"file\":{\"filename\":\"t.pdf\","
     "\"file_data\":\"data:application/pdf;base64,UERG\"}},{\"type\":\"text\",\"text\":\"?\"}]}],"
     "\"max_tokens\":9}",
     "cache_control"},
    {"data URLs, media of a result", CHAT,
     "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{"
     "\"url\":"
     "\"data:image/png;base64,QUJD\",\"detail\":\"low\"}},{\"type\":\"text\",\"text\":\"?\"}]}]}",
     MESSAGES, ALL_FLAGS,
     "{\"model\":\"m\",\"max_tokens\":8192,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
     "\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"QUJD\"}},{"
     "\"type\":\"text\",\"text\":\"?\"}]}]}",
     "image.detail"},
    {"an image in a tool's result moves behind it", MESSAGES,
     "{\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
     "\"tool_use_id\":\"t\",\"content\":[{\"type\":\"text\",\"text\":\"see\"},{\"type\":\"image\","
     "\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"QQ==\"}}]}]}]}",
     CHAT, ALL_FLAGS,
     "{\"model\":\"m\",\"messages\":[{\"role\":\"tool\",\"tool_call_id\":\"t\",\"content\":\"see\"}"
     ","
     "{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"
     "\"data:image/png;base64,QQ==\"}}]}],\"max_tokens\":9}",
     "tool_result.media"},
    {"a system turn in the middle becomes tagged text", CHAT,
     "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"developer\",\"content\":"
     "\"rule\"},{\"role\":\"user\",\"content\":\"b\"}]}",
     MESSAGES, 0xffffffffu & ~(uint32_t)RC_MODEL_MID_SYSTEM,
     "{\"model\":\"m\",\"max_tokens\":8192,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
     "\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"<system>rule</system>\"},{\"type\":"
     "\"text\",\"text\":\"b\"}]}]}",
     "system.mid"},
    {"a system turn in the middle stays where the model knows it", CHAT,
     "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"system\",\"content\":"
     "\"rule\"}]}",
     MESSAGES, ALL_FLAGS,
     "{\"model\":\"m\",\"max_tokens\":8192,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
     "\"text\",\"text\":\"a\"}]},{\"role\":\"system\",\"content\":[{\"type\":\"text\",\"text\":"
     "\"rule\"}]}]}",
     ""},
    {"thinking of the history is left out", MESSAGES,
     "{\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":"
     "\"assistant\","
     "\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"SIG\"},{\"type\":"
     "\"text\",\"text\":\"b\"}]},{\"role\":\"user\",\"content\":\"c\"}]}",
     CHAT, ALL_FLAGS,
     "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\","
     "\"content\":\"b\"},{\"role\":\"user\",\"content\":\"c\"}],\"max_tokens\":9}",
     "thinking.history"},
    {"a budget becomes a word", MESSAGES,
     "{\"max_tokens\":9000,\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":5000},\"messages\":"
     "[{\"role\":\"user\",\"content\":\"a\"}],\"service_tier\":\"auto\",\"speed\":\"fast\"}",
     CHAT, ALL_FLAGS,
     "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"max_tokens\":9000,"
     "\"reasoning_effort\":\"medium\"}",
     "reasoning.budget,speed"},
    {"a word becomes adaptive thinking, sampling goes", CHAT,
     "{\"reasoning_effort\":\"high\",\"temperature\":0.3,\"messages\":[{\"role\":\"user\","
     "\"content\":\"a\"}]}",
     MESSAGES, ALL_FLAGS,
     "{\"model\":\"m\",\"max_tokens\":8192,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
     "\"text\",\"text\":\"a\"}]}],\"thinking\":{\"type\":\"adaptive\",\"display\":\"summarized\"},"
     "\"output_config\":{\"effort\":\"high\"}}",
     "temperature"},
    {"a word becomes a budget below max_tokens", CHAT,
     "{\"reasoning_effort\":\"high\",\"max_tokens\":4000,\"messages\":[{\"role\":\"user\","
     "\"content\":\"a\"}]}",
     MESSAGES, NO_LEVELS,
     "{\"model\":\"m\",\"max_tokens\":4000,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
     "\"text\",\"text\":\"a\"}]}],\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":2000}}",
     "reasoning.budget"},
    {"a forced tool ends reasoning", CHAT,
     "{\"reasoning_effort\":\"low\",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":"
     "\"f\"}},\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],\"messages\":[{"
     "\"role\":\"user\",\"content\":\"a\"}]}",
     MESSAGES, ALL_FLAGS,
     "{\"model\":\"m\",\"max_tokens\":8192,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
     "\"text\",\"text\":\"a\"}]}],\"tools\":[{\"name\":\"f\",\"input_schema\":{\"type\":\"object\","
     "\"properties\":{}}}],\"tool_choice\":{\"type\":\"tool\",\"name\":\"f\"}}",
     "reasoning.effort"},
    {"a strict schema", CHAT,
     "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"n\",\"strict\":"
     "true,"
     "\"schema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"minLength\":2}},"
     "\"required\":[\"a\"],\"additionalProperties\":false}}},\"messages\":[{\"role\":\"user\","
     "\"content\":\"a\"}]}",
     MESSAGES, ALL_FLAGS,
     "{\"model\":\"m\",\"max_tokens\":8192,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
     "\"text\",\"text\":\"a\"}]}],\"output_config\":{\"format\":{\"type\":\"json_schema\","
     "\"schema\":"
     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"description\":\"{minLength:"
     " "
     "2}\"}},\"required\":[\"a\"],\"additionalProperties\":false}}}}",
     "schema"},
#include "unit/dialect/translate/gemini_requests.inc"
#include "unit/dialect/translate/responses_requests.inc"
};

/* Replaces the hash of an id, which has 24 digits, by a fixed word. */
static void shorten_ids(char *body)
{
    char *at = strstr(body, "\"call_");
    while (at != NULL) {
        char *end = strchr(at + 1, '"');
        if (end - at == 30) {
            memmove(at + 10, end, strlen(end) + 1);
            memcpy(at + 6, "1b1b", 4);
        }
        at = strstr(at + 6, "\"call_");
    }
}

static void requests_are_translated(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        translated got = translate(rows[i].from, rows[i].body, rows[i].to, rows[i].flags);
        shorten_ids(got.body);
        if (got.status != RC_OK || strcmp(got.body, rows[i].want) != 0 ||
            strcmp(got.names, rows[i].names) != 0)
            print_error("%s: status %d\n  got  %s\n  want %s\n  names %s, want %s\n", rows[i].about,
                        got.status, got.body, rows[i].want, got.names, rows[i].names);
        assert_int_equal(got.status, RC_OK);
        assert_string_equal(got.body, rows[i].want);
        assert_string_equal(got.names, rows[i].names);
        assert_int_equal(got.fit, rows[i].names[0] == '\0' ? RC_FIT_EXACT : RC_FIT_ADAPTED);
    }
}

/* ---- refusals ---- */

#define ASK "\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]"

static void a_request_that_a_target_cannot_serve_is_refused(void **state)
{
    (void)state;
    static const struct {
        rc_dialect from;
        const char *body;
        rc_dialect to;
        uint32_t flags;
        rc_feature feature;
    } refusals[] = {
        {CHAT, "{\"n\":2," ASK "}", MESSAGES, ALL_FLAGS, RC_FEATURE_N},
        {CHAT, "{\"logprobs\":true," ASK "}", MESSAGES, ALL_FLAGS, RC_FEATURE_LOGPROBS},
        {CHAT, "{\"response_format\":{\"type\":\"json_object\"}," ASK "}", MESSAGES, ALL_FLAGS,
         RC_FEATURE_JSON_OBJECT},
        {CHAT, "{\"modalities\":[\"text\",\"audio\"]," ASK "}", MESSAGES, ALL_FLAGS,
         RC_FEATURE_MODALITIES},
        {CHAT,
         "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":"
         "{\"url\":\"https://e.test/a\"}}]}]}",
         MESSAGES, 0, RC_FEATURE_IMAGE},
        {CHAT,
         "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\","
         "\"content\":\"b\"}]}",
         MESSAGES, ALL_FLAGS, RC_FEATURE_PREFILL},
        {MESSAGES, "{\"stop_sequences\":[\"a\",\"b\",\"c\",\"d\",\"e\"]," ASK "}", CHAT, ALL_FLAGS,
         RC_FEATURE_STOP},
        {MESSAGES, "{\"tools\":[{\"type\":\"web_search_20250305\",\"name\":\"w\"}]," ASK "}", CHAT,
         ALL_FLAGS, RC_FEATURE_TOOLS_SERVER},
        {MESSAGES, "{\"tools\":[{\"type\":\"bash_20250124\",\"name\":\"bash\"}]," ASK "}", CHAT,
         ALL_FLAGS, RC_FEATURE_TOOLS_TYPED},
        {MESSAGES, "{\"tools\":[{\"name\":\"w\",\"input_schema\":{}}]," ASK "}", CHAT, 0,
         RC_FEATURE_TOOLS},
        {MESSAGES,
         "{\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
         "\"hologram\"}]}]}",
         CHAT, ALL_FLAGS, RC_FEATURE_UNKNOWN_CONTENT},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        translated got =
            translate(refusals[i].from, refusals[i].body, refusals[i].to, refusals[i].flags);
        if (got.fit != RC_FIT_REFUSED || got.refused != refusals[i].feature)
            print_error("%s\n", refusals[i].body);
        assert_int_equal(got.status, RC_OK);
        assert_int_equal(got.fit, RC_FIT_REFUSED);
        assert_int_equal(got.refused, refusals[i].feature);
    }
}

static void a_malformed_request_names_its_member(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        rc_status status;
    } faults[] = {
        {"", RC_E_TRUNCATED},
        {"[]", RC_E_TYPE},
        {"{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}", RC_E_TRUNCATED},
        {"{\"messages\":{}}", RC_E_TYPE},
        {"{\"messages\":[1]}", RC_E_TYPE},
        {"{\"messages\":[{\"role\":\"king\",\"content\":\"a\"}]}", RC_E_TYPE},
        {"{\"messages\":[{\"role\":\"user\",\"content\":7}]}", RC_E_TYPE},
        {"{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"max_tokens\":\"many\"}",
         RC_E_TYPE},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        assert_int_equal(translate(CHAT, faults[i].body, MESSAGES, ALL_FLAGS).status,
                         faults[i].status);
        assert_int_equal(translate(MESSAGES, faults[i].body, CHAT, ALL_FLAGS).status,
                         faults[i].status);
    }
}

/* ---- names and ids ---- */

static void a_long_name_is_cut_and_stays_the_same(void **state)
{
    (void)state;
    char body[1024];
    char name[101];
    memset(name, 'n', 100);
    name[100] = '\0';
    snprintf(body, sizeof body, "{\"tools\":[{\"name\":\"%s\",\"input_schema\":{}}]," ASK "}",
             name);
    translated first = translate(MESSAGES, body, CHAT, ALL_FLAGS);
    translated second = translate(MESSAGES, body, CHAT, ALL_FLAGS);
    assert_string_equal(first.body, second.body);
    assert_string_equal(first.names, "tools.name");
    json_object *root = query_parse(rc_str_c(first.body));
    json_object *found = NULL;
    assert_int_equal(json_pointer_get(root, "/tools/0/function/name", &found), 0);
    assert_int_equal(strlen(json_object_get_string(found)), 64);
    json_object_put(root);
}

static void a_failed_allocation_is_a_status(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rc_translate_target target = target_of(rows[i].to, rows[i].flags);
        for (size_t n = 1;; n++) {
            fail_alloc failing = {.fail_at = n};
            rc_alloc alloc = fail_alloc_of(&failing);
            translated got;
            rc_status status = run(&alloc, rows[i].from, rows[i].body, &target, &got);
            if (status == RC_OK)
                break;
            assert_int_equal(status, RC_E_NOMEM);
            assert_true(n < 100);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_translated),
        cmocka_unit_test(a_request_that_a_target_cannot_serve_is_refused),
        cmocka_unit_test(a_malformed_request_names_its_member),
        cmocka_unit_test(a_long_name_is_cut_and_stays_the_same),
        cmocka_unit_test(a_failed_allocation_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
