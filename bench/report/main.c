/* Measures the cost of a report: build, encode, decode, render. Compared with cJSON printing and
 * parsing the same text.
 *
 * CPU time of this thread; the contenders are interleaved, the median of the rounds counts. */
#include <recourse/recourse.h>
#include <recourse/stdlib.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <time.h>

#define ROUNDS 31
#define CALLS 2000
#define ENCODE_GOAL_NS 2000.0

typedef struct bench {
    rc_alloc alloc;
    const rc_report *report;
    rc_buf json; /* The report, internal view. */
    rc_buf out;
    cJSON *tree;
} bench;

static const rc_report *build(const rc_alloc *alloc)
{
    rc_builder b;
    rc_builder_init(&b, alloc, RC_CODE_RATE_LIMITED);
    rc_builder_set_id_text(&b, RC_STR("rep_01KE8V3Q5W9D0YJ7M2N4P6R8ST"));
    rc_builder_set_family(&b, RC_FAMILY_LLM);
    rc_builder_set_provider(&b, RC_STR("anthropic"));
    rc_builder_set_model(&b, RC_STR("claude-sonnet-4-5"));
    rc_builder_set_detail(&b, RC_STR("This request would exceed the rate limit for your "
                                     "organization of 40,000 input tokens per minute."));
    rc_builder_set_provider_status(&b, 429);
    rc_builder_set_provider_type(&b, RC_STR("rate_limit_error"));
    rc_builder_set_request_id(&b, RC_STR("req_011CS3kQ8x"));
    rc_builder_set_retry_after_ms(&b, 38000);
    rc_builder_set_limit_kind(&b, RC_LIMIT_KIND_TOKENS);
    rc_builder_set_raw(
        &b, RC_STR("{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":"
                   "\"This request would exceed "
                   "the rate limit for your organization of 40,000 input tokens per minute.\"}}"));
    rc_builder_set_context(&b, RC_STR("run_id"), RC_STR("run_20261116_0302"));
    rc_builder_set_context(&b, RC_STR("node_id"), RC_STR("summarize"));
    rc_builder_set_context_int(&b, RC_STR("attempt"), 3);
    rc_builder_set_rule(&b, RC_STR("anthropic.rate_limit_error"));
    rc_builder_add_source(&b, RC_HERE("RateLimitError"));
    return rc_builder_finish(&b);
}

static void run_build(bench *b)
{
    rc_report_free(build(&b->alloc));
}

static void run_encode(bench *b)
{
    rc_buf_reset(&b->out);
    rc_report_encode(b->report, RC_VIEW_INTERNAL, &b->out);
}

static void run_decode(bench *b)
{
    const rc_report *report = NULL;
    if (rc_report_decode(rc_buf_get(&b->json), RC_DECODE_STRICT, &b->alloc, &report, NULL) == RC_OK)
        rc_report_free(report);
}

static void run_panel(bench *b)
{
    rc_panel_style style = {.width = 80, .has_utf8 = true};
    rc_buf_reset(&b->out);
    rc_render_human(b->report, RC_VIEW_USER, &style, &b->out);
}

static void run_http(bench *b)
{
    rc_buf_reset(&b->out);
    rc_render_http(b->report, RC_DIALECT_OPENAI_CHAT, RC_VIEW_USER, &b->out);
}

static void run_cjson_print(bench *b)
{
    free(cJSON_PrintUnformatted(b->tree));
}

static void run_cjson_parse(bench *b)
{
    rc_str text = rc_buf_get(&b->json);
    cJSON_Delete(cJSON_ParseWithLength(text.ptr, text.len));
}

typedef struct contender {
    const char *name;
    void (*run)(bench *b);
    size_t peer; /* Index of the contender to compare with. A contender with its own index here is
                  * not compared. */
    double ns[ROUNDS];
} contender;

enum {
    ENCODE,
    CJSON_PRINT,
    DECODE,
    CJSON_PARSE,
    BUILD,
    PANEL,
    HTTP,
    CONTENDERS
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(contender *c)
{
    qsort(c->ns, ROUNDS, sizeof *c->ns, compare);
    return c->ns[ROUNDS / 2];
}

int main(void)
{
    contender all[CONTENDERS] = {
        [ENCODE] = {"encode, internal view", run_encode, CJSON_PRINT, {0}},
        [CJSON_PRINT] = {"  cJSON: print the same", run_cjson_print, CJSON_PRINT, {0}},
        [DECODE] = {"decode, strict", run_decode, CJSON_PARSE, {0}},
        [CJSON_PARSE] = {"  cJSON: parse the same", run_cjson_parse, CJSON_PARSE, {0}},
        [BUILD] = {"build and free", run_build, BUILD, {0}},
        [PANEL] = {"human panel", run_panel, PANEL, {0}},
        [HTTP] = {"HTTP response, OpenAI body", run_http, HTTP, {0}},
    };
    bench b = {.alloc = rc_alloc_stdlib()};
    b.report = build(&b.alloc);
    rc_buf_init(&b.json, &b.alloc, 1u << 20);
    rc_buf_init(&b.out, &b.alloc, 1u << 20);
    rc_report_encode(b.report, RC_VIEW_INTERNAL, &b.json);
    b.tree = cJSON_ParseWithLength(rc_buf_get(&b.json).ptr, rc_buf_get(&b.json).len);

    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < CONTENDERS; i++) {
            double start = now_ns();
            for (size_t call = 0; call < CALLS; call++)
                all[i].run(&b);
            all[i].ns[round] = (now_ns() - start) / CALLS;
        }
    }

    double medians[CONTENDERS];
    for (size_t i = 0; i < CONTENDERS; i++)
        medians[i] = median(&all[i]);
    printf("\nA report of %zu bytes of JSON (CPU time, median of %d rounds)\n\n",
           rc_buf_get(&b.json).len, ROUNDS);
    printf("%-30s %10s  %s\n", "", "us", "of the peer's time");
    for (size_t i = 0; i < CONTENDERS; i++) {
        printf("%-30s %10.2f", all[i].name, medians[i] / 1000);
        if (all[i].peer != i)
            printf("  %.2f x", medians[i] / medians[all[i].peer]);
        printf("\n");
    }
    printf("\ngoal: encode in at most %.0f us: %s\n", ENCODE_GOAL_NS / 1000,
           medians[ENCODE] <= ENCODE_GOAL_NS ? "met" : "MISSED");

    cJSON_Delete(b.tree);
    rc_buf_done(&b.json);
    rc_buf_done(&b.out);
    rc_report_free(b.report);
    return 0;
}
