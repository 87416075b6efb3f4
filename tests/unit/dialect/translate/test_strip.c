/* Tests of the removal of seals from requests that are not translated: each request is compared
 * word for word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "dialect/translate/strip.h"
#include "support/fail_alloc.h"

#define CHAT RC_DIALECT_OPENAI_CHAT
#define RESPONSES RC_DIALECT_OPENAI_RESPONSES
#define MESSAGES RC_DIALECT_ANTHROPIC
#define GEMINI RC_DIALECT_GEMINI
#define HISTORY RC_FEATURE_BIT(THINKING_HISTORY)

#define SEALED "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"rc1.AAAA\"}"
#define SIGNED "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"EqQB\"}"
#define CALL "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}"
#define RESULT                                                                         \
    "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\"," \
    "\"content\":\"r\"}]}"
#define ASSISTANT(blocks) "{\"role\":\"assistant\",\"content\":[" blocks "]}"
#define QUESTION "{\"role\":\"user\",\"content\":\"q\"}"

static const struct {
    rc_dialect dialect;
    const char *body;
    const char *want;
    uint64_t adapted;
} rows[] = {
    {MESSAGES, "{\"messages\":[" QUESTION "," ASSISTANT(SIGNED "," CALL) "]}",
     "{\"messages\":[" QUESTION "," ASSISTANT(SIGNED "," CALL) "]}", 0},
    {MESSAGES, "{\"messages\":[" QUESTION ", " ASSISTANT(SEALED " , " CALL) "]}",
     "{\"messages\":[" QUESTION ", " ASSISTANT(CALL) "]}", HISTORY},
    {MESSAGES, "{\"messages\":[" ASSISTANT(SIGNED "," SEALED) "," QUESTION "]}",
     "{\"messages\":[" ASSISTANT(SIGNED) "," QUESTION "]}", HISTORY},
    {MESSAGES, "{\"messages\":[" ASSISTANT(CALL "," SEALED "," SEALED) "]}",
     "{\"messages\":[" ASSISTANT(CALL) "]}", HISTORY},
    {MESSAGES,
     "{\"messages\":[" ASSISTANT(
         "{\"type\":\"redacted_thinking\",\"data\":\"rc1.AA\"}") "," QUESTION "]}",
     "{\"messages\":[" QUESTION "]}", HISTORY},
    {MESSAGES, "{\"messages\":[" QUESTION "," ASSISTANT(SEALED) "]}",
     "{\"messages\":[" QUESTION "]}", HISTORY},
    /* the loop is open and was begun by another target */
    {MESSAGES,
     "{\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":2000},\"messages\":[" QUESTION
     "," ASSISTANT(SEALED "," CALL) "," RESULT "]}",
     "{\"thinking\":{\"type\":\"disabled\"},\"messages\":[" QUESTION "," ASSISTANT(CALL) "," RESULT
                                                                                         "]}",
     HISTORY | RC_FEATURE_BIT(BUDGET)},
    {MESSAGES,
     "{\"messages\":[" QUESTION "," ASSISTANT(
         SEALED "," CALL) "," RESULT
                          "],\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":2000},\"x\":1}",
     "{\"messages\":[" QUESTION
     "," ASSISTANT(CALL) "," RESULT "],\"thinking\":{\"type\":\"disabled\"},\"x\":1}",
     HISTORY | RC_FEATURE_BIT(BUDGET)},
    /* the loop is over, or thinking is adaptive */
    {MESSAGES,
     "{\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":2000},\"messages\":[" ASSISTANT(
         SEALED "," CALL) "," RESULT
                          "," ASSISTANT("{\"type\":\"text\",\"text\":\"a\"}") "," QUESTION "]}",
     "{\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":2000},\"messages\":[" ASSISTANT(
         CALL) "," RESULT "," ASSISTANT("{\"type\":\"text\",\"text\":\"a\"}") "," QUESTION "]}",
     HISTORY},
    {MESSAGES,
     "{\"thinking\":{\"type\":\"adaptive\"},\"messages\":[" ASSISTANT(SEALED "," CALL) "," RESULT
                                                                                       "]}",
     "{\"thinking\":{\"type\":\"adaptive\"},\"messages\":[" ASSISTANT(CALL) "," RESULT "]}",
     HISTORY},
    /* a text of the user that only looks like a seal */
    {MESSAGES, "{\"messages\":[{\"role\":\"user\",\"content\":\"rc1.AAAA\"}]}",
     "{\"messages\":[{\"role\":\"user\",\"content\":\"rc1.AAAA\"}]}", 0},
    {CHAT,
     "{\"messages\":[{\"role\":\"assistant\",\"reasoning_content\":\"hm\",\"content\":null,"
     "\"tool_calls\":[{\"id\":\"a\",\"extra_content\":{\"google\":{\"thought_signature\":"
     "\"rc1.AA\"}},\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}},{"
     "\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"},"
     "\"extra_content\":{\"google\":{\"thought_signature\":\"rc1.BB\"}}}]},{\"role\":"
     "\"assistant\",\"reasoning_content\":\"own\",\"content\":\"x\"}]}",
     "{\"messages\":[{\"role\":\"assistant\",\"content\":null,"
     "\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"f\","
     "\"arguments\":\"{}\"}},{"
     "\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},"
     "{\"role\":"
     "\"assistant\",\"reasoning_content\":\"own\",\"content\":\"x\"}]}",
     HISTORY},
    {CHAT,
     "{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"extra_content\":{"
     "\"google\":{\"thought_signature\":\"CoMB\"}}}]}]}",
     "{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"extra_content\":{"
     "\"google\":{\"thought_signature\":\"CoMB\"}}}]}]}",
     0},
    {RESPONSES,
     "{\"input\":[{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[],\"encrypted_content\":"
     "\"rc1.AA\"},{\"type\":\"reasoning\",\"id\":\"s\",\"summary\":[],\"encrypted_content\":"
     "\"gAAA\"},{\"role\":\"user\",\"content\":\"q\"}]}",
     "{\"input\":[{\"type\":\"reasoning\",\"id\":\"s\",\"summary\":[],\"encrypted_content\":"
     "\"gAAA\"},{\"role\":\"user\",\"content\":\"q\"}]}",
     HISTORY},
    {GEMINI,
     "{\"contents\":[{\"role\":\"model\",\"parts\":[{\"text\":\"hm\",\"thought\":true,"
     "\"thoughtSignature\":\"rc1.A\"},{\"text\":\"a\",\"thoughtSignature\":\"rc1.B\"},{"
     "\"functionCall\":{\"name\":\"f\"},\"thought_signature\":\"rc1.C\"},{\"functionCall\":{"
     "\"name\":\"f\"},\"thoughtSignature\":\"rc1.D\"},{\"text\":\"\",\"thoughtSignature\":"
     "\"rc1.E\"}]}]}",
     "{\"contents\":[{\"role\":\"model\",\"parts\":[{\"text\":\"a\"},{"
     "\"functionCall\":{\"name\":\"f\"},\"thought_signature\":"
     "\"skip_thought_signature_validator\"},{\"functionCall\":{"
     "\"name\":\"f\"}}]}]}",
     HISTORY},
};

static rc_status run(const rc_alloc *alloc, size_t row, rc_buf *out, uint64_t *ret_adapted)
{
    rc_buf edits;
    rc_buf_init(&edits, alloc, 1 << 20);
    rc_status status =
        rc_strip_seals(rows[row].dialect, rc_str_c(rows[row].body), &edits, out, ret_adapted);
    rc_buf_done(&edits);
    return status;
}

static void seals_are_removed_and_nothing_else(void **state)
{
    rc_alloc alloc = rc_alloc_stdlib();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t adapted = 0;
        rc_buf out;
        rc_buf_init(&out, &alloc, 1 << 20);
        assert_int_equal(run(&alloc, i, &out, &adapted), RC_OK);
        if (!rc_str_eq(rc_buf_get(&out), rc_str_c(rows[i].want)))
            fail_msg("got  %.*s\nwant %s", (int)out.len, out.ptr, rows[i].want);
        assert_int_equal(adapted, rows[i].adapted);
        assert_true(adapted == 0 || rc_strip_is_due(rc_str_c(rows[i].body)));
        rc_buf_done(&out);
    }
}

static void a_failed_allocation_is_a_status(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t n = 1;; n++) {
            uint64_t adapted = 0;
            fail_alloc failing = {.fail_at = n};
            rc_alloc alloc = fail_alloc_of(&failing);
            rc_buf out;
            rc_buf_init(&out, &alloc, 1 << 20);
            rc_status status = run(&alloc, i, &out, &adapted);
            rc_buf_done(&out);
            assert_int_equal(failing.live, 0);
            if (status == RC_OK)
                break;
            assert_int_equal(status, RC_E_NOMEM);
            assert_true(n < 20);
        }
    }
}

static void a_malformed_body_is_refused(void **state)
{
    rc_alloc alloc = rc_alloc_stdlib();
    uint64_t adapted = 0;
    rc_buf bufs[2];
    (void)state;
    rc_buf_init(&bufs[0], &alloc, 4096);
    rc_buf_init(&bufs[1], &alloc, 4096);
    assert_int_equal(
        rc_strip_seals(MESSAGES, RC_STR("{\"messages\":[\"rc1.\""), &bufs[0], &bufs[1], &adapted),
        RC_E_TRUNCATED);
    assert_int_equal(rc_strip_seals(MESSAGES, RC_STR("[]"), &bufs[0], &bufs[1], &adapted),
                     RC_E_TYPE);
    rc_buf_done(&bufs[0]);
    rc_buf_done(&bufs[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seals_are_removed_and_nothing_else),
        cmocka_unit_test(a_failed_allocation_is_a_status),
        cmocka_unit_test(a_malformed_body_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
