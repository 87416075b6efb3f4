/* Sends requests to a mock provider without a socket and carries out the steps of the response. The
 * result is the received bytes and how the response ended. */
#ifndef TESTS_SUPPORT_MOCK_RUN_H
#define TESTS_SUPPORT_MOCK_RUN_H

#include <recourse/stdlib.h>

#include <stdio.h>
#include <string.h>

#include "mock/provider.h"

#define MOCK_NOW_UNIX_MS INT64_C(1763251200000)

typedef struct mock_received {
    int status;
    bool has_head;
    bool is_chunked;
    uint64_t length;
    rc_header headers[RC_MOCK_HEADERS_MAX];
    size_t header_count;
    rc_mock_response response; /* The response, which the headers view. */
    rc_buf body;
    rc_mock_step_kind end;
    bool has_garbage;
    uint64_t wait_ms; /* Sum of all waits in milliseconds. */
    unsigned waits;
    unsigned sends;
    uint64_t tokens;
} mock_received;

static inline void mock_received_done(mock_received *received)
{
    rc_mock_response_done(&received->response);
    rc_buf_done(&received->body);
}

static inline void mock_received_head(mock_received *received)
{
    received->has_head = true;
    received->status = received->response.status;
    received->is_chunked = received->response.is_chunked;
    received->length = received->response.length;
    for (size_t i = 0; i < received->response.header_count; i++)
        received->headers[received->header_count++] =
            (rc_header){rc_str_c(received->response.headers[i].name),
                        rc_str_c(received->response.headers[i].value)};
}

/* Carries out one step. Returns false if steps are missing or follow the last one. */
static inline bool mock_received_step(mock_received *received, const rc_mock_step *step)
{
    switch (step->kind) {
    case RC_MOCK_HEAD:
        if (received->has_head)
            return false;
        mock_received_head(received);
        return true;
    case RC_MOCK_SEND:
        received->sends++;
        received->tokens += step->tokens;
        rc_buf_push(&received->body, step->bytes);
        return received->has_head && step->bytes.len > 0;
    case RC_MOCK_GARBAGE:
        received->has_garbage = true;
        return received->has_head && received->is_chunked;
    case RC_MOCK_WAIT:
        received->waits++;
        received->wait_ms += step->wait_ms;
        return step->wait_ms > 0;
    case RC_MOCK_END:
    case RC_MOCK_CLOSE:
    case RC_MOCK_RESET:
    case RC_MOCK_HANG:
        received->end = step->kind;
        return true;
    }
    return false;
}

/* Receives the whole response; the caller calls mock_received_done. Returns false if the steps are
 * inconsistent. */
static inline bool mock_request_at(rc_mock_provider *provider, const rc_mock_message *message,
                                   uint64_t now_ms, mock_received *received)
{
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_mock_time now = {now_ms, MOCK_NOW_UNIX_MS + (int64_t)now_ms};
    rc_mock_ticket ticket;
    rc_mock_step step;
    memset(received, 0, sizeof *received);
    rc_buf_init(&received->body, &alloc, (size_t)128 << 20);
    if (rc_mock_provider_respond(provider, message, &now, &alloc, &received->response, &ticket) !=
        RC_OK)
        return false;
    while (received->end == 0) {
        rc_mock_response_step(&received->response, &step);
        if (!mock_received_step(received, &step))
            return false;
    }
    rc_mock_stats_add_sent(&provider->stats, &ticket, received->tokens);
    return true;
}

/* The endpoints that generate text, with a request for each. */
typedef struct mock_endpoint {
    const char *name;
    const char *target; /* Path of the endpoint; %s stands for the model (Gemini). */
    const char *body;   /* Request body; %s stands for the model. */
    rc_mock_family family;
    int dialect; /* An rc_stream_dialect. */
    bool is_stream;
    bool is_array;
} mock_endpoint;

/* Returns a message; its target and body are in the caller's buffers. */
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
