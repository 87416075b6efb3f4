/* Random reports from a seed: any mix of fields, hostile texts, chains of causes. The same seed
 * gives the same report. */
#ifndef TESTS_SUPPORT_RANDOM_REPORT_H
#define TESTS_SUPPORT_RANDOM_REPORT_H

#include <recourse/builder.h>
#include <recourse/taxonomy.h>

#include <stdint.h>

/* Returns the next number of the generator splitmix64. */
static inline uint64_t random_u64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static inline size_t random_below(uint64_t *state, size_t limit)
{
    return (size_t)(random_u64(state) % limit);
}

/* Returns a random text in memory that the next call overwrites: mostly words; also raw bytes,
 * quotes, escapes, wide characters, texts that look like keys, and long runs of one character. */
static inline rc_str random_text(uint64_t *state, char memory[4096])
{
    static const char *const PIECES[] = {
        "rate limit",
        " ",
        "\"",
        "\\",
        "\n",
        "\t",
        "\x01",
        "\x7f",
        "é",
        "額度",
        "🙂",
        "\xff",
        "\xc3",
        "\xed\xa0\x80",
        "{\"a\":1}",
        "try again in 20s",
        "https://u:p@h.example/x?key=abc&b=2",
        "Bearer abcdefghijklmnop",
        "sk-proj-abcdefghijklmnopqrstuvwx",
        "/srv/me/x.c",
        "a",
        "0",
        "=",
        ":",
        "'",
        "api_key",
        "token",
        "password: hunter2hunter2",
        "[redacted]",
        "… [+5 bytes]",
        "\xe2\x80\xa8",
        "Cookie: a=b; c=d",
        "AKIAABCDEFGHIJKLMNOP",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        ",",
        "&",
        "\r\n",
        "-",
        "_",
        ".",
        "//",
    };
    size_t len = 0;
    size_t pieces =
        random_below(state, 32) == 0 ? random_below(state, 120) : 1 + random_below(state, 7);
    for (size_t i = 0; i < pieces; i++) {
        const char *piece = PIECES[random_below(state, sizeof PIECES / sizeof *PIECES)];
        size_t piece_len = strlen(piece);
        if (len + piece_len + 1 > 4096)
            break;
        if (random_below(state, 16) == 0)
            memory[len++] = (char)random_u64(state); /* any byte, including NUL */
        memcpy(memory + len, piece, piece_len);
        len += piece_len;
    }
    return rc_str_make(memory, len);
}

static inline void random_texts(uint64_t *state, rc_builder *b)
{
    static void (*const SETTERS[])(rc_builder *, rc_str) = {
        rc_builder_set_error_type,     rc_builder_set_message,       rc_builder_set_detail,
        rc_builder_set_provider,       rc_builder_set_model,         rc_builder_set_rule,
        rc_builder_set_provider_type,  rc_builder_set_provider_code, rc_builder_set_id_text,
        rc_builder_set_provider_param, rc_builder_set_request_id,    rc_builder_set_raw,
        rc_builder_add_source_text};
    char memory[4096];
    for (size_t i = 0; i < sizeof SETTERS / sizeof *SETTERS; i++) {
        if (random_below(state, 3) == 0)
            SETTERS[i](b, random_text(state, memory));
    }
}

static inline void random_lists(uint64_t *state, rc_builder *b)
{
    char key[4096];
    char value[4096];
    size_t count = random_below(state, 40) == 0 ? random_below(state, 70) : random_below(state, 3);
    for (size_t i = 0; i < count; i++) {
        rc_str k = random_text(state, key);
        size_t kind = random_below(state, 3);
        if (kind == 0)
            rc_builder_set_context(b, k, random_text(state, value));
        else if (kind == 1)
            rc_builder_set_context_int(b, k, (int64_t)random_u64(state));
        else
            rc_builder_set_context_bool(b, k, random_below(state, 2) == 0);
    }
    count = random_below(state, 60) == 0 ? random_below(state, 70) : random_below(state, 2);
    for (size_t i = 0; i < count; i++) {
        rc_report_attempt attempt = {.attempt = (int64_t)random_below(state, 9),
                                     .model = random_text(state, value),
                                     .reason = random_text(state, key),
                                     .code = rc_code_at(random_below(state, rc_code_count()))->code,
                                     .status = (int64_t)random_below(state, 1200),
                                     .started_unix_ms = (int64_t)random_below(state, 5) - 1,
                                     .duration_ms = (int64_t)random_below(state, 5000) - 1,
                                     .wait_ms = (int64_t)random_below(state, 5) - 1};
        rc_builder_add_attempt(b, &attempt);
    }
    if (random_below(state, 4) == 0)
        rc_builder_add_source(b, RC_HERE("RandomError"));
}

static inline void random_values(uint64_t *state, rc_builder *b)
{
    char memory[4096];
    if (random_below(state, 4) == 0)
        rc_builder_set_category(b, (rc_category)random_below(state, 7));
    if (random_below(state, 4) == 0)
        rc_builder_set_domain(b, (rc_domain)random_below(state, 4));
    if (random_below(state, 4) == 0)
        rc_builder_set_class(b, (rc_error_class)random_below(state, 13));
    if (random_below(state, 4) == 0)
        rc_builder_set_retryable(b, random_below(state, 2) == 0);
    if (random_below(state, 4) == 0)
        rc_builder_set_retry_exhausted(b, random_below(state, 2) == 0);
    if (random_below(state, 4) == 0)
        rc_builder_set_action(b, (rc_user_action)random_below(state, 14),
                              random_text(state, memory));
    if (random_below(state, 4) == 0)
        rc_builder_set_provider_status(b, (int64_t)random_below(state, 1100));
    if (random_below(state, 4) == 0)
        rc_builder_set_retry_after_ms(b, (int64_t)(random_u64(state) >> random_below(state, 64)));
    if (random_below(state, 4) == 0)
        rc_builder_set_limit_kind(b, (rc_limit_kind)random_below(state, 8));
    if (random_below(state, 4) == 0)
        rc_builder_set_http_status(b, (int)random_below(state, 1100));
    if (random_below(state, 4) == 0)
        rc_builder_set_family(b, (rc_family)random_below(state, 8));
}

/* Returns a random report, with or without causes; the caller frees it. */
static inline const rc_report *random_report(uint64_t *state, const rc_alloc *alloc)
{
    const rc_report *report = NULL;
    size_t depth = random_below(state, 4) == 0 ? random_below(state, 5) : 0;
    if (random_below(state, 2000) == 0)
        depth = 60 + random_below(state, 20);
    for (size_t i = 0; i <= depth; i++) {
        rc_builder b;
        bool is_wrapper = report && random_below(state, 2) == 0;
        rc_builder_init(&b, alloc,
                        is_wrapper ? RC_CODE_NONE
                                   : rc_code_at(random_below(state, rc_code_count()))->code);
        random_texts(state, &b);
        random_values(state, &b);
        if (random_below(state, 3) == 0)
            random_lists(state, &b);
        rc_builder_set_cause(&b, report);
        rc_report_free(report);
        report = rc_builder_finish(&b);
    }
    return report;
}

#endif
