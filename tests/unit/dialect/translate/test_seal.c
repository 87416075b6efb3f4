/* Tests of seals: the state of a response goes to the client and returns to the target that made
 * it, and to no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "dialect/translate/seal.h"
#include "dialect/translate/translator.h"
#include "dialect/translate/write.h"
#include "support/json_query.h"

#define CHAT RC_DIALECT_OPENAI_CHAT
#define MESSAGES RC_DIALECT_ANTHROPIC
#define GEMINI RC_DIALECT_GEMINI
#define RESPONSES RC_DIALECT_OPENAI_RESPONSES

/* ---- seals ---- */

static void a_seal_opens_for_its_target_only(void **state)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf text;
    rc_buf scratch;
    rc_seal seal;
    (void)state;
    rc_buf_init(&text, &alloc, 4096);
    rc_buf_init(&scratch, &alloc, 4096);
    rc_seal_push(&text, RC_STR("a/m"), RC_SEAL_CALL, RC_STR("rs_1"), RC_STR("x\\/\\u003d\\\"y"),
                 &scratch);
    rc_str raw = rc_buf_get(&text);
    assert_true(rc_seal_is(raw));
    assert_true(rc_seal_open(raw, RC_STR("a/m"), &scratch, &seal));
    assert_int_equal(seal.kind, RC_SEAL_CALL);
    assert_true(rc_str_eq(seal.id, RC_STR("rs_1")));
    assert_true(rc_str_eq(seal.state, RC_STR("x/=\"y")));
    assert_false(rc_seal_open(raw, RC_STR("a/n"), &scratch, &seal));
    for (size_t len = 0; len < raw.len - 8; len++) /* without its end it is malformed or shorter */
        if (rc_seal_open(rc_str_slice(raw, 0, len), RC_STR("a/m"), &scratch, &seal))
            assert_true(seal.state.len < 5);
    assert_false(rc_seal_open(RC_STR("sig"), RC_STR("a/m"), &scratch, &seal));
    assert_false(rc_seal_open(RC_STR("rc1.+"), RC_STR("a/m"), &scratch, &seal));
    rc_buf_done(&text);
    rc_buf_done(&scratch);
}

/* ---- requests with seals ---- */

typedef struct written {
    char body[4096];
    char names[256];
} written;

/* Returns the seal of a state as a text. */
static const char *seal_of(const char *target, rc_seal_kind kind, const char *id, const char *made)
{
    static char texts[4][256];
    static size_t next;
    rc_alloc alloc = rc_alloc_stdlib();
    char *text = texts[next++ % 4];
    rc_buf buf;
    rc_buf scratch;
    rc_buf_init_fixed(&buf, text, sizeof texts[0]);
    rc_buf_init(&scratch, &alloc, 256);
    rc_seal_push(&buf, rc_str_c(target), kind, rc_str_c(id), rc_str_c(made), &scratch);
    rc_buf_push_byte(&buf, '\0');
    rc_buf_done(&scratch);
    return text;
}

static written translate(rc_dialect from, const char *body, rc_dialect to, const char *target_name,
                         uint32_t flags)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_conversation c;
    rc_translation_plan plan;
    rc_buf bufs[3];
    written ret = {.body = ""};
    rc_translate_target target = {.dialect = to,
                                  .model = RC_STR("m"),
                                  .name = rc_str_c(target_name),
                                  .facts = {.is_known = true, .flags = flags}};
    rc_conversation_init(&c, &alloc);
    for (size_t i = 0; i < 3; i++)
        rc_buf_init(&bufs[i], &alloc, 1 << 20);
    assert_int_equal(rc_conversation_read(&c, from, rc_str_c(body), false), RC_OK);
    assert_int_equal(rc_translation_plan_make(&plan, &c, &target, &bufs[0]), RC_OK);
    assert_int_not_equal(plan.fit, RC_FIT_REFUSED);
    assert_int_equal(rc_translation_write(&plan, &bufs[0], &bufs[1]), RC_OK);
    rc_translation_plan_push_names(&plan, &bufs[2]);
    assert_true(bufs[1].len < sizeof ret.body && bufs[2].len < sizeof ret.names);
    memcpy(ret.body, bufs[1].ptr, bufs[1].len);
    if (bufs[2].len > 0)
        memcpy(ret.names, bufs[2].ptr, bufs[2].len);
    json_object_put(query_parse(rc_str_c(ret.body)));
    for (size_t i = 0; i < 3; i++)
        rc_buf_done(&bufs[i]);
    rc_conversation_done(&c);
    return ret;
}

/* The history of a client of each dialect: a call whose state is the word SEAL, and its result. */
#define CHAT_HISTORY                                                                            \
    "{\"messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":" \
    "null,\"reasoning_content\":\"hm\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\","    \
    "\"extra_content\":{\"google\":{\"thought_signature\":\"SEAL\"}},\"function\":{\"name\":"   \
    "\"f\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":"     \
    "\"r\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]}"
#define MESSAGES_HISTORY                                                                          \
    "{\"max_tokens\":9000,\"thinking\":{\"type\":\"adaptive\"},\"messages\":[{\"role\":\"user\"," \
    "\"content\":\"q\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\","             \
    "\"thinking\":\"hm\",\"signature\":\"SEAL\"},{\"type\":\"tool_use\",\"id\":\"c\",\"name\":"   \
    "\"f\",\"input\":{}}]},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","            \
    "\"tool_use_id\":\"c\",\"content\":\"r\"}]}],\"tools\":[{\"name\":\"f\",\"input_schema\":{}}" \
    "]}"
#define GEMINI_HISTORY                                                                        \
    "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"q\"}]},{\"role\":\"model\","    \
    "\"parts\":[{\"text\":\"hm\",\"thought\":true},{\"functionCall\":{\"id\":\"c\",\"name\":" \
    "\"f\",\"args\":{}},\"thoughtSignature\":\"SEAL\"}]},{\"role\":\"user\",\"parts\":[{"     \
    "\"functionResponse\":{\"id\":\"c\",\"name\":\"f\",\"response\":{\"output\":\"r\"}}}]}]," \
    "\"tools\":[{\"functionDeclarations\":[{\"name\":\"f\"}]}]}"

#define RESPONSES_HISTORY                                                                        \
    "{\"store\":false,\"input\":[{\"role\":\"user\",\"content\":\"q\"},{\"type\":\"reasoning\"," \
    "\"id\":\"rs_r1_0\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"hm\"}],"              \
    "\"encrypted_content\":\"SEAL\"},{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":"    \
    "\"f\",\"arguments\":\"{}\"},{\"type\":\"function_call_output\",\"call_id\":\"c\","          \
    "\"output\":\"r\"}],\"tools\":[{\"type\":\"function\",\"name\":\"f\"}]}"

static const struct {
    rc_dialect dialect;
    const char *history;
} clients[] = {{CHAT, CHAT_HISTORY},
               {MESSAGES, MESSAGES_HISTORY},
               {GEMINI, GEMINI_HISTORY},
               {RESPONSES, RESPONSES_HISTORY}};
#define CLIENT_COUNT (sizeof clients / sizeof *clients)

/* Puts members in front of those of the history, and the seal in place of the word SEAL. */
static void fill(char *body, size_t size, const char *members, const char *history,
                 const char *seal)
{
    rc_buf buf;
    rc_str text = rc_str_c(history);
    size_t at = rc_str_find(text, RC_STR("SEAL"), 0);
    rc_buf_init_fixed(&buf, body, size);
    rc_buf_push_byte(&buf, '{');
    rc_buf_push(&buf, rc_str_c(members));
    rc_buf_push(&buf, rc_str_slice(text, 1, at));
    rc_buf_push(&buf, rc_str_c(seal));
    rc_buf_push(&buf, rc_str_slice(text, at + 4, text.len));
    assert_int_equal(rc_buf_push_byte(&buf, '\0'), RC_OK);
}

static written returned(size_t client, const char *seal, rc_dialect to, const char *target)
{
    char body[2048];
    fill(body, sizeof body, "", clients[client].history, seal);
    return translate(clients[client].dialect, body, to, target, 0xffffffffu);
}

static void a_signature_of_gemini_returns_to_gemini_through_every_client(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLIENT_COUNT; i++) {
        if (clients[i].dialect == GEMINI)
            continue;
        written got = returned(i, seal_of("g/m", RC_SEAL_CALL, "", "c2ln\\/=="), GEMINI, "g/m");
        assert_non_null(strstr(got.body,
                               "{\"functionCall\":{\"id\":\"c\",\"name\":\"f\",\"args\":{}}"
                               ",\"thoughtSignature\":\"c2ln/==\"}"));
        assert_null(strstr(got.names, "thinking.history"));
        assert_null(strstr(got.body, "hm"));
    }
}

static void a_signature_of_anthropic_returns_to_anthropic_through_every_client(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLIENT_COUNT; i++) {
        if (clients[i].dialect == MESSAGES)
            continue;
        written got = returned(i, seal_of("a/m", RC_SEAL_THOUGHT, "", "c2ln"), MESSAGES, "a/m");
        assert_non_null(strstr(got.body, "\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\","
                                         "\"signature\":\"c2ln\"},{\"type\":\"tool_use\""));
        assert_null(strstr(got.names, "thinking.history"));
        got = returned(i, seal_of("a/m", RC_SEAL_REDACTED, "", "cmVk"), MESSAGES, "a/m");
        assert_non_null(
            strstr(got.body, "\"content\":[{\"type\":\"redacted_thinking\",\"data\":\"cmVk\"}"));
    }
}

static void reasoning_of_openai_returns_to_openai_through_every_client(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLIENT_COUNT; i++) {
        if (clients[i].dialect == RESPONSES)
            continue;
        written got =
            returned(i, seal_of("o/m", RC_SEAL_THOUGHT, "rs_1", "gAAA+"), RESPONSES, "o/m");
        assert_non_null(strstr(got.body, "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":["));
        assert_non_null(strstr(got.body, "\"encrypted_content\":\"gAAA+\"},{\"type\":"
                                         "\"function_call\",\"call_id\":\"c\""));
        assert_null(strstr(got.names, "thinking.history"));
    }
}

static void a_state_reaches_no_other_target(void **state)
{
    (void)state;
    const char *states[] = {seal_of("x/m", RC_SEAL_CALL, "", "c2ln"),
                            seal_of("x/m", RC_SEAL_THOUGHT, "", "c2ln"), "c2ln", "rc1.",
                            "rc1.AAAA"};
    for (size_t i = 0; i < CLIENT_COUNT; i++) {
        for (size_t k = 0; k < sizeof states / sizeof *states; k++) {
            for (size_t to = 0; to < CLIENT_COUNT; to++) {
                if (clients[to].dialect == clients[i].dialect)
                    continue;
                written got = returned(i, states[k], clients[to].dialect, "y/m");
                assert_null(strstr(got.body, "rc1."));
                assert_null(strstr(got.body, "c2ln"));
                assert_null(strstr(got.body, "\"hm\""));
                assert_non_null(strstr(got.names, "thinking.history"));
            }
        }
    }
}

/* The client can put any bytes into a seal: they stay inside of the string. */
static void a_forged_seal_cannot_leave_its_string(void **state)
{
    (void)state;
    written got = returned(0, seal_of("g/m", RC_SEAL_CALL, "", "\\\"},{\\u0000\\n"), GEMINI, "g/m");
    assert_non_null(strstr(got.body, "\"thoughtSignature\":\"\\\"},{\\u0000\\n\"}"));
}

static void a_loop_keeps_thinking_only_with_its_own_signature(void **state)
{
    (void)state;
    char body[2048];
    fill(body, sizeof body, "\"reasoning_effort\":\"low\",", CHAT_HISTORY, "");
    written bare = translate(CHAT, body, MESSAGES, "a/m", 0xffffffffu);
    assert_null(strstr(bare.body, "\"type\":\"adaptive\""));
    fill(body, sizeof body, "\"reasoning_effort\":\"low\",", CHAT_HISTORY,
         seal_of("a/m", RC_SEAL_THOUGHT, "", "c2ln"));
    written own = translate(CHAT, body, MESSAGES, "a/m", 0xffffffffu);
    assert_non_null(strstr(own.body, "\"type\":\"adaptive\""));
}

/* The gateway empties the conversation when it frees the request of a stream. */
static void a_state_is_sealed_without_the_request(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_output_facts facts = {.request_id = RC_STR("r1"),
                             .model = RC_STR("m"),
                             .is_stream = true,
                             .target = RC_STR("g/m")};
    rc_conversation c;
    rc_translator t;
    rc_conversation_init(&c, &alloc);
    assert_int_equal(rc_conversation_read(&c, CHAT, rc_str_c(CHAT_HISTORY), true), RC_OK);
    rc_translator_init(&t, &c, GEMINI, &facts, &alloc);
    rc_conversation_done(&c);
    rc_conversation_init(&c, &alloc);
    assert_int_equal(rc_translator_push_event(
                         &t, RC_STR("{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":"
                                    "{\"name\":\"f\"},\"thoughtSignature\":\"c2ln\"}]}}]}")),
                     RC_OK);
    rc_str out = rc_translator_output(&t);
    assert_true(rc_str_find(out, rc_str_c(seal_of("g/m", RC_SEAL_CALL, "", "c2ln")), 0) !=
                RC_STR_NPOS);
    rc_translator_done(&t);
    rc_conversation_done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seal_opens_for_its_target_only),
        cmocka_unit_test(a_signature_of_gemini_returns_to_gemini_through_every_client),
        cmocka_unit_test(a_signature_of_anthropic_returns_to_anthropic_through_every_client),
        cmocka_unit_test(reasoning_of_openai_returns_to_openai_through_every_client),
        cmocka_unit_test(a_state_reaches_no_other_target),
        cmocka_unit_test(a_forged_seal_cannot_leave_its_string),
        cmocka_unit_test(a_loop_keeps_thinking_only_with_its_own_signature),
        cmocka_unit_test(a_state_is_sealed_without_the_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
