/* Makes chat requests that resemble those of real clients: tools with schemas, long prose with line
 * breaks, quotes and accents, tool calls whose arguments are JSON in a string. The bytes are the
 * same in every run. Called by main.c. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct sink {
    char *bytes;
    size_t len;
    size_t size;
    uint64_t seed;
} sink;

static void put(sink *s, const char *text)
{
    size_t len = strlen(text);
    if (s->size - s->len < len + BENCH_PADDING) {
        s->size = 2 * (s->size + len + BENCH_PADDING);
        s->bytes = realloc(s->bytes, s->size);
        if (!s->bytes)
            abort();
    }
    memcpy(s->bytes + s->len, text, len);
    s->len += len;
}

static uint32_t pick(sink *s, uint32_t below)
{
    s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(s->seed >> 33) % below;
}

static void put_prose(sink *s, size_t words)
{
    static const char *const WORDS[] = {
        "the",      "request", "model",  "returned", "a",       "partial", "answer",   "because",
        "upstream", "closed",  "stream", "before",   "all",     "tokens",  "were",     "sent",
        "and",      "so",      "we",     "retry",    "with",    "smaller", "context",  "window",
        "in",       "order",   "to",     "keep",     "latency", "low",     "naïve",    "Zürich",
        "résumé",   "日本語",  "の",     "テスト",   "😀",       "costs",   "function", "handler",
        "int",      "main",    "void",   "return",   "if",      "for",     "each",     "deployment",
    };
    static const char *const GLUE[] = {" ",      " ",     " ",     " ",   " ", " ", " ", " ",
                                       " ",      ", ",    ". ",    "\\n", " ", " ", " ", " ",
                                       "\\n\\n", " \\\"", "\\\" ", ": ",  " ", " "};
    for (size_t i = 0; i < words; i++) {
        put(s, WORDS[pick(s, sizeof WORDS / sizeof *WORDS)]);
        put(s, GLUE[pick(s, sizeof GLUE / sizeof *GLUE)]);
    }
    if (pick(s, 8) == 0)
        put(s, "\\u2014 \\ud83d\\ude80");
}

static void put_tool(sink *s, unsigned number)
{
    char name[64];
    snprintf(name, sizeof name, "lookup_%u", number);
    put(s, "{\"type\":\"function\",\"function\":{\"name\":\"");
    put(s, name);
    put(s, "\",\"description\":\"");
    put_prose(s, 12);
    put(s, "\",\"parameters\":{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\","
           "\"description\":\"what to look for\"},\"limit\":{\"type\":\"integer\",\"minimum\":1,"
           "\"maximum\":50},\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
           "\"required\":[\"query\"],\"additionalProperties\":false}}}");
}

static void put_message(sink *s, unsigned number, size_t words)
{
    static const char *const ROLES[] = {"user", "assistant", "user", "assistant"};
    if (number % 7 == 6) {
        put(s,
            "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_1\",\"type\":"
            "\"function\",\"function\":{\"name\":\"lookup_1\",\"arguments\":\"{\\\"query\\\":\\\"a "
            "b\\\","
            "\\\"limit\\\":5,\\\"tags\\\":[\\\"x\\\",\\\"y\\\"]}\"}}]},");
        put(s, "{\"role\":\"tool\",\"tool_call_id\":\"call_1\",\"content\":\"");
    } else {
        put(s, "{\"role\":\"");
        put(s, number == 0 ? "system" : ROLES[number % 4]);
        put(s, "\",\"content\":\"");
    }
    put_prose(s, words);
    put(s, "\"}");
}

bench_body bench_body_new(size_t about_bytes, bool is_model_last)
{
    sink s = {.seed = 42};
    const char *names = "\"model\":\"" BENCH_MODEL "\",\"stream\":true";
    put(&s, "{");
    if (!is_model_last) {
        put(&s, names);
        put(&s, ",");
    }
    put(&s, "\"temperature\":0.7,\"max_tokens\":1024,\"user\":\"user-7f3a\",\"tools\":[");
    unsigned tools = about_bytes < 4096 ? 1 : 12;
    for (unsigned i = 0; i < tools; i++) {
        put(&s, i ? "," : "");
        put_tool(&s, i);
    }
    put(&s, "],\"messages\":[");
    for (unsigned i = 0; i == 0 || s.len < about_bytes - 100; i++) {
        put(&s, i ? "," : "");
        size_t left = s.len < about_bytes ? about_bytes - s.len : 0;
        size_t words = 8 + pick(&s, i % 5 == 4 ? 400 : 80);
        put_message(&s, i, words < left / 8 ? words : left / 8);
    }
    put(&s, "],\"metadata\":{\"trace\":[1,2,3],\"team\":\"search\"}");
    if (is_model_last) {
        put(&s, ",");
        put(&s, names);
    }
    put(&s, "}");
    memset(s.bytes + s.len, 0, BENCH_PADDING);
    return (bench_body){.bytes = s.bytes, .len = s.len};
}

void bench_body_free(bench_body *body)
{
    free(body->bytes);
    *body = (bench_body){0};
}
