/* Streams that end with an error: server-sent events, NDJSON, event-stream frames. The verdict is
 * the same as for a body and for an event, with either line end, with keep-alive comments, and
 * with an end after the error. */
#include "classify_fuzz.h"

static const char *const PROVIDERS[] = {
    "openai", "anthropic", "bedrock",   "gemini",    "openrouter",
    "ollama", "vllm",      "dashscope", "replicate", "openai_compatible",
};

static bool is_sse(rc_str text)
{
    return rc_str_starts_with(text, RC_STR("data:")) || rc_str_starts_with(text, RC_STR("event:"));
}

/* Checks that comments and line ends do not matter. Texts that are cut at a blank are not compared,
 * because the position of the cut depends on the line ends. */
static void check_lines(const rc_failure *failure, rc_str text)
{
    static const char COMMENT[] = ": keep-alive\n\n";
    fuzz_text plain = {.len = 0};
    fuzz_text returned = {.len = 0};
    fuzz_push(&plain, COMMENT, sizeof(COMMENT) - 1);
    fuzz_push(&plain, text.ptr, text.len);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\n')
            fuzz_push(&returned, "\r", 1);
        fuzz_push(&returned, &text.ptr[i], 1);
    }
    fuzz_compare(failure, text, rc_str_make(plain.bytes, plain.len), "comments do not matter");
    fuzz_compare(failure, text, rc_str_make(returned.bytes, returned.len),
                 "the kind of line end does not matter");
}

/* Checks that an added terminator does not change the verdict, except the verdict that the
 * terminator is missing. Events without an error are read as words and are not compared. */
static void check_end(const rc_failure *failure, rc_str text)
{
    static const char END[] = "\n\ndata: [DONE]\n\n";
    rc_failure bare = *failure;
    bare.body = text;
    bare.event = rc_str_make(NULL, 0);
    rc_classify_space space;
    rc_evidence evidence;
    rc_evidence_init(&evidence, &bare, NULL, &space);
    rc_unwrap(&evidence);
    const rc_layer *layer = rc_evidence_innermost(&evidence);
    if (rc_evidence_has(&evidence, RC_FACT_BODY_UNTERMINATED) || layer == NULL ||
        is_sse(layer->message))
        return;
    fuzz_text ended = {.len = 0};
    fuzz_push(&ended, text.ptr, text.len);
    fuzz_push(&ended, END, sizeof(END) - 1);
    fuzz_compare(&bare, text, rc_str_make(ended.bytes, ended.len), "an end takes nothing away");
}

static void check_streams(const rc_failure *failure)
{
    rc_str text = rc_str_trim(failure->event.len > 0 ? failure->event : failure->body);
    rc_failure as_body = *failure;
    rc_failure as_event = *failure;
    rc_classify_space space;
    as_body.body = text;
    as_body.event = rc_str_make(NULL, 0);
    as_event.body = rc_str_make(NULL, 0);
    as_event.event = text;
    fuzz_require(rc_judge(&as_body, NULL, NULL, &space).code ==
                     rc_judge(&as_event, NULL, NULL, &space).code,
                 "a body and an event say the same", failure);
    if (text.len > FUZZ_PLAIN_MAX || !is_sse(text) ||
        rc_str_find_byte(text, '\r', 0) != RC_STR_NPOS)
        return;
    check_lines(failure, text);
    check_end(failure, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_classify(data, size, PROVIDERS, sizeof(PROVIDERS) / sizeof(PROVIDERS[0]),
                         check_streams);
}
