/* Asks a failing provider and carries the answer out, without a socket: what came, byte for byte,
 * and how it ended. */
#ifndef TESTS_SUPPORT_MOCK_RUN_H
#define TESTS_SUPPORT_MOCK_RUN_H

#include <recourse/stdlib.h>

#include <stdio.h>
#include <string.h>

#include "mock/provider.h"

#define MOCK_NOW_UNIX_MS INT64_C(1763251200000)

typedef struct mock_seen {
    int status;
    bool has_head;
    bool is_chunked;
    uint64_t length;
    rc_header headers[RC_MOCK_HEADERS_MAX];
    size_t header_count;
    rc_mock_answer answer; /* the headers view it */
    rc_buf body;
    rc_mock_what end;
    bool has_garbage;
    uint64_t wait_ms; /* all of them */
    unsigned waits;
    unsigned sends;
    uint64_t tokens;
} mock_seen;

static inline void mock_seen_done(mock_seen *seen)
{
    rc_mock_answer_done(&seen->answer);
    rc_buf_done(&seen->body);
}

static inline void mock_seen_head(mock_seen *seen)
{
    seen->has_head = true;
    seen->status = seen->answer.status;
    seen->is_chunked = seen->answer.is_chunked;
    seen->length = seen->answer.length;
    for (size_t i = 0; i < seen->answer.field_count; i++)
        seen->headers[seen->header_count++] = (rc_header){rc_str_c(seen->answer.fields[i].name),
                                                          rc_str_c(seen->answer.fields[i].value)};
}

/* False: a step is missing or comes too late. */
static inline bool mock_seen_step(mock_seen *seen, const rc_mock_step *step)
{
    switch (step->what) {
    case RC_MOCK_HEAD:
        if (seen->has_head)
            return false;
        mock_seen_head(seen);
        return true;
    case RC_MOCK_SEND:
        seen->sends++;
        seen->tokens += step->tokens;
        rc_buf_push(&seen->body, step->bytes);
        return seen->has_head && step->bytes.len > 0;
    case RC_MOCK_GARBAGE:
        seen->has_garbage = true;
        return seen->has_head && seen->is_chunked;
    case RC_MOCK_WAIT:
        seen->waits++;
        seen->wait_ms += step->wait_ms;
        return step->wait_ms > 0;
    case RC_MOCK_END:
    case RC_MOCK_CLOSE:
    case RC_MOCK_RESET:
    case RC_MOCK_HANG:
        seen->end = step->what;
        return true;
    }
    return false;
}

/* The whole answer; mock_seen_done is due. False: a step makes no sense. */
static inline bool mock_ask_at(rc_mock_provider *provider, const rc_mock_message *message,
                               uint64_t now_ms, mock_seen *seen)
{
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_mock_now now = {now_ms, MOCK_NOW_UNIX_MS + (int64_t)now_ms};
    rc_mock_ticket ticket;
    rc_mock_step step;
    memset(seen, 0, sizeof *seen);
    rc_buf_init(&seen->body, &alloc, (size_t)128 << 20);
    if (rc_mock_provider_answer(provider, message, &now, &alloc, &seen->answer, &ticket) != RC_OK)
        return false;
    while (seen->end == 0) {
        rc_mock_answer_step(&seen->answer, &step);
        if (!mock_seen_step(seen, &step))
            return false;
    }
    rc_mock_ledger_sent(&provider->ledger, &ticket, seen->tokens);
    return true;
}

/* The endpoints that generate, and their requests. */
typedef struct mock_endpoint {
    const char *name;
    const char *target; /* %s: the model of Gemini */
    const char *body;   /* %s: the model */
    rc_mock_family family;
    int dialect; /* of rc_stream_dialect */
    bool is_stream;
    bool is_array;
} mock_endpoint;

/* Fills the message; target and body are kept in the rooms. */
static inline rc_mock_message mock_message(const mock_endpoint *endpoint, const char *model,
                                           char target[512], char body[1024])
{
    rc_mock_message message = {.method = RC_STR("POST")};
    const char *at = strchr(endpoint->target, '%');
    if (at != NULL)
        (void)snprintf(target, 512, "%.*s%s%s", (int)(at - endpoint->target), endpoint->target,
                       model, at + 2);
    else
        (void)snprintf(target, 512, "%s", endpoint->target);
    at = strchr(endpoint->body, '%');
    if (at != NULL)
        (void)snprintf(body, 1024, "%.*s%s%s", (int)(at - endpoint->body), endpoint->body, model,
                       at + 2);
    else
        (void)snprintf(body, 1024, "%s", endpoint->body);
    message.target = rc_str_c(target);
    message.body = rc_str_c(body);
    return message;
}

#define MOCK_MESSAGES                                                \
    "\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"}," \
    "{\"role\":\"user\",\"content\":\"Tell me a story\"}]"
#define MOCK_CONTENTS \
    "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"Tell me a story\"}]}]}"

#define OPENAI RC_MOCK_OPENAI
static const mock_endpoint mock_endpoints[] = {
    {"chat", "/v1/chat/completions", "{\"model\":\"%s\"," MOCK_MESSAGES "}", OPENAI, 0, false,
     false},
    {"chat stream", "/v1/chat/completions",
     "{\"model\":\"%s\",\"stream\":true,\"stream_options\":{\"include_usage\":true}," MOCK_MESSAGES
     "}",
     OPENAI, 0, true, false},
    {"completions", "/v1/completions", "{\"model\":\"%s\",\"prompt\":\"Tell me a story\"}", OPENAI,
     1, false, false},
    {"completions stream", "/v1/completions",
     "{\"model\":\"%s\",\"prompt\":\"Tell me a story\",\"stream\":true}", OPENAI, 1, true, false},
    {"responses", "/v1/responses", "{\"model\":\"%s\",\"input\":\"Tell me a story\"}", OPENAI, 2,
     false, false},
    {"responses stream", "/v1/responses",
     "{\"model\":\"%s\",\"input\":\"Tell me a story\",\"stream\":true}", OPENAI, 2, true, false},
    {"messages", "/v1/messages", "{\"model\":\"%s\",\"max_tokens\":100000000," MOCK_MESSAGES "}",
     RC_MOCK_ANTHROPIC, 3, false, false},
    {"messages stream", "/v1/messages",
     "{\"model\":\"%s\",\"max_tokens\":100000000,\"stream\":true," MOCK_MESSAGES "}",
     RC_MOCK_ANTHROPIC, 3, true, false},
    {"gemini", "/v1beta/models/%s:generateContent", MOCK_CONTENTS, RC_MOCK_GEMINI, 4, false, false},
    {"gemini stream", "/v1beta/models/%s:streamGenerateContent?alt=sse", MOCK_CONTENTS,
     RC_MOCK_GEMINI, 4, true, false},
    {"gemini array", "/v1beta/models/%s:streamGenerateContent", MOCK_CONTENTS, RC_MOCK_GEMINI, 4,
     true, true},
};
#undef OPENAI
#define MOCK_ENDPOINT_COUNT (sizeof mock_endpoints / sizeof *mock_endpoints)

#endif
