/* Requests of any bytes, translated to each dialect: the translated request is valid JSON, can be
 * read as a request of the target's dialect, and is not much longer than the original. The first
 * byte selects the client's dialect and the target's, the second what the target's model
 * accepts. */
#include <stdint.h>
#include <stdlib.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "dialect/translate/schema.h"
#include "dialect/translate/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD_BYTES 2
#define OUT_MAX ((size_t)8 << 20)

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static const rc_dialect dialects[] = {RC_DIALECT_OPENAI_CHAT, RC_DIALECT_ANTHROPIC,
                                      RC_DIALECT_GEMINI, RC_DIALECT_OPENAI_RESPONSES};
#define DIALECT_COUNT (sizeof dialects / sizeof *dialects)

/* Checks that the translated request can be read in the target's dialect without a fault. */
static void check_reads_back(const rc_alloc *alloc, rc_dialect dialect, rc_str written)
{
    rc_conversation back;
    rc_conversation_init(&back, alloc);
    rc_status status = rc_conversation_read(&back, dialect, written, false);
    check(status == RC_OK || status == RC_E_TOO_LARGE || status == RC_E_TOO_DEEP);
    check(rc_conversation_validate(&back));
    rc_conversation_done(&back);
}

static void check_plan(const rc_alloc *alloc, const rc_conversation *c,
                       const rc_translate_target *target)
{
    rc_translation_plan plan;
    rc_buf scratch;
    rc_buf out;
    rc_buf_init(&scratch, alloc, OUT_MAX);
    rc_buf_init(&out, alloc, OUT_MAX);
    if (rc_translation_plan_make(&plan, c, target, &scratch) == RC_OK &&
        plan.fit != RC_FIT_REFUSED && rc_translation_write(&plan, &scratch, &out) == RC_OK) {
        rc_str written = rc_buf_get(&out);
        check(rc_schema_is_object(written));
        check(written.len <= 8 * c->body.len + 4096);
        check_reads_back(alloc, target->dialect, written);
    }
    check((plan.fit == RC_FIT_EXACT) == (plan.adapted == 0 && c->unknown_count == 0) ||
          plan.fit == RC_FIT_REFUSED);
    rc_buf_done(&scratch);
    rc_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_conversation c;
    if (size < HEAD_BYTES)
        return 0;
    rc_str body = rc_str_make((const char *)data + HEAD_BYTES, size - HEAD_BYTES);
    rc_translate_target target = {
        .dialect = dialects[(data[0] >> 2 & 3) % DIALECT_COUNT],
        .is_openai = (data[1] & 1) != 0,
        .model = RC_STR("m"),
        .name = RC_STR("p/m"),
        .facts = {.is_known = true, .flags = (uint32_t)data[1] * 0x01010101u, .max_tokens = 4096},
    };
    rc_conversation_init(&c, &alloc);
    if (rc_conversation_read(&c, dialects[(data[0] & 3) % DIALECT_COUNT], body, false) == RC_OK)
        check_plan(&alloc, &c, &target);
    check(rc_conversation_validate(&c));
    rc_conversation_done(&c);
    return 0;
}
