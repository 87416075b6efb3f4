/* Measures the cost of one streamed event: parsing it (rc_sse) and recognising it
 * (rc_stream_watch). Compared with a parser that builds a tree of the same data.
 *
 * CPU time of this thread; the contenders are interleaved, the median of the rounds counts. */
#include <recourse/buf.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "codec/sse.h"
#include "dialect/stream.h"

#define ROUNDS 31
#define CALLS 20000
#define GOAL_NS 400.0

typedef struct sample {
    const char *name;
    rc_stream_dialect dialect;
    const char *text; /* One event. */
} sample;

static const sample SAMPLES[] = {
    {"chat delta", RC_STREAM_OPENAI_CHAT,
     "data: {\"id\":\"chatcmpl-CVbT0x9pWz\",\"object\":\"chat.completion.chunk\",\"created\":"
     "1762899700,\"model\":\"gpt-4o-mini\",\"choices\":[{\"index\":0,\"delta\":{\"content\":"
     "\" streaming\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n"},
    {"chat usage", RC_STREAM_OPENAI_CHAT,
     "data: {\"id\":\"chatcmpl-CVbT0x9pWz\",\"object\":\"chat.completion.chunk\",\"created\":"
     "1762899700,\"model\":\"gpt-4o-mini\",\"choices\":[],\"usage\":{\"prompt_tokens\":1250,"
     "\"completion_tokens\":320,\"total_tokens\":1570,\"prompt_tokens_details\":{"
     "\"cached_tokens\":1024},\"completion_tokens_details\":{\"reasoning_tokens\":64}}}\n\n"},
    {"responses delta", RC_STREAM_OPENAI_RESPONSES,
     "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
     "\"sequence_number\":17,\"item_id\":\"msg_68f1\",\"output_index\":0,\"content_index\":0,"
     "\"delta\":\" streaming\",\"logprobs\":[]}\n\n"},
    {"anthropic delta", RC_STREAM_ANTHROPIC,
     "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
     "\"delta\":{\"type\":\"text_delta\",\"text\":\" streaming\"}           }\n\n"},
    {"gemini chunk", RC_STREAM_GEMINI,
     "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \" streaming\"}],\"role\": "
     "\"model\"},\"index\": 0}],\"usageMetadata\": {\"promptTokenCount\": 12,"
     "\"candidatesTokenCount\": 7,\"totalTokenCount\": 19},\"modelVersion\": "
     "\"gemini-2.5-flash\"}\r\n\r\n"},
};

#define COUNT (sizeof SAMPLES / sizeof SAMPLES[0])

typedef struct bench {
    const sample *sample;
    rc_buf scratch;
    rc_sse sse;
    rc_stream_watch watch;
} bench;

typedef enum work {
    READ,
    READ_AND_WATCH,
    IN_TWO_PIECES,
    CJSON,
    WORKS
} work;

static const char *const WORK_NAMES[] = {"read", "read, watch", "in two pieces", "cJSON tree"};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void read_piece(bench *b, rc_str piece, bool is_watched)
{
    rc_stream_event event;
    rc_stream_event_info seen;
    rc_sse_push(&b->sse, piece);
    while (rc_sse_pull(&b->sse, &event)) {
        if (is_watched)
            rc_stream_watch_step(&b->watch, &event, &seen);
    }
}

static void run_once(bench *b, work what)
{
    rc_str text = rc_str_c(b->sample->text);
    switch (what) {
    case READ:
    case READ_AND_WATCH:
        read_piece(b, text, what == READ_AND_WATCH);
        break;
    case IN_TWO_PIECES:
        read_piece(b, rc_str_make(text.ptr, text.len / 2), true);
        read_piece(b, rc_str_make(text.ptr + text.len / 2, text.len - text.len / 2), true);
        break;
    case CJSON: {
        const char *data = strchr(text.ptr, '{');
        cJSON_Delete(cJSON_ParseWithLength(data, text.len - (size_t)(data - text.ptr)));
        break;
    }
    case WORKS:
        break;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const sample *s, double ret_ns[WORKS])
{
    static char memory[1 << 16];
    double ns[WORKS][ROUNDS];
    bench b = {.sample = s};
    rc_buf_init_fixed(&b.scratch, memory, sizeof memory);
    rc_sse_init(&b.sse, &b.scratch, sizeof memory / 2);
    rc_stream_watch_init(&b.watch, s->dialect);
    for (size_t round = 0; round < ROUNDS; round++) {
        for (work w = READ; w < WORKS; w++) {
            double start = now_ns();
            for (size_t i = 0; i < CALLS; i++)
                run_once(&b, w);
            ns[w][round] = (now_ns() - start) / CALLS;
        }
    }
    for (work w = READ; w < WORKS; w++) {
        qsort(ns[w], ROUNDS, sizeof ns[w][0], compare);
        ret_ns[w] = ns[w][ROUNDS / 2];
    }
}

int main(void)
{
    double chat_ns = 0;
    printf("%-16s %6s", "ns an event", "bytes");
    for (work w = READ; w < WORKS; w++)
        printf(" %14s", WORK_NAMES[w]);
    printf("\n");
    for (size_t i = 0; i < COUNT; i++) {
        double ns[WORKS];
        measure(&SAMPLES[i], ns);
        printf("%-16s %6zu", SAMPLES[i].name, strlen(SAMPLES[i].text));
        for (work w = READ; w < WORKS; w++)
            printf(" %14.0f", ns[w]);
        printf("\n");
        if (i == 0)
            chat_ns = ns[READ_AND_WATCH];
    }
    printf("\ngoal: a chat delta read and watched in at most %.0f ns: %s\n", GOAL_NS,
           chat_ns <= GOAL_NS ? "met" : "MISSED");
    return 0;
}
